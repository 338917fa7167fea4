import { describe, expect, it } from 'vitest'
import { sinceOf } from '../../../../daemon/features/peers/standup/rules.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import { peerPlace } from '../../../support/peers.ts'

const hour = 3_600_000

describe('a standup', () => {
  it('tells what each agent did, waits for and cost', async () => {
    const it = await peerPlace()
    const failing = await it.work()
    const program = await it.runtime.program(0)
    it.runtime.print(program, init, result({ subtype: 'error_during_execution', is_error: true, result: 'Out' }))
    it.runtime.finish(program)
    await it.runs.ended(failing)
    it.clock.advance(1000)
    const asking = await it.work()
    await it.tool(it.agentId, asking, '/escalate', { reason: 'May I?' }, { signal: AbortSignal.abort() })
    const answer = it.tool(it.agentId, asking, '/query', { target: 'bo', question: 'Which port?' })
    await it.answer(2, 'Port 3000.')
    await answer
    const { run_id } = it.newest()
    const { status, body } = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/standup`)
    expect(status).toBe(200)
    expect(body).toEqual({
      crew_id: it.crewId,
      slug: 'backend',
      name: 'Backend',
      since: '2025-12-31T00:00:01Z',
      until: '2026-01-01T00:00:01Z',
      agents: [
        {
          agent_id: it.agentId,
          slug: 'ada',
          name: 'Agent ada',
          role_title: null,
          status: 'RUNNING',
          runs: { open: 1, completed: 0, failed: 1, timed_out: 0, cancelled: 0 },
          tokens: 42,
          cost_usd: 0.25,
          unpriced_runs: 0,
          asked: 1,
          answered: 0,
          waiting: [{ kind: 'escalation', id: expect.any(String), asked: 'May I?', since: '2026-01-01T00:00:01Z' }],
          latest: [
            {
              run_id: failing,
              trigger_type: 'USER',
              status: 'FAILED',
              finished_at: '2026-01-01T00:00:00.000Z',
              error: expect.stringContaining('Out'),
              said: null,
            },
          ],
        },
        {
          agent_id: it.boId,
          slug: 'bo',
          name: 'Agent bo',
          role_title: null,
          status: 'IDLE',
          runs: { open: 0, completed: 1, failed: 0, timed_out: 0, cancelled: 0 },
          tokens: 42,
          cost_usd: 0.25,
          unpriced_runs: 0,
          asked: 0,
          answered: 1,
          waiting: [],
          latest: [
            {
              run_id,
              trigger_type: 'PEER_QUERY',
              status: 'COMPLETED',
              finished_at: '2026-01-01T00:00:01.000Z',
              error: null,
              said: 'Port 3000.',
            },
          ],
        },
      ],
    })
  })

  it('leaves out what was before, and shows the newest three runs', async () => {
    const it = await peerPlace()
    for (let n = 0; n < 4; n++) {
      const run = await it.work()
      const program = await it.runtime.program(n)
      it.runtime.print(program, init, says(`Done ${n}`), result({ result: `Done ${n}` }))
      it.runtime.finish(program)
      await it.runs.ended(run)
      it.clock.advance(hour)
    }
    const ada = async (since: string) =>
      (await it.call('VIEWER', 'GET', `/crews/${it.crewId}/standup?since=${since}`)).body.agents[0]
    expect((await ada('1d')).runs.completed).toBe(4)
    expect((await ada('1d')).latest.map(({ said }: { said: string }) => said)).toEqual(['Done 3', 'Done 2', 'Done 1'])
    expect((await ada('2h')).runs.completed).toBe(2)
    expect((await ada('2026-01-01T03:00:00Z')).runs.completed).toBe(1)
    expect(await ada('1m')).toMatchObject({ runs: { completed: 0 }, tokens: 0, cost_usd: 0, latest: [] })
  })

  it('is told to agents of the crew, with the same words', async () => {
    const it = await peerPlace()
    const { body } = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/standup?since=24h`)
    expect(await it.tool(it.agentId, '', '/standup', { since: '24h' })).toEqual({ status: 200, body })
    expect(await it.tool(it.agentId, '', '/standup', {})).toEqual({ status: 200, body })
    expect(await it.tool(it.agentId, '', '/standup', { since: 'noon' })).toMatchObject({
      status: 400,
      body: { field: 'since' },
    })
  })

  it('is absent for a crew that is not there', async () => {
    const it = await peerPlace()
    expect(await it.call('VIEWER', 'GET', '/crews/cnone/standup')).toMatchObject({ status: 404 })
    expect(await it.call('VIEWER', 'GET', `/crews/${it.crewId}/standup?since=x`)).toMatchObject({ status: 400 })
  })
})

describe('since', () => {
  const now = Date.parse('2026-03-02T12:00:00Z')
  it.each([
    [undefined, '2026-03-01T12:00:00Z'],
    [' ', '2026-03-01T12:00:00Z'],
    ['90m', '2026-03-02T10:30:00Z'],
    ['24h', '2026-03-01T12:00:00Z'],
    ['7d', '2026-02-23T12:00:00Z'],
    ['2026-01-01T00:00:00+01:00', '2025-12-31T23:00:00Z'],
  ])('%j is %s', (given, expected) => expect(sinceOf(given, now)).toBe(Date.parse(expected)))
  it.each(['x', '24', '5s', '1.5h', '2026-01-01', '2026-13-01T00:00:00Z', '-1h', '999999d'])('%j is refused', (given) =>
    expect(() => sinceOf(given, now)).toThrow('since must be a time'),
  )
})
