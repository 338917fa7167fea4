import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { containerOf, want } from '../../daemon/features/crews/containers/service.ts'
import { installationId } from '../../daemon/kernel/store/installation.ts'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import { Reconciler } from '../../daemon/runtime/reconcile.ts'
import { engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

let folder: string
const docker = new Docker()
const installations = new Set<string>()
const open: { close(): Promise<void> }[] = []
let programs: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-programs-'))
  programs = await buildContainerPrograms(folder)
})
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  for (const installation of installations) await removeInstallation(installation)
})

async function scene() {
  const it = await daemon()
  const installation = installationId(it.app.db)
  installations.add(installation)
  const start = async () => {
    const runtime = new DockerRuntime({
      prefix: 'muster-test',
      installation,
      crewImage: 'muster/crew:local',
      sidecarImage: 'muster/sidecar:local',
      programs,
    })
    const parts = { app: it.app, runtime, isLive: () => false, endRuns: async () => {}, tidy: () => {} }
    const reconciler = new Reconciler({
      ...parts,
      sidecarConfig: ({ spec }) => ({ network: spec.network, agents: {}, upstreams: {} }),
    })
    it.app.runtime = reconciler
    open.push(runtime, reconciler)
    await reconciler.open()
    return { runtime, reconciler }
  }
  const containers = (kind: string) =>
    docker.listContainers({ all: true, filters: { label: [`svc.installation=${installation}`, `svc.kind=${kind}`] } })
  const crew = async (slug: string) =>
    (await it.call('OWNER', 'POST', '/crews', { name: slug, slug, container_memory_mb: 256 })).body.id as string
  /** Resolves when an entry of this type is stored after so many of it. */
  const journaled = (type: string, count = 1) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (it.entries().filter((entry) => entry.entry_type === type).length < count) return
        it.app.bus.off('entry', look)
        resolve()
      }
      it.app.bus.on('entry', look)
      look()
    })
  return { ...it, start, containers, crew, journaled }
}

describe.skipIf(engineMissing)('reconciler on an engine', () => {
  it('starts, mends, stops, starts again and removes', async () => {
    const it = await scene()
    const { runtime } = await it.start()
    const crew = await it.crew('works')
    const started = await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    expect(started).toMatchObject({ status: 200, body: { status: 'running' } })
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      status: 'running',
      runtime_contract: 'current',
      effective_memory_mb: 256,
      effective_cpus: 2,
      config_drift: [],
    })
    expect((await it.call('MANAGER', 'GET', `/crews/${crew}/container-logs`)).text).toContain(
      `muster-test-team-works-${crew} status=running`,
    )

    const [before] = await it.containers('crew')
    await docker.getContainer(before!.Id).remove({ force: true })
    await it.journaled('container.started', 2)
    const [after] = await it.containers('crew')
    expect(after!.Id).not.toBe(before!.Id)
    expect(await runtime.observe(crew)).toMatchObject([{ state: 'running', healthy: true }])

    expect((await it.call('MANAGER', 'POST', `/crews/${crew}/container-stop`)).body).toMatchObject({
      status: 'stopped',
    })
    expect((await it.containers('crew')).map(({ State }) => State)).toEqual(['exited'])
    await it.call('ADMIN', 'PATCH', `/crews/${crew}`, { container_memory_mb: 320 })
    await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/container-status`)).body).toMatchObject({
      effective_memory_mb: 320,
    })

    await it.call('ADMIN', 'DELETE', `/crews/${crew}`)
    while (containerOf(it.app, crew)) await new Promise((resolve) => setTimeout(resolve, 20))
    expect([await it.containers('crew'), await it.containers('sidecar'), await runtime.observe()]).toEqual([[], [], []])
    expect((await docker.listVolumes({ filters: { label: [`svc.crew-id=${crew}`] } })).Volumes ?? []).toEqual([])
  })

  it('removes what runs in a workspace that is deleted', async () => {
    const it = await scene()
    const { runtime } = await it.start()
    const { id } = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Short', slug: 'short' })).body
    const owner = { ...it.person('OWNER'), workspace: id }
    const crew = (await it.call(owner, 'POST', '/crews', { name: 'Works', slug: 'works', container_memory_mb: 256 }))
      .body.id as string
    expect(await it.call(owner, 'POST', `/crews/${crew}/container-start`)).toMatchObject({
      status: 200,
      body: { status: 'running' },
    })
    expect((await it.call(owner, 'DELETE', `/workspaces/${id}`, { confirm_slug: 'short' })).status).toBe(200)
    while (containerOf(it.app, crew)) await new Promise((resolve) => setTimeout(resolve, 20))
    expect([await it.containers('crew'), await it.containers('sidecar'), await runtime.observe()]).toEqual([[], [], []])
    expect((await docker.listVolumes({ filters: { label: [`svc.crew-id=${crew}`] } })).Volumes ?? []).toEqual([])
  })

  it('adopts what runs when the daemon starts anew, and reaps what nobody owns', async () => {
    const it = await scene()
    const first = await it.start()
    const crew = await it.crew('stays')
    await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    const spec = {
      crewId: 'cnobody',
      slug: 'nobody',
      workspaceId: it.workspace,
      image: '',
      memoryMb: 128,
      cpus: 1,
      network: { mode: 'restricted' as const, allowedDomains: [], allowPrivateEndpoints: false },
      agents: [],
    }
    await first.reconciler.close()
    await first.runtime.ensure(spec, { step() {} })
    const [kept] = (await it.containers('crew')).filter(({ Labels }) => Labels['svc.crew-id'] === crew)
    // The first is dropped as a kill drops it: nothing is closed or stopped.
    await it.start()
    await it.journaled('container.reaped')
    expect((await it.containers('crew')).map(({ Id }) => Id)).toEqual([kept!.Id])
    expect((await it.containers('sidecar')).length).toBe(1)
    const { engine, images, orphans } = (await it.app.runtime.condition())!
    expect({ ok: engine.ok, here: images.map(({ here }) => here) }).toEqual({ ok: true, here: [true, true] })
    expect(new Set(orphans.filter(({ own }) => own).map(({ kind, crewId }) => `${kind} of ${crewId}`))).toEqual(
      new Set(['volume of cnobody']),
    )
  })

  it('starts a crew again whose engine lost it while the daemon was away, and only if that is wished', async () => {
    const it = await scene()
    const first = await it.start()
    const [wanted, unwanted] = [await it.crew('wanted'), await it.crew('unwanted')]
    for (const crew of [wanted, unwanted]) await it.call('MANAGER', 'POST', `/crews/${crew}/container-start`)
    await first.reconciler.close()
    await first.runtime.close()
    for (const { Id } of [...(await it.containers('crew')), ...(await it.containers('sidecar'))])
      await docker.getContainer(Id).kill()
    await it.app.write(() => want(it.app, unwanted, 'stopped', null))
    await it.start()
    await it.journaled('container.started', 3)
    await it.journaled('container.stopped')
    const running = (await it.containers('crew')).filter(({ State }) => State === 'running')
    expect(running.map(({ Labels }) => Labels['svc.crew-id'])).toEqual([wanted])
  })
})
