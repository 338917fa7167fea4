import { describe, expect, it } from 'vitest'
import { init, result, says } from '../../support/claude-lines.ts'
import { type Place, place, report, sha256, shared, wrote } from '../../support/disk-runtime.ts'
import type { Person } from '../../support/index.ts'

const asked = (it: Place, query: string, who: Person | 'OWNER' | 'MANAGER' | 'MEMBER' = 'OWNER') =>
  it.call(who, 'GET', `/crews/${it.crewId}/blame?${query}`)

async function blamed(it: Place, path = report, more = '') {
  const { status, body, text } = await asked(it, `path=${encodeURIComponent(path)}${more}`)
  expect(status, text).toBe(200)
  return body
}

/** Of each line the run, the person or null, with a question mark where it is not certain. */
function sources({ hunks, versions }: Awaited<ReturnType<typeof blamed>>): (string | null)[] {
  return hunks.flatMap((hunk: { version: number | null; certain: boolean; lines: string[] }) =>
    hunk.lines.map(() => {
      const version = hunk.version === null ? null : versions[hunk.version]
      const by = version && (version.run?.id ?? version.person.id)
      return by && (hunk.certain ? by : `${by}?`)
    }),
  )
}

describe('blame', () => {
  it('names for each line the run, the agent, and the message that asked for it', async () => {
    const it = await place()
    const first = await wrote(it, 'Write a report', { text: 'one\ntwo\n', made: true })
    const second = await wrote(it, 'Add a line', { text: 'one\nmiddle\ntwo\n' })
    const found = await blamed(it)
    expect(found).toMatchObject({ crew_id: it.crewId, path: report, state: 'text', live: true, line_count: 3 })
    expect(sources(found)).toEqual([first, second, first])
    const { run, person, certain, first: isFirst } = found.versions[1]
    expect([person, certain, isFirst, found.versions[0].first]).toEqual([null, true, false, false])
    const end = it.entries().find(({ entry_type, trace_id }) => entry_type === 'run.completed' && trace_id === second)!
    expect(run).toMatchObject({
      id: second,
      agent_id: it.agentId,
      agent_slug: 'ada',
      status: 'COMPLETED',
      entry_id: end.id,
      asked: 'Add a line',
      requested_by: { id: it.person('OWNER').userId },
      delegated_by: [],
      decisions: [],
    })
  })

  it('tells the approvals on the way', async () => {
    const it = await place()
    const { run_id } = await it.send(await it.openChat(), 'Delete the old data')
    const program = await it.runtime.program()
    const inside = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const question = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId, run_id, reason: 'All?' }
    const { body } = await it.call(null, 'POST', '/internal/escalations', question, inside)
    await it.call('ADMIN', 'PATCH', `/escalations/${body.escalation_id}/resolve`, {
      action: 'approve',
      resolution: 'Yes',
    })
    it.runtime.files.set(report, 'gone\n')
    it.runtime.changed = [{ path: report }]
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    await it.runs.settled(run_id)
    expect((await blamed(it)).versions[0].run.decisions).toMatchObject([
      { kind: 'escalation', asked: 'All?', outcome: 'approve', settled_by: { id: it.person('ADMIN').userId } },
    ])
  })

  it('says of the first known state that its lines may be older, unless the file was made then', async () => {
    const it = await place()
    await wrote(it, 'Go', { text: 'a\n' })
    expect((await blamed(it)).versions[0].first).toBe(true)
  })

  it('names the person who saved a file', async () => {
    const it = await place()
    const run = await wrote(it, 'Go', { text: 'a\n', made: true })
    const saved = await it.call('MANAGER', 'PUT', `/agents/${it.agentId}/files/save?path=report.md`, 'a\nb\n', {
      'content-type': 'application/octet-stream',
    })
    expect(saved.status, saved.text).toBe(200)
    it.runtime.files.set(report, 'a\nb\n')
    expect(sources(await blamed(it))).toEqual([run, it.person('MANAGER').userId])
  })

  it('knows of lines that nobody recorded only that they are there', async () => {
    const it = await place()
    const run = await wrote(it, 'Go', { text: 'a\n', made: true })
    it.runtime.files.set(report, 'a\nnew\n')
    expect(sources(await blamed(it))).toEqual([run, null])
    expect(sources(await blamed(it, '/output/ada/other.md').catch(() => ({ hunks: [], versions: [] })))).toEqual([])
  })

  it('keeps what is known while the crew does not run, and when the file is gone', async () => {
    const it = await place()
    const run = await wrote(it, 'Go', { text: 'a\nb\n', made: true })
    it.runtime.files.delete(report)
    expect(await blamed(it)).toMatchObject({ state: 'deleted', live: true, line_count: 2 })
    it.runtime.up = false
    const found = await blamed(it)
    expect(found).toMatchObject({ state: 'text', live: false })
    expect(sources(found)).toEqual([run, run])
  })

  it('tells only the wanted lines', async () => {
    const it = await place()
    await wrote(it, 'Go', { text: 'a\nb\nc\n', made: true })
    const { hunks, line_count } = await blamed(it, report, '&from=2&to=2')
    expect([hunks, line_count]).toEqual([[{ from: 2, version: 0, certain: true, lines: ['b'] }], 3])
    for (const bad of ['from=0', 'to=-1', 'from=x']) {
      const { status, body } = await asked(it, `path=${report}&${bad}`)
      expect([status, body.code]).toEqual([400, 'invalid_field'])
    }
  })
})

