import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  secret: string
  created_at: string
}

export interface Asking {
  id: string
  slug: string
  name: string
}

export const queries = statements((db) => ({
  find: db.prepare<{ user: string; confirmed: 0 | 1 }, Row>(
    'SELECT id, secret, created_at FROM totp_secrets WHERE user_id = @user AND confirmed = @confirmed',
  ),
  insert: db.prepare<{ id: string; user: string; secret: string; now: string }>(
    'INSERT INTO totp_secrets (id, user_id, secret, created_at) VALUES (@id, @user, @secret, @now)',
  ),
  /**
   * Of many who come with the code of one step, one gets the row. A step that no clock has reached was taken before the
   * clock was set back.
   */
  take: db.prepare<{ id: string; step: number }, { id: string }>(
    `UPDATE totp_secrets SET last_step = @step
     WHERE id = @id AND (last_step < @step OR last_step > @step + 2) RETURNING id`,
  ),
  confirm: db.prepare<[id: string]>('UPDATE totp_secrets SET confirmed = 1 WHERE id = ?'),
  forget: db.prepare<{ user: string; confirmed: 0 | 1 }>(
    'DELETE FROM totp_secrets WHERE user_id = @user AND confirmed = @confirmed',
  ),
  addCode: db.prepare<{ user: string; hash: string; now: string }>(
    'INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (@user, @hash, @now) ON CONFLICT DO NOTHING',
  ),
  burn: db.prepare<{ user: string; hash: string }, { user_id: string }>(
    'DELETE FROM recovery_codes WHERE user_id = @user AND code_hash = @hash RETURNING user_id',
  ),
  burnAll: db.prepare<[user: string]>('DELETE FROM recovery_codes WHERE user_id = ?'),
  codesLeft: db.prepare<[user: string], number>('SELECT count(*) FROM recovery_codes WHERE user_id = ?').pluck(),
  sessionBegan: db.prepare<[id: string], { created_at: string }>('SELECT created_at FROM user_sessions WHERE id = ?'),
  requiredBy: db.prepare<[user: string], Asking>(
    `SELECT w.id, w.slug, w.name FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? AND w.require_two_factor = 1 AND w.deleted_at IS NULL ORDER BY w.slug LIMIT 500`,
  ),
}))
