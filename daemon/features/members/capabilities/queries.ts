import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface HeldRow {
  id: string
  user_id: string
  role: Role
  capabilities_json: string | null
}
const columns = 'id, user_id, role, capabilities_json'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], HeldRow>(
    `SELECT ${columns} FROM workspace_members WHERE workspace_id = ? ORDER BY created_at, rowid LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, user: string], HeldRow>(
    `SELECT ${columns} FROM workspace_members WHERE workspace_id = ? AND user_id = ?`,
  ),
  set: db.prepare<[capabilities: string, now: string, id: string]>(
    'UPDATE workspace_members SET capabilities_json = ?, updated_at = ? WHERE id = ?',
  ),
}))
