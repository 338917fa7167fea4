import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openStatement, publicKeyOf } from '#client/dsse'
import type { AgentCommand, CommandEnd, CrewImage } from '#runtime/types'
import { noteReceiptKey } from '../../../../daemon/features/runs/receipts/service.ts'
import { RuntimeError } from '../../../../daemon/runtime/errors.ts'
import type { FilesRequest } from '../../../../daemon/runtime/spool/agent-files.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import { FakeRuntime } from '../../../support/fake-runtime.ts'
import { addPerson, type Person } from '../../../support/index.ts'
import { beginMadeUp, madeUp } from '../../../support/made-up-source.ts'
import { type Workplace, workplace } from '../../../support/runs.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

/** A runtime in whose crews files are found as the test says. */
class Finding extends FakeRuntime {
  readonly searches: Extract<FilesRequest, { op: 'changed' }>[] = []
  answer: () => Promise<unknown> = async () => ({ files: [], cuts: [] })

  override async imageOf(): Promise<CrewImage> {
    return { name: 'muster/crew:local', id: `sha256:${'1'.repeat(64)}` }
  }

  override async command(_crewId: string, _agent: unknown, { argv }: AgentCommand): Promise<CommandEnd> {
    this.searches.push(JSON.parse(argv.at(-1)!))
    return { code: 0, stdout: JSON.stringify(await this.answer()), stderr: '' }
  }
}

type Place = Workplace<Finding>
const place = (): Promise<Place> => workplace({ runtime: new Finding() })

/** A chat's run that has come to its end. */
async function done(it: Place, content = 'Write the report', answer = 'It is written') {
  const count = it.runtime.programs.size
  const { run_id } = await it.send(await it.openChat(), content)
  const program = await it.runtime.program(count)
  it.runtime.print(program, init, says(answer), result())
  it.runtime.finish(program)
  await it.runs.ended(run_id)
  return run_id
}

const ask = (it: Place, run: string, who: Person | 'OWNER' | 'VIEWER' = 'OWNER') =>
  it.call(who, 'GET', `/runs/${run}/receipt`)

async function read(it: Place, run: string, who: Person | 'OWNER' | 'VIEWER' = 'OWNER') {
  const { status, body, text } = await ask(it, run, who)
  expect(status, text).toBe(200)
  const keys = (await it.call(who, 'GET', '/receipt-keys')).body
  const { public_key } = keys.find(({ keyid }: { keyid: string }) => keyid === body.signatures[0].keyid)
  return JSON.parse(openStatement(body, publicKeyOf(public_key)).toString())
}

