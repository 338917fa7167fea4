import type { SidecarAnswer } from '../types.ts'

/** Enforces Retry-After here, so that an agent that calls too often costs the daemon nothing. */
export interface Pauses {
  /** The refusal of a call that comes too early; null once it is allowed. */
  answer(agentId: string, route: string): SidecarAnswer | null
  /** Remembers a refusal; returns every answer unchanged. */
  heed(agentId: string, route: string, answer: SidecarAnswer): SidecarAnswer
}

export function createPauses(now: () => number): Pauses {
  const refusals = new Map<string, { until: number; body: object }>()
  return {
    answer(agentId, route) {
      const key = `${agentId} ${route}`
      const refusal = refusals.get(key)
      if (!refusal) return null
      const wait = Math.ceil((refusal.until - now()) / 1000)
      if (wait > 0) return { status: 429, body: { ...refusal.body, retry_after: wait } }
      refusals.delete(key)
      return null
    },
    heed(agentId, route, answer) {
      const { retry_after: wait } = (answer.body ?? {}) as { retry_after?: unknown }
      if (answer.status === 429 && typeof wait === 'number')
        refusals.set(`${agentId} ${route}`, { until: now() + wait * 1000, body: answer.body as object })
      return answer
    },
  }
}
