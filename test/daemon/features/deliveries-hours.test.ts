import { expect, it as test } from 'vitest'
import { closing, daemon, type TestDaemon } from '#test'
import { quietEnd, waitEnd } from '../../../daemon/features/channels/hours/rules.ts'
import { deliverDue } from '../../../daemon/features/deliveries/jobs.ts'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { cliFor } from '../../support/cli.ts'
import { vendors } from '../../support/vendors.ts'

type Who = Parameters<TestDaemon['call']>[0]
const path = '/me/notification-hours'

/** A daemon where ADMIN wants issues and approvals through a channel, and is left in peace for an hour from now on. */
async function quiet(body: object = {}) {
  const it = await daemon()
  const servers = await vendors(it)
  const channel = async (personal: boolean) => {
    const hook = { type: 'webhook', url: 'https://example.com/hook', personal }
    return (await it.call('ADMIN', 'POST', '/notification-channels', hook)).body.id as string
  }
  const want = (who: Who, channel_id: string) =>
    it.call(who, 'PUT', '/me/notification-prefs', {
      cells: ['issues.created', 'agents.approval'].map((category) => ({ category, channel_id, state: 'immediate' })),
    })
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const open = (title: string) => it.call('MANAGER', 'POST', `/crews/${crew.id}/issues`, { title })
  const clockAt = (ms: number) => new Date(it.clock() + ms).toISOString().slice(11, 16)
  const hours = { quiet_from: clockAt(-60_000), quiet_until: clockAt(3_600_000), ...body }
  expect((await it.call('ADMIN', 'PUT', path, hours)).status).toBe(200)
  const log = async () =>
    (await it.call('ADMIN', 'GET', '/notification-deliveries')).body.deliveries as Record<string, string>[]
  let job = closing(deliverDue(it.app))
  const restart = () => {
    job.close()
    job = closing(deliverDue(it.app))
  }
  const pass = (ms: number) => {
    it.clock.advance(ms)
    it.app.bus.emit('deliver', 0)
  }
  const sent = (count: number) =>
    expect
      .poll(async () => (await log()).filter(({ status }) => status === 'sent').length, { interval: 10 })
      .toBe(count)
  return { ...it, ...servers, channel, want, open, log, restart, pass, sent, clockAt }
}

test('what is not urgent waits for the end of quiet hours and comes as one message, also after a restart', async () => {
  const it = await quiet()
  const id = await it.channel(true)
  await it.want('ADMIN', id)
  await it.open('First')
  await it.open('Second')
  const { app, workspace } = it
  app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: 'Go?', now: app.now() }))
  await it.sent(1)
  expect(JSON.parse(it.arrived[0]!.body).category).toBe('agents.approval')
  const [waiting] = (await it.log()).filter(({ category }) => category === 'issues.created')
  const why = (await it.call('ADMIN', 'GET', `/notification-deliveries/why?subject=${waiting!['id']}`)).body
  expect(why.channels).toMatchObject([
    { outcome: 'pending', reason: expect.stringContaining('it is to be sent: waits') },
  ])
  it.restart()
  it.pass(3_700_000)
  await it.sent(4)
  expect(it.arrived).toHaveLength(2)
  const digest = JSON.parse(it.arrived[1]!.body)
  expect(digest).toMatchObject({ category: 'digest', title: '2 messages waited', source_kind: 'digest' })
  expect(digest.body).toMatch(/First.*\n- .*Second/s)
  await it.open('Third')
  await it.sent(5)
})

test('a digest says the first fifty of what waited, and how many more there were', async () => {
  const it = await quiet({ quiet_from: null, quiet_until: null, digest_at: '12:34' })
  await it.want('ADMIN', await it.channel(true))
  for (let at = 0; at < 53; at++) await it.open(`Issue ${at}`)
  it.pass(86_400_000)
  await it.sent(54)
  const { title, body } = JSON.parse(it.arrived[0]!.body)
  expect([it.arrived.length, title, body.split('\n').length]).toEqual([1, '53 messages waited', 51])
  expect(body).toMatch(/and 3 more$/)
})

