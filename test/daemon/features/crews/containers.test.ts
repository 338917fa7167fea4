import { describe, expect, it } from 'vitest'
import { noRuntime } from '#kernel/absent'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import type { ContainerStatus, RuntimeService } from '#runtime/service-types'
import { daemon, fixedClock } from '#test'
import * as containers from '../../../../daemon/features/crews/containers/service.ts'
import { findCrew, toCrew } from '../../../../daemon/features/crews/service.ts'
import { asked, askPlace } from '../../../support/asks.ts'

const running: ContainerStatus = {
  state: 'running',
  containerId: 'abc',
  startedAt: '2025-12-31T23:59:00Z',
  contract: 'current',
  effectiveMemoryMb: 4096,
  effectiveCpus: 2,
  configDrift: [],
  notices: [],
  error: null,
}

const runtime = (over: Partial<RuntimeService> = {}): RuntimeService => ({
  start: async () => running,
  stop: async () => ({ ...running, state: 'stopped', containerId: null, startedAt: null }),
  status: async () => running,
  logs: async (_crew, tail) => `${tail} lines`,
  condition: async () => ({ kind: 'docker', engine: { ok: true, detail: '' }, images: [], orphans: [] }),
  connect: () => Promise.reject(new Error('nobody listens here')),
  startServer: () => Promise.reject(new Error('no server runs here')),
  adapters: async () => [],
  hasImage: async (image) => image !== 'absent:1',
  ...over,
})

async function withCrew(over?: Partial<RuntimeService> | null, options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  if (over !== null) it.app.runtime = runtime(over)
  const { body } = await it.call('OWNER', 'POST', '/crews', {
    name: 'Backend',
    slug: 'backend',
    container_ttl_hours: 2,
  })
  const id = body.id as string
  return {
    ...it,
    id,
    wish: () => containers.desiredCrew(it.app, id)?.want,
    post: (act: string) => it.call('MANAGER', 'POST', `/crews/${id}/container-${act}`),
  }
}

const seen = {
  state: 'running',
  containerId: 'abc',
  contract: 'd1',
  startedAt: '2026-01-01T00:00:00Z',
  error: null,
} as const

