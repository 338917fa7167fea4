import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Config } from '#kernel/config'
import { deliverDue } from '../../../daemon/features/deliveries/jobs.ts'
import { agentAtWork } from '../../support/agent-at-work.ts'
import { closing, daemon } from '../../support/index.ts'
import { mailServer } from '../../support/mail-server.ts'
import { withRoutines } from '../../support/routines.ts'
import { type Arrived, vendors } from '../../support/vendors.ts'

type Answer = (request: Arrived, reply: ServerResponse) => void

/** Ada at work, and a channel of the workspace. */
async function place(answer?: Answer) {
  const it = await agentAtWork({ config: { rateLimitDisabled: false } })
  const servers = await vendors(it, answer)
  const made = await it.call('ADMIN', 'POST', '/notification-channels', {
    type: 'webhook',
    url: 'https://example.com/hook',
  })
  const channel_id = made.body.id as string
  const agents = `/notification-channels/${channel_id}/agents`
  const allow = () => it.call('ADMIN', 'POST', agents, { agent_id: it.agentId })
  const send = async (body: object = {}) => {
    const answered = await it.ask('/notifications/send', { channel_id, title: 'Done', body: 'All of it.', ...body })
    return answered as { status: number; body: Record<string, unknown> }
  }
  const open = async () => (await it.ask('/notifications/channels', {})).body
  const log = async () => (await it.call('ADMIN', 'GET', '/notification-deliveries')).body.deliveries
  const told = () => it.entries().filter(({ entry_type }) => entry_type.startsWith('notification.'))
  return { ...it, ...servers, channel_id, agents, allow, send, open, log, told }
}

