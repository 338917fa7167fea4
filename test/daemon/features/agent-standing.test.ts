import { describe, expect, it } from 'vitest'
import { noContainer, noRuntime } from '#kernel/absent'
import { withoutPlaces } from '../../../daemon/features/activity/standing/rules.ts'
import { requestApproval } from '../../../daemon/features/approvals/service.ts'
import { agentAtWork } from '../../support/agent-at-work.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

const nothing = {
  approvals_pending: 0,
  assignments_open: 0,
  escalations_open: 0,
  peer_messages: [],
  cost_usd_this_month: 0,
  llm_calls_this_month: 0,
  tokens_used_this_month: 0,
}
const inbox = async (it: Pick<Workplace<never>, 'call' | 'agentId'>) =>
  (await it.call('VIEWER', 'GET', `/agents/${it.agentId}/inbox`)).body

/** Lets the agent do a turn that costs something. */
async function turn(it: Workplace<FakeRuntime>, cost: number) {
  const before = it.runtime.programs.size
  const { run_id } = await it.send(await it.openChat(), 'Work')
  const program = await it.runtime.program(before)
  it.runtime.print(program, init, says('I read /output/ada/notes/plan.txt; KEY=hunter2.'), {
    ...result(),
    num_turns: 3,
    total_cost_usd: cost,
  })
  it.runtime.finish(program)
  await it.runs.ended(run_id)
}

describe('the inbox of an agent', () => {
  it('counts its open requests and questions', async () => {
    const it = await agentAtWork()
    expect(await inbox(it)).toEqual(nothing)
    const mate = await it.mate('bob')
    const request = { workspace: it.workspace, kind: 'custom' as const, reason: 'x', payload: {}, card: { title: 'x' } }
    const now = it.app.now()
    const [own] = it.app.writeNow(() => [
      requestApproval(it.app, { ...request, by: it.agentId, now }),
      requestApproval(it.app, { ...request, by: mate, agent: it.agentId, now }),
      requestApproval(it.app, { ...request, by: mate, now }),
    ])
    await it.ask('/escalate', { reason: 'May I?' })
    expect(await inbox(it)).toEqual({ ...nothing, approvals_pending: 2, escalations_open: 1 })
    await it.call('OWNER', 'POST', `/approvals/${own}/decide`, { status: 'denied' })
    expect(await inbox(it)).toMatchObject({ approvals_pending: 1 })
  })

  it('counts personas that wait for a decision', async () => {
    const it = await agentAtWork()
    await it.call('MANAGER', 'POST', `/agents/${it.agentId}/persona/suggest`, { content: 'Blunt.', rationale: 'x' })
    expect(await inbox(it)).toEqual({ ...nothing, approvals_pending: 1 })
  })

  it('sums up what its runs of this calendar month used, in UTC', async () => {
    const it = await workplace<FakeRuntime>()
    it.clock.advance(Date.parse('2026-01-31T23:59:00Z') - it.app.clock())
    await turn(it, 0.5)
    expect(await inbox(it)).toEqual({
      ...nothing,
      cost_usd_this_month: 0.5,
      llm_calls_this_month: 3,
      tokens_used_this_month: 42,
    })
    it.clock.advance(60_000)
    expect(await inbox(it)).toEqual(nothing)
    await turn(it, 0.25)
    await turn(it, 0.5)
    expect(await inbox(it)).toMatchObject({
      cost_usd_this_month: 0.75,
      llm_calls_this_month: 6,
      tokens_used_this_month: 84,
    })
  })

  it('says that no cost is known where neither the client nor a price list tells it', async () => {
    const it = await workplace<FakeRuntime>()
    await turn(it, 0)
    expect(await inbox(it)).toMatchObject({ cost_usd_this_month: null, tokens_used_this_month: 42 })
    await turn(it, 0.5)
    expect(await inbox(it)).toMatchObject({ cost_usd_this_month: 0.5, tokens_used_this_month: 84 })
  })
})

describe('the debug of an agent', () => {
  it('holds states of agent, daemon and container, and the last lines without paths and values', async () => {
    const it = await workplace<FakeRuntime>()
    await turn(it, 0.5)
    const running = async () => ({ ...noContainer, state: 'running' as const })
    it.app.runtime = { ...noRuntime, status: running }
    const { status, body } = await it.call('ADMIN', 'GET', `/agents/${it.agentId}/debug`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      agent: { id: it.agentId, name: 'Agent ada', cli_adapter: 'CLAUDE_CODE', db_status: 'IDLE' },
      daemon_reachable: true,
      daemon: { status: 'ok', connections: 0, container_available: false, uptime: expect.stringMatching(/^\d+m$/) },
      runtime: { agent_id: it.agentId, status: 'idle', container: 'running' },
    })
    expect(body.service_logs).toContainEqual({
      time: expect.any(String),
      level: 'info',
      msg: expect.stringContaining('Agent ada'),
      attrs: { entry_type: 'run.completed', entry_id: expect.any(String) },
    })
    expect(body.agent_logs).toContainEqual(
      expect.objectContaining({ event: 'text', content: 'I read [path]; KEY=[value]' }),
    )
    expect(JSON.stringify(body)).not.toMatch(/hunter2|plan\.txt|metadata/)
  })

  it('says that the runtime is unreachable where the engine does not answer', async () => {
    const it = await workplace<FakeRuntime>()
    it.app.runtime = {
      ...it.app.runtime,
      status: async () => ({ state: 'unknown' }),
      condition: async () => null,
    } as never
    const { body } = await it.call('ADMIN', 'GET', `/agents/${it.agentId}/debug`)
    expect(body.runtime).toEqual({ status: 'unreachable' })
  })

  it('is for ADMIN and above', async () => {
    const it = await workplace<FakeRuntime>()
    expect((await it.call('MANAGER', 'GET', `/agents/${it.agentId}/debug`)).status).toBe(403)
  })

  it.each([
    ['cannot open /var/lib/muster/secrets.env: EACCES', 'cannot open [path]: EACCES'],
    ['OPENAI_API_KEY=sk-1 and PIN="a b"', 'OPENAI_API_KEY=[value] and PIN=[value]'],
    ['~/.ssh/id_rsa or ../up/there.txt', '[path] or [path]'],
    ['1/2 of it, and/or more', '1/2 of it, and/or more'],
  ])('reads "%s" as "%s"', (text, shown) => expect(withoutPlaces(text)).toBe(shown))
})