test('approvals wait as well for those who say so', async () => {
  const it = await quiet({ urgent_waits: true })
  await it.want('ADMIN', await it.channel(true))
  const { app, workspace } = it
  app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: 'Go?', now: app.now() }))
  expect((await it.log()).map(({ category, status }) => `${category} ${status}`)).toEqual([
    'agents.approval pending',
    'digest pending',
  ])
})

test('a channel of the workspace tells those at once who are not left in peace, and the others not again', async () => {
  const it = await quiet()
  const id = await it.channel(false)
  for (const who of ['ADMIN', 'MEMBER'] as const) await it.want(who, id)
  await it.open('First')
  await it.sent(1)
  expect((await it.log()).map(({ status }) => status).sort()).toEqual(['dropped_pref', 'sent'])
})

test('a digest for somebody who left is not sent, nor what it would have told', async () => {
  const it = await quiet()
  await it.want('ADMIN', await it.channel(false))
  await it.open('First')
  const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
  const { id } = members.find(({ user_id }: { user_id: string }) => user_id === it.person('ADMIN').userId)
  await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)
  it.pass(3_700_000)
  const statuses = async () =>
    (await it.call('OWNER', 'GET', '/notification-deliveries')).body.deliveries.map(
      ({ status }: { status: string }) => status,
    )
  await expect.poll(statuses, { interval: 10 }).toEqual(['dropped_pref', 'dropped_pref'])
  expect(it.arrived).toEqual([])
})

test('hours are in the time zone of their person, over midnight and changes of clocks', () => {
  const at = (text: string) => Date.parse(text)
  const said = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  const night = { time_zone: 'Europe/Berlin', quiet_from: '22:00', quiet_until: '07:00', digest_at: null }
  expect(said(quietEnd(night, at('2026-01-10T20:59:00Z')))).toBe(null)
  expect(said(quietEnd(night, at('2026-01-10T21:00:00Z')))).toBe('2026-01-11T06:00:00.000Z')
  expect(said(quietEnd(night, at('2026-03-28T23:00:00Z')))).toBe('2026-03-29T05:00:00.000Z')
  expect(said(quietEnd(night, at('2026-01-11T06:00:00Z')))).toBe(null)
  expect(said(waitEnd({ ...night, digest_at: '08:30' }, at('2026-07-01T06:31:00Z')))).toBe('2026-07-02T06:30:00.000Z')
})

test('hours are refused that say nothing, and set from the command line', async () => {
  const it = await daemon()
  for (const [body, field] of [
    [{ quiet_from: '22:00' }, 'quiet_until'],
    [{ quiet_from: '22:00', quiet_until: '22:00' }, 'quiet_until'],
    [{ digest_at: '24:00' }, 'digest_at'],
    [{ time_zone: 'Moon/Base' }, 'time_zone'],
  ] as const) {
    const { status, body: said } = await it.call('MEMBER', 'PUT', path, body)
    expect([status, said.field]).toEqual([400, field])
  }
  expect((await it.call('MEMBER', 'PUT', path, {})).status).toBe(400)
  const { run } = await cliFor(it, 'MEMBER')
  const flags = [
    '--quiet-from',
    '22:00',
    '--quiet-until',
    '07:00',
    '--time-zone',
    'Europe/Berlin',
    '--digest-at',
    '08:30',
  ]
  expect((await run('preferences', 'set-hours', ...flags)).code).toBe(0)
  expect((await run('preferences', 'set-hours', '--digest-at', 'none')).code).toBe(0)
  expect((await run('preferences', 'set-hours')).code).toBe(2)
  expect(JSON.parse((await run('preferences', 'hours', '--json')).stdout)).toEqual({
    time_zone: 'Europe/Berlin',
    quiet_from: '22:00',
    quiet_until: '07:00',
    digest_at: null,
    urgent_waits: false,
  })
})
