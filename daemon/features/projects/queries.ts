import type { Health, Priority, ProjectStatus, Worker } from '#contract/projects'
import { statements } from '#kernel/store/db'

export interface Stored {
  id: string
  name: string
  slug: string
  description: string | null
  icon: string | null
  color: string
  status: ProjectStatus
  priority: Priority
  health: Health
  lead_type: Worker | null
  lead_id: string | null
  start_date: string | null
  target_date: string | null
  created_at: string
  updated_at: string
}

export interface Row extends Stored {
  lead_name: string | null
  issues: number
  done: number
}

const select = `SELECT p.id, p.name, p.slug, p.description, p.icon, p.color, p.status, p.priority, p.health,
    p.lead_type, p.lead_id, p.start_date, p.target_date, p.created_at, p.updated_at,
    CASE p.lead_type
      WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = p.lead_id)
      WHEN 'user' THEN (SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = p.lead_id)
    END AS lead_name,
    (SELECT count(*) FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
      WHERE m.project_id = p.id) AS issues,
    (SELECT count(*) FROM missions m JOIN crews c ON c.id = m.crew_id AND c.deleted_at IS NULL
      WHERE m.project_id = p.id AND m.status = 'DONE') AS done
  FROM projects p`

export const queries = statements((db) => ({
  list: db.prepare<{ workspace: string; status: string | null; limit: number; offset: number }, Row>(
    `${select} WHERE p.workspace_id = @workspace AND (@status IS NULL OR p.status = @status)
     ORDER BY p.created_at DESC, p.id DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(`${select} WHERE p.workspace_id = ? AND p.id = ?`),
  slugs: db
    .prepare<[workspace: string, slug: string], string>(
      "SELECT slug FROM projects WHERE workspace_id = ? AND slug LIKE ? || '%'",
    )
    .pluck(),
  insert: db.prepare<[Stored & { workspace: string }], { id: string }>(
    `INSERT INTO projects (id, workspace_id, name, slug, description, icon, color, status, priority, health, lead_type,
      lead_id, start_date, target_date, created_at, updated_at)
     VALUES (@id, @workspace, @name, @slug, @description, @icon, @color, @status, @priority, @health, @lead_type,
      @lead_id, @start_date, @target_date, @created_at, @updated_at) ON CONFLICT DO NOTHING RETURNING id`,
  ),
  update: db.prepare<[Stored], { id: string }>(
    `UPDATE OR IGNORE projects SET name = @name, description = @description, icon = @icon, color = @color,
      status = @status, priority = @priority, health = @health, lead_type = @lead_type, lead_id = @lead_id,
      start_date = @start_date, target_date = @target_date, updated_at = @updated_at WHERE id = @id RETURNING id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM projects WHERE id = ?'),
  leaveUser: db.prepare<[workspace: string, user: string]>(
    `UPDATE projects SET lead_type = NULL, lead_id = NULL
     WHERE workspace_id = ? AND lead_type = 'user' AND lead_id = ?`,
  ),
  leaveAgent: db.prepare<[agent: string]>(
    "UPDATE projects SET lead_type = NULL, lead_id = NULL WHERE lead_type = 'agent' AND lead_id = ?",
  ),
}))
