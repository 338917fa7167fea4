import type { Belonging } from '../../../daemon/runtime/service-types.ts'
import type { CrewSpec, ObservedCrew, Progress, Runtime, SidecarConfig } from '../../../daemon/runtime/types.ts'

/**
 * Stands for an engine where the reconciler's decisions and not the engine are what is tested: it fails and stalls on
 * demand.
 */
export class EngineInMemory {
  readonly crews = new Map<string, ObservedCrew>()
  readonly done: string[] = []
  readonly configs = new Map<string, SidecarConfig>()
  belongings: Belonging[] = []
  away = false
  /** Thrown by the next so many `ensure`. */
  failures: Error[] = []
  /** Held back until it resolves. */
  stall: Promise<void> = Promise.resolve()
  #changed: ((crewId: string) => void)[] = []
  #made = 0

  observed(crewId: string, more: Partial<ObservedCrew> = {}): ObservedCrew {
    return {
      crewId,
      workspaceId: null,
      state: 'running',
      containerId: `k${++this.#made}`,
      contract: 'contract',
      startedAt: '2026-01-01T00:00:00.000Z',
      healthy: true,
      made: null,
      ...more,
    }
  }

  /** The engine tells that something changed there. */
  tell(crewId: string): void {
    for (const it of this.#changed) it(crewId)
  }

  readonly runtime: Runtime = {
    kind: 'docker',
    ping: async () => ({ ok: true, detail: '' }),
    observe: async (crewId) => {
      if (this.away) throw new Error('the engine is away')
      return crewId ? [this.crews.get(crewId)].filter((it) => it !== undefined) : [...this.crews.values()]
    },
    belongings: async () => this.belongings,
    imageOf: async () => null,
    hasImage: async () => null,
    contractOf: () => 'contract',
    connect: () => Promise.reject(new Error('nobody listens here')),
    ensure: async ({ crewId }: CrewSpec, progress: Progress) => {
      this.done.push(`ensure ${crewId}`)
      progress.step('starting the container')
      await this.stall
      const failure = this.failures.shift()
      if (failure) throw failure
      const there = this.crews.get(crewId)
      if (!(there?.state === 'running' && there.healthy)) this.crews.set(crewId, this.observed(crewId))
    },
    stop: async (crewId) => {
      this.done.push(`stop ${crewId}`)
      const there = this.crews.get(crewId)
      if (there) this.crews.set(crewId, { ...there, state: 'stopped', startedAt: null, healthy: false })
    },
    remove: async (crewId, { data }) => {
      this.done.push(`remove ${crewId}${data ? ' with data' : ''}`)
      this.crews.delete(crewId)
    },
    usage: async () => null,
    marks: () => Promise.reject(new Error('nothing is marked here')),
    room: async () => null,
    configureSidecar: async (crewId, config) => {
      this.done.push(`configure ${crewId}`)
      this.configs.set(crewId, config)
    },
    onSidecarReport: () => {},
    onSidecarCall: () => {},
    onChange: (listener) => void this.#changed.push(listener),
    places: () => {
      throw new Error('not asked for')
    },
    startRun: async () => {},
    endRun: async () => {},
    endLeft: async () => {},
    clear: async () => {},
    onOpenRuns: () => {},
    follow: () => ({ close() {} }),
    discardRun: async () => {},
    logs: async () => 'a line',
    listFiles: async () => [],
    readFile: async () => null,
    command: async () => ({ code: 0, stdout: '', stderr: '' }),
    watchWrites: () => ({ close() {} }),
    openShell: () => Promise.reject(new Error('no shells here')),
    startServer: () => Promise.reject(new Error('no servers here')),
    clearServers: async () => undefined,
    deliver: async () => undefined,
    withdraw: async () => undefined,
    close: async () => {},
  }
}
