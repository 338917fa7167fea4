import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ContainerStatus, RuntimeService } from '#runtime/service-types'
import type { CrewRoom, CrewSpec } from '#runtime/types'
import { closing, daemon } from '#test'
import { desiredCrew, markSeen, want } from '../../../../daemon/features/crews/containers/service.ts'
import { DiskGuard } from '../../../../daemon/runtime/disk/guard.ts'
import type { DeviceRoom } from '../../../../daemon/runtime/disk/room.ts'
import type { Usage } from '../../../../daemon/runtime/disk/usage.ts'
import { FakeRuntime } from '../../../support/fake-runtime.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3

/** Crews that have stored what the test says, on disks as full as it says. */
class FullDisks extends FakeRuntime {
  stored = new Map<string, number | Error>()
  rooms = new Map<string, CrewRoom>()
  override async usage({ crewId }: CrewSpec = {} as CrewSpec): Promise<Usage | null> {
    const bytes = this.stored.get(crewId) ?? 0
    if (bytes instanceof Error) throw bytes
    return { bytes, files: 1, complete: true }
  }
  override async room({ crewId }: CrewSpec = {} as CrewSpec): Promise<CrewRoom | null> {
    return this.rooms.get(crewId) ?? null
  }
}

const machine = (free: number): DeviceRoom => ({ total: 100 * GB, used: 100 * GB - free, free, device: 7 })

