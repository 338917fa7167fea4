import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { type DesiredCrew, desiredCrews, want } from '../../features/crews/containers/service.ts'
import { Semaphore } from '../semaphore.ts'
import type { Runtime } from '../types.ts'
import { type Counted, isDue, type Level, levelAt, type Room, shareOf, wordsOf } from './rules.ts'
import type { Usage } from './usage.ts'

const roundMs = 5_000
/** Most crews that are measured at the same time. */
const countsAtOnce = 2
const MB = 1024 ** 2

export interface CrewDisksParts {
  app: App
  runtime: Runtime
  /** Number of the file system that holds the daemon's own data. */
  device(): Pick<Room, 'total'> & { device: number }
}

interface Watched {
  counted: Counted
  counting: Promise<void> | null
  /** The level that was last reported. */
  level: Level
  /** Usage at which the crew was stopped. */
  stoppedAt: number
  /** Whether its data is on the daemon's own disk. */
  shares: boolean
  failure: string | null
}

/** Watches the disk usage of crews: reports a crew that is near its limit, and stops one that reaches it. */
export class CrewDisks {
  readonly limit: number
  readonly #parts: CrewDisksParts
  readonly #crews = new Map<string, Watched>()
  readonly #counts = new Semaphore(countsAtOnce)
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(parts: CrewDisksParts) {
    this.#parts = parts
    this.limit = parts.app.config.crewDiskMb * MB
  }

  open(): void {
    this.#timer = setTimeout(() => void this.round().finally(() => !this.#closed && this.open()), roundMs).unref()
  }

  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  get all(): ReadonlyMap<string, Pick<Watched, 'level' | 'failure'>> {
    return this.#crews
  }

  /** A crew's usage, such as "8.1 GB of 10.0 GB"; null before it is measured. */
  used(crewId: string): string | null {
    const usage = this.#crews.get(crewId)?.counted.usage
    return usage ? wordsOf(usage, this.limit) : null
  }

  level(crewId: string): Level {
    return this.#crews.get(crewId)?.level ?? 'ok'
  }

  /** Whether a crew writes to the daemon's own disk, as far as this can be detected. */
  async shares(desired: DesiredCrew): Promise<boolean> {
    return this.#crews.get(desired.crewId)?.shares ?? (await this.#look(desired))?.shares ?? false
  }

  /** Records the state of a new crew's disk before its first run writes to it. */
  async begun(desired: DesiredCrew): Promise<void> {
    if (!this.#crews.has(desired.crewId)) await this.#look(desired)
  }

  /** Measures a crew now. */
  async recount(desired: DesiredCrew): Promise<void> {
    const watched = this.#crews.get(desired.crewId)
    if (watched) await this.#count(desired, watched, watched.counted.used)
  }

  /** Checks all running crews. */
  async round(): Promise<void> {
    const all = desiredCrews(this.#parts.app)
    const known = new Set(all.map(({ crewId }) => crewId))
    for (const crewId of this.#crews.keys()) if (!known.has(crewId)) this.#crews.delete(crewId)
    await Promise.all(
      all.filter(({ want, seen }) => want === 'running' && seen.state === 'running').map((it) => this.#look(it)),
    )
  }

  async #look(desired: DesiredCrew): Promise<Watched | null> {
    const { app, runtime, device } = this.#parts
    const room = await runtime
      .room(desired.spec)
      .catch((error: Error) => void app.log.debug({ err: error, crew: desired.crewId }, 'A disk cannot be checked'))
    if (!room) return null
    const now = performance.now()
    const known = this.#crews.get(desired.crewId)
    const counted = { usage: null, at: now, took: 0, used: room.used }
    const watched = known ?? {
      counted,
      counting: null,
      level: 'ok' as const,
      stoppedAt: 0,
      shares: false,
      failure: null,
    }
    this.#crews.set(desired.crewId, watched)
    // Device numbers repeat on other machines; sizes rarely do.
    watched.shares = room.local && room.device === device().device && room.total === device().total
    if (this.limit === 0) return watched
    if (isDue(watched.counted, room, this.limit, now)) void this.#count(desired, watched, room.used)
    else await this.#settle(desired, watched)
    return watched
  }

  #count(desired: DesiredCrew, watched: Watched, used: number): Promise<void> {
    watched.counting ??= this.#counts
      .run(() => this.#countNow(desired, watched, used))
      .finally(() => {
        watched.counting = null
      })
    return watched.counting
  }

  async #countNow(desired: DesiredCrew, watched: Watched, used: number): Promise<void> {
    const began = performance.now()
    let { usage } = watched.counted
    try {
      usage = (await this.#parts.runtime.usage(desired.spec)) ?? nothing
      watched.failure = null
    } catch (error) {
      if (this.#closed) return
      watched.failure = (error as Error).message
      this.#parts.app.log.warn({ err: error, crew: desired.crewId }, 'The disk usage of a crew could not be measured')
    }
    const now = performance.now()
    watched.counted = { usage, at: now, took: now - began, used }
    await this.#settle(desired, watched)
  }

  /** Reports the level and stops the crew, if needed. A failure is retried in the next round. */
  async #settle(desired: DesiredCrew, watched: Watched): Promise<void> {
    const { usage } = watched.counted
    if (!usage || this.#closed) return
    const level = levelAt(shareOf(usage, this.limit), watched.level)
    const writesOn = level === 'full' && usage.bytes >= watched.stoppedAt + MB
    if (level === watched.level && !writesOn) return
    const { app } = this.#parts
    const before = watched.level
    try {
      watched.level = level
      if (level === 'full') watched.stoppedAt = usage.bytes
      await app.write(() => this.#tell(desired, level, usage))
      if (level === 'full') await app.runtime.stop(desired.crewId)
    } catch (error) {
      if (level !== 'full') watched.level = before
      watched.stoppedAt = 0
      app.log.error({ err: error, crew: desired.crewId }, 'The disk limit of a crew could not be enforced')
    }
  }

  #tell({ crewId, workspaceId }: DesiredCrew, level: Level, usage: Usage): void {
    const { app } = this.#parts
    const full = level === 'full'
    const payload = {
      disk_bytes: usage.bytes,
      disk_files: usage.files,
      disk_limit_bytes: this.limit,
      disk_level: level,
      used: wordsOf(usage, this.limit),
    }
    const about = { workspace_id: workspaceId, crew_id: crewId, actor_type: 'orchestrator' } as const
    app.journal(
      fact(full ? 'crew.disk_full' : 'crew.disk_used', payload, {
        ...about,
        ...(level === 'warn' && { severity: 'warn' }),
      }),
    )
    if (full) want(app, crewId, 'stopped', null)
    app.broadcast({ channel: `workspace:${workspaceId}`, type: 'crew.updated', payload: { id: crewId } })
  }
}

const nothing: Usage = { bytes: 0, files: 0, complete: true }
