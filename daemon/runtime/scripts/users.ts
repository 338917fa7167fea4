import type { AgentSpec } from '../types.ts'

/** Scripts of a crew that run at the same time. */
export const mostAtOnce = 8
/** Beyond the users of agents: what scripts write is no agent's. */
const firstUid = 30_000

const idOf = (crewId: string, slot: number) => `script-${crewId}-${slot}`

/** The user of a crew's container as which a script runs. No slug of an agent begins so. */
export const scriptUser = (crewId: string, slot: number): AgentSpec => ({
  agentId: idOf(crewId, slot),
  slug: `_script${slot}`,
  uid: firstUid + slot,
})

export const isScriptUser = (agentId: string): boolean => agentId.startsWith('script-')

/** Which users for scripts are taken, by crew. */
export class ScriptUsers {
  readonly #taken = new Map<string, Set<number>>()
  readonly #waiting = new Map<string, (() => void)[]>()

  #of(crewId: string): Set<number> {
    const known = this.#taken.get(crewId) ?? new Set()
    this.#taken.set(crewId, known)
    return known
  }

  taken(crewId: string): number[] {
    return [...(this.#taken.get(crewId) ?? [])]
  }

  /** Takes the user of a script that was begun before. */
  keep(crewId: string, slot: number): number {
    this.#of(crewId).add(slot)
    return slot
  }

  /** Takes a free user, or waits for one; null once it is stopped. */
  async take(crewId: string, stopped: AbortSignal): Promise<number | null> {
    for (;;) {
      if (stopped.aborted) return null
      const free = Array.from({ length: mostAtOnce }, (_, slot) => slot).find((it) => !this.#of(crewId).has(it))
      if (free !== undefined) return this.keep(crewId, free)
      await new Promise<void>((resolve) => {
        this.#waiting.set(crewId, [...(this.#waiting.get(crewId) ?? []), resolve])
        stopped.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  free(crewId: string, slot: number): void {
    this.#of(crewId).delete(slot)
    if (this.#of(crewId).size === 0) this.#taken.delete(crewId)
    const waiting = this.#waiting.get(crewId) ?? []
    this.#waiting.delete(crewId)
    for (const go of waiting) go()
  }
}
