import { afterEach, describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { containerOf, use, want } from '../../../daemon/features/crews/containers/service.ts'
import { isExposed } from '../../../daemon/features/ports/service.ts'
import { RuntimeError } from '../../../daemon/runtime/errors.ts'
import { Reconciler } from '../../../daemon/runtime/reconcile.ts'
import { EngineInMemory } from './engine-in-memory.ts'

const open: Reconciler[] = []
afterEach(async () => {
  for (const it of open.splice(0)) await it.close()
})

interface Scene extends TestDaemon {
  engine: EngineInMemory
  reconciler: Reconciler
  crew(slug?: string): Promise<string>
  live: Set<string>
  ended: string[]
  secret: { value: string }
  /** Resolves when the crew's row says so. */
  seen(crewId: string, state: string): Promise<void>
  /** Wishes that it runs, and waits until it does. */
  ready(crewId: string): Promise<unknown>
}

async function scene(prepare: (engine: EngineInMemory) => void = () => {}): Promise<Scene> {
  const it = await daemon()
  const engine = new EngineInMemory()
  prepare(engine)
  const live = new Set<string>()
  const ended: string[] = []
  const secret = { value: 'one' }
  const reconciler = new Reconciler({
    app: it.app,
    runtime: engine.runtime,
    tidy: () => {},
    sidecarConfig: ({ spec }) => ({ network: spec.network, agents: {}, upstreams: { TEST: secret.value } }),
    isLive: (crewId) => live.has(crewId) || isExposed(it.app, crewId),
    endRuns: async (crewId) => {
      ended.push(crewId)
      live.delete(crewId)
    },
  })
  open.push(reconciler)
  it.app.runtime = reconciler
  await reconciler.open()
  return {
    ...it,
    engine,
    reconciler,
    live,
    ended,
    secret,
    async crew(slug = 'works') {
      const { status, body } = await it.call('OWNER', 'POST', '/crews', { name: slug, slug })
      expect(status).toBe(201)
      return body.id
    },
    async seen(crewId, state) {
      while (containerOf(it.app, crewId)?.observed !== state) await new Promise((resolve) => setImmediate(resolve))
    },
    async ready(crewId) {
      await it.app.write(() => want(it.app, crewId, 'running', null))
      return reconciler.start(crewId)
    },
  }
}

const types = (it: TestDaemon, crewId: string) =>
  it
    .entries()
    .filter((entry) => entry.crew_id === crewId && /^(container|provisioning)\./.test(entry.entry_type))
    .map((entry) => entry.entry_type)

describe('reconciler', () => {
  it('brings up what is wished for, configures its sidecar and journals it', async () => {
    const it = await scene()
    const crew = await it.crew()
    const { status, body } = await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    expect({ status, body }).toEqual({
      status: 200,
      body: { crew_id: crew, slug: 'works', container_id: 'k1', status: 'running' },
    })
    expect(it.engine.done).toEqual([`ensure ${crew}`, `configure ${crew}`])
    expect(it.engine.configs.get(crew)).toMatchObject({ network: { mode: 'restricted' }, upstreams: { TEST: 'one' } })
    expect(types(it, crew)).toEqual(['provisioning.step', 'container.started'])
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      status: 'running',
      desired: 'running',
      runtime_contract: 'current',
      error: null,
    })
  })

  it('keeps a crew stopped while its files are put back, and ends no runs that wait for that', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    it.app.db
      .prepare(
        `INSERT INTO rewinds (id, workspace_id, crew_id, checkpoint_id, mark_id, before_id, phase, created_at)
         SELECT 'rw_1', workspace_id, id, 'cp_1', 'cp_1', 'cp_2', 'marking', 'x' FROM crews WHERE id = ?`,
      )
      .run(crew)
    expect((await it.reconciler.stop(crew)).state).toBe('stopped')
    await it.ready(crew)
    expect((await it.reconciler.status(crew)).state).toBe('stopped')
    expect(it.engine.done.filter((done) => done.startsWith('ensure'))).toHaveLength(1)
    expect(it.ended).toEqual([])
    it.app.db.prepare("UPDATE rewinds SET phase = 'done', ended_at = 'x'").run()
    expect((await it.reconciler.start(crew)).state).toBe('running')
  })

  it('does nothing for a crew that is as it should be', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    const done = it.engine.done.length
    await it.ready(crew)
    await it.reconciler.round()
    await it.reconciler.start(crew)
    expect(it.engine.done.length).toBe(done)
  })

  it('brings a crew up once when many ask at the same time', async () => {
    const it = await scene()
    const crew = await it.crew()
    await Promise.all(Array.from({ length: 20 }, () => it.ready(crew)))
    expect(it.engine.done).toEqual([`ensure ${crew}`, `configure ${crew}`])
  })

  it('stops a crew once its runs are ended', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    it.live.add(crew)
    const { body } = await it.call('MANAGER', 'POST', `/crews/${crew}/container-stop`)
    expect(body).toMatchObject({ status: 'stopped' })
    expect(it.ended).toEqual([crew])
    expect(it.engine.done.at(-1)).toBe(`stop ${crew}`)
    expect(types(it, crew).at(-1)).toBe('container.stopped')
  })

  it('obeys a wish that changes while the one before is being fulfilled', async () => {
    const it = await scene()
    const crew = await it.crew()
    let go = () => {}
    it.engine.stall = new Promise((resolve) => {
      go = resolve
    })
    const starting = it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    await it.seen(crew, 'creating')
    const stopping = it.call('MANAGER', 'POST', `/crews/${crew}/container-stop`)
    go()
    expect((await stopping).body).toMatchObject({ status: 'stopped' })
    expect((await starting).status).toBe(200)
    expect(it.engine.crews.get(crew)?.state).toBe('stopped')
  })

  it('a slow start holds up no other crew', async () => {
    const it = await scene()
    const [slow, quick] = [await it.crew('slow'), await it.crew('quick')]
    let go = () => {}
    it.engine.stall = new Promise((resolve) => {
      go = resolve
    })
    const starting = it.ready(slow)
    await it.seen(slow, 'creating')
    it.engine.stall = Promise.resolve()
    await it.ready(quick)
    expect(it.engine.crews.has(slow)).toBe(false)
    go()
    await starting
  })

  it('answers with the reason when a start fails, keeps it, and tries again when asked', async () => {
    const it = await scene()
    const crew = await it.crew()
    it.engine.failures = [new RuntimeError('image', 'there is no such image')]
    const failed = await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    expect(failed).toMatchObject({ status: 502, body: { code: 'runtime_failed', detail: 'there is no such image' } })
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      status: 'error',
      desired: 'running',
      error: 'there is no such image',
    })
    expect(types(it, crew)).toEqual(['provisioning.step', 'provisioning.failed', 'container.failed'])
    await it.reconciler.start(crew)
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      status: 'running',
      error: null,
    })
  })

  it('waits ever longer before it tries again by itself', async () => {
    const it = await scene()
    const crew = await it.crew()
    it.engine.failures = Array.from({ length: 3 }, () => new Error('full'))
    await it.ready(crew).catch(() => {})
    const tries = () => it.engine.done.filter((step) => step === `ensure ${crew}`).length
    const look = async () => {
      await it.reconciler.round()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return tries()
    }
    expect(await look()).toBe(1)
    it.clock.advance(1000)
    expect(await look()).toBe(2)
    it.clock.advance(1000)
    expect(await look()).toBe(2)
    it.clock.advance(1000)
    expect(await look()).toBe(3)
    it.clock.advance(4000)
    expect(await look()).toBe(4)
    expect(it.engine.crews.get(crew)?.state).toBe('running')
  })

  it('answers 503 when no engine answers, and unknown as status', async () => {
    const it = await scene()
    const crew = await it.crew()
    it.engine.runtime.observe = async () => {
      throw new RuntimeError('unreachable', 'No Docker engine answers')
    }
    expect(await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)).toMatchObject({
      status: 503,
      body: { code: 'runtime_unavailable' },
    })
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      status: 'unknown',
    })
  })

  it('brings back what went away, told by the engine', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    const before = it.engine.crews.get(crew)!.containerId
    it.engine.crews.delete(crew)
    it.engine.tell(crew)
    while ((it.engine.crews.get(crew)?.containerId ?? before) === before)
      await new Promise((resolve) => setImmediate(resolve))
    await it.seen(crew, 'running')
  })

  it('removes a deleted crew with its data, and forgets it', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    expect((await it.call('ADMIN', 'DELETE', `/crews/${crew}`)).status).toBe(200)
    while (containerOf(it.app, crew)) await new Promise((resolve) => setImmediate(resolve))
    expect(it.engine.done.at(-1)).toBe(`remove ${crew} with data`)
    expect(it.engine.crews.size).toBe(0)
  })

  it('gives a changed configuration to the sidecar of a running crew only', async () => {
    const it = await scene()
    const [up, down] = [await it.crew('up'), await it.crew('down')]
    await it.ready(up)
    it.secret.value = 'two'
    await it.call('ADMIN', 'PATCH', `/crews/${up}`, { network_mode: 'free' })
    await it.call('ADMIN', 'PATCH', `/crews/${down}`, { network_mode: 'free' })
    while (it.engine.configs.get(up)?.network.mode !== 'free') await new Promise((resolve) => setImmediate(resolve))
    expect(it.engine.configs.get(up)?.upstreams).toEqual({ TEST: 'two' })
    expect(it.engine.configs.has(down)).toBe(false)
  })

  it('joins what runs already when the daemon starts, and reaps what nobody owns', async () => {
    const first = await scene()
    const crew = await first.crew()
    await first.ready(crew)
    await first.reconciler.close()
    first.engine.done.length = 0
    first.engine.crews.set('cghost', first.engine.observed('cghost', { workspaceId: first.workspace }))
    const second = new Reconciler({
      app: first.app,
      runtime: first.engine.runtime,
      tidy: () => {},
      sidecarConfig: ({ spec }) => ({ network: spec.network, agents: {}, upstreams: {} }),
      isLive: () => false,
      endRuns: async () => {},
    })
    open.push(second)
    await second.open()
    await second.start(crew)
    while (first.engine.crews.has('cghost')) await new Promise((resolve) => setImmediate(resolve))
    while (!first.entries().some((entry) => entry.entry_type === 'container.reaped'))
      await new Promise((resolve) => setImmediate(resolve))
    expect(first.engine.done.sort()).toEqual([`configure ${crew}`, `ensure ${crew}`, 'remove cghost'].sort())
  })

  it('puts a crew to sleep when its time is over, and wakes it for the next run', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    it.clock.advance(5 * 3_600_000)
    it.live.add(crew)
    await it.reconciler.round()
    it.live.delete(crew)
    await it.app.write(() => use(it.app, crew))
    await it.reconciler.round()
    expect(it.engine.crews.get(crew)?.state).toBe('running')
    it.clock.advance(4 * 3_600_000)
    await it.reconciler.round()
    await it.seen(crew, 'stopped')
    expect(containerOf(it.app, crew)).toMatchObject({ desired: 'stopped', observed: 'stopped' })
    expect(it.entries().at(-2)).toMatchObject({ entry_type: 'audit.entity_updated', actor_type: 'system' })
    await it.ready(crew)
    expect(it.engine.crews.get(crew)?.state).toBe('running')
  })

  it('keeps a crew of which a port is open, and counts its idleness from when that closed', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    it.app.exposedUrl = 'https://muster.example'
    const agent = await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })
    const ids = {
      workspace_id: it.workspace,
      crew_id: crew,
      agent_id: agent.body.id,
      container_id: it.engine.crews.get(crew)!.containerId,
    }
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, crew) }
    const { body } = await it.call(
      null,
      'POST',
      '/internal/port-expose',
      { ...ids, port: 3000, ttl_seconds: 86_400 },
      token,
    )
    it.clock.advance(10 * 3_600_000)
    await it.reconciler.round()
    await it.reconciler.start(crew)
    expect(containerOf(it.app, crew)).toMatchObject({ desired: 'running', observed: 'running' })
    const used = containerOf(it.app, crew)!.used_at
    expect((await it.call('OWNER', 'POST', `/crews/${crew}/port-expose/${body.id}/revoke`)).status).toBe(200)
    while (containerOf(it.app, crew)!.used_at === used) await new Promise((resolve) => setImmediate(resolve))
    await it.reconciler.round()
    expect(containerOf(it.app, crew)!.desired).toBe('running')
    it.clock.advance(4 * 3_600_000)
    await it.reconciler.round()
    await it.seen(crew, 'stopped')
  })

  it('settles no crew whose container never stays', async () => {
    const it = await scene()
    const crew = await it.crew()
    const { ensure } = it.engine.runtime
    it.engine.runtime.ensure = async (spec, progress) => {
      await ensure(spec, progress)
      it.engine.crews.delete(spec.crewId)
    }
    await expect(it.ready(crew)).rejects.toThrow('does not settle')
  })

  it('settles a crew that is asked for again and again meanwhile', async () => {
    const it = await scene()
    const crew = await it.crew()
    const { observe } = it.engine.runtime
    let asked = 0
    it.engine.runtime.observe = async (crewId) => {
      if (asked++ < 30) it.reconciler.look(crew)
      await new Promise(setImmediate)
      return observe(crewId)
    }
    await it.ready(crew)
    expect(asked).toBeGreaterThan(30)
    expect(containerOf(it.app, crew)).toMatchObject({ observed: 'running', error: null })
  })

  it('settles a crew whose sidecar has to be told something new again and again', async () => {
    const it = await scene()
    const crew = await it.crew()
    const { observe } = it.engine.runtime
    let changes = 0
    it.engine.runtime.observe = async (crewId) => {
      if (changes < 30) it.secret.value = `value ${++changes}`
      return observe(crewId)
    }
    await it.ready(crew)
    expect(changes).toBe(30)
    expect(containerOf(it.app, crew)).toMatchObject({ observed: 'running', error: null })
  })

  it('says what differs between a container and its crew', async () => {
    const it = await scene()
    const crew = await it.crew()
    await it.ready(crew)
    it.engine.crews.set(crew, {
      ...it.engine.crews.get(crew)!,
      contract: 'older',
      made: { memoryMb: 512, cpus: 2, image: '' },
    })
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      runtime_contract: 'stale',
      config_drift: ['container_memory_mb'],
      effective_memory_mb: 512,
      configured_memory_mb: 4096,
    })
  })
})
