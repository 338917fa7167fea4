import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { NotificationCategory } from '#contract/channels'
import type { Config } from '#kernel/config'
import { closing, daemon, type TestDaemon } from '#test'
import { deliverDue } from '../../../daemon/features/deliveries/jobs.ts'
import { nextAttempt } from '../../../daemon/features/deliveries/rules.ts'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { type Arrived, vendors } from '../../support/vendors.ts'

type Who = Parameters<TestDaemon['call']>[0]
type Wish = NotificationCategory | '*'

/** A daemon whose channels lead to one server, which answers as told. */
async function place(answer?: (request: Arrived, reply: ServerResponse) => void, config: Partial<Config> = {}) {
  const it = await daemon({ config })
  const { call, app, clock } = it
  const servers = await vendors(it, answer)
  const crew = (await call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const issues = `/crews/${crew.id}/issues`
  const channel = async (body: object = {}, who: Who = 'ADMIN') => {
    const made = await call(who, 'POST', '/notification-channels', {
      type: 'webhook',
      url: 'https://example.com/hook',
      ...body,
    })
    expect(made.status, made.text).toBe(201)
    return made.body as { id: string; secret: string }
  }
  const want = (who: Who, channel_id: string, ...categories: Wish[]) =>
    call(who, 'PUT', '/me/notification-prefs', {
      cells: categories.map((category) => ({ category, channel_id, state: 'immediate' })),
    })
  const open = async (body: object = {}, who: Who = 'MANAGER') =>
    (await call(who, 'POST', issues, { title: 'Fix it', ...body })).body
  const say = async ({ identifier }: { identifier: string }, body: string, who: Who = 'MEMBER') =>
    expect((await call(who, 'POST', `${issues}/${identifier}/comments`, { body })).status).toBe(201)
  const log = async (query = '') =>
    (await call('ADMIN', 'GET', `/notification-deliveries${query}`)).body.deliveries as Record<string, unknown>[]
  /** The log, oldest first: status, why, attempts. */
  const outcomes = async () =>
    (await log()).map(({ status, error, attempts }) => [status, error ?? '', attempts].join('|')).reverse()
  let job = closing(deliverDue(app))
  const start = () => {
    job = closing(deliverDue(app))
  }
  /** Moves the clock, and looks what is due then. */
  const pass = (ms: number) => {
    clock.advance(ms)
    app.bus.emit('deliver', 0)
  }
  const settled = (count: number, ...statuses: string[]) =>
    expect
      .poll(async () => (await log()).filter(({ status }) => statuses.includes(String(status))).length, {
        interval: 10,
      })
      .toBe(count)
  const why = async (who: Who, subject: string, query = '') =>
    (await call(who, 'GET', `/notification-deliveries/why?subject=${subject}${query}`)).body
  return {
    ...it,
    ...servers,
    issues,
    channel,
    want,
    open,
    say,
    log,
    outcomes,
    start,
    stop: () => job.close(),
    pass,
    settled,
    why,
  }
}

describe('what somebody wants', () => {
  it('is off until they say so, and is theirs alone', async () => {
    const it = await place()
    const { id } = await it.channel()
    const cells = async (who: Who) => (await it.call(who, 'GET', '/me/notification-prefs')).body.cells
    expect(await cells('MEMBER')).toEqual([])
    expect((await it.want('MEMBER', id, 'issues.assigned', '*')).body).toEqual({ ok: true })
    await it.call('MEMBER', 'PUT', '/me/notification-prefs', {
      cells: [{ category: '*', channel_id: id, state: 'off' }],
    })
    expect(await cells('MEMBER')).toEqual([
      { category: '*', channel_id: id, state: 'off' },
      { category: 'issues.assigned', channel_id: id, state: 'immediate' },
    ])
    expect(await cells('ADMIN')).toEqual([])
  })

  it('is stored as a whole or not at all', async () => {
    const it = await place()
    const { id } = await it.channel()
    const own = await it.channel({ personal: true }, 'VIEWER')
    const good = { category: 'security', channel_id: id, state: 'immediate' }
    for (const bad of [
      { ...good, channel_id: own.id },
      { ...good, channel_id: 'nch_none' },
      { ...good, channel_id: '' },
      { ...good, category: 'weather' },
      { ...good, state: 'digest' },
    ])
      expect((await it.call('MEMBER', 'PUT', '/me/notification-prefs', { cells: [good, bad] })).status).toBe(400)
    expect((await it.call('MEMBER', 'PUT', '/me/notification-prefs', { cells: [] })).status).toBe(400)
    expect((await it.call('MEMBER', 'GET', '/me/notification-prefs')).body.cells).toEqual([])
  })
})

describe('a message', () => {
  it('goes to those who want its category, signed, and its delivery is on record', async () => {
    const it = await place()
    const { id, secret } = await it.channel()
    await it.want('MEMBER', id, 'issues.assigned')
    const member = it.person('MEMBER').userId
    const issue = await it.open({ assignee_type: 'user', assignee_id: member })
    const [request] = await it.until(1)
    await it.settled(1, 'sent')
    const [row] = await it.log()
    expect(row).toMatchObject({
      id: expect.stringMatching(/^del_[0-9a-f]{16}$/),
      workspace_id: it.workspace,
      channel_id: id,
      user_id: member,
      category: 'issues.assigned',
      dedup_key: expect.stringMatching(`^issues.assigned:${issue.id}`),
      source_kind: 'issue',
      source_id: issue.id,
      status: 'sent',
      attempts: 1,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      sent_at: expect.stringMatching(/\.\d{3}Z$/),
    })
    expect(row).not.toHaveProperty('error')
    const signature = createHmac('sha256', secret).update(request!.body).digest('hex')
    expect(request!.headers).toMatchObject({
      'x-svc-category': 'issues.assigned',
      'x-svc-delivery': row!['id'],
      'x-svc-signature': `sha256=${signature}`,
    })
    expect(JSON.parse(request!.body)).toMatchObject({
      category: 'issues.assigned',
      title: `The MANAGER gave issue ${issue.identifier} to The MEMBER`,
      priority: 'low',
      source_kind: 'issue',
      source_id: issue.id,
      vars: { identifier: issue.identifier, title: 'Fix it' },
      delivery_id: row!['id'],
    })
    expect(it.entries().filter(({ entry_type }) => entry_type.startsWith('notification.'))).toMatchObject([
      { entry_type: 'notification.delivered', payload: { delivery_id: row!['id'], user_id: member } },
    ])
  })

  it('does not go to who did it, to whom it does not concern, or through what others have', async () => {
    const it = await place()
    const { id } = await it.channel()
    const own = await it.channel({ personal: true }, 'VIEWER')
    for (const who of ['MANAGER', 'VIEWER', 'OWNER'] as const)
      await it.want(who, id, 'issues.assigned', 'issues.created')
    await it.want('VIEWER', own.id, 'issues.assigned')
    await it.open({ assignee_type: 'user', assignee_id: it.person('MEMBER').userId }, 'MANAGER')
    const told = (await it.log()).map(({ category, user_id }) => [category, user_id])
    expect(told.every(([category]) => category === 'issues.created')).toBe(true)
    expect(told.map(([, user]) => user).sort()).toEqual([it.person('VIEWER').userId, it.person('OWNER').userId].sort())
  })

  it('is left, with the reason, where the channel or the person does not take it', async () => {
    const it = await place()
    it.stop()
    const member = it.person('MEMBER').userId
    const taking = await it.channel({ categories: ['security'] })
    const floor = await it.channel({ min_priority: 'high' })
    const muted = await it.channel()
    const off = await it.channel()
    for (const { id } of [taking, floor, muted]) await it.want('MEMBER', id, 'issues.assigned')
    await it.want('MEMBER', muted.id, '*')
    const issue = await it.open({ assignee_type: 'user', assignee_id: member })
    const reasons = {
      [taking.id]: 'the channel does not take issues.assigned',
      [floor.id]: 'its priority low is below high, the least that the channel takes',
      [muted.id]: 'that person muted the channel',
    }
    const log = await it.log()
    expect(Object.fromEntries(log.map(({ channel_id, error }) => [channel_id, error]))).toEqual(reasons)
    expect(log.every(({ status, attempts }) => status === 'dropped_pref' && attempts === 0)).toBe(true)
    const answer = await it.why('MEMBER', issue.id)
    expect(answer).toMatchObject({ user_id: member, concerned: true, event: { category: 'issues.assigned' } })
    expect(
      Object.fromEntries(answer.channels.map((c: Record<string, string>) => [c['channel_id'], c['reason']])),
    ).toEqual({
      ...Object.fromEntries(Object.entries(reasons).map(([key, words]) => [key, `it was left: ${words}`])),
      [off.id]: 'issues.assigned is off for this channel now',
    })
    expect(it.entries().filter(({ entry_type }) => entry_type === 'notification.dropped')).toHaveLength(3)
    expect(it.arrived).toEqual([])
  })

  it('goes once through a channel of the workspace, whoever wants it there', async () => {
    const it = await place()
    const { id } = await it.channel()
    for (const who of ['ADMIN', 'VIEWER', 'OWNER'] as const) await it.want(who, id, 'issues.created')
    await it.open()
    await it.settled(1, 'sent')
    const rest = (await it.log('?status=dropped_pref')).map(({ error }) => String(error))
    expect(rest).toHaveLength(2)
    for (const words of rest) expect(words).toMatch(/^the channel has this message already \(del_/)
    expect(it.arrived).toHaveLength(1)
  })

  it('is told of as often as it happens, and is lost with a change that is taken back', async () => {
    const it = await place()
    const { id } = await it.channel()
    await it.want('MANAGER', id, 'issues.comment')
    const issue = await it.open()
    await it.say(issue, 'One')
    await it.say(issue, 'Two')
    await it.settled(2, 'sent')
    await it.call('MEMBER', 'POST', `${it.issues}/${issue.identifier}/comments?dry_run=true`, { body: 'Three' })
    expect(it.arrived.map(({ body }) => JSON.parse(body).body)).toEqual(['One', 'Two'])
    expect(await it.log()).toHaveLength(2)
  })

  it('is held back beyond twenty in ten minutes; one message says how many, and approvals are not held', async () => {
    const it = await place()
    const { id } = await it.channel()
    await it.want('MANAGER', id, 'issues.comment')
    await it.want('ADMIN', id, 'agents.approval')
    const issue = await it.open()
    for (let at = 0; at < 25; at++) await it.say(issue, `Comment ${at}`)
    await it.settled(20, 'sent')
    const held = await it.log('?status=dropped_rate')
    expect(held.map(({ error }) => error)).toEqual(Array(5).fill('more than 20 of issues.comment in 10 minutes'))
    it.pass(600_000)
    await it.settled(21, 'sent')
    expect(JSON.parse(it.arrived.at(-1)!.body).title).toBe('5 more of issues.comment were held back')
    const { app, workspace } = it
    for (let at = 0; at < 25; at++)
      app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: `Go ${at}?`, now: app.now() }))
    await it.settled(46, 'sent')
    expect(await it.log('?status=dropped_rate')).toHaveLength(5)
  })
})

