import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { expirePorts } from '../../../daemon/features/ports/jobs.ts'
import { isExposed, targetOf } from '../../../daemon/features/ports/service.ts'
import { answerCalls } from '../../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarListener } from '../../../daemon/runtime/types.ts'
import { office } from '../../support/ports.ts'
import { failOn } from '../../support/reactions.ts'

const hour = 3_600_000

describe('opening a port', () => {
  it('answers the token once and keeps its digest', async () => {
    const it = await office()
    const { status, body } = await it.expose({ description: 'the shop' })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[a-z0-9]{24}$/),
        token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        url: `https://muster.example/exposed/${body.token}/`,
        expires_at: '2026-01-01T01:00:00Z',
      },
    })
    const kept = JSON.stringify([it.app.db.prepare('SELECT * FROM port_exposures').all(), it.entries()])
    expect(kept).not.toContain(body.token)
    const listed = await it.call('VIEWER', 'GET', `/crews/${it.crewId}/port-expose`)
    expect(listed.body).toEqual([
      {
        id: body.id,
        agent_id: it.agentId,
        agent_slug: 'ada',
        container_port: 3000,
        description: 'the shop',
        status: 'ACTIVE',
        created_at: '2026-01-01T00:00:00Z',
        expires_at: '2026-01-01T01:00:00Z',
      },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'network.port_opened',
      crew_id: it.crewId,
      agent_id: it.agentId,
      summary: 'Agent ada opened port 3000 until 2026-01-01T01:00:00Z: "the shop"',
      payload: { port: 3000, exposure_id: body.id, description: 'the shop' },
    })
  })

  it.each([
    [undefined, 3600],
    [null, 3600],
    [0, 3600],
    [-5, 1],
    [90, 90],
    [86_400, 86_400],
    [1_000_000, 86_400],
  ])('for %j seconds lasts %j', async (ttl_seconds, seconds) => {
    const it = await office()
    const { body } = await it.expose({ ttl_seconds })
    expect(Date.parse(body.expires_at) - it.clock()).toBe(seconds * 1000)
  })

  it.each([
    [{ port: 0 }, 400],
    [{ port: 65_536 }, 400],
    [{ port: 1.5 }, 400],
    [{ port: '3000' }, 400],
    [{ port: undefined }, 400],
    [{ port: 9119 }, 400],
    [{ description: 'x'.repeat(201) }, 400],
    [{ description: 'a\nb' }, 400],
    [{ container_id: undefined }, 400],
    [{ container_id: 'another' }, 403],
    [{ agent_id: 'another' }, 403],
    [{ chat_id: 'another' }, 403],
    [{ crew_id: 'another' }, 403],
  ])('is refused with %j', async (body, status) => expect((await (await office()).expose(body)).status).toBe(status))

  it('is refused for an agent of another crew, and for one that is gone', async () => {
    const it = await office()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    const bob = (await it.call('OWNER', 'POST', '/agents', { name: 'Bob', slug: 'bob', crew_id: other })).body.id
    expect((await it.expose({ agent_id: bob })).body.code).toBe('outside_crew')
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)
    expect((await it.expose()).body.code).toBe('outside_crew')
  })

  it('is refused while the container does not run, and where the server has no address', async () => {
    const it = await office()
    it.container.state = 'stopped'
    expect((await it.expose()).body).toMatchObject({ status: 502, code: 'container_unreachable' })
    it.container.state = 'unknown'
    expect((await it.expose()).status).toBe(502)
    const nameless = await office({ config: { publicUrl: '' } })
    expect((await nameless.expose()).body).toMatchObject({
      status: 503,
      code: 'unavailable',
      detail: expect.stringContaining('SVC_PUBLIC_URL'),
    })
  })

  it('keeps to five an agent, whoever comes first', async () => {
    const it = await office()
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => it.expose({ port: 3000 + n })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)!.body.code).toBe('exposure_quota')
    expect(it.app.db.prepare('SELECT count(*) FROM port_exposures').pluck().get()).toBe(5)
    it.clock.advance(hour)
    expect((await it.expose()).status).toBe(201)
  })

  it('keeps to twenty a workspace', async () => {
    const it = await office()
    const agents = await Promise.all(['b', 'c', 'd', 'e'].map((slug) => it.mate(`${slug}-agent`)))
    const all = [it.agentId, ...agents].flatMap((agent_id) => Array.from({ length: 5 }, () => agent_id))
    const answers = await Promise.all(all.map((agent_id, n) => it.expose({ agent_id, port: 4000 + n })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
  })

  it('is told to the workspace and to the chat', async () => {
    const it = await office()
    const told: object[] = []
    it.app.bus.on('broadcast', (message) => void told.push(message))
    const chat = await it.openChat()
    const { body } = await it.expose({ chat_id: chat, description: 'the shop' })
    const payload = {
      id: body.id,
      agent_id: it.agentId,
      agent_slug: 'ada',
      crew_id: it.crewId,
      description: 'the shop',
      url: body.url,
      expires_at: body.expires_at,
    }
    expect(told).toEqual(
      expect.arrayContaining([
        { channel: `workspace:${it.workspace}`, type: 'port_expose.created', payload },
        { channel: `session:${chat}`, type: 'port_expose_created', payload },
      ]),
    )
  })

  it('by an agent comes through its sidecar, and once however often it is asked', async () => {
    const it = await office()
    let listener: SidecarListener | undefined
    answerCalls(it.app, {
      onSidecarCall: (given: SidecarListener) => (listener = given),
    } as Partial<Runtime> as Runtime)
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'Show me')
    it.own()
    const ask = (id: string, body: object = { port: 8000, ttl_seconds: 60 }) =>
      listener!(
        it.crewId,
        { id, agentId: it.agentId, runId: run_id, route: '/expose-port', body },
        new AbortController().signal,
      )
    const first = (await ask('call-1')) as { status: number; body: { id: string; token: string } }
    expect(first).toMatchObject({ status: 201, body: { expires_at: '2026-01-01T00:01:00Z' } })
    const again = (await ask('call-1')) as typeof first
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } })
    expect(targetOf(it.app, first.body.token)).toBeNull()
    expect(targetOf(it.app, again.body.token)).toMatchObject({ id: first.body.id, container_port: 8000 })
    expect(await ask('call-2', { port: 0 })).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    expect(it.app.db.prepare('SELECT chat_id FROM port_exposures').pluck().all()).toEqual([chat])
  })
})

