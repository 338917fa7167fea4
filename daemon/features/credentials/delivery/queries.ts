import { statements } from '#kernel/store/db'

interface KeyRow {
  id: string
  encrypted_value: string | null
  status: 'ACTIVE' | 'ERROR' | 'PENDING_APPROVAL' | 'PENDING' | 'EXPIRED'
  token_expires_at: string | null
  cooldown_until: string | null
}

export const queries = statements((db) => ({
  values: db.prepare<[workspace: string], { id: string; encrypted_value: string | null }>(
    'SELECT id, encrypted_value FROM credentials WHERE workspace_id = ? AND deleted_at IS NULL',
  ),
  /** Oldest first. */
  keys: db.prepare<[workspace: string, provider: string], KeyRow>(
    `SELECT id, encrypted_value, status, token_expires_at, cooldown_until FROM credentials
     WHERE workspace_id = ? AND deleted_at IS NULL AND type = 'API_KEY' AND provider = ? ORDER BY created_at, id`,
  ),
  keyById: db.prepare<[workspace: string, id: string], KeyRow & { provider: string }>(
    `SELECT id, encrypted_value, status, token_expires_at, cooldown_until, provider FROM credentials
     WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL AND type = 'API_KEY'`,
  ),
  endpoints: db.prepare<[workspace: string], KeyRow>(
    `SELECT id, encrypted_value, status, token_expires_at, cooldown_until FROM credentials
     WHERE workspace_id = ? AND deleted_at IS NULL AND type = 'ENDPOINT_URL' ORDER BY created_at, id`,
  ),
}))
