import type { MilestoneStatus } from '#contract/milestones'
import { statements } from '#kernel/store/db'

export interface Stored {
  id: string
  project_id: string
  name: string
  description: string | null
  target_date: string | null
  status: MilestoneStatus
  position: number
  created_at: string
  updated_at: string
}

export interface Row extends Stored {
  issue_count: number
  done_count: number
}

const select = `SELECT s.id, s.project_id, s.name, s.description, s.target_date, s.status, s.position, s.created_at,
    s.updated_at,
    (SELECT count(*) FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
      WHERE m.milestone_id = s.id) AS issue_count,
    (SELECT count(*) FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
      WHERE m.milestone_id = s.id AND m.status = 'DONE') AS done_count
  FROM milestones s`

export const queries = statements((db) => ({
  list: db.prepare<[project: string, limit: number, offset: number], Row>(
    `${select} WHERE s.project_id = ? ORDER BY s.position, s.rowid LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(`${select} WHERE s.workspace_id = ? AND s.id = ?`),
  next: db
    .prepare<[project: string], number>('SELECT coalesce(max(position) + 1, 0) FROM milestones WHERE project_id = ?')
    .pluck(),
  insert: db.prepare<[Stored & { workspace: string }], { id: string }>(
    `INSERT INTO milestones (id, workspace_id, project_id, name, description, target_date, status, position, created_at,
      updated_at)
     VALUES (@id, @workspace, @project_id, @name, @description, @target_date, @status, @position, @created_at,
      @updated_at) ON CONFLICT DO NOTHING RETURNING id`,
  ),
  update: db.prepare<[Stored], { id: string }>(
    `UPDATE OR IGNORE milestones SET name = @name, description = @description, target_date = @target_date,
      status = @status, position = @position, updated_at = @updated_at WHERE id = @id RETURNING id`,
  ),
  ofProject: db.prepare<[project: string], { id: string; name: string }>(
    'SELECT id, name FROM milestones WHERE project_id = ? ORDER BY position, rowid',
  ),
  remove: db.prepare<[id: string]>('DELETE FROM milestones WHERE id = ?'),
}))
