import type { Role } from '#contract/roles'
import { type Db, statements } from '../store/db.ts'

interface Row {
  workspace_id: string
  role: Role
  /** 1 when the workspace asks for a second factor that the user does not have. */
  barred: 0 | 1
}

export const queries = statements((db) => ({
  member: db.prepare<{ named: string; user: string }, Row>(
    `SELECT w.id AS workspace_id, m.role, w.require_two_factor = 1 AND u.two_factor_at IS NULL AS barred
     FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id JOIN users u ON u.id = m.user_id
     WHERE (w.id = @named OR w.slug = @named) AND w.deleted_at IS NULL AND m.user_id = @user
     ORDER BY w.id = @named DESC LIMIT 1`,
  ),
  home: db.prepare<[], { id: string }>('SELECT id FROM workspaces WHERE home = 1 AND deleted_at IS NULL'),
}))

/**
 * The caller's membership in a workspace named by id or slug; undefined for unknown, deleted and foreign ones alike.
 */
export const membershipRow = (db: Db, workspace: string, user: string): Row | undefined =>
  queries(db).member.get({ named: workspace, user })

/** As `membershipRow`, and undefined too for members who may not enter without a second factor. */
export function membership(db: Db, workspace: string, user: string): { workspace_id: string; role: Role } | undefined {
  const row = membershipRow(db, workspace, user)
  return row?.barred ? undefined : row
}
