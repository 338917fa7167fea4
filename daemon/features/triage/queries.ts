import type { MatchType, TriagePriority } from '#contract/triage'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  name: string
  pattern: string
  match_type: MatchType
  crew_id: string | null
  assignee_id: string | null
  project_id: string | null
  priority: TriagePriority | null
  labels_json: string | null
  position: number
  enabled: number
  match_count: number
  created_at: string
}

const columns = `id, name, pattern, match_type, crew_id, assignee_id, project_id, priority, labels_json, position,
  enabled, match_count, created_at`
const order = 'ORDER BY position, created_at, rowid'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], Row>(
    `SELECT ${columns} FROM triage_rules WHERE workspace_id = ? ${order} LIMIT ? OFFSET ?`,
  ),
  enabled: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} FROM triage_rules WHERE workspace_id = ? AND enabled = 1 ${order}`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM triage_rules WHERE workspace_id = ? AND id = ?`,
  ),
  count: db.prepare<[workspace: string], number>('SELECT count(*) FROM triage_rules WHERE workspace_id = ?').pluck(),
  next: db
    .prepare<[workspace: string], number>(
      'SELECT coalesce(max(position) + 1, 0) FROM triage_rules WHERE workspace_id = ?',
    )
    .pluck(),
  insert: db.prepare<[Row & { workspace: string }]>(
    `INSERT INTO triage_rules (id, workspace_id, name, pattern, match_type, crew_id, assignee_id, project_id, priority,
      labels_json, position, enabled, match_count, created_at)
     VALUES (@id, @workspace, @name, @pattern, @match_type, @crew_id, @assignee_id, @project_id, @priority,
      @labels_json, @position, @enabled, @match_count, @created_at)`,
  ),
  update: db.prepare<[Row]>(
    `UPDATE triage_rules SET name = @name, pattern = @pattern, match_type = @match_type, crew_id = @crew_id,
      assignee_id = @assignee_id, project_id = @project_id, priority = @priority, labels_json = @labels_json,
      position = @position, enabled = @enabled WHERE id = @id`,
  ),
  matched: db.prepare<[times: number, id: string]>(
    'UPDATE triage_rules SET match_count = match_count + ? WHERE id = ?',
  ),
  remove: db.prepare<[id: string]>('DELETE FROM triage_rules WHERE id = ?'),
  leaveCrew: db.prepare<[crew: string]>('UPDATE triage_rules SET crew_id = NULL WHERE crew_id = ?'),
  leaveAgent: db.prepare<[agent: string]>('UPDATE triage_rules SET assignee_id = NULL WHERE assignee_id = ?'),
  leaveProject: db.prepare<[project: string]>('UPDATE triage_rules SET project_id = NULL WHERE project_id = ?'),
}))
