import { statements } from '#kernel/store/db'

export interface Sums {
  tokens: number
  calls: number
  /** Null when no run has a known cost. */
  cost: number | null
  unpriced: number
}

const used = ['input', 'output', 'cache_read', 'cache_write'].map((it) => `coalesce(${it}_tokens, 0)`).join(' + ')

export const queries = statements((db) => ({
  since: db.prepare<[workspace: string, agent: string, since: number], Sums>(
    `SELECT coalesce(sum(${used}), 0) AS tokens, coalesce(sum(turns), 0) AS calls, sum(cost_usd) AS cost,
       count(*) FILTER (WHERE cost_usd IS NULL AND ${used} > 0) AS unpriced
     FROM run_records WHERE workspace_id = ? AND agent_id = ? AND finished >= ?`,
  ),
}))