describe('states', () => {
  it('Port expose: ACTIVE or pending -> REVOKED on POST revoke', async () => {
    const it = await office()
    const told: { type: string; payload: unknown }[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => void told.push({ type, payload }))
    const { body } = await it.expose()
    it.clock.advance(1000)
    const { body: pending } = await it.expose({ port: 3001 })
    it.app.db.prepare("UPDATE port_exposures SET status = 'PENDING' WHERE id = ?").run(pending.id)
    it.clock.advance(4000)
    expect(await it.revoke(body.id, { reason: '  enough ' })).toMatchObject({
      status: 200,
      body: { status: 'revoked' },
    })
    expect((await it.revoke(pending.id)).status).toBe(200)
    expect(targetOf(it.app, body.token)).toBeNull()
    expect(
      (await it.listed('revoked')).map(({ id, revoked_at, revoked_reason }) => ({ id, revoked_at, revoked_reason })),
    ).toEqual([
      { id: pending.id, revoked_at: '2026-01-01T00:00:05Z' },
      { id: body.id, revoked_at: '2026-01-01T00:00:05Z', revoked_reason: 'enough' },
    ])
    expect(told).toContainEqual({
      type: 'port_expose.revoked',
      payload: { id: body.id, crew_id: it.crewId, reason: 'enough' },
    })
    expect(it.entries().filter(({ entry_type }) => entry_type === 'network.port_closed')[0]).toMatchObject({
      actor_id: it.person('MANAGER').userId,
      summary: `Port 3000 of Agent ada was closed by ${it.person('MANAGER').email}: "enough"`,
      payload: { exposure_id: body.id, reason: 'enough', source: 'revoked' },
    })
  })

  it('Port expose: ACTIVE -> EXPIRED on TTL elapses', async () => {
    const it = await office()
    const { body } = await it.expose({ ttl_seconds: 60 })
    it.clock.advance(59_999)
    expect(targetOf(it.app, body.token)).toMatchObject({ id: body.id })
    it.clock.advance(1)
    expect(targetOf(it.app, body.token)).toBe('expired')
    expect(await it.listed('active')).toEqual([])
    expect(await it.listed('expired')).toMatchObject([{ id: body.id, status: 'EXPIRED' }])
    closing(expirePorts(it.app))
    await new Promise<void>((resolve) =>
      it.app.bus.on('entry', ({ entry }) => entry.entry_type === 'network.port_closed' && resolve()),
    )
    expect(it.app.db.prepare('SELECT status FROM port_exposures').pluck().all()).toEqual(['EXPIRED'])
    expect(targetOf(it.app, body.token)).toBe('expired')
    expect(it.entries().at(-1)).toMatchObject({
      actor_type: 'system',
      summary: 'Port 3000 of Agent ada was closed: its time was up',
      payload: { source: 'expired', exposure_id: body.id },
    })
  })

  it('Port expose: REVOKED or EXPIRED -> unchanged on POST revoke (409)', async () => {
    const it = await office()
    const [one, two] = [(await it.expose()).body, (await it.expose({ ttl_seconds: 1 })).body]
    await it.revoke(one.id, { reason: 'first' })
    it.clock.advance(1000)
    const before = it.app.db.prepare('SELECT * FROM port_exposures').all()
    for (const id of [one.id, two.id, 'unknown'])
      expect((await it.revoke(id, { reason: 'second' })).body).toMatchObject({ status: 409, code: 'exposure_ended' })
    expect(it.app.db.prepare('SELECT * FROM port_exposures').all()).toEqual(before)
  })

  it('the sweeper wakes at the next expiry, that of a port opened later included', async () => {
    const it = await office()
    closing(expirePorts(it.app))
    const ended = new Promise<void>((resolve) =>
      it.app.bus.on('entry', ({ entry }) => entry.entry_type === 'network.port_closed' && resolve()),
    )
    it.app.bus.on('entry', () => void it.clock.advance(1000))
    await it.expose({ ttl_seconds: 1 })
    await ended
  })
})

