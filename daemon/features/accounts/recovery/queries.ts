import { statements } from '#kernel/store/db'

interface NewToken {
  id: string
  user: string
  hash: string
  now: string
  expires_at: string
}

export const queries = statements((db) => ({
  insert: db.prepare<NewToken>(
    `INSERT INTO verification_tokens (id, user_id, token_hash, purpose, created_at, expires_at)
     VALUES (@id, @user, @hash, 'password_reset', @now, @expires_at)`,
  ),
  /** Resets that were asked for before. */
  forgetResets: db.prepare<[user: string]>(
    "DELETE FROM verification_tokens WHERE user_id = ? AND purpose = 'password_reset'",
  ),
  live: db.prepare<{ hash: string; now: string }, { live: 1 }>(
    'SELECT 1 AS live FROM verification_tokens WHERE token_hash = @hash AND expires_at > @now',
  ),
  /** Of many who come with the same token, one gets the row. */
  burn: db.prepare<{ hash: string; now: string }, { user_id: string; purpose: string }>(
    'DELETE FROM verification_tokens WHERE token_hash = @hash AND expires_at > @now RETURNING user_id, purpose',
  ),
  forgetAll: db.prepare<[user: string]>('DELETE FROM verification_tokens WHERE user_id = ?'),
  sweep: db.prepare<[now: string]>('DELETE FROM verification_tokens WHERE expires_at <= ?'),
}))