describe('the link to decide', () => {
  const ask = ({ app, workspace }: TestDaemon) =>
    app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: 'Deploy?', now: app.now() }))

  it('leads to the page of the public address, and says only what it is about', async () => {
    const it = await place(undefined, { publicUrl: 'https://muster.example/base/' })
    const [hook, ntfy] = [
      await it.channel(),
      await it.channel({ type: 'shoutrrr', provider: 'ntfy', fields: { topic: 'x' } }),
    ]
    await it.want('ADMIN', hook.id, 'agents.approval')
    await it.want('ADMIN', ntfy.id, 'agents.approval')
    await it.want('ADMIN', hook.id, 'issues.created')
    const { id, token } = ask(it)
    await it.settled(2, 'sent')
    const url = `https://muster.example/decide?workspace=${it.workspace}&decision=${id}`
    const body = it.arrived.find((one) => one.url.endsWith('/hook'))!.body
    expect(JSON.parse(body)).toMatchObject({ url, links: [{ label: 'Decide', url }] })
    expect(it.arrived.find((one) => one.url.includes('ntfy'))!.body).toContain(`Decide: ${url}`)
    for (const one of it.arrived) expect(one.body).not.toContain(token)
    await it.open()
    await it.settled(3, 'sent')
    expect(JSON.parse(it.arrived.at(-1)!.body)).not.toHaveProperty('links')
  })

  it('is left out while the public address is not known', async () => {
    const it = await place()
    const { id } = await it.channel()
    await it.want('ADMIN', id, 'agents.approval')
    ask(it)
    await it.settled(1, 'sent')
    expect(JSON.parse(it.arrived[0]!.body)).not.toHaveProperty('url')
  })
})

