import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  user_id: string
  provider: string
  provider_account_id: string
  email: string | null
  created_at: string
  last_used_at: string
}
const columns = 'id, user_id, provider, provider_account_id, email, created_at, last_used_at'

export interface Person {
  id: string
  email: string
  full_name: string | null
  password_hash: string | null
  email_verified_at: string | null
  two_factor_at: string | null
}
const personal = 'id, email, full_name, password_hash, email_verified_at, two_factor_at'

export const queries = statements((db) => ({
  listOf: db.prepare<[user: string], Row>(
    `SELECT ${columns} FROM linked_accounts WHERE user_id = ? ORDER BY created_at DESC, rowid DESC`,
  ),
  /** Updates the last use of a link; no row when the account is not linked. */
  use: db.prepare<{ provider: string; account: string; email: string | null; now: string }, Row>(
    `UPDATE linked_accounts SET last_used_at = @now, email = coalesce(@email, email)
     WHERE provider = @provider AND provider_account_id = @account RETURNING ${columns}`,
  ),
  insert: db.prepare<
    { id: string; user: string; provider: string; account: string; email: string | null; now: string },
    Row
  >(
    `INSERT INTO linked_accounts (id, user_id, provider, provider_account_id, email, created_at, last_used_at)
     VALUES (@id, @user, @provider, @account, @email, @now, @now) RETURNING ${columns}`,
  ),
  remove: db.prepare<{ user: string; id: string }, Row>(
    `DELETE FROM linked_accounts WHERE user_id = @user AND id = @id RETURNING ${columns}`,
  ),
  removeAll: db.prepare<[user: string], Row>(`DELETE FROM linked_accounts WHERE user_id = ? RETURNING ${columns}`),
  person: db.prepare<[id: string], Person>(`SELECT ${personal} FROM users WHERE id = ?`),
  personOf: db.prepare<[email: string], Person>(`SELECT ${personal} FROM users WHERE email = ?`),
  /** Live sessions and tokens of a user. */
  waysIn: db.prepare<{ user: string; now: string }, { sessions: number; tokens: number }>(
    `SELECT (SELECT count(*) FROM user_sessions
        WHERE user_id = @user AND revoked_at IS NULL AND expires_at > @now) AS sessions,
       (SELECT count(*) FROM cli_tokens WHERE user_id = @user AND revoked_at IS NULL) AS tokens`,
  ),
}))
