import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface UserRow {
  id: string
  email: string
  full_name: string | null
  avatar_url: string | null
  created_at: string
  role: Role
}

export interface WorkspaceRow {
  id: string
  name: string
  slug: string
  created_at: string
  updated_at: string
}

export interface Held {
  users: number
  crews: number
  agents: number
  running: number
}

export const queries = statements((db) => ({
  held: db.prepare<{ workspace: string }, Held>(
    `SELECT (SELECT count(*) FROM workspace_members WHERE workspace_id = @workspace) AS users,
       (SELECT count(*) FROM crews WHERE workspace_id = @workspace AND deleted_at IS NULL) AS crews,
       (SELECT count(*) FROM agents WHERE workspace_id = @workspace AND deleted_at IS NULL) AS agents,
       (SELECT count(*) FROM agents
        WHERE workspace_id = @workspace AND deleted_at IS NULL AND status = 'RUNNING') AS running`,
  ),
  users: db.prepare<[workspace: string, limit: number, offset: number], UserRow>(
    `SELECT u.id, u.email, u.full_name, u.avatar_url, u.created_at, m.role
     FROM workspace_members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = ? ORDER BY u.created_at DESC, u.id DESC LIMIT ? OFFSET ?`,
  ),
  workspace: db.prepare<[id: string], WorkspaceRow>(
    'SELECT id, name, slug, created_at, updated_at FROM workspaces WHERE id = ? AND deleted_at IS NULL',
  ),
}))
