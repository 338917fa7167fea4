import { nobodyAnswers } from '../sidecar/agent-calls.ts'
import { type Sidecar, startSidecar } from '../sidecar/server.ts'
import type { SidecarCall, SidecarConfig, SidecarListener, SidecarReport } from '../types.ts'

/** The sidecars of crews without containers, which run within the daemon. */
export class Sidecars {
  readonly #open = new Map<string, Promise<Sidecar>>()
  readonly #configs = new Map<string, SidecarConfig>()
  readonly #reportListeners: ((crewId: string, report: SidecarReport) => void)[] = []
  #answer: SidecarListener = nobodyAnswers

  has(crewId: string): boolean {
    return this.#open.has(crewId)
  }

  /** Starts the crew's sidecar unless it runs. Runs that outlive the daemon need the same port again; 0 takes any. */
  open(crewId: string, port: number): Promise<Sidecar> {
    const open = this.#open.get(crewId)
    if (open) return open
    const starting = this.#start(crewId, port).catch((error: NodeJS.ErrnoException) => {
      if (port !== 0 && error.code === 'EADDRINUSE') return this.#start(crewId, 0)
      throw error
    })
    this.#open.set(crewId, starting)
    starting.catch(() => this.#open.delete(crewId))
    return starting
  }

  async #start(crewId: string, port: number): Promise<Sidecar> {
    const report = (it: SidecarReport) => {
      for (const listener of this.#reportListeners) listener(crewId, it)
    }
    const ask = (call: SidecarCall) => {
      const waiting = new AbortController()
      return { answer: this.#answer(crewId, call, waiting.signal), hangUp: () => waiting.abort() }
    }
    const sidecar = await startSidecar({ port, isolated: false, report, ask })
    const config = this.#configs.get(crewId)
    if (config) sidecar.configure(config)
    return sidecar
  }

  async configure(crewId: string, config: SidecarConfig): Promise<void> {
    this.#configs.set(crewId, config)
    const sidecar = await this.#open.get(crewId)
    sidecar?.configure(config)
  }

  onReport(listener: (crewId: string, report: SidecarReport) => void): void {
    this.#reportListeners.push(listener)
  }

  onCall(listener: SidecarListener): void {
    this.#answer = listener
  }

  async close(crewId: string): Promise<void> {
    const open = this.#open.get(crewId)
    this.#open.delete(crewId)
    const sidecar = await open?.catch(() => null)
    await sidecar?.close()
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((crewId) => this.close(crewId)))
  }
}
