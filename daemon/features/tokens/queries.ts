import type { Tier } from '#contract/tokens'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  name: string
  tier: Tier
  scopes_json: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}
const columns = 'id, name, tier, scopes_json, created_at, expires_at, last_used_at, revoked_at'

export interface UseRow {
  used_at: string
  remote_addr: string | null
  user_agent: string | null
  path: string | null
}

interface NewToken {
  id: string
  user: string
  name: string
  hash: string
  tier: Tier
  scopes_json: string | null
  expires_at: string | null
  now: string
}

export const queries = statements((db) => ({
  listOf: db.prepare<[user: string, limit: number, offset: number], Row>(
    `SELECT ${columns} FROM cli_tokens WHERE user_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[user: string, id: string], Row>(`SELECT ${columns} FROM cli_tokens WHERE user_id = ? AND id = ?`),
  insert: db.prepare<NewToken, Row>(
    `INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, scopes_json, expires_at, created_at)
     VALUES (@id, @user, @name, @hash, @tier, @scopes_json, @expires_at, @now) RETURNING ${columns}`,
  ),
  revoke: db.prepare<{ user: string; id: string; now: string }, Row>(
    `UPDATE cli_tokens SET revoked_at = @now WHERE user_id = @user AND id = @id AND revoked_at IS NULL
      RETURNING ${columns}`,
  ),
  uses: db.prepare<[token: string, limit: number, offset: number], UseRow>(
    `SELECT used_at, remote_addr, user_agent, path FROM cli_token_uses WHERE token_id = ?
     ORDER BY used_at DESC, rowid DESC LIMIT ? OFFSET ?`,
  ),
  forgetUses: db.prepare<[before: string, limit: number]>(
    `DELETE FROM cli_token_uses WHERE rowid IN (SELECT rowid FROM cli_token_uses WHERE used_at < ?
     ORDER BY used_at LIMIT ?)`,
  ),
  revokeAll: db.prepare<{ user: string; now: string }, Row>(
    `UPDATE cli_tokens SET revoked_at = @now WHERE user_id = @user AND revoked_at IS NULL RETURNING ${columns}`,
  ),
  /** Live tokens that ran out between two moments. */
  expired: db.prepare<[after: string, until: string], { id: string }>(
    'SELECT id FROM cli_tokens WHERE expires_at > ? AND expires_at <= ? AND revoked_at IS NULL',
  ),
  nextExpiry: db.prepare<[after: string], { at: string | null }>(
    'SELECT min(expires_at) AS at FROM cli_tokens WHERE expires_at > ? AND revoked_at IS NULL',
  ),
}))
