import { statements } from '#kernel/store/db'

export interface Row {
  agent_id: string
  enabled: 0 | 1
  set_by_user_id: string
  set_at: string
  reason: string
}

export const queries = statements((db) => ({
  find: db.prepare<[agent: string], Row>(
    'SELECT agent_id, enabled, set_by_user_id, set_at, reason FROM agent_learning WHERE agent_id = ?',
  ),
  set: db.prepare<Row>(
    `INSERT INTO agent_learning (agent_id, enabled, set_by_user_id, set_at, reason)
     VALUES (@agent_id, @enabled, @set_by_user_id, @set_at, @reason)
     ON CONFLICT DO UPDATE SET enabled = excluded.enabled, set_by_user_id = excluded.set_by_user_id,
      set_at = excluded.set_at, reason = excluded.reason`,
  ),
}))
