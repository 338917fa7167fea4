import { statements } from '#kernel/store/db'

export interface Row {
  crew_id: string
  autonomy_level: string
  behavior_mode: string
  set_by_user_id: string | null
  set_at: string | null
  reason: string | null
}
const columns = `id AS crew_id, autonomy_level, behavior_mode, policy_set_by AS set_by_user_id,
  policy_set_at AS set_at, policy_reason AS reason`

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], Row>(
    `SELECT ${columns} FROM crews WHERE workspace_id = ? AND deleted_at IS NULL
      ORDER BY name COLLATE NOCASE, id LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, crew: string], Row>(
    `SELECT ${columns} FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL`,
  ),
}))
