import { statements } from '#kernel/store/db'

export interface Account {
  id: string
  password_hash: string | null
  email_verified_at: string | null
}

export const queries = statements((db) => ({
  account: db.prepare<[email: string], Account>(
    'SELECT id, password_hash, email_verified_at FROM users WHERE email = ?',
  ),
  link: db.prepare<[user: string], { id: string }>('SELECT id FROM linked_accounts WHERE user_id = ? LIMIT 1'),
  /** A workspace of this user in which the other one may not administer people. */
  foreign: db.prepare<{ user: string; admin: string }, { workspace_id: string }>(
    `SELECT m.workspace_id FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = @user AND w.deleted_at IS NULL AND NOT EXISTS
       (SELECT 1 FROM workspace_members a WHERE a.workspace_id = m.workspace_id AND a.user_id = @admin
       AND a.role IN ('ADMIN', 'OWNER'))
     LIMIT 1`,
  ),
}))
