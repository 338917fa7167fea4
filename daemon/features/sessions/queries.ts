import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  user_id: string
  created_at: string
  last_used_at: string
  expires_at: string
  revoked_at: string | null
  user_agent: string | null
  ip: string | null
  current_refresh_jti: string
  previous_refresh_jti: string | null
  rotated_at: string | null
}
const columns = `id, user_id, created_at, last_used_at, expires_at, revoked_at, user_agent, ip, current_refresh_jti,
  previous_refresh_jti, rotated_at`

interface NewSession {
  id: string
  user: string
  now: string
  expires_at: string
  jti: string
  user_agent: string | null
  ip: string | null
  factor_at: string | null
}

interface Rotation {
  id: string
  next: string
  now: string
  /** With milliseconds, since the grace period of the previous identifier is short. */
  at: string
}

export const queries = statements((db) => ({
  listOf: db.prepare<[user: string, now: string, limit: number, offset: number], Row>(
    `SELECT ${columns} FROM user_sessions WHERE user_id = ? AND revoked_at IS NULL AND expires_at > ?
     ORDER BY last_used_at DESC, rowid DESC LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[id: string], Row>(`SELECT ${columns} FROM user_sessions WHERE id = ?`),
  insert: db.prepare<NewSession>(
    `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, user_agent, ip,
      current_refresh_jti, factor_at)
     VALUES (@id, @user, @now, @now, @expires_at, @user_agent, @ip, @jti, @factor_at)`,
  ),
  /** For who has judged the row within the same change: of concurrent calls, only the first finds it as it was. */
  rotate: db.prepare<Rotation>(
    `UPDATE user_sessions SET previous_refresh_jti = current_refresh_jti, current_refresh_jti = @next,
      rotated_at = @at, last_used_at = @now WHERE id = @id`,
  ),
  revoke: db.prepare<{ id: string; user: string; now: string; reason: string }, { id: string }>(
    `UPDATE user_sessions SET revoked_at = @now, revoked_reason = @reason
     WHERE id = @id AND user_id = @user AND revoked_at IS NULL RETURNING id`,
  ),
  /** Live sessions only: expired ones need no fact. */
  revokeAll: db.prepare<{ user: string; except: string | null; now: string; reason: string }, { id: string }>(
    `UPDATE user_sessions SET revoked_at = @now, revoked_reason = @reason
     WHERE user_id = @user AND revoked_at IS NULL AND expires_at > @now AND id IS NOT @except RETURNING id`,
  ),
  /** Live sessions beyond the `others` most recently used. */
  beyond: db.prepare<{ user: string; but: string; now: string; others: number }, { id: string }>(
    `SELECT id FROM user_sessions WHERE user_id = @user AND id <> @but AND revoked_at IS NULL AND expires_at > @now
     ORDER BY last_used_at DESC, rowid DESC LIMIT -1 OFFSET @others`,
  ),
  showFactor: db.prepare<{ now: string; id: string; user: string }>(
    'UPDATE user_sessions SET factor_at = @now WHERE id = @id AND user_id = @user',
  ),
  forgetFactor: db.prepare<[user: string]>(
    'UPDATE user_sessions SET factor_at = NULL WHERE user_id = ? AND factor_at IS NOT NULL',
  ),
  erase: db.prepare<[before: string, most: number]>(
    'DELETE FROM user_sessions WHERE id IN (SELECT id FROM user_sessions WHERE expires_at <= ? LIMIT ?)',
  ),
}))
