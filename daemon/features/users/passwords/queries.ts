import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  /** Of concurrent changes from the same password, one gets the row. */
  replace: db.prepare<{ id: string; old: string; password_hash: string; now: string }, { id: string }>(
    `UPDATE users SET password_hash = @password_hash, updated_at = @now
     WHERE id = @id AND password_hash = @old RETURNING id`,
  ),
  /** Live sessions, except one. */
  countSessions: db
    .prepare<{ user: string; except: string | null; now: string }, number>(
      `SELECT count(*) FROM user_sessions
       WHERE user_id = @user AND revoked_at IS NULL AND expires_at > @now AND id IS NOT @except`,
    )
    .pluck(),
}))
