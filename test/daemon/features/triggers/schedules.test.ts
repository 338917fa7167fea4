import { describe, expect, it, vi } from 'vitest'
import { nextTime } from '#kernel/cron'
import { closing } from '#test'
import { dueSince } from '../../../../daemon/features/agents/schedules/rules.ts'
import { beginByThemselves } from '../../../../daemon/features/triggers/jobs.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { workplace } from '../../../support/runs.ts'
import { end, inboxOf, type Place, runs, settle, told } from './support.ts'

const minute = 60_000
const hour = 60 * minute

const patch = async (it: Place, body: object) => it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, body)
const shown = async (it: Place) => (await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body

/** An agent that is due every hour; the clock stands at midnight. */
async function scheduled(more: object = {}, options: Parameters<typeof workplace>[0] = {}): Promise<Place> {
  const it = await workplace<FakeRuntime>(options as object)
  const schedule = { schedule_cron: '0 * * * *', schedule_prompt: 'Look around', schedule_enabled: true, ...more }
  const { status, text } = await patch(it, schedule)
  expect(status, text).toBe(200)
  return it
}

/** The next `n` times, as UTC. */
function times(cron: string, zone: string, from: string, n: number): string[] {
  const found: string[] = []
  for (let at = Date.parse(from); found.length < n; found.push(new Date(at).toISOString().slice(5, 16)))
    at = nextTime(cron, zone, at)!
  return found
}

describe('nextTime', () => {
  it('a time in the missing hour comes an hour later, once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
      '03-28T01:30',
      '03-29T01:30',
      '03-30T00:30',
    ])
    expect(times('30 2 * * *', 'America/New_York', '2026-03-07T00:00:00Z', 3)).toEqual([
      '03-07T07:30',
      '03-08T07:30',
      '03-09T06:30',
    ])
    expect(times('0 2-3 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 2)).toEqual(['03-29T01:00', '03-30T00:00'])
  })

  it('a time in the double hour comes once, the first time', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3)).toEqual([
      '10-24T00:30',
      '10-25T00:30',
      '10-26T01:30',
    ])
    expect(times('30 1 * * *', 'America/New_York', '2026-10-31T00:00:00Z', 3)).toEqual([
      '10-31T05:30',
      '11-01T05:30',
      '11-02T06:30',
    ])
  })

  it('what comes every hour or more often goes on evenly through both', () => {
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 4)).toEqual([
      '03-29T00:30',
      '03-29T01:00',
      '03-29T01:30',
      '03-29T02:00',
    ])
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:50:00Z', 6)).toEqual([
      '10-25T00:00',
      '10-25T00:30',
      '10-25T01:00',
      '10-25T01:30',
      '10-25T02:00',
      '10-25T02:30',
    ])
    expect(times('15 * * * *', 'America/New_York', '2026-11-01T04:00:00Z', 4)).toEqual([
      '11-01T04:15',
      '11-01T05:15',
      '11-01T06:15',
      '11-01T07:15',
    ])
  })

  it.each([
    ['@hourly', '01-01T01:00'],
    ['@daily', '01-02T00:00'],
    ['@midnight', '01-02T00:00'],
    ['@weekly', '01-04T00:00'],
    ['@monthly', '02-01T00:00'],
    ['@yearly', '01-01T00:00'],
    ['@annually', '01-01T00:00'],
    ['0 0 1 * 1', '01-05T00:00'],
    ['0 0 * * 7', '01-04T00:00'],
    ['0 9 * feb mon-FRI', '02-02T09:00'],
    ['5,10-20/5 * * * *', '01-01T00:05'],
  ])('%s comes at %s', (cron, at) => expect(times(cron, 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([at]))
})