describe('an agent that sends', () => {
  it('may do so through no channel until somebody allows it, and no longer once they deny it', async () => {
    const it = await place()
    expect(await it.open()).toEqual({ channels: [] })
    const refused = { status: 403, body: { code: 'channel_not_allowed', field: 'channel_id' } }
    expect(await it.send()).toMatchObject(refused)
    await it.allow()
    expect(await it.open()).toEqual({ channels: [{ channel_id: it.channel_id, type: 'webhook', enabled: true }] })
    expect(await it.send()).toEqual({ status: 200, body: { ok: true, channel_id: it.channel_id } })
    await it.call('ADMIN', 'DELETE', `${it.agents}/${it.agentId}`)
    expect(await it.send()).toMatchObject(refused)
    expect(it.arrived).toHaveLength(1)
    expect(await it.log()).toHaveLength(1)
  })

  it('is named in what arrives, in the log and in the journal', async () => {
    const it = await place()
    await it.allow()
    await it.send({ title: 'Done\r\nX-Evil: 1' })
    const { name, slug } = (await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body
    const title = `${name}: Done X-Evil: 1`
    expect([slug, JSON.parse(it.arrived[0]!.body)]).toMatchObject([
      'ada',
      { category: 'agents.message', title, body: 'All of it.', source_kind: 'message', source_id: it.agentId },
    ])
    expect(it.arrived[0]!.headers).toMatchObject({
      'x-svc-category': 'agents.message',
      'x-svc-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    })
    const [row] = await it.log()
    expect(row).toMatchObject({ category: 'agents.message', user_id: '', title, status: 'sent', attempts: 1 })
    expect(it.arrived[0]!.headers['x-svc-delivery']).toBe(row.id)
    expect(it.told()).toMatchObject([
      { entry_type: 'notification.delivered', agent_id: it.agentId, payload: { delivery_id: row.id, title } },
    ])
  })

  it('sends three messages at once, then one a minute through each channel', async () => {
    const it = await place()
    await it.allow()
    for (let n = 0; n < 3; n++) expect((await it.send()).status).toBe(200)
    expect(await it.send()).toMatchObject({ status: 429, body: { code: 'rate_limited', retry_after: 60 } })
    it.clock.advance(60_000)
    expect((await it.send()).status).toBe(200)
    expect((await it.send()).status).toBe(429)
    expect(it.arrived).toHaveLength(4)
  })

  it.each([
    [{ title: '' }, 400],
    [{ title: ' \n' }, 400],
    [{ title: 'x'.repeat(201) }, 400],
    [{ body: 'x'.repeat(8193) }, 400],
    [{ body: 'ä'.repeat(4097) }, 400],
    [{ channel_id: 'nch_none' }, 404],
  ])('is refused %j', async (body, status) => {
    const it = await place()
    await it.allow()
    expect((await it.send(body)).status).toBe(status)
    expect(it.arrived).toEqual([])
    expect(await it.log()).toEqual([])
  })

  it('hears that a channel is paused, or failed, which is on record', async () => {
    const it = await place((_, reply) => void reply.writeHead(500).end('broken'))
    await it.allow()
    expect(await it.send()).toMatchObject({
      status: 502,
      body: { code: 'delivery_failed', detail: 'example.com answered 500: broken' },
    })
    expect(await it.log()).toMatchObject([{ status: 'failed', error: 'example.com answered 500: broken', attempts: 1 }])
    expect(it.told()).toMatchObject([{ entry_type: 'notification.failed', agent_id: it.agentId }])
    await it.call('ADMIN', 'PATCH', `/notification-channels/${it.channel_id}`, { enabled: false })
    expect(await it.send()).toMatchObject({ status: 400, body: { field: 'channel_id' } })
    expect(it.arrived).toHaveLength(1)
  })

  it('is known to who asks why: through a channel of the workspace to an ADMIN, else to its owner', async () => {
    let status = 200
    const it = await place((_, reply) => void reply.writeHead(status).end())
    await it.allow()
    const own = await it.call('MEMBER', 'POST', '/notification-channels', {
      type: 'webhook',
      url: 'https://example.com/own',
      personal: true,
    })
    await it.call('MEMBER', 'POST', `/notification-channels/${own.body.id}/agents`, { agent_id: it.agentId })
    expect((await it.send()).status).toBe(200)
    status = 404
    expect((await it.send({ channel_id: own.body.id, title: 'Hi' })).status).toBe(502)
    const [toMember, toAll] = (await it.log()) as { id: string; title: string }[]
    const why = async (who: Parameters<typeof it.call>[0], subject: string, query = '') =>
      (await it.call(who, 'GET', `/notification-deliveries/why?subject=${subject}${query}`)).body
    const event = { category: 'agents.message', priority: 'medium', source_kind: 'message', source_id: it.agentId }
    const said = 'an agent sent it through this channel, which it was allowed; '
    const channel = { channel_id: it.channel_id, kind: 'webhook', outcome: 'sent', delivery_id: toAll!.id }
    expect(await why('ADMIN', toAll!.id)).toMatchObject({
      event: { ...event, id: toAll!.id, title: toAll!.title },
      user_id: it.person('ADMIN').userId,
      concerned: true,
      channels: [{ ...channel, reason: `${said}it was sent` }],
    })
    const failed = { outcome: 'failed', reason: `${said}it failed: example.com answered 404` }
    const toOwner = { event, concerned: true, channels: [{ ...failed, channel_id: own.body.id, kind: 'webhook' }] }
    expect(await why('MEMBER', toMember!.id)).toMatchObject(toOwner)
    const member = it.person('MEMBER').userId
    expect(await why('ADMIN', toMember!.id, `&user_id=${member}`)).toMatchObject(toOwner)
    const absent = { status: 404, field: 'subject' }
    expect(await why('MEMBER', toAll!.id)).toMatchObject(absent)
    expect(await why('ADMIN', toMember!.id)).toMatchObject(absent)
    expect(await why(it.stranger(), toAll!.id)).toMatchObject({ status: 404 })
  })

  it('knows no channel of another workspace', async () => {
    const it = await place()
    const other = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Other', slug: 'other' })).body.id
    const made = await it.call(
      'OWNER',
      'POST',
      '/notification-channels',
      { type: 'webhook', url: 'https://example.com' },
      { 'x-workspace-id': other },
    )
    expect(made.status, made.text).toBe(201)
    const foreign = await it.send({ channel_id: made.body.id })
    const absent = await it.send({ channel_id: 'nch_none' })
    expect([foreign.status, foreign.body['detail']]).toEqual([404, absent.body['detail']])
  })

  it('says no secret of its workspace, whichever way it sends', async () => {
    const it = await place()
    await it.allow()
    const value = 'tok-4711-secret'
    await it.call('OWNER', 'POST', '/credentials', { name: 'TOKEN', type: 'SECRET', value })
    const words = { title: `Key ${value}`, body: `It is ${value}, or ${btoa(value)}.` }
    expect((await it.send(words)).status).toBe(200)
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const caller = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId, channel_id: it.channel_id }
    const sent = await it.call(null, 'POST', '/internal/notifications/send', { ...caller, ...words }, token)
    expect(sent.status, sent.text).toBe(200)
    for (const { body } of it.arrived)
      expect(JSON.parse(body)).toMatchObject({
        title: expect.stringMatching(/: Key \[redacted\]$/),
        body: 'It is [redacted], or [redacted].',
      })
    expect(it.arrived).toHaveLength(2)
    const rows = it.app.db.prepare('SELECT * FROM notification_deliveries').all()
    expect(JSON.stringify([rows, it.told()])).not.toContain(value)
  })

  it('is answered the same by the internal interface, as the agent that the token is of', async () => {
    const it = await place()
    await it.allow()
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const query = `workspace_id=${it.workspace}&agent_id=${it.agentId}`
    const list = (more = '') =>
      it.call(null, 'GET', `/internal/notifications/channels?${query}${more}`, undefined, token)
    expect((await list()).body).toEqual(await it.open())
    expect((await list(`&crew_id=${it.crewId}`)).status).toBe(200)
    expect((await list('&crew_id=another')).status).toBe(403)
    const body = { workspace_id: it.workspace, crew_id: it.crewId, agent_id: it.agentId, channel_id: it.channel_id }
    const send = (more: object) =>
      it.call(null, 'POST', '/internal/notifications/send', { ...body, title: 'Hello', ...more }, token)
    expect((await send({})).body).toEqual({ ok: true, channel_id: it.channel_id })
    expect((await send({ crew_id: 'another' })).status).toBe(403)
  })
})

/** Routines, and what stands for all servers that channels lead to. */
async function withChannels(answer?: Answer, config: Partial<Config> = {}) {
  const it = withRoutines(await daemon({ config }))
  const servers = await vendors(it, answer)
  closing(deliverDue(it.app))
  const channel = async (body: object = {}) => {
    const made = await it.call('ADMIN', 'POST', '/notification-channels', {
      type: 'webhook',
      url: 'https://example.com/hook',
      ...body,
    })
    expect(made.status, made.text).toBe(201)
    return made.body as { id: string }
  }
  const step = (expression: string) => [{ id: 'a', type: 'transform', transform: { input: 'x', expression } }]
  const end = async (slug: string, ...statuses: string[]) => {
    const { run_id } = await it.run(slug)
    await it.until(run_id, ...statuses)
    return run_id as string
  }
  const left = () => it.app.db.prepare('SELECT count(*) FROM notification_deliveries').pluck().get()
  const told = () => it.entries().filter(({ entry_type }) => entry_type.startsWith('notification.'))
  return { ...it, ...servers, channel, step, end, left, told }
}

describe('the end of a routine’s run', () => {
  it('is told to the channels of the workspace that hear of such ends, whoever wants what', async () => {
    const it = await withChannels()
    await it.channel({ url: 'https://example.com/all', events: ['all'] })
    await it.channel({ url: 'https://example.com/failed' })
    await it.channel({ url: 'https://example.com/own', events: ['all'], personal: true })
    const paused = await it.channel({ url: 'https://example.com/paused', events: ['all'] })
    await it.call('ADMIN', 'PATCH', `/notification-channels/${paused.id}`, { enabled: false })
    await it.save('report', it.step('.'))
    const run_id = await it.end('report', 'completed')
    await it.until(1)
    await expect.poll(it.left, { interval: 10 }).toBe(0)
    expect(it.arrived.map(({ url }) => url)).toEqual(['https://example.com/all'])
    expect(it.arrived[0]!.headers).toMatchObject({ 'x-svc-event': 'run.completed' })
    expect(JSON.parse(it.arrived[0]!.body)).toEqual({
      event: 'run.completed',
      run_id,
      routine: 'report',
      status: 'completed',
      output_preview: 'x',
      triggered_by: 'manual',
      delivery_id: expect.any(String),
      timestamp: expect.any(Number),
    })
    expect((await it.call('ADMIN', 'GET', '/notification-deliveries')).body.deliveries).toEqual([])
    expect(it.told()).toMatchObject([{ entry_type: 'notification.delivered' }])
  })

  it('says why a run failed, which channels hear of unless told otherwise', async () => {
    const it = await withChannels(({ url }, reply) => void reply.writeHead(url.endsWith('/gone') ? 404 : 200).end())
    await it.channel()
    await it.save('broken', [{ id: 'a', type: 'http', http: { method: 'GET', url: 'https://example.org/gone' } }])
    await it.end('broken', 'failed')
    await expect.poll(it.left, { interval: 10 }).toBe(0)
    const told = it.arrived.at(-1)!
    expect(told.headers).toMatchObject({ 'x-svc-event': 'run.failed' })
    expect(JSON.parse(told.body)).toMatchObject({
      event: 'run.failed',
      status: 'failed',
      output_preview: expect.stringContaining('example.org answered 404'),
    })
  })

  it('is tried three times, 200 and 400 ms apart, and the run knows nothing of it', async () => {
    const it = await withChannels((_, reply) => void reply.writeHead(503).end())
    await it.channel({ events: ['all'] })
    await it.save('report', it.step('.'))
    const run_id = await it.end('report', 'completed')
    const attempts = () => it.app.db.prepare('SELECT attempts FROM notification_deliveries').pluck().get()
    await expect.poll(attempts, { interval: 10 }).toBe(1)
    for (const [ms, then] of [
      [199, 1],
      [1, 2],
      [399, 2],
    ] as const) {
      it.clock.advance(ms)
      it.app.bus.emit('deliver', 0)
      await expect.poll(attempts, { interval: 10 }).toBe(then)
    }
    it.clock.advance(1)
    it.app.bus.emit('deliver', 0)
    await expect.poll(it.left, { interval: 10 }).toBe(0)
    expect(it.arrived).toHaveLength(3)
    expect(new Set(it.arrived.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(1)
    expect(it.told()).toMatchObject([{ entry_type: 'notification.failed', payload: { category: 'run.completed' } }])
    expect((await it.result(run_id)).status).toBe('completed')
  })

  it('goes no further than the network policy of the crew of its routine', async () => {
    const it = await withChannels()
    const crew = await it.call('OWNER', 'POST', '/crews', {
      name: 'Web',
      slug: 'web',
      network_mode: 'restricted',
      allowed_domains: ['*.example.com'],
    })
    expect(crew.status, crew.text).toBe(201)
    await it.channel({ url: 'https://hooks.example.com/in', events: ['all'] })
    await it.channel({ url: 'https://example.org/out', events: ['all'] })
    await it.save('report', it.step('.'), {}, crew.body.id)
    await it.end('report', 'completed')
    await expect.poll(it.left, { interval: 10 }).toBe(0)
    expect(it.arrived.map(({ url }) => url)).toEqual(['https://hooks.example.com/in'])
    expect(
      it
        .told()
        .map(({ payload }) => payload?.['reason'] ?? 'sent')
        .toSorted(),
    ).toEqual(['The network policy of the crew does not allow example.org', 'sent'])
  })

  it('shows 1024 bytes of what the run gave', async () => {
    const it = await withChannels()
    await it.channel({ events: ['completed'] })
    await it.save('report', [
      { id: 'a', type: 'transform', transform: { input: `${'ä'.repeat(700)}`, expression: '.' } },
    ])
    await it.end('report', 'completed')
    await it.until(1)
    expect(JSON.parse(it.arrived[0]!.body).output_preview).toBe(`${'ä'.repeat(512)}…`)
  })

  it('shows no secret of the workspace, nor the beginning of one where it is cut', async () => {
    let status = 503
    const it = await withChannels((_, reply) => void reply.writeHead(status).end())
    await it.channel({ events: ['completed'] })
    const value = 'tok-4711-secret'
    const input = `${value} ${'x'.repeat(1005)}${value}`
    await it.save('report', [{ id: 'a', type: 'transform', transform: { input, expression: '.' } }])
    await it.end('report', 'completed')
    const attempts = () => it.app.db.prepare('SELECT attempts FROM notification_deliveries').pluck().get()
    await expect.poll(attempts, { interval: 10 }).toBe(1)
    // What the run gave is stored as it is: it became a secret only now.
    await it.call('OWNER', 'POST', '/credentials', { name: 'TOKEN', type: 'SECRET', value })
    status = 200
    it.clock.advance(200)
    it.app.bus.emit('deliver', 0)
    await it.until(2)
    expect(JSON.parse(it.arrived[0]!.body).output_preview).toContain(value)
    expect(JSON.parse(it.arrived[1]!.body).output_preview).toMatch(/^\[redacted\] x{1005}\[reda/)
    expect(it.arrived[1]!.body).not.toContain('tok-')
  })

  it('arrives by mail, with what the run gave', async () => {
    const mail = await mailServer()
    const it = await withChannels(undefined, {
      smtpUrl: `smtp://127.0.0.1:${mail.port}`,
      mailerFrom: 'Muster <muster@example.com>',
    })
    await it.channel({ type: 'email', url: undefined, to: 'ada@example.com', events: ['completed'] })
    await it.save('report', [{ id: 'a', type: 'transform', transform: { input: 'All is **well**', expression: '.' } }])
    await it.end('report', 'completed')
    const [letter] = await mail.until(1)
    expect(letter).toMatchObject({ from: 'muster@example.com', to: ['ada@example.com'] })
    expect(letter!.headers['subject']).toBe('[muster] routine report completed')
    expect(letter!.text).toContain('All is **well**')
    expect(letter!.html).toContain('All is <strong>well</strong>')
    await expect.poll(it.left, { interval: 10 }).toBe(0)
    expect(it.told()).toMatchObject([{ entry_type: 'notification.delivered', payload: { category: 'run.completed' } }])
    expect(JSON.stringify(it.told())).not.toContain('ada@')
  })
})
