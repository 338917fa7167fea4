import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  user_id: string
  role: Role
  created_at: string
  updated_at: string
  email: string
  full_name: string | null
  avatar_url: string | null
}

/** A membership alone. */
export type Membership = Pick<Row, 'id' | 'workspace_id' | 'user_id' | 'role' | 'created_at' | 'updated_at'>
const columns = 'id, workspace_id, user_id, role, created_at, updated_at'

/** Holds when the membership is no OWNER's, or another OWNER is left. */
const ownerIsLeft = `(role <> 'OWNER' OR EXISTS
  (SELECT 1 FROM workspace_members o WHERE o.workspace_id = @workspace AND o.role = 'OWNER' AND o.id <> @id))`

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], Row>(
    `SELECT m.id, m.workspace_id, m.user_id, m.role, m.created_at, m.updated_at, u.email, u.full_name, u.avatar_url
     FROM workspace_members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = ? ORDER BY m.created_at, m.rowid LIMIT ? OFFSET ?`,
  ),
  /** Live workspaces only. */
  rolesOf: db.prepare<[user: string], { workspace_id: string; role: Role }>(
    `SELECT m.workspace_id, m.role FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL`,
  ),
  insert: db.prepare<{ id: string; workspace: string; user: string; role: Role; now: string }, Membership>(
    `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
     VALUES (@id, @workspace, @user, @role, @now, @now) ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  find: db.prepare<[workspace: string, id: string], Membership>(
    `SELECT ${columns} FROM workspace_members WHERE workspace_id = ? AND id = ?`,
  ),
  ofUser: db.prepare<[workspace: string, user: string], Membership>(
    `SELECT ${columns} FROM workspace_members WHERE workspace_id = ? AND user_id = ?`,
  ),
  /** Nothing when the last OWNER would lose the role. */
  setRole: db.prepare<{ workspace: string; id: string; role: Role; now: string }, Membership>(
    `UPDATE workspace_members SET role = @role, updated_at = @now
     WHERE workspace_id = @workspace AND id = @id AND (@role = 'OWNER' OR ${ownerIsLeft}) RETURNING ${columns}`,
  ),
  /** Nothing when it is the last OWNER. */
  remove: db.prepare<{ workspace: string; id: string }, Membership>(
    `DELETE FROM workspace_members WHERE workspace_id = @workspace AND id = @id AND ${ownerIsLeft}
      RETURNING ${columns}`,
  ),
  removeAll: db.prepare<[workspace: string]>('DELETE FROM workspace_members WHERE workspace_id = ?'),
}))