async function scene() {
  const it = await daemon({ config: { crewDiskMb: 1000, diskReserveMb: 512 }, quiet: true })
  const runtime = new FullDisks()
  const disk = { free: 50 * GB }
  const stopped: string[] = []
  const failing: Error[] = []
  const stop = async (crewId: string) => {
    stopped.push(crewId)
    const failure = failing.shift()
    if (failure) throw failure
    return {} as ContainerStatus
  }
  it.app.runtime = { stop } as unknown as RuntimeService
  const guard = closing(new DiskGuard({ app: it.app, runtime, look: () => machine(disk.free) }))
  it.app.disk = guard
  guard.machine.look()
  async function crew(slug: string, room: Partial<CrewRoom> = {}) {
    const { id } = (await it.call('OWNER', 'POST', '/crews', { name: slug, slug })).body as { id: string }
    await it.app.write(() => {
      want(it.app, id, 'running', null)
      markSeen(it.app, id, { state: 'running', containerId: 'k', contract: 'c', startedAt: null, error: null })
    })
    runtime.rooms.set(id, { ...machine(50 * GB), local: true, ...room })
    return id
  }
  /** The crew has stored so much by now, and is looked at. */
  async function stores(id: string, bytes: number | Error) {
    runtime.stored.set(id, bytes)
    vi.advanceTimersByTime(600_000)
    await guard.crews.round()
    await guard.crews.recount(desiredCrew(it.app, id)!)
  }
  const told = (type: string) => it.entries().filter(({ entry_type }) => entry_type === type)
  return { ...it, runtime, guard, disk, stopped, failing, crew, stores, told }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('a crew', () => {
  it('is warned once, stopped once, and let go when there is room', async () => {
    const { app, call, guard, crew, stores, told, stopped } = await scene()
    const id = await crew('hog')
    await guard.crews.round()
    await stores(id, 790 * MB)
    expect(guard.warning(id)).toBeNull()
    for (const mb of [810, 790, 820]) await stores(id, mb * MB)
    expect(told('container.metrics')).toMatchObject([
      { severity: 'warn', crew_id: id, summary: 'Crew hog has used 810 MB of 1000 MB' },
    ])
    expect((await call('VIEWER', 'GET', `/crews/${id}`)).body.warnings).toEqual([
      expect.stringMatching(/^The crew has used 820 MB of 1000 MB of its disk/),
    ])
    expect({ stopped, reason: guard.reason(id) }).toEqual({ stopped: [], reason: null })

    await stores(id, 1010 * MB)
    expect(told('container.failed')).toMatchObject([
      { severity: 'error', crew_id: id, payload: { disk_bytes: 1010 * MB, disk_limit_bytes: 1000 * MB } },
    ])
    expect(desiredCrew(app, id)?.want).toBe('stopped')
    expect(stopped).toEqual([id])
    expect(guard.reason(id)).toMatch(/^The crew has used up its disk space \(1010 MB of 1000 MB\)/)
    expect(await guard.room(id, () => {}, AbortSignal.timeout(5000))).toMatch(/^The crew has used up/)

    await stores(id, 960 * MB)
    expect(await guard.room(id, () => {}, AbortSignal.timeout(5000))).toMatch(/^The crew has used up/)
    await stores(id, 100 * MB)
    expect(await guard.room(id, () => {}, AbortSignal.timeout(5000))).toBeNull()
    expect(told('container.metrics').at(-1)).toMatchObject({
      severity: 'info',
      summary: 'Crew hog has used 100 MB of 1000 MB',
    })
    expect(stopped).toEqual([id])
  })

  it('that a person starts again is stopped again once it writes', async () => {
    const { app, crew, stores, stopped, guard } = await scene()
    const id = await crew('hog')
    await guard.crews.round()
    await stores(id, 1010 * MB)
    await app.write(() => want(app, id, 'running', null))
    await stores(id, 1010 * MB)
    expect(stopped).toEqual([id])
    await stores(id, 1020 * MB)
    expect(stopped).toEqual([id, id])
  })

  it('is counted at the next look after its first run has written much', async () => {
    const { runtime, guard, crew } = await scene()
    const id = await crew('hog')
    await guard.begun(id)
    runtime.stored.set(id, 900 * MB)
    runtime.rooms.set(id, { ...machine(49 * GB), local: true })
    vi.advanceTimersByTime(5_000)
    await guard.crews.round()
    await vi.waitFor(() => expect(guard.warning(id)).toMatch(/^The crew has used 900 MB of 1000 MB of its disk space/))
  })

  it('that could not be stopped is stopped at the next look', async () => {
    const { crew, stores, stopped, failing, guard } = await scene()
    const id = await crew('hog')
    await guard.crews.round()
    failing.push(new Error('the engine is away'))
    await stores(id, 1010 * MB)
    await stores(id, 1010 * MB)
    expect(stopped.length).toBeGreaterThanOrEqual(2)
  })

  it('that cannot be counted is a finding, and goes on', async () => {
    const { crew, stores, guard, stopped } = await scene()
    const id = await crew('hog')
    await guard.crews.round()
    await stores(id, new Error('no such image'))
    expect(guard.condition().crews).toMatchObject([
      { slug: 'hog', level: 'warn', used: 'could not be counted: no such image' },
    ])
    expect(stopped).toEqual([])
  })
})

describe("the daemon's disk", () => {
  it('is kept from who writes to it, and from nobody else', async () => {
    const { app, guard, disk, crew, stopped, told } = await scene()
    const here = await crew('here')
    await crew('remote', { local: false })
    await crew('elsewhere', { device: 8 })
    await crew('twin', { total: 99 * GB })
    disk.free = 513 * MB
    guard.machine.look()
    await vi.waitFor(() => expect(told('container.metrics')).toHaveLength(1))
    expect({ stopped, level: guard.machine.level }).toEqual({ stopped: [], level: 'warn' })
    disk.free = 512 * MB
    guard.machine.look()
    await vi.waitFor(() => expect(told('container.metrics')).toHaveLength(2))
    await vi.waitFor(() => expect(stopped).toEqual([here]))
    expect(told('container.metrics').map(({ severity }) => severity)).toEqual(['warn', 'error'])
    expect(told('container.failed')).toMatchObject([
      {
        crew_id: here,
        summary: expect.stringMatching(/^Crew here was stopped: The disk of this server is nearly full/),
      },
    ])
    expect(desiredCrew(app, here)?.want).toBe('stopped')
    expect(guard.reason(here)).toMatch(
      /^The disk of this server is nearly full \(512 MB of 100.0 GB free, 512 MB are kept\)/,
    )
  })

  it('lets new runs wait until there is room again', async () => {
    const { guard, disk, crew } = await scene()
    const id = await crew('here')
    disk.free = 0
    const waits: string[] = []
    let answer: string | null | undefined
    const room = guard
      .room(id, (why) => waits.push(why), AbortSignal.timeout(10_000))
      .then((it) => {
        answer = it
      })
    disk.free = 600 * MB
    guard.machine.look()
    await Promise.resolve()
    expect({ answer, waits: waits.length }).toEqual({ answer: undefined, waits: 1 })
    disk.free = 800 * MB
    guard.machine.look()
    await room
    expect(answer).toBeNull()
    expect(waits[0]).toMatch(/^The disk of this server is nearly full .*: waiting for room$/)
  })

  it('is left by who does not wait any longer', async () => {
    const { guard, disk, crew } = await scene()
    const id = await crew('here')
    disk.free = 0
    const leave = new AbortController()
    const room = guard.room(id, () => {}, leave.signal)
    leave.abort()
    expect(await room).toBeNull()
  })
})
