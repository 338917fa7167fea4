import type { Role } from '#contract/roles'
import { statements } from '#kernel/db'

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
  /** Live workspaces, first those that belong to others. */
  audience: db.prepare<[user: string, limit: number], { workspace_id: string }>(
    `SELECT m.workspace_id FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL ORDER BY m.role = 'OWNER', m.rowid LIMIT ?`,
  ),
  find: db.prepare<[workspace: string, user: string], { id: string; role: Role }>(
    'SELECT id, role FROM workspace_members WHERE workspace_id = ? AND user_id = ?',
  ),
  setRole: db.prepare<{ id: string; role: Role; now: string }>('UPDATE workspace_members SET role = @role, updated_at = @now WHERE id = @id'),
  insert: db.prepare<{ id: string; workspace: string; user: string; role: Role; now: string }, { id: string }>(
    `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
     VALUES (@id, @workspace, @user, @role, @now, @now) ON CONFLICT DO NOTHING RETURNING id`,
  ),
}))
