import { statements } from '#kernel/store/db'

export interface RotationRow {
  id: string
  credential_id: string
  encrypted_old: string | null
  grace_seconds: number
  rotated_at: string
  expires_at: string
  rotated_by: string | null
  cancelled_at: string | null
}

const columns = 'id, credential_id, encrypted_old, grace_seconds, rotated_at, expires_at, rotated_by, cancelled_at'

export const queries = statements((db) => ({
  list: db.prepare<[credential: string, limit: number, offset: number], RotationRow>(
    `SELECT ${columns} FROM credential_rotations WHERE credential_id = ? ORDER BY seq DESC LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, id: string], RotationRow & { name: string }>(
    `SELECT r.id, r.credential_id, r.encrypted_old, r.grace_seconds, r.rotated_at, r.expires_at, r.rotated_by,
      r.cancelled_at, c.name
     FROM credential_rotations r JOIN credentials c ON c.id = r.credential_id
     WHERE c.workspace_id = ? AND r.id = ? AND c.deleted_at IS NULL`,
  ),
  insert: db.prepare<[Omit<RotationRow, 'cancelled_at'>], RotationRow>(
    `INSERT INTO credential_rotations (id, credential_id, encrypted_old, grace_seconds, rotated_at, expires_at,
      rotated_by)
     VALUES (@id, @credential_id, @encrypted_old, @grace_seconds, @rotated_at, @expires_at, @rotated_by)
     RETURNING ${columns}`,
  ),
  cancel: db.prepare<[at: string, id: string]>(
    'UPDATE credential_rotations SET encrypted_old = NULL, cancelled_at = ? WHERE id = ?',
  ),
  erase: db.prepare<[credential: string]>(
    'UPDATE credential_rotations SET encrypted_old = NULL WHERE credential_id = ? AND encrypted_old IS NOT NULL',
  ),
  eraseExpired: db.prepare<[now: string], { workspace_id: string }>(
    `UPDATE credential_rotations SET encrypted_old = NULL WHERE encrypted_old IS NOT NULL AND expires_at <= ?
     RETURNING (SELECT workspace_id FROM credentials c WHERE c.id = credential_id) AS workspace_id`,
  ),
  nextExpiry: db.prepare<[], { expires_at: string | null }>(
    'SELECT min(expires_at) AS expires_at FROM credential_rotations WHERE encrypted_old IS NOT NULL',
  ),
  /** Old values that are still kept, of one workspace. */
  kept: db.prepare<[workspace: string], { id: string; encrypted_old: string | null }>(
    `SELECT r.id, r.encrypted_old FROM credentials c JOIN credential_rotations r ON r.credential_id = c.id
     WHERE c.workspace_id = ? AND c.deleted_at IS NULL AND r.encrypted_old IS NOT NULL`,
  ),
}))
