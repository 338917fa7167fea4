import type { Worker } from '#contract/projects'
import { statements } from '#kernel/store/db'

export interface CountRow {
  crew_id: string
  crew_name: string
  status: string
  assignee_type: Worker | null
  assignee_id: string | null
  assignee_name: string | null
  n: number
}

export interface LabelRow {
  label_name: string
  color: string
  count: number
}

export const scans = { counts: 'the rows that it has grouped', labels: 'the rows that it has grouped' }

export const queries = statements((db) => ({
  /** Issues counted by crew, status and assignee. */
  counts: db.prepare<[project: string], CountRow>(
    `SELECT g.crew_id, c.name AS crew_name, g.status, g.assignee_type, g.assignee_id,
      CASE g.assignee_type
        WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = g.assignee_id)
        WHEN 'user' THEN (SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = g.assignee_id)
      END AS assignee_name, g.n
     FROM (SELECT m.crew_id, m.status, m.assignee_type, m.assignee_id, count(*) AS n FROM missions m
       WHERE m.project_id = ? GROUP BY m.crew_id, m.status, m.assignee_type, m.assignee_id) g
     JOIN crews c ON c.id = g.crew_id AND c.deleted_at IS NULL ORDER BY c.name`,
  ),
  labels: db.prepare<[project: string], LabelRow>(
    `SELECT l.name AS label_name, l.color, g.n AS count
     FROM (SELECT ml.label_id, count(*) AS n FROM missions m
       JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
       JOIN mission_labels ml ON ml.mission_id = m.id
       WHERE m.project_id = ? GROUP BY ml.label_id) g
     JOIN labels l ON l.id = g.label_id ORDER BY count DESC, l.name`,
  ),
}))
