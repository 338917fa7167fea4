import type { Role } from '#contract/roles'
import { type Db, statements } from '../store/db.ts'

interface Row {
  workspace_id: string
  role: Role
  /** 1 when the workspace requires a second factor that the user does not have. */
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
  agent: db.prepare<{ id: string; user: string }, { workspace_id: string }>(
    `SELECT a.workspace_id FROM agents a
       JOIN workspace_members m ON m.workspace_id = a.workspace_id AND m.user_id = @user
     WHERE a.id = @id AND a.deleted_at IS NULL`,
  ),
  approval: db.prepare<{ id: string; user: string }, { workspace_id: string }>(
    `SELECT p.workspace_id FROM approvals p
       JOIN workspace_members m ON m.workspace_id = p.workspace_id AND m.user_id = @user
     WHERE p.id = @id`,
  ),
  some: db.prepare<[user: string], { workspace_id: string }>(
    `SELECT m.workspace_id FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.deleted_at IS NULL LIMIT 2`,
  ),
}))

/** The user's membership in a workspace, by id or slug; undefined for unknown, deleted and foreign workspaces alike. */
export const membershipRow = (db: Db, workspace: string, user: string): Row | undefined =>
  queries(db).member.get({ named: workspace, user })

/** As `membershipRow`, and undefined too for members who may not enter without a second factor. */
export function membership(db: Db, workspace: string, user: string): { workspace_id: string; role: Role } | undefined {
  const row = membershipRow(db, workspace, user)
  return row?.barred ? undefined : row
}

/** The workspace of an agent or an approval; undefined unless the user is a member there. */
export const workspaceOf = (
  db: Db,
  what: 'agent' | 'approval',
  asked: { id: string; user: string },
): string | undefined => queries(db)[what].get(asked)?.workspace_id

/** The workspace of a user who has exactly one. */
export function onlyWorkspace(db: Db, user: string): string | undefined {
  const [one, ...others] = queries(db).some.all(user)
  return others.length ? undefined : one?.workspace_id
}
