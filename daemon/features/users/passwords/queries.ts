import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  /** Of two changes that start from the same password, one gets the row. */
  replace: db.prepare<{ id: string; old: string; password_hash: string; now: string }, { id: string }>(
    'UPDATE users SET password_hash = @password_hash, updated_at = @now WHERE id = @id AND password_hash = @old RETURNING id',
  ),
  /** Links that were mailed and would set a password yet. */
  burnLinks: db.prepare<[user: string]>('DELETE FROM verification_tokens WHERE user_id = ?'),
}))