describe('dueSince', () => {
  const from = Date.parse('2026-01-01T01:00:00Z')
  const since = (now: string) => dueSince('0 * * * *', 'UTC', from, Date.parse(now))

  it('begins the last time, five minutes late at most, and counts the others', () => {
    expect(since('2026-01-01T01:00:00Z')).toEqual({ begins: true, missed: 0 })
    expect(since('2026-01-01T01:05:00Z')).toEqual({ begins: true, missed: 0 })
    expect(since('2026-01-01T01:05:01Z')).toEqual({ begins: false, missed: 1 })
    expect(since('2026-01-01T04:00:00.999Z')).toEqual({ begins: true, missed: 3 })
    expect(since('2026-01-01T03:59:59.999Z')).toEqual({ begins: false, missed: 3 })
  })

  it('counts a thousand at most', () => {
    expect(dueSince('* * * * *', 'UTC', from, from + 30 * 24 * hour)).toEqual({ begins: true, missed: 999 })
  })
})

describe('the schedule of an agent', () => {
  it('is shown with its next run, in UTC whatever its zone', async () => {
    const it = await scheduled({ schedule_cron: ' 0  7 * * 1-5', schedule_timezone: 'Europe/Berlin' })
    expect(await shown(it)).toMatchObject({
      schedule_cron: '0 7 * * 1-5',
      schedule_prompt: 'Look around',
      schedule_enabled: true,
      schedule_timezone: 'Europe/Berlin',
      schedule_last_run: null,
      schedule_next_run: '2026-01-01T06:00:00Z',
    })
    expect((await it.call('OWNER', 'GET', '/agents')).body[0].schedule_next_run).toBe('2026-01-01T06:00:00Z')
  })

  it('is taken by create too', async () => {
    const it = await workplace()
    const draft = { name: 'Bo', slug: 'bo', schedule_cron: '@daily', schedule_prompt: 'Hi', schedule_enabled: true }
    const { body } = await it.call('OWNER', 'POST', '/agents', draft)
    expect(body).toMatchObject({ schedule_enabled: true, schedule_next_run: '2026-01-02T00:00:00Z' })
  })

  it('counts anew from any change of it, and from no other change', async () => {
    const it = await scheduled()
    it.clock.advance(hour + minute)
    expect((await patch(it, { description: 'x' })).body.schedule_next_run).toBe('2026-01-01T01:00:00Z')
    expect((await patch(it, { schedule_prompt: 'Look again' })).body.schedule_next_run).toBe('2026-01-01T02:00:00Z')
    expect((await patch(it, { schedule_cron: '30 * * * *' })).body.schedule_next_run).toBe('2026-01-01T01:30:00Z')
    const off = { schedule_enabled: false, schedule_next_run: null, schedule_cron: '30 * * * *' }
    expect((await patch(it, { schedule_enabled: false })).body).toMatchObject(off)
    expect((await patch(it, { schedule_enabled: true })).body.schedule_next_run).toBe('2026-01-01T01:30:00Z')
    const none = { schedule_enabled: false, schedule_next_run: null, schedule_cron: null }
    expect((await patch(it, { schedule_cron: '' })).body).toMatchObject(none)
  })

  it.each([
    [{ schedule_cron: '* * * *' }, 'schedule_cron'],
    [{ schedule_cron: '* * * * * *' }, 'schedule_cron'],
    [{ schedule_cron: '60 * * * *' }, 'schedule_cron'],
    [{ schedule_cron: '*/0 * * * *' }, 'schedule_cron'],
    [{ schedule_cron: '0 0 30 2 *' }, 'schedule_cron'],
    [{ schedule_cron: 'H * * * *' }, 'schedule_cron'],
    [{ schedule_cron: '0 0 L * *' }, 'schedule_cron'],
    [{ schedule_cron: '0 0 * * 1#2' }, 'schedule_cron'],
    [{ schedule_cron: 'jan * * * *' }, 'schedule_cron'],
    [{ schedule_cron: '@reboot' }, 'schedule_cron'],
    [{ schedule_cron: 'toString' }, 'schedule_cron'],
    [{ schedule_cron: '1,'.repeat(100) }, 'schedule_cron'],
    [{ schedule_cron: 5 }, 'schedule_cron'],
    [{ schedule_timezone: 'Mars/Olympus' }, 'schedule_timezone'],
    [{ schedule_timezone: '+02:00' }, 'schedule_timezone'],
    [{ schedule_enabled: true }, 'schedule_enabled'],
    [{ schedule_enabled: true, schedule_cron: '@daily' }, 'schedule_enabled'],
    [{ schedule_enabled: true, schedule_prompt: 'Hi' }, 'schedule_enabled'],
    [{ schedule_enabled: null }, 'schedule_enabled'],
    [{ schedule_prompt: 'x'.repeat(16_001) }, 'schedule_prompt'],
  ])('refuses %.80j', async (body, field) => {
    const it = await workplace()
    expect((await patch(it, body)).body).toMatchObject({ status: 400, code: 'invalid_field', field })
  })

  it('begins a run at its time, in a chat of its own', async () => {
    const it = await scheduled()
    it.clock.advance(hour - 1)
    await settle(it)
    expect(runs(it)).toEqual([])
    it.clock.advance(1)
    await settle(it)
    await settle(it)
    expect(runs(it)).toMatchObject([
      { payload: { trigger_type: 'CRON', chat_id: `cron-${it.agentId}`, metadata: { tags: ['scheduled'] } } },
    ])
    expect(await shown(it)).toMatchObject({
      status: 'RUNNING',
      schedule_last_run: '2026-01-01T01:00:00Z',
      schedule_next_run: '2026-01-01T02:00:00Z',
    })
    const [chat] = (await it.call('OWNER', 'GET', `/agents/${it.agentId}/chats`)).body
    expect(chat).toMatchObject({ origin: 'CRON', title: 'Schedule' })
    const { messages } = (await it.call('OWNER', 'GET', `/chats/${chat.id}/messages`)).body
    expect(messages).toMatchObject([{ role: 'user', content: 'Look around' }])
    expect(it.app.db.prepare('SELECT max_turns FROM runs').pluck().get()).toBe(20)
    expect((await it.call('OWNER', 'GET', '/runs?trigger=CRON')).body.data).toHaveLength(1)
  })

  it('is skipped while its run before goes on, which is told once', async () => {
    const it = await scheduled()
    for (let n = 0; n < 3; n++) {
      it.clock.advance(hour)
      await settle(it)
    }
    expect(runs(it)).toHaveLength(1)
    expect(told(it, 'agent.schedule_skipped')).toMatchObject([
      { payload: { due_at: '2026-01-01T02:00:00Z', reason: 'chat_busy' } },
    ])
    await end(it, 0)
    it.clock.advance(hour)
    await settle(it)
    expect(runs(it)).toHaveLength(2)
  })

  it.each([
    ["status = 'PENDING_REVIEW'", "status = 'IDLE'", 'The agent waits for review'],
    ["expired_at = '2026-01-01T00:00:00Z'", 'expired_at = NULL', 'The agent was hired for a time that is over'],
  ])('is skipped while the agent has %s', async (set, unset, reason) => {
    const it = await scheduled()
    it.app.db.prepare(`UPDATE agents SET ${set} WHERE id = ?`).run(it.agentId)
    it.clock.advance(hour)
    await settle(it)
    expect(runs(it)).toEqual([])
    expect(told(it, 'agent.schedule_skipped')).toMatchObject([{ payload: { reason } }])
    it.app.db.prepare(`UPDATE agents SET ${unset} WHERE id = ?`).run(it.agentId)
    it.clock.advance(hour)
    await settle(it)
    expect(runs(it)).toHaveLength(1)
  })

  it('is over with its agent', async () => {
    const it = await scheduled()
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    it.clock.advance(hour)
    expect(await settle(it)).toBe(true)
    expect(runs(it)).toEqual([])
  })

  it('reports after a downtime what was missed, in one entry, and makes nothing up for it', async () => {
    const it = await scheduled()
    it.clock.advance(24 * hour + 30 * minute)
    await settle(it)
    expect(runs(it)).toEqual([])
    expect(told(it, 'agent.schedule_missed')).toMatchObject([
      { severity: 'warn', agent_id: it.agentId, payload: { missed_count: 24, since: '2026-01-01T01:00:00Z' } },
    ])
    expect(await inboxOf(it)).toMatchObject([
      { kind: 'schedule_missed', payload: { schedule_id: it.agentId, missed_count: 24, catchup_policy: 'skip' } },
    ])
    expect((await shown(it)).schedule_next_run).toBe('2026-01-02T01:00:00Z')
    await settle(it)
    expect(told(it, 'agent.schedule_missed')).toHaveLength(1)
  })

  it('begins once what became due just before a restart, beside what it reports', async () => {
    const it = await scheduled()
    it.clock.advance(3 * hour + minute)
    await settle(it)
    expect(runs(it)).toHaveLength(1)
    expect(told(it, 'agent.schedule_missed')).toMatchObject([{ payload: { missed_count: 2 } }])
  })

  it('waits for a server that cannot run agents yet', async () => {
    const it = await scheduled()
    it.clock.advance(hour)
    it.app.runs = { ...it.runs, available: false }
    expect(await settle(it)).toBe(false)
    it.app.runs = it.runs
    expect(await settle(it)).toBe(true)
    expect(runs(it)).toHaveLength(1)
  })

  it('begins those of other agents when one cannot', async () => {
    const it = await scheduled({}, { quiet: true })
    const mate = await it.mate('bob')
    const schedule = { schedule_cron: '0 * * * *', schedule_prompt: 'Hi', schedule_enabled: true }
    await it.call('OWNER', 'PATCH', `/agents/${mate}`, schedule)
    it.app.db
      .prepare(
        `INSERT INTO chats (id, agent_id, workspace_id, mode, status, visibility, message_count, started_at,
          last_activity_at, created_at) VALUES (?, ?, ?, 'CHAT', 'ACTIVE', 'private', 0, '', '', '')`,
      )
      .run(`cron-${it.agentId}`, mate, it.workspace)
    it.clock.advance(hour)
    expect(await settle(it)).toBe(false)
    expect(runs(it)).toMatchObject([{ agent_id: mate }])
  })

  it('is switched off when five of its runs fail in a row', async () => {
    const it = await scheduled()
    const turn = async (n: number, how: 'well' | 'badly') => {
      it.clock.advance(hour)
      await settle(it)
      await end(it, n, how)
    }
    for (let n = 0; n < 4; n++) await turn(n, 'badly')
    await turn(4, 'well')
    for (let n = 5; n < 9; n++) await turn(n, 'badly')
    expect(await shown(it)).toMatchObject({ status: 'ERROR', schedule_enabled: true })
    await turn(9, 'badly')
    expect(await shown(it)).toMatchObject({ schedule_enabled: false, schedule_next_run: null })
    expect(told(it, 'agent.schedule_tripped')).toMatchObject([
      { severity: 'error', agent_id: it.agentId, payload: { consecutive_failures: 5 } },
    ])
    expect(await inboxOf(it)).toMatchObject([
      {
        kind: 'schedule_circuit_breaker_tripped',
        priority: 'high',
        payload: { schedule_id: it.agentId, consecutive_failures: 5 },
      },
    ])
    await patch(it, { schedule_enabled: true })
    await turn(10, 'badly')
    expect((await shown(it)).schedule_enabled, 'it counts anew').toBe(true)
  })

  it('does not count the failures of people’s runs', async () => {
    const it = await scheduled()
    for (let n = 0; n < 5; n++) {
      await it.send(await it.openChat(), 'Work')
      await end(it, n, 'badly')
    }
    expect((await shown(it)).schedule_enabled).toBe(true)
  })
})

describe('the job', () => {
  it('begins at its start what is due, and then when it becomes due, once each', async () => {
    const it = await scheduled()
    it.clock.advance(hour)
    const first = beginByThemselves(it.app)
    await vi.waitFor(() => expect(runs(it)).toHaveLength(1))
    first.close()
    closing(beginByThemselves(it.app))
    await end(it, 0)
    expect(runs(it)).toHaveLength(1)
    it.clock.advance(hour)
    // Any change of an agent makes it look.
    await patch(it, { description: 'x' })
    await vi.waitFor(() => expect(runs(it)).toHaveLength(2))
  })
})
