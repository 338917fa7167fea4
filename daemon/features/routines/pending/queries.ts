import { statements } from '#kernel/store/db'

export interface PendingRow {
  id: string
  workspace_id: string
  routine_id: string
  status: 'pending' | 'fired' | 'expired' | 'cancelled'
  request_json: string
  priority: number
  debounce_key: string | null
  match_count: number
  fire_at: string
  debounce_max_at: string | null
  expires_at: string | null
  triggered_via: string
  triggered_by_id: string | null
  run_id: string | null
  reason: string | null
  created_at: string
  ended_at: string | null
}

const columns =
  'id, workspace_id, routine_id, status, request_json, priority, debounce_key, match_count, fire_at, ' +
  'debounce_max_at, expires_at, triggered_via, triggered_by_id, run_id, reason, created_at, ended_at'

export const queries = statements((db) => ({
  insert: db.prepare<[PendingRow]>(
    `INSERT INTO pending_runs (${columns})
     VALUES (@id, @workspace_id, @routine_id, @status, @request_json, @priority, @debounce_key, @match_count, @fire_at,
      @debounce_max_at, @expires_at, @triggered_via, @triggered_by_id, @run_id, @reason, @created_at, @ended_at)`,
  ),
  ofKey: db.prepare<[routine: string, key: string], PendingRow>(
    `SELECT ${columns} FROM pending_runs WHERE routine_id = ? AND debounce_key = ? AND status = 'pending'`,
  ),
  coalesce: db.prepare<[Pick<PendingRow, 'id' | 'request_json' | 'match_count' | 'fire_at' | 'priority'>]>(
    `UPDATE pending_runs SET request_json = @request_json, match_count = @match_count, fire_at = @fire_at,
      priority = @priority WHERE id = @id AND status = 'pending'`,
  ),
  due: db.prepare<[now: string, most: number], PendingRow>(
    `SELECT ${columns} FROM pending_runs WHERE status = 'pending' AND fire_at <= ?
     ORDER BY priority DESC, created_at, id LIMIT ?`,
  ),
  next: db.prepare<[], { fire_at: string }>(
    "SELECT fire_at FROM pending_runs WHERE status = 'pending' ORDER BY fire_at LIMIT 1",
  ),
  end: db.prepare<
    [{ id: string; status: string; run: string | null; reason: string | null; now: string }],
    { id: string }
  >(
    `UPDATE pending_runs SET status = @status, run_id = @run, reason = @reason, ended_at = @now
     WHERE id = @id AND status = 'pending' RETURNING id`,
  ),
  postpone: db.prepare<[at: string, reason: string, id: string]>(
    "UPDATE pending_runs SET fire_at = ?, reason = ? WHERE id = ? AND status = 'pending'",
  ),
  find: db.prepare<[workspace: string, id: string], PendingRow>(
    `SELECT ${columns} FROM pending_runs WHERE workspace_id = ? AND id = ?`,
  ),
  list: db.prepare<[workspace: string], PendingRow & { pipeline_slug: string }>(
    `SELECT ${columns
      .split(', ')
      .map((name) => `p.${name}`)
      .join(', ')}, r.slug AS pipeline_slug FROM pending_runs p JOIN routines r ON r.id = p.routine_id
     WHERE p.workspace_id = ? AND p.status = 'pending' ORDER BY p.fire_at, p.id LIMIT 500`,
  ),
  dropOfRoutine: db.prepare<[now: string, routine: string]>(
    `UPDATE pending_runs SET status = 'cancelled', reason = 'The routine is gone', ended_at = ?
     WHERE routine_id = ? AND status = 'pending'`,
  ),
  dropOfWorkspace: db.prepare<[now: string, workspace: string]>(
    `UPDATE pending_runs SET status = 'cancelled', reason = 'The workspace is gone', ended_at = ?
     WHERE workspace_id = ? AND status = 'pending'`,
  ),
  forget: db.prepare<[before: string, most: number]>(
    `DELETE FROM pending_runs WHERE id IN
      (SELECT id FROM pending_runs WHERE status <> 'pending' AND ended_at < ? LIMIT ?)`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { next: 'reads the first row of its index' }
