import type { MarkState } from '#contract/checkpoints'
import { statements } from '#kernel/store/db'

export interface MarkRow {
  id: string
  workspace_id: string
  crew_id: string
  mark_id: string
  mark_state: MarkState
  mark_json: string | null
}

export const scans = { left: 'reads only what is being marked, when the daemon starts' }

const columns = 'id, workspace_id, crew_id, mark_id, mark_state, mark_json'

export const queries = statements((db) => ({
  find: db.prepare<[id: string], MarkRow>(`SELECT ${columns} FROM checkpoints WHERE id = ?`),
  settle: db.prepare<[state: MarkState, json: string, id: string]>(
    "UPDATE checkpoints SET mark_state = ?, mark_json = ? WHERE id = ? AND mark_state = 'marking'",
  ),
  /** Those that no daemon works on any more, but for the ones that an open rewind begins with. */
  left: db.prepare<[], MarkRow>(
    `SELECT ${columns} FROM checkpoints p WHERE p.mark_state = 'marking'
      AND NOT EXISTS (SELECT 1 FROM rewinds r
        WHERE r.crew_id = p.crew_id AND r.ended_at IS NULL AND r.before_id = p.id)`,
  ),
  kept: db
    .prepare<{ crew: string }, string>(
      `SELECT mark_id FROM checkpoints WHERE crew_id = @crew AND mark_state IN ('marking', 'marked')
       UNION SELECT mark_id FROM rewinds WHERE crew_id = @crew AND ended_at IS NULL`,
    )
    .pluck(),
}))