describe('a receipt', () => {
  it('says who asked which agent, with what, what came of it, and where that stands in the journal', async () => {
    const it = await place()
    it.app.db.prepare("UPDATE users SET full_name = 'Olga' WHERE id = ?").run(it.person('OWNER').userId)
    it.runtime.answer = async () => ({
      files: [{ root: 0, path: base64('report.md'), size: 5, sha256: sha256('hello') }],
      cuts: [],
    })
    const run = await done(it)
    const { _type, predicateType, subject, predicate } = await read(it, run)
    expect([_type, predicateType]).toEqual(['https://in-toto.io/Statement/v1', 'urn:muster:run-receipt:v1'])
    expect(subject).toEqual([
      { name: `runs/${run}/answer`, digest: { sha256: sha256('It is written') }, annotations: { kind: 'answer' } },
      { name: 'report.md', digest: { sha256: sha256('hello') }, annotations: { kind: 'file', size: 5 } },
    ])
    const { spec } = await it.runtime.program(0)
    expect(predicate).toMatchObject({
      run: { id: run, workspace_id: it.workspace, trigger_type: 'USER', source: 'chat', status: 'COMPLETED' },
      requested_by: { id: it.person('OWNER').userId, name: 'Olga' },
      agent: { id: it.agentId, name: 'Agent ada', slug: 'ada', crew_id: it.crewId, crew_slug: 'backend' },
      delegated_by: [],
      programs: [
        {
          adapter: 'CLAUDE_CODE',
          provider: 'ANTHROPIC',
          prompt_sha256: sha256(spec.stdin),
          image: { name: 'muster/crew:local', id: `sha256:${'1'.repeat(64)}` },
        },
      ],
      client: { version: '2.1.197', model: 'scripted-1', exit_code: 0 },
      usage: { input_tokens: 30, output_tokens: 12, cost_usd: 0.25, cost_source: 'client' },
      said: {
        answer_sha256: sha256('It is written'),
        messages: 2,
        transcript_sha256: sha256('["user","Write the report"]\n["assistant","It is written"]\n'),
      },
      files: { other_runs: [], listed: 1, folders: ['/output/ada'] },
      decisions: [],
    })
    const { first, last, head } = predicate.journal
    const entries = it.entries().filter(({ trace_id }) => trace_id === run)
    const ends = ['run.started', 'run.completed'].map((type) => entries.find((entry) => entry.entry_type === type)!.id)
    expect([first.id, last.id]).toEqual(ends)
    const hashOf = it.app.db.prepare<[string], string>('SELECT hex(entry_hash) FROM journal WHERE id = ?').pluck()
    expect([first.hash, last.hash]).toEqual(ends.map((id) => hashOf.get(id)!.toLowerCase()))
    const { body } = await it.call('ADMIN', 'GET', `/journal/verify?anchor=${head.anchor}`)
    expect(body).toMatchObject({ valid: true, entries: head.entries, head: { id: head.id, hash: head.hash } })
  })

  it('holds nothing of what was said', async () => {
    const it = await place()
    const run = await done(it, 'A question with a word like xylophone', 'An answer with a word like zeppelin')
    expect(JSON.stringify(await read(it, run))).not.toMatch(/xylophone|zeppelin/)
  })

  it('says the same next week, but for the time and how far the journal has come', async () => {
    const it = await place()
    const run = await done(it)
    const [first, second] = [await read(it, run), await read(it, run)]
    expect(second).toEqual(first)
    it.runtime.answer = async () => ({ files: [], cuts: ['too_slow'] })
    it.app.db.prepare('DELETE FROM chat_messages').run()
    await done(it)
    it.clock.advance(7 * 86_400_000)
    const later = await read(it, run)
    const { head, ...places } = later.predicate.journal
    expect(head.entries).toBeGreaterThan(first.predicate.journal.head.entries)
    expect(places).toMatchObject({ first: first.predicate.journal.first, last: first.predicate.journal.last })
    const without = ({ journal: _, issued_at: __, ...rest }: Record<string, unknown>) => rest
    expect(without(later.predicate)).toEqual(without(first.predicate))
    expect(later.subject).toEqual(first.subject)
  })

  it('waits for the search for files, which the end of the run does not', async () => {
    const it = await place()
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    it.runtime.answer = async () => {
      await gate
      return { files: [{ root: 0, path: base64('late'), size: 1, sha256: sha256('x') }], cuts: [] }
    }
    const run = await done(it)
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body.status).toBe('COMPLETED')
    const asked = read(it, run)
    go()
    expect((await asked).subject.at(-1).name).toBe('late')
  })

  it('names the people who decided, and hashes what they were asked', async () => {
    const it = await place()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const program = await it.runtime.program()
    const inside = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const question = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId, run_id, reason: 'May I?' }
    const { body } = await it.call(null, 'POST', '/internal/escalations', question, inside)
    const answer = { action: 'approve', resolution: 'Yes' }
    expect((await it.call('ADMIN', 'PATCH', `/escalations/${body.escalation_id}/resolve`, answer)).status).toBe(200)
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect((await read(it, run_id)).predicate.decisions).toMatchObject([
      {
        id: body.escalation_id,
        kind: 'escalation',
        asked_sha256: sha256('May I?'),
        state: 'decided',
        outcome: 'approve',
        settled_by: { id: it.person('ADMIN').userId },
      },
    ])
  })

  it('names the runs from which its own hangs', async () => {
    const it = await place()
    const above = await done(it)
    it.app.sources.set('made-up', { ...madeUp, parent: () => above })
    const id = await beginMadeUp(it, it.agentId)
    it.app.sources.set('made-up', { ...madeUp, parent: () => above })
    const program = await it.runtime.program(1)
    it.runtime.finish(program)
    await it.runs.ended(id)
    expect((await read(it, id)).predicate).toMatchObject({
      requested_by: null,
      delegated_by: [{ run_id: above, agent_slug: 'ada', requested_by: { id: it.person('OWNER').userId } }],
    })
  })
})