describe('a template', () => {
  const put = (it: TestDaemon, body: object, who: Who = 'ADMIN') => it.call(who, 'PUT', '/notification-templates', body)
  const category = 'issues.created'

  it('says in other words what a channel tells, its own before that of all, blank parts as before', async () => {
    const it = await place()
    const [one, two] = [await it.channel(), await it.channel()]
    for (const { id } of [one, two]) await it.want('ADMIN', id, category)
    const general = { category, title: 'New\n{{ vars.identifier }}: {{vars.title}} ({{ source.kind }})' }
    expect((await put(it, general)).body).toEqual({ ...general, body: '' })
    const own = { category, channel_id: two.id, title: '{{ vars.nothing }}', body: '[{{ source.title }}]' }
    expect((await put(it, own)).body).toEqual(own)
    const { identifier } = await it.open({ title: '{{ source.body }} X' })
    await it.settled(2, 'sent')
    const titles = Object.fromEntries((await it.log()).map(({ channel_id, title }) => [channel_id, title]))
    expect(titles[one.id]).toBe(`New ${identifier}: {{ source.body }} X (issue)`)
    expect(titles[two.id]).toMatch(/ opened issue /)
    const bodies = it.arrived.map(({ body }) => JSON.parse(body).body)
    expect(bodies.toSorted()).toEqual([expect.stringMatching(/^\[.* opened issue .*\]$/), undefined])
    expect((await it.call('ADMIN', 'GET', '/notification-templates')).body.templates).toHaveLength(2)
    await it.call('ADMIN', 'DELETE', `/notification-channels/${two.id}`)
    expect((await it.call('ADMIN', 'GET', '/notification-templates')).body.templates).toHaveLength(1)
    expect((await put(it, { category, title: ' ', body: '' })).status).toBe(200)
    for (let round = 0; round < 2; round++)
      expect((await it.call('ADMIN', 'DELETE', `/notification-templates?category=${category}`)).status).toBe(204)
    expect((await it.call('ADMIN', 'GET', '/notification-templates')).body.templates).toEqual([])
  })

  it('without any words is removed, of one channel or of all, and may be so again and again', async () => {
    const it = await place()
    const { id: channel_id } = await it.channel()
    const stored = async () => (await it.call('ADMIN', 'GET', '/notification-templates')).body.templates
    const [general, own] = [
      { category, title: 'All', body: '' },
      { category, channel_id, title: '', body: 'One' },
    ]
    for (const one of [general, own]) expect(await put(it, one)).toMatchObject({ status: 200, body: one })
    expect(await stored()).toHaveLength(2)
    for (let round = 0; round < 2; round++) {
      expect(await put(it, { category, channel_id, title: '', body: ' ' })).toMatchObject({
        status: 200,
        body: { category, channel_id, title: '', body: ' ' },
      })
      expect(await stored()).toEqual([general])
    }
    expect((await put(it, { category })).body).toEqual({ category, title: '', body: '' })
    expect(await stored()).toEqual([])
    const entries = it.entries().filter(({ entry_type }) => entry_type === 'audit.entity_deleted')
    expect(entries).toHaveLength(2)
    expect((await it.call('ADMIN', 'DELETE', '/notification-templates')).body).toMatchObject({ field: 'category' })
  })

  it.each([
    [{ category: 'weather', title: 'x' }, 'category'],
    [{ category, title: '{{ env.SECRET }}' }, 'title'],
    [{ category, body: '{{ vars.a.b.c }}' }, 'body'],
    [{ category, body: '{{ constructor }}' }, 'body'],
    [{ category, title: 'x', channel_id: 'nch_none' }, 'channel_id'],
    [{ category, title: 'x'.repeat(301) }, 'title'],
  ])('refuses %j', async (body, field) => {
    const it = await place()
    expect((await put(it, body)).body).toMatchObject({ status: 400, field })
    expect((await put(it, { category, title: 'x' }, 'MANAGER')).status).toBe(403)
  })
})

