import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  email: string
  full_name: string | null
  password_hash: string | null
  locked_until: string | null
  two_factor_at: string | null
}
const columns = 'id, email, full_name, password_hash, locked_until, two_factor_at'

export const queries = statements((db) => ({
  byEmail: db.prepare<[email: string], Row>(`SELECT ${columns} FROM users WHERE email = ?`),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM users WHERE id = ?`),
  /** One more failure; a lock that is over starts the count anew. */
  fail: db.prepare<{ id: string; now: string; threshold: number; until: string }, { locked_until: string | null }>(
    `UPDATE users SET last_failed_login_at = @now,
       failed_login_count = CASE WHEN locked_until IS NULL THEN failed_login_count + 1 ELSE 1 END,
       locked_until = CASE WHEN
         CASE WHEN locked_until IS NULL THEN failed_login_count + 1 ELSE 1 END >= @threshold THEN @until END
     WHERE id = @id RETURNING locked_until`,
  ),
  clear: db.prepare<[id: string], { id: string }>(
    `UPDATE users SET failed_login_count = 0, locked_until = NULL
     WHERE id = ? AND (failed_login_count > 0 OR locked_until IS NOT NULL) RETURNING id`,
  ),
}))
