import type { NoteKind } from '#contract/notes'
import { statements } from '#kernel/store/db'

export interface NoteRow {
  id: string
  run_id: string
  kind: NoteKind
  text: string
  message_id: string | null
  created_at: number
  handed_to: string | null
  handed_at: number | null
  taken_at: number | null
}

type NewNote = Pick<NoteRow, 'id' | 'run_id' | 'kind' | 'text' | 'message_id' | 'created_at'>

const columns = 'id, run_id, kind, text, message_id, created_at, handed_to, handed_at, taken_at'

export const queries = statements((db) => ({
  insert: db.prepare<[NewNote]>(
    `INSERT INTO notes (id, run_id, kind, text, message_id, created_at)
     VALUES (@id, @run_id, @kind, @text, @message_id, @created_at)`,
  ),
  /** What no other call was answered with lately, oldest first. */
  waiting: db.prepare<{ run: string; call: string; now: number; lease: number }, NoteRow>(
    `SELECT ${columns} FROM notes WHERE run_id = @run AND taken_at IS NULL
       AND (handed_at IS NULL OR handed_to = @call OR abs(@now - handed_at) >= @lease)
     ORDER BY rowid`,
  ),
  hand: db.prepare<{ id: string; call: string; now: number }>(
    'UPDATE notes SET handed_to = @call, handed_at = @now WHERE id = @id AND taken_at IS NULL',
  ),
  take: db.prepare<{ run: string; call: string; now: number }, NoteRow>(
    `UPDATE notes SET taken_at = @now WHERE run_id = @run AND handed_to = @call AND taken_at IS NULL
     RETURNING ${columns}`,
  ),
  /** All but what is to be withdrawn. */
  forget: db.prepare<[run: string]>("DELETE FROM notes WHERE run_id = ? AND (kind <> 'steer' OR taken_at IS NOT NULL)"),
  withdrawSaid: db.prepare<[run: string], { message_id: string | null }>(
    "DELETE FROM notes WHERE run_id = ? AND kind = 'steer' AND taken_at IS NULL RETURNING message_id",
  ),
}))
