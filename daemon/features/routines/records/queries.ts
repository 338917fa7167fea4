import type { RoutineRunStatus } from '#contract/routines'
import { statements } from '#kernel/store/db'
import type { RunRow } from '../engine/queries.ts'

interface Listing {
  workspace: string
  limit: number
  offset: number
}

const newest = 'ORDER BY created_at DESC, id DESC LIMIT'

export const queries = statements((db) => ({
  all: db.prepare<[Listing], RunRow>(
    `SELECT * FROM routine_runs WHERE workspace_id = @workspace ${newest} @limit OFFSET @offset`,
  ),
  withStatus: db.prepare<[Listing & { status: RoutineRunStatus }], RunRow>(
    `SELECT * FROM routine_runs WHERE workspace_id = @workspace AND status = @status ${newest} @limit OFFSET @offset`,
  ),
  active: db.prepare<[Listing], RunRow>(
    `SELECT * FROM routine_runs WHERE workspace_id = @workspace AND status IN ('queued', 'running', 'waiting')
     ${newest} @limit OFFSET @offset`,
  ),
  ofRoutine: db.prepare<[routine: string, limit: number], RunRow>(
    `SELECT * FROM routine_runs WHERE routine_id = ? ${newest} ?`,
  ),
  ofRoutineWith: db.prepare<[routine: string, status: string, limit: number], RunRow>(
    `SELECT * FROM routine_runs WHERE routine_id = ? AND status = ? ${newest} ?`,
  ),
  find: db.prepare<[workspace: string, id: string], RunRow>(
    'SELECT * FROM routine_runs WHERE workspace_id = ? AND id = ?',
  ),
  idsOfRoutine: db
    .prepare<[routine: string, limit: number], string>(`SELECT id FROM routine_runs WHERE routine_id = ? ${newest} ?`)
    .pluck(),
  /** Entries of some types of runs, newest first, as JSON. */
  history: db
    .prepare<[{ workspace: string; traces: string; types: string; limit: number }], string>(
      `SELECT j.doc FROM journal j WHERE j.trace IN (SELECT t.name FROM journal_names t
        WHERE t.ws = (SELECT w.name FROM journal_names w WHERE w.ws = 0 AND w.text = @workspace)
         AND t.text IN (SELECT value FROM json_each(@traces)))
        AND +j.type IN (SELECT y.name FROM journal_names y
         WHERE y.ws = (SELECT w.name FROM journal_names w WHERE w.ws = 0 AND w.text = @workspace)
          AND y.text IN (SELECT value FROM json_each(@types)))
       ORDER BY j.seq DESC LIMIT @limit`,
    )
    .pluck(),
  /** Entries of runs, oldest first, as JSON. Workspace 0 holds the names of workspaces. */
  logs: db
    .prepare<[workspace: string, traces: string, limit: number], string>(
      `SELECT j.doc FROM journal j WHERE j.trace IN (SELECT t.name FROM journal_names t
        WHERE t.ws = (SELECT w.name FROM journal_names w WHERE w.ws = 0 AND w.text = ?)
         AND t.text IN (SELECT value FROM json_each(?)))
       ORDER BY j.seq LIMIT ?`,
    )
    .pluck(),
}))