describe('revoking', () => {
  it('takes a MANAGER, of the workspace or of the crew', async () => {
    const it = await office()
    const { body } = await it.expose()
    const path = `/crews/${it.crewId}/port-expose/${body.id}/revoke`
    expect((await it.call('MEMBER', 'POST', path)).status).toBe(403)
    await it.call('OWNER', 'POST', `/crews/${it.crewId}/members`, {
      user_id: it.person('MEMBER').userId,
      role: 'MANAGER',
    })
    expect((await it.call('MEMBER', 'POST', path)).status).toBe(200)
  })

  it.each([
    ['', 200],
    ['{', 200],
    ['[]', 200],
    ['{"reason":5}', 200],
    ['{"reason":null}', 200],
    [JSON.stringify({ reason: 'x'.repeat(500) }), 200],
    [JSON.stringify({ reason: 'x'.repeat(501) }), 400],
  ])('with the body %j', async (sent, status) => {
    const it = await office()
    const { body } = await it.expose()
    expect((await it.revoke(body.id, sent)).status).toBe(status)
  })

  it('knows nothing of other crews and workspaces', async () => {
    const it = await office()
    const { body } = await it.expose()
    const stranger = it.stranger()
    expect((await it.call(stranger, 'POST', `/crews/${it.crewId}/port-expose/${body.id}/revoke`)).status).toBe(404)
    expect((await it.call(stranger, 'GET', `/crews/${it.crewId}/port-expose`)).status).toBe(404)
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    expect((await it.call('OWNER', 'POST', `/crews/${other}/port-expose/${body.id}/revoke`)).status).toBe(409)
    expect(targetOf(it.app, body.token)).toMatchObject({ id: body.id })
  })

  it.each(['agent', 'crew', 'move'] as const)('comes with the end of its %s', async (what) => {
    const it = await office()
    const { body } = await it.expose()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    expect(isExposed(it.app, it.crewId)).toBe(true)
    if (what === 'move')
      expect((await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: other })).status).toBe(200)
    else
      expect(
        (await it.call('OWNER', 'DELETE', what === 'agent' ? `/agents/${it.agentId}` : `/crews/${it.crewId}`)).status,
      ).toBeLessThan(300)
    expect(targetOf(it.app, body.token)).toBeNull()
    expect(isExposed(it.app, it.crewId)).toBe(false)
  })

  it('says whose port it was, who closed it and why', async () => {
    const it = await office()
    await it.expose()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: other })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'network.port_closed',
      crew_id: it.crewId,
      agent_id: it.agentId,
      actor_id: it.person('OWNER').userId,
      summary: `Port 3000 of Agent ada was closed by ${it.person('OWNER').email}: "the agent has left the crew"`,
    })
  })

  it('does not come with a change that leaves the agent in its crew', async () => {
    const it = await office()
    const { body } = await it.expose()
    const same = { crew_id: it.crewId, role_title: 'Shopkeeper' }
    expect((await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, same)).status).toBe(200)
    expect(targetOf(it.app, body.token)).toMatchObject({ id: body.id })
  })

  it('keeps the agent in its crew when a port cannot be closed', async () => {
    const it = await office({ quiet: true })
    const { body } = await it.expose()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    failOn(it.app, 'network.port_closed')
    expect((await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: other })).status).toBe(500)
    expect((await it.call('OWNER', 'GET', `/agents/${it.agentId}`)).body.crew_id).toBe(it.crewId)
    expect(targetOf(it.app, body.token)).toMatchObject({ id: body.id })
  })
})

describe('the list', () => {
  it('is of the asked state, newest first, PENDING only with all', async () => {
    const it = await office()
    const ids: string[] = []
    for (const ttl_seconds of [1, 60, 60, 60]) {
      ids.push((await it.expose({ ttl_seconds })).body.id)
      it.clock.advance(1000)
    }
    await it.revoke(ids[1]!)
    it.app.db.prepare("UPDATE port_exposures SET status = 'PENDING' WHERE id = ?").run(ids[2])
    const of = async (status?: string) => (await it.listed(status)).map(({ id }) => ids.indexOf(id))
    expect(await of()).toEqual([3])
    expect(await of('active')).toEqual([3])
    expect(await of('revoked')).toEqual([1])
    expect(await of('expired')).toEqual([0])
    expect(await of('all')).toEqual([3, 2, 1, 0])
    for (const status of ['pending', 'ACTIVE', 'x'])
      expect((await it.call('VIEWER', 'GET', `/crews/${it.crewId}/port-expose?status=${status}`)).status).toBe(400)
  })
})