describe('crews.start and crews.stop', () => {
  it('store the wish before the runtime is asked, journal who wanted it, and answer what became of it', async () => {
    const wishes: unknown[] = []
    const start = async () => {
      wishes.push(it.wish())
      return { ...running, notices: ['image was built'] }
    }
    const it = await withCrew({ start })
    const { status, body } = await it.post('start')
    expect({ status, body }).toEqual({
      status: 200,
      body: { crew_id: it.id, slug: 'backend', container_id: 'abc', status: 'running', notices: ['image was built'] },
    })
    expect(wishes).toEqual(['running'])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      crew_id: it.id,
      actor_id: it.person('MANAGER').userId,
      payload: { metadata: { container: 'running' } },
    })
    expect((await it.post('stop')).body).toEqual({
      crew_id: it.id,
      slug: 'backend',
      container_id: null,
      status: 'stopped',
    })
    expect(it.wish()).toBe('stopped')
  })

  it('are idempotent: asking again is answered, and journaled once', async () => {
    const it = await withCrew()
    for (const act of ['start', 'start', 'stop', 'stop']) expect((await it.post(act)).status).toBe(200)
    expect(it.entries().slice(-2)).toMatchObject([
      { summary: expect.stringMatching(/^Starting crew backend was requested by \S+@example\.com$/) },
      { summary: expect.stringMatching(/^Stopping crew backend was requested by \S+@example\.com$/) },
    ])
  })

  it('are journaled again when a person stops an idle crew in which a run waits for an answer', async () => {
    const it = await askPlace()
    await asked(it)
    const stops = () => it.entries().filter(({ summary }) => summary.startsWith('Stopping crew'))
    const stop = (actor: Actor | null) => it.app.writeNow(() => containers.want(it.app, it.crewId, 'stopped', actor))
    const person: Actor = {
      type: 'user',
      id: it.person('MANAGER').userId,
      email: null,
      workspace: it.workspace,
      role: 'MANAGER',
      token: null,
      session: null,
    }
    expect([stop(null), stops().length]).toEqual([true, 1])
    expect([stop(null), stops().length]).toEqual([false, 1])
    expect([stop(person), stops().length]).toEqual([true, 2])
    expect(stops().at(-1)).toMatchObject({ actor_id: person.id })
  })

  it('are journaled once when the run does not wait, or waits in another crew', async () => {
    const it = await askPlace()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id as string
    const owner: Actor = {
      type: 'user',
      id: it.person('OWNER').userId,
      email: null,
      workspace: it.workspace,
      role: 'OWNER',
      token: null,
      session: null,
    }
    const stop = (crew: string) => it.app.writeNow(() => containers.want(it.app, crew, 'stopped', owner))
    await it.send(await it.openChat(), 'Work')
    stop(it.crewId)
    expect(stop(it.crewId), 'its run works').toBe(false)
    await asked(it)
    expect(stop(other), 'nothing waits there').toBe(false)
  })

  it.each([
    ['start', 'running', 'true'],
    ['start', 'creating', undefined],
    ['start', 'stopped', undefined],
    ['start', 'error', undefined],
    ['stop', 'stopped', 'true'],
    ['stop', 'none', 'true'],
    ['stop', 'running', undefined],
    ['stop', 'creating', undefined],
    ['stop', 'error', undefined],
  ] as const)(
    'say of %s that it changes nothing where the container is %s and wanted so: %s',
    async (act, state, says) => {
      const it = await withCrew()
      await it.post(act)
      it.app.writeNow(() => containers.markSeen(it.app, it.id, { ...seen, state }))
      expect((await it.post(act)).headers['muster-unchanged']).toBe(says)
    },
  )

  it('never say so of what was not asked for before', async () => {
    const it = await withCrew()
    it.app.writeNow(() => containers.markSeen(it.app, it.id, seen))
    expect((await it.post('start')).headers['muster-unchanged']).toBeUndefined()
  })

  it('answer 503 without a runtime and store no wish that nobody fulfils', async () => {
    const it = await withCrew(null)
    expect((await it.post('start')).body).toMatchObject({ status: 503, code: 'runtime_unavailable' })
    expect(it.wish()).toBe('stopped')
  })

  it.each([
    ['POST', 'container-start'],
    ['POST', 'container-stop'],
    ['GET', 'container-status'],
    ['GET', 'container-logs'],
  ])('%s %s does not find a crew of another workspace, nor asks the runtime', async (method, path) => {
    const asked: string[] = []
    const note = (name: string) => async () => {
      asked.push(name)
      return running
    }
    const logs = async () => String(asked.push('logs'))
    const it = await withCrew({ start: note('start'), stop: note('stop'), status: note('status'), logs })
    const before = containers.desiredCrew(it.app, it.id)
    const { body } = await it.call(it.stranger(), method, `/crews/${it.id}/${path}`)
    expect(body).toMatchObject({ status: 404, code: 'not_found', detail: 'There is no such crew' })
    expect(asked).toEqual([])
    expect(containers.desiredCrew(it.app, it.id)).toEqual(before)
  })

  it('answer 502 with the reason when the engine fails; the wish stays for the next try', async () => {
    const it = await withCrew({
      start: async () => {
        throw new Error('no space left on device')
      },
    })
    expect((await it.post('start')).body).toMatchObject({
      status: 502,
      code: 'runtime_failed',
      detail: expect.stringContaining('no space left on device'),
    })
    expect(it.wish()).toBe('running')
  })

  it("pass the runtime's own problems on", async () => {
    const it = await withCrew({
      start: async () => {
        throw problem('runtime_unavailable', { detail: 'held back: memory is short' })
      },
    })
    expect((await it.post('start')).body).toMatchObject({ status: 503, detail: 'held back: memory is short' })
  })

  it('answer 404 when the crew is deleted while the container comes up', async () => {
    const it = await withCrew({
      start: async () => {
        await it.call('OWNER', 'DELETE', `/crews/${it.id}`)
        return running
      },
    })
    expect((await it.post('start')).status).toBe(404)
    expect(it.wish()).toBe('removed')
  })
})

