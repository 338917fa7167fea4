import { statements } from '#kernel/store/db'

export interface Range<T> {
  workspace: string
  from: T
  to: T
}

export interface Count {
  key: string | null
  n: number
}

export interface MissionRow {
  status: string
  created_at: string
  started_at: string | null
  /** Null while it is active. */
  ended_at: string | null
}

/** A mission that is over. */
const over = "m.status NOT IN ('PLANNING', 'IN_PROGRESS', 'REVIEW')"

export const scans = {
  closed: 'the few rows that it has grouped',
  crews: 'there are few, and those that were deleted had runs too',
}

export const queries = statements((db) => ({
  /** Issues that are done, by crew. */
  closed: db.prepare<[Range<string>], Count>(
    `SELECT g.crew_id AS key, g.n FROM (SELECT m.crew_id, count(*) AS n FROM missions m
       WHERE m.workspace_id = @workspace AND m.mission_type = 'issue' AND m.completed_at IS NOT NULL
         AND m.completed_at >= @from AND m.completed_at < @to GROUP BY m.crew_id) g
     JOIN crews c ON c.id = g.crew_id AND c.deleted_at IS NULL`,
  ),
  /** Runs that began, by crew. */
  begun: db.prepare<[Range<number>], Count>(
    `SELECT r.crew_id AS key, count(*) AS n FROM run_records r
     WHERE r.workspace_id = @workspace AND r.started >= @from AND r.started < @to GROUP BY r.crew_id`,
  ),
  /** What runs cost that ended, by model. */
  spent: db.prepare<[Range<number>], Count>(
    `SELECT json_extract(r.details, '$.model') AS key, sum(r.cost_usd) AS n FROM run_records r
     WHERE r.workspace_id = @workspace AND r.finished >= @from AND r.finished < @to AND r.cost_usd IS NOT NULL
     GROUP BY json_extract(r.details, '$.model')`,
  ),
  /** Missions that were active at some time since. */
  missions: db.prepare<{ workspace: string; from: string }, MissionRow>(
    `SELECT m.status, m.created_at, m.started_at,
       CASE WHEN ${over} THEN coalesce(m.completed_at, m.updated_at) END AS ended_at
     FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
     WHERE m.workspace_id = @workspace AND m.mission_type = 'orchestration'
       AND (NOT (${over}) OR coalesce(m.completed_at, m.updated_at) > @from)`,
  ),
  crews: db.prepare<[workspace: string], { id: string; name: string }>(
    'SELECT id, name FROM crews WHERE workspace_id = ?',
  ),
}))
