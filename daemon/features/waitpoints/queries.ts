import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  run_id: string | null
  step_id: string | null
  kind: string
  prompt: string
  invoking_crew_id: string | null
  status: 'pending' | 'approved' | 'denied' | 'timed_out' | 'cancelled'
  timeout_at: string | null
  decided_at: string | null
  created_at: string
}
const columns = `w.id, w.workspace_id, w.run_id, w.step_id, w.kind, w.prompt, w.invoking_crew_id,
  coalesce(d.outcome, 'pending') AS status, d.deadline_at AS timeout_at, d.settled_at AS decided_at, w.created_at`
const tables = 'waitpoints w JOIN decisions d ON d.id = w.id'

type NewRow = Omit<Row, 'status' | 'decided_at' | 'timeout_at'> & { token_hash: string; payload_json: string | null }

export const queries = statements((db) => ({
  open: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} FROM decisions d CROSS JOIN waitpoints w ON w.id = d.id
      WHERE d.workspace_id = ? AND d.kind = 'waitpoint' AND d.state = 'open'
      ORDER BY d.created_at DESC, d.id DESC LIMIT 200`,
  ),
  byHash: db.prepare<[hash: string], Row>(`SELECT ${columns} FROM ${tables} WHERE w.token_hash = ?`),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM ${tables} WHERE w.id = ?`),
  outcome: db.prepare<[id: string], Pick<Row, 'status'> & { comment: string | null; payload_json: string | null }>(
    `SELECT coalesce(CASE d.state WHEN 'withdrawn' THEN 'cancelled' ELSE d.outcome END, 'pending') AS status, w.comment,
      w.payload_json FROM ${tables} WHERE w.id = ?`,
  ),
  insert: db.prepare<NewRow>(
    `INSERT INTO waitpoints (id, workspace_id, token_hash, run_id, step_id, kind, prompt, invoking_crew_id,
      payload_json, created_at)
     VALUES (@id, @workspace_id, @token_hash, @run_id, @step_id, @kind, @prompt, @invoking_crew_id, @payload_json,
      @created_at)`,
  ),
  /** What the holder of the token sent along. */
  payload: db.prepare<[json: string, id: string]>('UPDATE waitpoints SET payload_json = ? WHERE id = ?'),
  comment: db.prepare<[comment: string, id: string]>('UPDATE waitpoints SET comment = ? WHERE id = ?'),
}))