describe('what is seen of a container', () => {
  it('is of no interest where there is no such crew', async () => {
    const it = await withCrew()
    const before = it.entries().length
    it.app.writeNow(() => containers.markSeen(it.app, 'none', seen))
    expect(it.app.writeNow(() => containers.want(it.app, 'none', 'running', null))).toBe(false)
    expect(containers.desiredCrew(it.app, 'none')).toBeNull()
    expect(it.entries()).toHaveLength(before)
  })

  it('is told to the workspace of the crew when it changes, and when only the reason does', async () => {
    const it = await withCrew()
    const heard: unknown[] = []
    it.app.bus.on('broadcast', (message) => heard.push(message))
    const mark = (what: object) => {
      heard.length = 0
      it.app.writeNow(() => containers.markSeen(it.app, it.id, { ...seen, ...what }))
      return heard.length
    }
    mark({})
    expect(heard).toEqual([{ channel: `workspace:${it.workspace}`, type: 'crew.updated', payload: { id: it.id } }])
    expect([
      mark({}),
      mark({ contract: 'd2' }),
      mark({ startedAt: '2026-01-01T01:00:00Z' }),
      mark({ startedAt: '2026-01-01T01:00:00Z', containerId: 'def' }),
      mark({ state: 'error', error: 'full' }),
      mark({ state: 'error', error: 'full', containerId: 'ghi' }),
      mark({ state: 'error', error: 'gone' }),
    ]).toEqual([0, 0, 1, 1, 1, 0, 1])
  })

  it('is dated', async () => {
    const it = await withCrew()
    it.clock.advance(5000)
    it.app.writeNow(() => containers.markSeen(it.app, it.id, seen))
    expect(containers.containerOf(it.app, it.id)).toMatchObject({ observed_at: '2026-01-01T00:00:05Z' })
  })

  it('is kept of its own crew alone', async () => {
    const it = await withCrew()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
    it.app.writeNow(() => containers.markSeen(it.app, it.id, seen))
    expect(containers.desiredCrew(it.app, it.id)?.seen).toEqual(seen)
    expect(containers.desiredCrew(it.app, other)?.seen).toMatchObject({ state: 'none', containerId: null })
  })
})

describe('crews.status', () => {
  it('sets what is wanted beside what is there', async () => {
    const it = await withCrew({
      status: async () => ({ ...running, contract: 'stale', configDrift: ['container_memory_mb'] }),
    })
    expect((await it.call('VIEWER', 'GET', `/crews/${it.id}/container-status`)).body).toEqual({
      crew_id: it.id,
      slug: 'backend',
      container_id: 'abc',
      status: 'running',
      desired: 'stopped',
      uptime: 60,
      started_at: '2025-12-31T23:59:00Z',
      runtime_contract: 'stale',
      configured_memory_mb: 4096,
      effective_memory_mb: 4096,
      configured_cpus: 2,
      effective_cpus: 2,
      config_drift: ['container_memory_mb'],
      error: null,
    })
    await it.post('start')
    expect((await it.call('VIEWER', 'GET', `/crews/${it.id}/container-status`)).body.desired).toBe('running')
  })

  it.each([
    ['2025-12-31T23:59:58.001Z', 1],
    ['2026-01-01T00:00:00Z', 0],
    ['2026-01-01T00:01:00Z', 0],
    [null, null],
  ])('counts whole seconds since %s: %s', async (startedAt, uptime) => {
    const it = await withCrew({ status: async () => ({ ...running, startedAt }) })
    expect((await it.call('VIEWER', 'GET', `/crews/${it.id}/container-status`)).body).toMatchObject({
      started_at: startedAt,
      uptime,
    })
  })

  it('tells the limits that the crew was given', async () => {
    const it = await withCrew()
    await it.call('OWNER', 'PATCH', `/crews/${it.id}`, { container_memory_mb: 8192, container_cpus: 4 })
    expect((await it.call('VIEWER', 'GET', `/crews/${it.id}/container-status`)).body).toMatchObject({
      configured_memory_mb: 8192,
      effective_memory_mb: 4096,
      configured_cpus: 4,
      effective_cpus: 2,
    })
  })

  it('says not_configured without a runtime', async () => {
    const it = await withCrew(null)
    expect((await it.call('VIEWER', 'GET', `/crews/${it.id}/container-status`)).body).toMatchObject({
      status: 'not_configured',
      uptime: null,
    })
  })
})