describe('the outbox', () => {
  it('tries again what may pass, with the same id, later each time', async () => {
    let status = 500
    const it = await place((_, reply) => {
      reply.statusCode = status
      reply.end('no')
    })
    const { id } = await it.channel()
    await it.want('ADMIN', id, 'issues.created')
    await it.open()
    await expect.poll(it.outcomes, { interval: 10 }).toEqual(['failed|example.com answered 500: no|1'])
    it.pass(3000)
    expect(it.arrived).toHaveLength(1)
    it.pass(4000)
    await expect.poll(it.outcomes, { interval: 10 }).toEqual(['failed|example.com answered 500: no|2'])
    status = 200
    it.pass(40_000)
    await expect.poll(it.outcomes, { interval: 10 }).toEqual(['sent||3'])
    expect(new Set(it.arrived.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(1)
    expect([1, 2, 3, 4, 5, 6, 7].map((n) => nextAttempt(n, 0, 0, () => 0.5))).toEqual([
      5000,
      30_000,
      120_000,
      600_000,
      1_800_000,
      3_600_000,
      null,
    ])
  })

  it('waits as long as a service asks, and gives up what cannot pass', async () => {
    const answers: [number, Record<string, string>][] = [
      [429, { 'retry-after': '900' }],
      [404, {}],
    ]
    const it = await place((_, reply) => void reply.writeHead(...answers.shift()!).end())
    const { id } = await it.channel()
    await it.want('ADMIN', id, 'issues.created')
    await it.open()
    await expect.poll(it.outcomes, { interval: 10 }).toEqual(['failed|example.com answered 429|1'])
    it.pass(890_000)
    expect(it.arrived).toHaveLength(1)
    it.pass(11_000)
    await expect.poll(it.outcomes, { interval: 10 }).toEqual(['failed|example.com answered 404|2'])
    expect(it.app.db.prepare('SELECT next_at, message_json FROM notification_deliveries').all()).toEqual([
      { next_at: null, message_json: null },
    ])
    expect(it.entries().filter(({ entry_type }) => entry_type === 'notification.failed')).toHaveLength(1)
  })

  it('keeps the order of what is about the same, and lets others pass', async () => {
    let fails = true
    const it = await place(({ body }, reply) => {
      reply.statusCode = fails && JSON.parse(body).body === 'One' ? 500 : 200
      reply.end()
    })
    const { id } = await it.channel()
    await it.want('MANAGER', id, 'issues.comment')
    const [issue, other] = [await it.open(), await it.open()]
    await it.say(issue, 'One')
    await it.say(issue, 'Two')
    await it.say(other, 'Other')
    await it.settled(1, 'sent')
    expect(it.arrived.map(({ body }) => JSON.parse(body).body)).toEqual(['One', 'Other'])
    fails = false
    it.pass(10_000)
    await it.settled(3, 'sent')
    expect(it.arrived.map(({ body }) => JSON.parse(body).body)).toEqual(['One', 'Other', 'One', 'Two'])
  })

  it('goes on where a daemon ended, with the same delivery', async () => {
    let answers = false
    const it = await place((_, reply) => {
      if (answers) reply.end()
    })
    const { id } = await it.channel()
    await it.want('ADMIN', id, 'issues.created')
    await it.open()
    await it.until(1)
    it.stop()
    expect(await it.outcomes()).toEqual(['pending||0'])
    answers = true
    it.start()
    await it.settled(1, 'sent')
    const [first, second] = it.arrived.map(({ headers }) => headers['x-svc-delivery'])
    expect(first).toBe(second)
  })

  it('does not send what was to go through a channel that is gone or paused, or to somebody who left', async () => {
    const it = await place()
    it.stop()
    const [gone, paused, left] = [await it.channel(), await it.channel(), await it.channel()]
    for (const { id } of [gone, paused]) await it.want('ADMIN', id, 'issues.created')
    await it.want('VIEWER', left.id, 'issues.created')
    await it.open()
    await it.call('ADMIN', 'DELETE', `/notification-channels/${gone.id}`)
    await it.call('ADMIN', 'PATCH', `/notification-channels/${paused.id}`, { enabled: false })
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { userId } = it.person('VIEWER')
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === userId)
    await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)
    it.start()
    await it.settled(0, 'pending')
    const log = await it.log()
    expect(Object.fromEntries(log.map(({ channel_id, status, error }) => [channel_id, [status, error]]))).toEqual({
      [gone.id]: ['failed', 'the channel was deleted'],
      [paused.id]: ['failed', 'the channel was paused'],
      [left.id]: ['dropped_pref', 'that person left the workspace'],
    })
    expect(it.arrived).toEqual([])
  })

  it('pauses a channel that fails for an hour, and tells its owner once', async () => {
    const it = await place((_, reply) => void reply.writeHead(503).end())
    const { id } = await it.channel()
    await it.want('OWNER', id, 'issues.created')
    await it.open()
    await it.settled(1, 'failed')
    for (const ms of [10_000, 60_000, 200_000, 1_000_000, 3_000_000]) {
      const before = it.arrived.length
      it.pass(ms)
      await it.until(before + 1)
      await expect.poll(async () => (await it.log())[0]!['attempts'], { interval: 10 }).toBe(before + 1)
    }
    expect((await it.call('ADMIN', 'GET', '/notification-channels')).body.channels).toMatchObject([{ enabled: false }])
    const told = (await it.call('ADMIN', 'GET', '/notifications')).body
    expect(told.filter(({ action }: { action: string }) => action === 'paused')).toMatchObject([
      { entity_type: 'notification_channel', entity_id: id, entity_title: 'webhook: example.com answered 503' },
    ])
    await it.open()
    expect(await it.log()).toHaveLength(1)
  })
})

