import type { MarkState } from '#contract/checkpoints'
import { statements } from '#kernel/store/db'

export interface NewRow {
  id: string
  workspace_id: string
  crew_id: string
  mission_id: string
  label: string | null
  journal_cursor: string
  state_json: string
  mark_id: string
  mark_state: MarkState
  mark_json: string | null
  fork_of: string | null
  rewind_id: string | null
  created_by: string | null
  created_at: string
}

export interface Row extends NewRow {
  mission_title: string
  created_by_name: string
}

export interface Mission {
  id: string
  crew_id: string
  title: string
}

const select = `SELECT p.id, p.workspace_id, p.crew_id, p.mission_id, p.label, p.journal_cursor, p.state_json,
    p.mark_id, p.mark_state, p.mark_json, p.fork_of, p.rewind_id, p.created_by, p.created_at, m.title AS mission_title,
    coalesce((SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = p.created_by), '') AS created_by_name
  FROM checkpoints p JOIN missions m ON m.id = p.mission_id JOIN crews c ON c.id = p.crew_id AND c.deleted_at IS NULL`

/** A text's number in the journal of the workspace. */
const numberOf = (text: string) => `(SELECT name FROM journal_names WHERE text = ${text}
  AND ws = (SELECT name FROM journal_names WHERE ws = 0 AND text = @workspace))`

/** What checkpoints themselves leave in the journal. */
const own = ['checkpoint.created', 'checkpoint.restored', 'fork.created', 'files.rewind_started']

/** Entries of a mission after one of them. */
const since = `FROM journal WHERE mission = ${numberOf('@mission')} AND seq > @seq
  AND type NOT IN (SELECT name FROM journal_names WHERE text IN (${own.map((type) => `'${type}'`).join(', ')})
    AND ws = (SELECT name FROM journal_names WHERE ws = 0 AND text = @workspace))`

interface Since {
  workspace: string
  mission: string
  seq: number
}

export const queries = statements((db) => ({
  mission: db.prepare<[workspace: string, id: string], Mission>(
    `SELECT m.id, m.crew_id, m.title FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
     WHERE m.workspace_id = ? AND m.id = ?`,
  ),
  list: db.prepare<[mission: string, limit: number], Row>(
    `${select} WHERE p.mission_id = ? ORDER BY p.created_at DESC, p.rowid DESC LIMIT ?`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(`${select} WHERE p.workspace_id = ? AND p.id = ?`),
  insert: db.prepare<[NewRow]>(
    `INSERT INTO checkpoints (id, workspace_id, crew_id, mission_id, label, journal_cursor, state_json, mark_id,
      mark_state, mark_json, fork_of, rewind_id, created_by, created_at)
     VALUES (@id, @workspace_id, @crew_id, @mission_id, @label, @journal_cursor, @state_json, @mark_id, @mark_state,
      @mark_json, @fork_of, @rewind_id, @created_by, @created_at)`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM checkpoints WHERE id = ?'),
  newest: db
    .prepare<{ workspace: string; mission: string }, string>(
      `SELECT id FROM journal WHERE mission = ${numberOf('@mission')} ORDER BY seq DESC LIMIT 1`,
    )
    .pluck(),
  seqOf: db.prepare<[id: string], number>('SELECT seq FROM journal WHERE id = ?').pluck(),
  since: db.prepare<[Since & { limit: number }], string>(`SELECT id ${since} ORDER BY seq LIMIT @limit`).pluck(),
  countSince: db.prepare<[Since], number>(`SELECT count(*) ${since}`).pluck(),
  /** Whether an open rewind begins with it or leads to it. */
  rewinding: db
    .prepare<{ id: string }, 1>(
      `SELECT 1 FROM checkpoints p JOIN rewinds r ON r.crew_id = p.crew_id AND r.ended_at IS NULL
       WHERE p.id = @id AND (r.before_id = p.id OR r.checkpoint_id = p.id)`,
    )
    .pluck(),
  /** The same of any checkpoint of a mission. */
  rewindingMission: db
    .prepare<[mission: string], 1>(
      `SELECT 1 FROM checkpoints p JOIN rewinds r ON r.crew_id = p.crew_id AND r.ended_at IS NULL
       WHERE p.mission_id = ? AND (r.before_id = p.id OR r.checkpoint_id = p.id)`,
    )
    .pluck(),
  crewsOf: db
    .prepare<[mission: string], string>('SELECT DISTINCT crew_id FROM checkpoints WHERE mission_id = ?')
    .pluck(),
  pendingTasks: db
    .prepare<[mission: string], string>(
      `SELECT id FROM mission_tasks WHERE mission_id = ? AND status NOT IN ('COMPLETED', 'CANCELLED')
       ORDER BY task_order`,
    )
    .pluck(),
  openAssignments: db
    .prepare<[crew: string, mission: string], string>(
      "SELECT id FROM assignments WHERE crew_id = ? AND mission_id = ? AND status = 'RUNNING' ORDER BY seq",
    )
    .pluck(),
}))
