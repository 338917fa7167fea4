import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  read: db.prepare<[workspace: string], { state: string; mac: string }>(
    'SELECT state, mac FROM journal_verifications WHERE workspace_id = ?',
  ),
  write: db.prepare<[workspace: string, state: string, mac: string]>(
    `INSERT INTO journal_verifications (workspace_id, state, mac) VALUES (?, ?, ?)
     ON CONFLICT (workspace_id) DO UPDATE SET state = excluded.state, mac = excluded.mac`,
  ),
  remove: db.prepare<[workspace: string]>('DELETE FROM journal_verifications WHERE workspace_id = ?'),
  /** Whether the entry is there, in the journal or as what is left of it. */
  holds: db.prepare<{ seq: number; ws: number; hash: Buffer }, { there: number }>(
    `SELECT EXISTS (SELECT 1 FROM journal WHERE seq = @seq AND ws = @ws AND entry_hash = @hash)
      OR EXISTS (SELECT 1 FROM journal_husks WHERE seq = @seq AND ws = @ws AND entry_hash = @hash) AS there`,
  ),
}))
