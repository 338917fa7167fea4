import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import { type DesiredCrew, desiredCrew, desiredCrews, want } from '../../features/crews/containers/service.ts'
import { workingOfCrew } from '../../features/runs/service.ts'
import { crewName } from '../docker/names.ts'
import type { DiskCondition, DiskService } from '../service-types.ts'
import type { Runtime } from '../types.ts'
import { CrewDisks } from './crews.ts'
import { MachineDisk } from './machine.ts'
import { type DeviceRoom, roomAt } from './room.ts'
import type { Level } from './rules.ts'

export interface DiskGuardParts {
  app: App
  runtime: Runtime
  /** Reads the state of the disk that holds the daemon's data. */
  look?(): DeviceRoom
}

const order: Record<Level, number> = { full: 0, warn: 1, ok: 2 }

/** Enforces the crews' disk limits, and keeps crews from filling the disk of this machine. */
export class DiskGuard implements DiskService {
  readonly crews: CrewDisks
  readonly machine: MachineDisk
  readonly #app: App
  /** Crews that were stopped because the disk of this machine is nearly full. */
  readonly #stopped = new Map<string, string>()
  /** The level that was last reported. */
  #told: Level = 'ok'
  #acting = false

  constructor({ app, runtime, look = () => roomAt(app.config.dataDir) }: DiskGuardParts) {
    this.#app = app
    this.crews = new CrewDisks({ app, runtime, device: () => this.machine.room })
    this.machine = new MachineDisk({
      wanted: app.config.diskReserveMb * 1024 ** 2,
      look,
      noticed: () => void this.#act(),
      failed: (error) => app.log.warn({ err: error }, 'The free space of the data folder cannot be read'),
    })
  }

  open(): void {
    this.machine.look()
    this.crews.open()
  }

  close(): void {
    this.machine.close()
    this.crews.close()
  }

  async room(crewId: string, waiting: (why: string) => void, signal: AbortSignal): Promise<string | null> {
    this.machine.look()
    while (this.machine.level === 'full' && !signal.aborted) {
      waiting(`${this.machine.words}: waiting for room`)
      await this.machine.settled(signal)
    }
    const desired = desiredCrew(this.#app, crewId)
    if (signal.aborted || !desired || this.crews.level(crewId) !== 'full') return null
    await this.crews.recount(desired)
    return this.crews.level(crewId) === 'full' ? this.#fullCrew(crewId) : null
  }

  async begun(crewId: string): Promise<void> {
    const desired = desiredCrew(this.#app, crewId)
    if (desired) await this.crews.begun(desired)
  }

  reason(crewId: string): string | null {
    return this.crews.level(crewId) === 'full' ? this.#fullCrew(crewId) : (this.#stopped.get(crewId) ?? null)
  }

  warning(crewId: string): string | null {
    const level = this.crews.level(crewId)
    if (level === 'full') return this.#fullCrew(crewId)
    return level === 'warn'
      ? `The crew has used ${this.crews.used(crewId)} of its disk space; when that is used up, the crew is stopped`
      : null
  }

  #fullCrew(crewId: string): string {
    const used = this.crews.used(crewId)
    const advice = 'Delete some of its data, muster doctor tells how, or raise SVC_CREW_DISK_MB'
    return `The crew has used up its disk space (${used}). ${advice}`
  }

  condition(): DiskCondition {
    const { machine, crews } = this
    const known = desiredCrews(this.#app).flatMap(({ crewId, spec: { slug } }) => {
      const watched = crews.all.get(crewId)
      const used = watched?.failure ? `could not be counted: ${watched.failure}` : crews.used(crewId)
      if (!watched || !used) return []
      return [
        { slug, level: watched.failure ? ('warn' as const) : watched.level, used, tidy: this.#tidy(crewId, slug) },
      ]
    })
    known.sort((a, b) => order[a.level] - order[b.level])
    return {
      limit: crews.limit,
      reserve: machine.reserve,
      machine: { ...machine.room, level: machine.level },
      crews: known,
    }
  }

  /** A command that gives a person access to a crew's data, whether or not the crew runs. */
  #tidy(crewId: string, slug: string): string {
    const { containerPrefix: prefix, sidecarImage, containerProvider, dataDir } = this.#app.config
    if (containerProvider === 'process') return `cd ${dataDir}/crews/${crewId}`
    const container = crewName({ prefix, installation: '' }, slug, crewId)
    return `docker run --rm -it --volumes-from ${container} --entrypoint sh ${sidecarImage}`
  }

  /** Reports the level of the machine's disk and stops crews that write to it. The next check retries a failure. */
  async #act(): Promise<void> {
    const { level } = this.machine
    if (this.#acting || (level === this.#told && level !== 'full')) return
    this.#acting = true
    try {
      if (level !== 'full') this.#stopped.clear()
      await Promise.all([
        level === 'full' && this.#stopWriters(),
        level !== this.#told && this.#app.write(() => this.#tell(level)),
      ])
      this.#told = level
    } catch (error) {
      this.#app.log.error({ err: error }, 'Crews on a nearly full disk could not be stopped')
    } finally {
      this.#acting = false
    }
  }

  #tell(level: Level): void {
    const { words, room } = this.machine
    this.#app.log.warn({ level, free: room.free, reserve: this.machine.reserve }, 'The disk of the data folder')
    const home = homeOf(this.#app)
    if (!home) return
    const payload = {
      disk_free_bytes: room.free,
      disk_total_bytes: room.total,
      disk_reserve_bytes: this.machine.reserve,
      disk_level: level,
      ...(level === 'full' && { error: words }),
    }
    const severity = ({ full: 'error', warn: 'warn', ok: 'info' } as const)[level]
    this.#app.journal(fact('server.disk', payload, { workspace_id: home, actor_type: 'orchestrator', severity }))
  }

  /** Stops all running crews, whether or not they have runs, and then those that started meanwhile. */
  async #stopWriters(): Promise<void> {
    const app = this.#app
    const writing = ({ crewId }: DesiredCrew) =>
      workingOfCrew(app, crewId).some(({ phase }) => phase !== 'queued') || app.scripts.isLive(crewId)
    const running = desiredCrews(app).filter(
      (it) => it.want === 'running' && (!this.#stopped.has(it.crewId) || writing(it)),
    )
    const shared = await Promise.all(running.map(async (it) => ((await this.crews.shares(it)) ? [it] : [])))
    const crews = shared.flat()
    if (!crews.length) return
    const { words } = this.machine
    for (const { crewId } of crews) this.#stopped.set(crewId, words)
    await app.write(() => {
      for (const it of crews) stop(app, it, words)
    })
    await Promise.all(crews.map(({ crewId }) => app.runtime.stop(crewId)))
  }
}

function stop(app: App, { crewId, workspaceId }: DesiredCrew, why: string): void {
  const about = { workspace_id: workspaceId, crew_id: crewId, actor_type: 'orchestrator' } as const
  app.journal(fact('crew.stopped_for_room', { error: why }, about))
  want(app, crewId, 'stopped', null)
}