describe('crews.logs', () => {
  it.each([
    ['', '200 lines'],
    ['?tail=7', '7 lines'],
    ['?tail=100000', '5000 lines'],
    ['?tail=x', '200 lines'],
    ['?tail=-1', '200 lines'],
  ])('%s gives %s as text', async (query, text) => {
    const it = await withCrew()
    const answer = await it.call('MANAGER', 'GET', `/crews/${it.id}/container-logs${query}`)
    expect(answer).toMatchObject({ status: 200, text })
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  })
})

describe('a change of limits', () => {
  it('warns that the running container keeps the old ones', async () => {
    const it = await withCrew()
    const warned = async (body: object) =>
      ((await it.call('OWNER', 'PATCH', `/crews/${it.id}`, body)).body.warnings ?? []).length
    expect(await warned({ container_memory_mb: 8192 }), 'nothing runs').toBe(0)
    it.app.writeNow(() => containers.markSeen(it.app, it.id, seen))
    expect(await warned({ container_memory_mb: 8192, container_cpus: 0 }), 'they stay').toBe(0)
    expect(await warned({ description: 'New' })).toBe(0)
    expect(await warned({ container_memory_mb: 4096 })).toBe(1)
    expect(await warned({ container_cpus: 4 })).toBe(1)
    it.app.writeNow(() => containers.markSeen(it.app, it.id, { ...seen, state: 'stopped' }))
    expect(await warned({ container_cpus: 2 })).toBe(0)
  })
})

describe('runtime_image', () => {
  it('is looked for before a crew is created, where one is named', async () => {
    const sought: string[] = []
    const it = await withCrew({ hasImage: async (image) => sought.push(image) > 1 })
    const create = (slug: string, runtime_image: string | null) =>
      it.call('OWNER', 'POST', '/crews', { name: slug, slug, runtime_image })
    expect((await create('one', ' debian:12 ')).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field: 'runtime_image',
    })
    const { status, body } = await create('two', ' debian:13 ')
    expect([status, body.runtime_image, 'warnings' in body]).toEqual([201, 'debian:13', false])
    for (const blank of [null, '', ' ']) expect((await create(`b${String(blank).length}`, blank)).status).toBe(201)
    expect(sought).toEqual(['debian:12', 'debian:13'])
  })

  it('is not looked for by a server that runs agents as local processes', async () => {
    const it = await withCrew({ hasImage: async () => false }, { config: { containerProvider: 'process' } })
    const patch = async (body: object) => (await it.call('OWNER', 'PATCH', `/crews/${it.id}`, body)).body
    expect((await patch({ runtime_image: 'debian:12' })).warnings).toEqual([expect.stringContaining('no effect')])
    expect(await patch({ description: 'New' })).not.toHaveProperty('warnings')
  })

  it('is refused when the engine does not have it, and stored with a warning when nobody can tell', async () => {
    const it = await withCrew()
    const patch = (runtime_image: string | null) => it.call('OWNER', 'PATCH', `/crews/${it.id}`, { runtime_image })
    expect((await patch('absent:1')).body).toMatchObject({ code: 'invalid_field', field: 'runtime_image' })
    expect((await patch('debian:12')).body).toMatchObject({ runtime_image: 'debian:12' })
    it.app.runtime = noRuntime
    expect((await patch('absent:1')).body).toMatchObject({
      runtime_image: 'absent:1',
      warnings: [expect.stringContaining('absent:1')],
    })
    expect((await patch('')).body.runtime_image).toBe(null)
  })
})

