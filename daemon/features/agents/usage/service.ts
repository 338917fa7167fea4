import type { App } from '#kernel/app'
import { queries } from './queries.ts'

/** What the runs of an agent used that have ended since a moment. */
export interface Used {
  /** Input, cached input and output. */
  tokens: number
  /** Turns that its clients told of; a client that tells none adds none. */
  llm_calls: number
  /** Of the runs whose cost is known; null when there are others alone. */
  cost_usd: number | null
  /** Runs that used tokens and whose cost is unknown. */
  unpriced_runs: number
}

const dayMs = 86_400_000

/** Since 00:00 UTC. */
export const usedToday = (app: App, workspace: string, agent: string): Used => {
  const now = app.clock()
  return usedSince(app, workspace, agent, now - (now % dayMs))
}

/** Since the first of the calendar month in UTC. */
export function usedThisMonth(app: App, workspace: string, agent: string): Used {
  const now = new Date(app.clock())
  return usedSince(app, workspace, agent, Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
}

/** Since a moment in milliseconds. */
export function usedSince(app: App, workspace: string, agent: string, since: number): Used {
  const { tokens, calls, cost, unpriced } = queries(app.db).since.get(workspace, agent, since)!
  return { tokens, llm_calls: calls, cost_usd: cost ?? (unpriced ? null : 0), unpriced_runs: unpriced }
}