describe('a shared file', () => {
  it('comes from its owner; from the only run that could have written it in place', async () => {
    const it = await place()
    const grace = await it.mate('grace')
    const first = await wrote(it, 'Begin', { path: shared, text: 'a\n', made: true })
    it.clock.advance(60_000)
    const second = await wrote(it, 'Go on', { path: shared, text: 'a\nb\n', other: true }, grace)
    expect(sources(await blamed(it, shared))).toEqual([first, second])
  })

  it('is not certain while another run of the crew is at work, and left to its owner', async () => {
    const it = await place()
    const grace = await it.mate('grace')
    await it.send(await it.openChat(grace), 'Work beside')
    await it.runtime.program(0)
    const run = await wrote(it, 'Begin', { path: shared, text: 'a\n', made: true })
    expect(sources(await blamed(it, shared))).toEqual([`${run}?`])
    await wrote(it, 'Go on', { path: shared, text: 'a\nb\n', other: true })
    expect(sources(await blamed(it, shared))).toEqual([`${run}?`, null])
  })

  it('is meant by a relative path, and the agent’s own by its name', async () => {
    const it = await place()
    await wrote(it, 'Begin', { path: shared, text: 'a\n' })
    await wrote(it, 'Begin', { text: 'b\n' })
    expect((await blamed(it, 'app.ts')).path).toBe(shared)
    expect((await blamed(it, './x/../app.ts')).path).toBe(shared)
    expect((await blamed(it, 'report.md', `&agent_id=${it.agentId}`)).path).toBe(report)
  })
})

describe('what is kept of files', () => {
  it('holds no secret that Muster knows', async () => {
    const it = await place()
    const value = 'sk-secret-4711-abcdef'
    await it
      .call('OWNER', 'POST', '/credentials', { name: 'k', value, type: 'SECRET', provider: 'GITHUB' })
      .then(({ body }) =>
        it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, { credential_id: body.id, env_var_name: 'K' }),
      )
    await wrote(it, 'Go', { text: `key ${value}\nplain\n`, made: true })
    const { text } = await asked(it, `path=${report}`)
    expect(text).toContain('plain')
    expect(text).not.toContain(value)
  })

  it('stays within its room, the newest of it', async () => {
    const it = await place({ crewHistoryMb: 1 })
    const big = (mark: string) =>
      Array.from({ length: 4000 }, (_, at) => sha256(`${mark}${at}`))
        .join('\n')
        .slice(0, 250_000)
    for (let at = 0; at < 9; at++) await wrote(it, 'Go', { path: `/output/ada/${at}`, text: big(String(at)) })
    const bytes = it.app.db.prepare<[], number>('SELECT sum(bytes) FROM file_versions').pluck().get()!
    expect(bytes).toBeLessThanOrEqual(1024 ** 2)
  })

  it('is nothing where the server is told so', async () => {
    const it = await place({ crewHistoryMb: 0 })
    await wrote(it, 'Go', { text: 'a\n' })
    expect(sources(await blamed(it))).toEqual([null])
  })

  it('goes with the crew', async () => {
    const it = await place()
    await wrote(it, 'Go', { text: 'a\n' })
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(200)
    expect(it.app.db.prepare('SELECT count(*) AS n FROM file_versions').get()).toEqual({ n: 0 })
  })

  it('is no new version when a run leaves a file as it was', async () => {
    const it = await place()
    const run = await wrote(it, 'Go', { text: 'a\n', made: true })
    await wrote(it, 'Look', { text: 'a\n' })
    const found = await blamed(it)
    expect([found.versions.length, sources(found)]).toEqual([1, [run]])
  })
})

describe('blame refuses', () => {
  it.each([
    ['/etc/passwd', 400],
    ['/output/ada/../../etc/passwd', 400],
    ['../../etc/passwd', 400],
    ['/output/ada', 400],
    ['/output/ada/none.md', 404],
    ['none.md', 404],
    ['%00', 400],
  ])('%s', async (path, status) => {
    const it = await place()
    expect((await asked(it, `path=${path}`)).status).toBe(status)
  })

  it('members who may not see the texts of agents, and agents of other crews', async () => {
    const it = await place()
    await wrote(it, 'Go', { text: 'a\n' })
    expect((await asked(it, `path=${report}`, 'MEMBER')).status).toBe(403)
    expect((await asked(it, `path=${report}`, 'MANAGER')).status).toBe(200)
    const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })
    const agent = await it.call('OWNER', 'POST', '/agents', { name: 'Eve', slug: 'eve', crew_id: crew.body.id })
    const { status, body } = await asked(it, `path=report.md&agent_id=${agent.body.id}`)
    expect([status, body.field]).toEqual([404, 'agent_id'])
  })

  it('to tell what was said in a private room', async () => {
    const it = await place()
    const run = await wrote(it, 'The plum is ripe', { text: 'a\n' })
    const source = it.app.sources.get('chat')!
    it.app.sources.set('chat', { ...source, mayRead: (_app, _run, user) => user === it.person('OWNER').userId })
    expect((await blamed(it)).versions[0].run.asked).toBe('The plum is ripe')
    const { body, text } = await asked(it, `path=${report}`, 'MANAGER')
    expect(body.versions[0].run).toMatchObject({ id: run, asked: null })
    expect(text).not.toContain('plum')
  })
})