describe('the log', () => {
  it('is for those who manage channels, by status, channel and category, newest first', async () => {
    const it = await place()
    it.stop()
    const [one, two] = [await it.channel(), await it.channel()]
    await it.want('ADMIN', one.id, 'issues.created')
    await it.want('ADMIN', two.id, 'issues.created', '*')
    expect(await it.log()).toEqual([])
    await it.open({ title: 'First' })
    await it.open({ title: 'Second' })
    expect((await it.call('MANAGER', 'GET', '/notification-deliveries')).status).toBe(403)
    expect((await it.log(`?channel_id=${one.id}`)).map(({ title }) => title)).toEqual([
      expect.stringContaining('Second'),
      expect.stringContaining('First'),
    ])
    expect(await it.log('?status=dropped_pref')).toHaveLength(2)
    expect(await it.log('?category=security')).toEqual([])
    for (const [limit, count] of [
      [1, 1],
      [501, 4],
      [0, 4],
    ])
      expect(await it.log(`?limit=${limit}`)).toHaveLength(count!)
  })

  it('answers why of oneself; of others only to those who manage channels', async () => {
    const it = await place()
    const { id } = await it.channel()
    await it.want('MEMBER', id, 'issues.assigned')
    const member = it.person('MEMBER').userId
    const issue = await it.open({ assignee_type: 'user', assignee_id: member })
    await it.settled(1, 'sent')
    const [{ id: delivery } = { id: '' }] = await it.log()
    const [{ id: notification }] = (await it.call('MEMBER', 'GET', '/notifications')).body
    const told = { concerned: true, channels: [{ channel_id: id, outcome: 'sent', delivery_id: delivery }] }
    expect(await it.why('MEMBER', String(delivery))).toMatchObject(told)
    expect(await it.why('MEMBER', notification)).toMatchObject(told)
    expect(await it.why('ADMIN', issue.id, `&user_id=${member}`)).toMatchObject(told)
    expect(await it.why('VIEWER', issue.id)).toMatchObject({
      concerned: false,
      channels: [{ outcome: 'off', reason: 'that person was not among those to be told' }],
    })
    expect(await it.why('VIEWER', String(delivery))).toMatchObject({ status: 404 })
    expect(await it.why('VIEWER', issue.id, `&user_id=${member}`)).toMatchObject({ status: 403 })
    expect(await it.why(it.stranger(), issue.id)).toMatchObject({ status: 404 })
    expect(await it.why('MEMBER', 'nothing')).toMatchObject({ status: 404, field: 'subject' })
  })
})
