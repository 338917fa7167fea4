import { statements } from '#kernel/store/db'

export interface StateRow {
  state_hash: string
  credential_id: string
  workspace_id: string
  user_id: string
  redirect_uri: string
  sealed: string
  created_at: string
  expires_at: string
}

const columns = 'state_hash, credential_id, workspace_id, user_id, redirect_uri, sealed, created_at, expires_at'

export const queries = statements((db) => ({
  keep: db.prepare<[StateRow]>(
    `INSERT INTO oauth_states (${columns}) VALUES (@state_hash, @credential_id, @workspace_id, @user_id, @redirect_uri,
      @sealed, @created_at, @expires_at)`,
  ),
  /** Of several calls with the same state, one gets the row. */
  burn: db.prepare<{ hash: string; now: string }, StateRow>(
    `DELETE FROM oauth_states WHERE state_hash = @hash AND expires_at > @now RETURNING ${columns}`,
  ),
  /** As `burn`, for whoever began it. */
  burnOwn: db.prepare<{ hash: string; workspace: string; user: string; credential: string; now: string }, StateRow>(
    `DELETE FROM oauth_states WHERE state_hash = @hash AND workspace_id = @workspace AND user_id = @user
      AND credential_id = @credential AND expires_at > @now RETURNING ${columns}`,
  ),
  newest: db
    .prepare<{ workspace: string; user: string; credential: string; now: string }, string>(
      `SELECT state_hash FROM oauth_states WHERE workspace_id = @workspace AND user_id = @user
        AND credential_id = @credential AND expires_at > @now ORDER BY expires_at DESC, rowid DESC LIMIT 1`,
    )
    .pluck(),
  sweep: db.prepare<[now: string]>('DELETE FROM oauth_states WHERE expires_at <= ?'),
  /** Deletes the sign-ins of a person that were begun first, beyond so many. */
  trim: db.prepare<{ user: string; most: number }>(
    `DELETE FROM oauth_states WHERE user_id = @user AND expires_at <= (SELECT expires_at FROM oauth_states
      WHERE user_id = @user ORDER BY expires_at DESC LIMIT 1 OFFSET @most)`,
  ),
  drop: db.prepare<[credential: string]>('DELETE FROM oauth_states WHERE credential_id = ?'),
}))
