import { describe, expect, it } from 'vitest'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { type AskPlace, asked, askPlace } from '../../support/asks.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'
import { openSockets } from '../../support/live.ts'

const comment = 'Denied unattended: nobody is here to decide (--on-question deny).'

async function place() {
  const it = await askPlace()
  openSockets(it)
  return it
}

/** A run that works. */
async function working(it: AskPlace) {
  const chat = await it.openChat()
  const { run_id } = await it.send(chat, 'Work')
  return { run_id, program: await it.runtime.program() }
}

async function escalate(it: AskPlace, run_id: string, reason: string): Promise<string> {
  const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const body = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason, run_id }
  return (await it.call(null, 'POST', '/internal/escalations', body, token)).body.escalation_id
}

/** What the journal has of a type, by the address of who did it. */
const journaled = async (it: AskPlace, type: string) =>
  (await it.call('OWNER', 'GET', `/journal?entry_type=${type}`)).body.entries

describe('muster wait --on-question deny', () => {
  it('dismisses the question that a run waits with, under the name of the caller', async () => {
    const it = await place()
    const { run_id, item } = await asked(it, { question: 'Which colour?' })
    const muster = await cliFor(it)
    const ran = await muster.run('wait', run_id, '--on-question', 'deny', '--json')
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Denied unattended: .*Which colour\?\n$/) })
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'CANCELLED', inbox_id: null, denied: [{ inbox_id: item }] })
    const acts = (await journaled(it, 'audit.entity_updated')).filter(
      ({ payload }: { payload: { action: string } }) => payload.action === 'inbox_acted',
    )
    expect(acts).toMatchObject([
      { actor_id: it.person('OWNER').userId, trace_id: run_id, payload: { metadata: { action: 'dismiss' } } },
    ])
  })

  it('denies escalations and waitpoints with a comment, and goes on until the run ends', async () => {
    const it = await place()
    const { run_id, program } = await working(it)
    const escalation = await escalate(it, run_id, 'May I delete the cache?')
    const now = it.app.now()
    const { id: waitpoint } = it.app.writeNow(() =>
      openWaitpoint(it.app, { workspace: it.workspace, kind: 'approval', prompt: 'Go on?', run: run_id, now }),
    )
    const foreign = it.app.writeNow(() =>
      openWaitpoint(it.app, { workspace: it.workspace, kind: 'approval', prompt: 'Another?', run: 'other', now }),
    )
    const muster = await cliFor(it, 'MANAGER')
    const ended = muster.run('wait', run_id, '--on-question', 'deny', '--json')
    const settled = async () => (await it.call('OWNER', 'GET', `/decisions/${waitpoint}`)).body.state === 'decided'
    await expect.poll(settled, { timeout: 15_000 }).toBe(true)
    it.runtime.print(program, init, says('Never mind.'), result())
    it.runtime.finish(program)
    const ran = await ended
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout).denied).toHaveLength(2)
    expect((await it.call('OWNER', 'GET', `/escalations/${escalation}`)).body).toMatchObject({
      status: 'RESOLVED',
      action: 'reject',
      resolution: comment,
      resolved_by_user_id: it.person('MANAGER').userId,
    })
    expect(await journaled(it, 'approval.denied')).toMatchObject([
      { actor_id: it.person('MANAGER').userId, payload: { approval_id: waitpoint, comment } },
    ])
    expect((await it.call('OWNER', 'GET', `/decisions/${foreign.id}`)).body.state).toBe('open')
  })

  it('denies what the run wants approved, and leaves what another run of the agent wants', async () => {
    const it = await place()
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { agent_role: 'LEAD' })
    const { run_id, program } = await working(it)
    const other = await it.send(await it.openChat(), 'Work too')
    await it.runtime.program(1)
    const wanted = (name: string) => ({ name, slug: name.toLowerCase(), system_prompt: 'You test.', reason: 'Help' })
    await it.ask({ runId: run_id, route: '/agents', body: wanted('Bob') })
    await it.ask({ runId: other.run_id, route: '/agents', body: wanted('Eve') })
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    const muster = await cliFor(it, 'ADMIN')
    const waited = await muster.run('wait', run_id, '--on-question', 'deny', '--json')
    expect(JSON.parse(waited.stdout)).toMatchObject({
      status: 'COMPLETED',
      denied: [{ title: expect.stringContaining('wants a new agent: Bob') }],
    })
    expect(await journaled(it, 'approval.denied')).toMatchObject([{ payload: { comment } }])
    const open = (await it.call('OWNER', 'GET', '/inbox?kind=waitpoint&state=unread')).body.rows
    expect(open).toMatchObject([{ title: expect.stringContaining('Eve'), run_id: other.run_id }])
    expect(await muster.run('wait', other.run_id, '--timeout', '300ms')).toMatchObject({ code: 3 })
  })

  it('ends with 5 where the caller may not decide', async () => {
    const it = await place()
    const { run_id } = await asked(it)
    const muster = await cliFor(it, 'VIEWER')
    expect(await muster.run('wait', run_id, '--on-question', 'deny', '-q')).toMatchObject({
      code: 5,
      stdout: 'NEEDS_HUMAN\n',
    })
    const both = await muster.run('wait', run_id, '--on-question', 'deny', '--until-decided')
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('exclude each other') })
  })
})

describe('muster ask --on-question deny', () => {
  it('ends the run that waits, and says so', async () => {
    const it = await place()
    const muster = await cliFor(it)
    const asking = muster.run('ask', 'ada', 'Choose a database', '--on-question', 'deny')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'))
    await it.ask({ runId: program.spec.runId, body: { question: 'Postgres or SQLite?' } })
    const { code, stdout, stderr } = await asking
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'I look.\n\nPostgres or SQLite?\n' })
    expect(stderr).toContain('Denied unattended: Agent ada asks: Postgres or SQLite?\n')
    expect((await it.call('OWNER', 'GET', `/runs/${program.spec.runId}`)).body.status).toBe('CANCELLED')
  })

  it('tells it at a terminal on a line of its own', async () => {
    const it = await place()
    const muster = await cliFor(it)
    const shown = muster.screen(['ask', 'ada', 'Choose a database', '--on-question', 'deny'], {
      env: { NO_COLOR: '1' },
    })
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('I look.'))
    await it.ask({ runId: program.spec.runId, body: { question: 'Postgres or SQLite?' } })
    expect(await shown.ended).toBe(130)
    expect(shown.text()).toMatch(/(^|\n)(\S*\[K|\r)*Denied unattended: /)
  })

  it('denies what the agent escalates while it works, and prints its answer', async () => {
    const it = await place()
    const muster = await cliFor(it)
    const asking = muster.run('ask', 'ada', 'Clean up', '--on-question', 'deny', '--json')
    const program = await it.runtime.program()
    it.runtime.print(program, init)
    const escalation = await escalate(it, program.spec.runId, 'May I delete the cache?')
    const denied = async () => (await it.call('OWNER', 'GET', `/escalations/${escalation}`)).body.action
    await expect.poll(denied, { timeout: 15_000 }).toBe('reject')
    it.runtime.print(program, says('I left it.'), result())
    it.runtime.finish(program)
    const { code, stdout } = await asking
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'COMPLETED',
      text: 'I left it.',
      denied: [{ inbox_id: `ibx_escalation_${escalation}` }],
    })
  })
})