describe('files', () => {
  const filesOf = async (it: Place, run: string) => (await read(it, run)).predicate.files

  it('are looked for since the first program was started', async () => {
    const it = await place()
    const run = await done(it)
    await read(it, run)
    expect(it.runtime.searches).toMatchObject([{ op: 'changed', roots: [{ path: '/output/ada' }], since: it.clock() }])
  })

  it('are never said to be all of them where agents are not confined', async () => {
    const it = await place()
    expect(await filesOf(it, await done(it))).toMatchObject({ complete: false, gaps: ['not_confined'] })
  })

  it.each([
    ['that could not all be read', async () => ({ files: [], cuts: ['unreadable', 'invented'] }), 'unreadable'],
    ['of a crew that is down', () => Promise.reject(new RuntimeError('not_running', 'down')), 'crew_not_running'],
    ['that nobody could look for', () => Promise.reject(new Error('x')), 'failed'],
    ['of an answer that is none', async () => 'x', 'failed'],
    ['of an answer without hashes', async () => ({ files: [{ root: 0, path: 'eA==', size: 1 }], cuts: [] }), 'failed'],
    [
      'in a folder that nobody asked for',
      async () => ({ files: [{ root: 7, path: 'eA==', size: 1, sha256: sha256('') }], cuts: [] }),
      'failed',
    ],
    [
      'that are too many',
      async () => ({ files: Array(1001).fill({ root: 0, path: 'eA==', size: 1, sha256: sha256('') }), cuts: [] }),
      'failed',
    ],
  ])('%s', async (_, answer, gap) => {
    const it = await place()
    it.runtime.answer = answer
    const files = await filesOf(it, await done(it))
    expect(files).toMatchObject({ complete: false, listed: 0 })
    expect(files.gaps[0]).toBe(gap)
  })

  it('keep names that are no text, and lose secrets in names', async () => {
    const it = await place()
    await it.call('OWNER', 'POST', '/credentials', { name: 'K', type: 'SECRET', value: 'a-very-long-secret-value' })
    const names = [Buffer.from([0x66, 0xff]), 'a\n\u001b[31mb', 'x-a-very-long-secret-value.txt']
    const files = names.map((name) => ({ root: 0, path: base64(name), size: 1, sha256: sha256('x') }))
    it.runtime.answer = async () => ({ files, cuts: [] })
    const { subject } = await read(it, await done(it))
    const found = subject.slice(1).map(({ name, annotations }: { name: string; annotations: object }) => ({
      name,
      ...annotations,
    }))
    expect(found).toContainEqual({ name: 'f\ufffd', kind: 'file', size: 1, path_base64: base64(names[0]!) })
    expect(found).toContainEqual({ name: 'a\n\u001b[31mb', kind: 'file', size: 1 })
    expect(JSON.stringify(subject)).not.toContain('secret-value')
    expect(found.filter((it: { scrubbed?: true }) => it.scrubbed)).toHaveLength(1)
  })

  it('may be those of other runs that were at work meanwhile', async () => {
    const it = await place()
    const before = await done(it)
    await read(it, before)
    it.clock.advance(60_000)
    const first = await it.send(await it.openChat(), 'One')
    const second = await it.send(await it.openChat(), 'Two')
    const programs = [await it.runtime.program(1), await it.runtime.program(2)]
    for (const program of programs) it.runtime.finish(program)
    await it.runs.ended(first.run_id)
    await it.runs.ended(second.run_id)
    expect((await filesOf(it, first.run_id)).other_runs).toEqual([second.run_id])
    expect((await filesOf(it, second.run_id)).other_runs).toEqual([first.run_id])
  })

  it('of a run that never had a program, or of one that nobody could look after, are not known', async () => {
    const it = await place()
    it.runtime.refuseStart = new Error('no')
    const { run_id } = await it.send(await it.openChat(), 'Work')
    await it.runs.ended(run_id)
    expect((await filesOf(it, run_id)).complete).toBe(false)
    const run = await done(it)
    await read(it, run)
    it.app.db.prepare('DELETE FROM run_remains').run()
    expect(await filesOf(it, run)).toMatchObject({ complete: false, gaps: ['not_recorded'], listed: 0 })
  })

  it('are not waited for by a daemon that stops', async () => {
    const it = await place()
    it.runtime.answer = () => new Promise(() => {})
    const run = await done(it)
    await it.runs.close()
    expect(await filesOf(it, run)).toMatchObject({ complete: false, gaps: ['interrupted'] })
  })
})

describe('is refused', () => {
  it('while the run is open', async () => {
    const it = await place()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const program = await it.runtime.program()
    expect(await ask(it, run_id)).toMatchObject({ status: 409, body: { code: 'run_open' } })
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect((await ask(it, run_id)).status).toBe(200)
  })

  it('to another workspace, as if there were no such run, and to nobody else who may see runs', async () => {
    const it = await place()
    const run = await done(it)
    const absent = await ask(it, 'c00000000000000000000none')
    const foreign = await ask(it, run, it.stranger())
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found'])
    expect([absent.status, absent.body.detail]).toEqual([404, foreign.body.detail])
    expect((await ask(it, run, 'VIEWER')).status).toBe(200)
    expect((await it.call(null, 'GET', `/runs/${run}/receipt`)).status).toBe(401)
  })

  it('to who may not read what is said in the run, or in the one from which it hangs', async () => {
    const it = await place()
    const outsider = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    const id = await beginMadeUp(it, it.agentId)
    const owner = it.person('OWNER').userId
    it.app.sources.set('made-up', { ...madeUp, mayRead: (_app, _run, user) => user === owner })
    it.runtime.finish(await it.runtime.program())
    await it.runs.ended(id)
    expect((await ask(it, id)).status).toBe(200)
    expect(await ask(it, id, outsider)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
})

describe('keys', () => {
  it('of earlier starts stay listed, so that their receipts can be verified', async () => {
    const it = await place()
    const earlier = { keyid: '0'.repeat(64), public_key: 'PEM', added_at: '2025-01-01T00:00:00Z' }
    it.app.db.prepare('INSERT INTO receipt_keys VALUES (@keyid, @public_key, @added_at)').run(earlier)
    const own = { keyid: it.app.signer.keyid, public_key: it.app.signer.publicKey, added_at: it.app.now() }
    const listed = async () => (await it.call('VIEWER', 'GET', '/receipt-keys')).body
    const both = [
      { ...earlier, current: false },
      { ...own, current: true },
    ]
    expect(await listed()).toEqual(both)
    it.app.log.level = 'silent'
    for (let n = 0; n < 2; n++) it.app.writeNow(() => noteReceiptKey(it.app))
    expect(await listed()).toEqual(both)
    expect((await it.call(null, 'GET', '/receipt-keys')).status).toBe(401)
  })
})
