import { statements } from '#kernel/store/db'

export type Purpose = 'password_reset' | 'account_setup'

interface NewLink {
  id: string
  user: string
  by: string | null
  hash: string
  purpose: Purpose
  now: string
  expires_at: string
}

export const queries = statements((db) => ({
  insert: db.prepare<NewLink>(
    `INSERT INTO verification_tokens (id, user_id, issued_by, token_hash, purpose, created_at, expires_at)
     VALUES (@id, @user, @by, @hash, @purpose, @now, @expires_at)`,
  ),
  live: db.prepare<{ hash: string; now: string }, { live: 1 }>(
    'SELECT 1 AS live FROM verification_tokens WHERE token_hash = @hash AND expires_at > @now',
  ),
  /** Of concurrent calls with the same token, one gets the row. */
  burn: db.prepare<{ hash: string; now: string }, { user_id: string; purpose: Purpose }>(
    'DELETE FROM verification_tokens WHERE token_hash = @hash AND expires_at > @now RETURNING user_id, purpose',
  ),
  end: db.prepare<{ user: string; purpose: Purpose }>(
    'DELETE FROM verification_tokens WHERE user_id = @user AND purpose = @purpose',
  ),
  endAll: db.prepare<[user: string]>('DELETE FROM verification_tokens WHERE user_id = ?'),
  /** Into accounts that are members of the workspace. */
  endIssued: db.prepare<{ by: string; workspace: string }>(
    `DELETE FROM verification_tokens WHERE issued_by = @by
       AND user_id IN (SELECT user_id FROM workspace_members WHERE workspace_id = @workspace)`,
  ),
  sweep: db.prepare<[now: string]>('DELETE FROM verification_tokens WHERE expires_at <= ?'),
}))