describe('what the reconciler reads and writes', () => {
  it('is one row for each crew, from its creation until the container of the deleted crew is gone', async () => {
    const it = await withCrew()
    expect(containers.desiredCrews(it.app)).toEqual([
      {
        crewId: it.id,
        workspaceId: it.workspace,
        want: 'stopped',
        wantedAt: '2026-01-01T00:00:00Z',
        usedAt: null,
        ttlHours: 2,
        seen: { state: 'none', containerId: null, contract: null, startedAt: null, error: null },
        spec: {
          crewId: it.id,
          slug: 'backend',
          workspaceId: it.workspace,
          image: '',
          memoryMb: 4096,
          cpus: 2,
          network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
          agents: [],
        },
      },
    ])
    await it.app.write(() => containers.forget(it.app, it.id))
    expect(containers.desiredCrews(it.app), 'a live crew is never forgotten').toHaveLength(1)
    await it.call('OWNER', 'DELETE', `/crews/${it.id}`)
    expect(containers.desiredCrews(it.app)).toMatchObject([{ want: 'removed', spec: { slug: 'backend' } }])
    await it.app.write(() => containers.want(it.app, it.id, 'running', null))
    expect(it.wish(), 'a deleted crew takes no wish').toBe('removed')
    await it.app.write(() => containers.forget(it.app, it.id))
    expect(containers.desiredCrews(it.app)).toEqual([])
  })

  it('journals a change of state once and tells the workspace', async () => {
    const it = await withCrew()
    const heard: string[] = []
    it.app.bus.on('broadcast', ({ type }) => heard.push(type))
    const mark = (what: containers.Seen) => it.app.write(() => containers.markSeen(it.app, it.id, what))
    await mark(seen)
    await mark(seen)
    await mark({ ...seen, contract: 'd2' })
    await mark({ ...seen, containerId: 'def', startedAt: '2026-01-01T01:00:00Z' })
    await mark({ ...seen, state: 'stopped', startedAt: null })
    await mark({ ...seen, state: 'error', error: 'image is gone', startedAt: null })
    const told = it.entries().filter(({ entry_type }) => entry_type.startsWith('container.'))
    expect(told.map(({ entry_type, payload }) => [entry_type, payload])).toEqual([
      ['container.started', { container_id: 'abc' }],
      ['container.started', { container_id: 'def' }],
      ['container.stopped', { container_id: 'abc' }],
      ['container.failed', { container_id: 'abc', error: 'image is gone' }],
    ])
    const about = { actor_type: 'orchestrator', crew_id: it.id, workspace_id: it.workspace }
    expect(told).toMatchObject(told.map(() => about))
    expect(heard).toEqual(['crew.updated', 'crew.updated', 'crew.updated', 'crew.updated'])
    expect(containers.desiredCrew(it.app, it.id)?.seen).toMatchObject({ state: 'error', contract: 'd1' })
  })

  it('journals that a running container is gone, and nothing when there was none', async () => {
    const it = await withCrew()
    const mark = (what: containers.Seen) => it.app.write(() => containers.markSeen(it.app, it.id, what))
    const none = { ...seen, state: 'none', containerId: null, startedAt: null } as const
    await mark({ ...none, error: 'the engine forgot it' })
    await mark(seen)
    await mark(none)
    const told = it.entries().filter(({ entry_type }) => entry_type.startsWith('container.'))
    expect(told.map(({ entry_type }) => entry_type)).toEqual(['container.started', 'container.stopped'])
  })

  it('keeps what is wanted of one crew apart from the others', async () => {
    const clock = fixedClock()
    const it = await withCrew({}, { clock })
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
    const before = containers.desiredCrew(it.app, other)
    clock.advance(5000)
    await it.post('start')
    expect(containers.desiredCrew(it.app, it.id)).toMatchObject({
      want: 'running',
      wantedAt: '2026-01-01T00:00:05Z',
      usedAt: '2026-01-01T00:00:05Z',
    })
    clock.advance(5000)
    await it.post('stop')
    expect(containers.desiredCrew(it.app, it.id)).toMatchObject({
      want: 'stopped',
      wantedAt: '2026-01-01T00:00:10Z',
      usedAt: '2026-01-01T00:00:05Z',
    })
    await it.app.write(() => containers.use(it.app, it.id))
    expect(containers.desiredCrew(it.app, other)).toEqual(before)
    expect(containers.containerOf(it.app, other)).toMatchObject({ crew_id: other, desired: 'stopped', used_at: null })
    for (const id of [it.id, other]) await it.call('OWNER', 'DELETE', `/crews/${id}`)
    await it.app.write(() => containers.forget(it.app, it.id))
    expect(containers.desiredCrews(it.app)).toMatchObject([{ crewId: other, want: 'removed' }])
  })

  it('is what the crew was given, else what the server is set to', async () => {
    const it = await withCrew()
    const given = {
      container_ttl_hours: null,
      container_memory_mb: 8192,
      container_cpus: 4,
      runtime_image: 'debian:12',
      allowed_domains: ['example.com'],
    }
    await it.call('OWNER', 'PATCH', `/crews/${it.id}`, given)
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: it.id })).body.id
    expect(containers.desiredCrew(it.app, it.id)).toMatchObject({
      ttlHours: 4,
      spec: {
        image: 'debian:12',
        memoryMb: 8192,
        cpus: 4,
        network: { mode: 'restricted', allowedDomains: ['example.com'], allowPrivateEndpoints: false },
        agents: [{ agentId: agent, slug: 'ada', uid: 20001 }],
      },
    })
    const open = { ...it.app, config: { ...it.app.config, allowPrivateEndpoints: true } }
    expect(containers.desiredCrew(open, it.id)?.spec.network.allowPrivateEndpoints, 'nobody asked').toBe(false)
  })

  it('is told by the deletion of the crew alone', async () => {
    const it = await withCrew()
    await it.post('start')
    const known = it.entries().length
    await it.call('OWNER', 'DELETE', `/crews/${it.id}`)
    expect(it.wish()).toBe('removed')
    expect(
      it
        .entries()
        .slice(known)
        .map(({ entry_type }) => entry_type),
    ).toEqual(['audit.entity_deleted'])
  })

  it('names the workspace of a crew until it is deleted', async () => {
    const it = await withCrew()
    const workspaceOf = () => containers.workspaceOfCrew(it.app, it.id)
    expect([workspaceOf(), containers.workspaceOfCrew(it.app, 'none')]).toEqual([it.workspace, undefined])
    for (const kind of ['crew', 'files']) expect(it.app.channels.get(kind)!(it.app, it.id, '')).toBe(it.workspace)
    await it.call('OWNER', 'DELETE', `/crews/${it.id}`)
    expect(workspaceOf()).toBeUndefined()
  })

  it('counts idle time from the last use', async () => {
    const clock = fixedClock()
    const it = await withCrew({}, { clock })
    await it.post('start')
    clock.advance(5000)
    await it.app.write(() => containers.use(it.app, it.id))
    expect(containers.desiredCrew(it.app, it.id)?.usedAt).toBe('2026-01-01T00:00:05Z')
    clock.advance(5000)
    await it.post('start')
    expect(containers.desiredCrew(it.app, it.id)?.usedAt).toBe('2026-01-01T00:00:10Z')
  })

  it("lets the server's switch overrule a stored permission", async () => {
    const it = await withCrew({}, { config: { allowPrivateEndpoints: true } })
    await it.call('ADMIN', 'PATCH', `/crews/${it.id}`, { allow_private_endpoints: true })
    expect(containers.desiredCrew(it.app, it.id)?.spec.network.allowPrivateEndpoints).toBe(true)
    const off = { ...it.app, config: { ...it.app.config, allowPrivateEndpoints: false } }
    expect(containers.desiredCrew(off, it.id)?.spec.network.allowPrivateEndpoints).toBe(false)
    expect(toCrew(off, findCrew(it.app, it.workspace, it.id)).allow_private_endpoints).toBe(false)
  })
})
