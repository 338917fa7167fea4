import { statements } from '#kernel/store/db'
import type { Template } from './types.ts'

export interface Row extends Omit<Template, 'agents' | 'is_builtin'> {
  agents_json: string
}
export type Stored = Row & { workspace_id: string; updated_at: string }

const columns = 'id, slug, name, description, icon, color, category, agents_json, created_at'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string], Row>(`SELECT ${columns} FROM crew_templates WHERE workspace_id = ?`),
  find: db.prepare<[workspace: string, slug: string], Row>(
    `SELECT ${columns} FROM crew_templates WHERE workspace_id = ? AND slug = ?`,
  ),
  count: db.prepare<[workspace: string], number>('SELECT count(*) FROM crew_templates WHERE workspace_id = ?').pluck(),
  save: db.prepare<[Stored], Row>(
    `INSERT INTO crew_templates (id, workspace_id, slug, name, description, icon, color, category, agents_json,
      created_at, updated_at)
     VALUES (@id, @workspace_id, @slug, @name, @description, @icon, @color, @category, @agents_json, @created_at,
      @updated_at)
     ON CONFLICT (workspace_id, slug) DO UPDATE SET name = excluded.name, description = excluded.description,
      icon = excluded.icon, color = excluded.color, category = excluded.category, agents_json = excluded.agents_json,
      updated_at = excluded.updated_at
     RETURNING ${columns}`,
  ),
  remove: db.prepare<[workspace: string, slug: string]>(
    'DELETE FROM crew_templates WHERE workspace_id = ? AND slug = ?',
  ),
  drop: db.prepare<[workspace: string]>('DELETE FROM crew_templates WHERE workspace_id = ?'),
}))
