import type { HostSession } from '#contract/host'
import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface UserRow {
  id: string
  email: string
  full_name: string | null
  locked_until: string | null
  two_factor_at: string | null
  created_at: string
  home_role: Role | null
  workspaces: number
  last_sign_in_at: string | null
}

/** The user whom a verb is about. */
export interface Subject {
  id: string
  email: string
  locked_until: string | null
  two_factor_at: string | null
}

/** `null` for all users, else those whose lock lasts beyond this moment. */
interface WhichUsers {
  locked_after: string | null
}

/** `null` for the sessions of all users; and for ended sessions as well. */
interface WhichSessions {
  user: string | null
  alive_at: string | null
}

const sessionColumns =
  's.id, u.email, s.created_at, s.last_used_at, s.expires_at, s.revoked_at, s.revoked_reason, s.ip, s.user_agent'
const whichSessions = `FROM user_sessions s JOIN users u ON u.id = s.user_id
  WHERE (@user IS NULL OR s.user_id = @user) AND (@alive_at IS NULL OR (s.revoked_at IS NULL
  AND s.expires_at > @alive_at))`

export const queries = statements((db) => ({
  users: db.prepare<WhichUsers & { limit: number }, UserRow>(
    `SELECT u.id, u.email, u.full_name, u.locked_until, u.two_factor_at, u.created_at,
       (SELECT m.role FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = u.id
        WHERE w.home = 1 AND w.deleted_at IS NULL) AS home_role,
       (SELECT count(*) FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id = u.id AND w.deleted_at IS NULL) AS workspaces,
       (SELECT max(s.created_at) FROM user_sessions s WHERE s.user_id = u.id) AS last_sign_in_at
     FROM users u WHERE @locked_after IS NULL OR u.locked_until > @locked_after
     ORDER BY u.created_at, u.rowid LIMIT @limit`,
  ),
  countUsers: db
    .prepare<WhichUsers, number>(
      'SELECT count(*) FROM users u WHERE @locked_after IS NULL OR u.locked_until > @locked_after',
    )
    .pluck(),
  sessions: db.prepare<WhichSessions & { limit: number }, HostSession>(
    `SELECT ${sessionColumns} ${whichSessions} ORDER BY s.last_used_at DESC, s.rowid DESC LIMIT @limit`,
  ),
  countSessions: db.prepare<WhichSessions, number>(`SELECT count(*) ${whichSessions}`).pluck(),
  user: db.prepare<[email: string], Subject>(
    'SELECT id, email, locked_until, two_factor_at FROM users WHERE email = ?',
  ),
  everybody: db.prepare<[], Subject>(
    'SELECT id, email, locked_until, two_factor_at FROM users ORDER BY created_at, rowid',
  ),
  countTokens: db
    .prepare<[user: string], number>('SELECT count(*) FROM cli_tokens WHERE user_id = ? AND revoked_at IS NULL')
    .pluck(),
  journaled: db.prepare<[], { workspace_id: string; slug: string | null }>(
    `SELECT n.text AS workspace_id, w.slug FROM journal_names n
      LEFT JOIN workspaces w ON w.id = n.text AND w.deleted_at IS NULL
     WHERE n.ws = 0 ORDER BY n.name`,
  ),
  workspace: db.prepare<{ named: string }, { id: string; slug: string }>(
    `SELECT id, slug FROM workspaces WHERE (id = @named OR slug = @named) AND deleted_at IS NULL
     ORDER BY id = @named DESC LIMIT 1`,
  ),
}))

const rare = 'asked by an operator, with no daemon running'

/** Statements that read a whole table, and why they may. */
export const scans = {
  users: rare,
  countUsers: rare,
  sessions: rare,
  countSessions: rare,
  workspace: rare,
  everybody: rare,
}
