import type { Priority } from '#contract/entries'
import { type Erasable, erasableColumns } from '#kernel/journal/eraser'
import { statements } from '#kernel/store/db'

export interface ErasureRow {
  id: string
  ws: number
  workspace_id: string
  user_id: string
  reason: string
  asked_by: string
  /** The newest entry that is looked at, and the one up to which that is done. */
  upto: number
  seq: number
  entries: number
  summaries_kept: number
  begun_at: string
  ended_at: string | null
}

export const queries = statements((db) => ({
  subject: db.prepare<[user: string], { email: string; full_name: string | null }>(
    'SELECT email, full_name FROM users WHERE id = ?',
  ),
  member: db.prepare<[workspace: string, user: string], { there: number }>(
    'SELECT 1 AS there FROM workspace_members WHERE workspace_id = ? AND user_id = ?',
  ),
  acted: db.prepare<[actor: number, ws: number], { there: number }>(
    'SELECT 1 AS there FROM journal INDEXED BY journal_actor WHERE actor = ? AND ws = ? LIMIT 1',
  ),
  insert: db.prepare<
    Pick<ErasureRow, 'id' | 'ws' | 'workspace_id' | 'user_id' | 'reason' | 'asked_by' | 'upto' | 'begun_at'>,
    ErasureRow
  >(
    `INSERT INTO journal_erasures (id, ws, workspace_id, user_id, reason, asked_by, upto, begun_at)
     VALUES (@id, @ws, @workspace_id, @user_id, @reason, @asked_by, @upto, @begun_at)
     ON CONFLICT DO NOTHING RETURNING *`,
  ),
  unfinished: db.prepare<[], ErasureRow>('SELECT * FROM journal_erasures WHERE ended_at IS NULL ORDER BY id'),
  advance: db.prepare<{ id: string; seq: number; entries: number; kept: number }, ErasureRow>(
    `UPDATE journal_erasures SET seq = @seq, entries = entries + @entries, summaries_kept = summaries_kept + @kept
     WHERE id = @id RETURNING *`,
  ),
  end: db.prepare<[at: string, id: string]>('UPDATE journal_erasures SET ended_at = ? WHERE id = ?'),
  list: db.prepare<[workspace: string, limit: number, offset: number], ErasureRow>(
    'SELECT * FROM journal_erasures WHERE workspace_id = ? ORDER BY begun_at DESC, id DESC LIMIT ? OFFSET ?',
  ),
  rows: db.prepare<[seqs: string], Erasable>(
    `SELECT ${erasableColumns} FROM json_each(?) e CROSS JOIN journal j ON j.seq = e.value
     WHERE payload_hash IS NULL AND summary_hash IS NULL`,
  ),
  first: db
    .prepare<[seq: number], Priority>(
      'SELECT previous_priority FROM journal_priorities WHERE seq = ? ORDER BY change LIMIT 1',
    )
    .pluck(),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { unfinished: 'at the start and when an erasure is asked for; erasures are rare' }
