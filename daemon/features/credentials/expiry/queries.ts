import { statements } from '#kernel/store/db'

interface Ending {
  id: string
  workspace_id: string
  name: string
  token_expires_at: string | null
  created_by: string | null
}

export const queries = statements((db) => ({
  /** What ends before then, as far as nobody was told of that end. Tokens that are renewed end all the time. */
  ending: db.prepare<{ before: string; most: number }, Ending>(
    `SELECT id, workspace_id, name, token_expires_at, created_by FROM credentials
     WHERE deleted_at IS NULL AND token_expires_at <= @before AND status = 'ACTIVE' AND type <> 'OAUTH2'
      AND expiry_told IS NOT token_expires_at ORDER BY token_expires_at LIMIT @most`,
  ),
  told: db.prepare<[id: string]>('UPDATE credentials SET expiry_told = token_expires_at WHERE id = ?'),
}))
