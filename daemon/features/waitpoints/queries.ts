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
  timeout_at: string
  decided_at: string | null
  created_at: string
}
const columns =
  'id, workspace_id, run_id, step_id, kind, prompt, invoking_crew_id, status, timeout_at, decided_at, created_at'

type NewRow = Omit<Row, 'status' | 'decided_at'> & { token_hash: string; payload_json: string | null }

export const queries = statements((db) => ({
  open: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} FROM waitpoints WHERE workspace_id = ? AND status = 'pending'
      ORDER BY created_at DESC, id DESC LIMIT 200`,
  ),
  byHash: db.prepare<[hash: string], Row>(`SELECT ${columns} FROM waitpoints WHERE token_hash = ?`),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM waitpoints WHERE id = ?`),
  insert: db.prepare<NewRow>(
    `INSERT INTO waitpoints (id, workspace_id, token_hash, run_id, step_id, kind, prompt, invoking_crew_id, status,
      timeout_at, payload_json, created_at)
     VALUES (@id, @workspace_id, @token_hash, @run_id, @step_id, @kind, @prompt, @invoking_crew_id, 'pending',
     @timeout_at, @payload_json, @created_at)`,
  ),
  /** Nothing when somebody was quicker. */
  settle: db.prepare<{ id: string; status: string; user: string | null; comment: string | null; now: string }, Row>(
    `UPDATE waitpoints SET status = @status, decided_by = @user, comment = @comment, decided_at = @now
      WHERE id = @id AND status = 'pending' RETURNING ${columns}`,
  ),
  due: db.prepare<{ now: string; most: number }, Row>(
    `SELECT ${columns} FROM waitpoints WHERE status = 'pending' AND timeout_at <= @now ORDER BY timeout_at LIMIT @most`,
  ),
  next: db.prepare<[], { at: string }>(
    "SELECT timeout_at AS at FROM waitpoints WHERE status = 'pending' AND timeout_at > '' ORDER BY timeout_at LIMIT 1",
  ),
}))
