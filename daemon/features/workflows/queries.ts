import { statements } from '#kernel/store/db'

export type Kind = 'workflow' | 'plan'

export interface Row {
  id: string
  workspace_id: string
  name: string
  description: string | null
  template_json: string
  icon: string | null
  color: string | null
  is_builtin: number
  created_at: string
  updated_at: string
}

const columns = 'id, workspace_id, name, description, template_json, icon, color, is_builtin, created_at, updated_at'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, kind: Kind, limit: number, offset: number], Row>(
    `SELECT ${columns} FROM workflow_templates WHERE workspace_id = ? AND kind = ?
     ORDER BY is_builtin DESC, created_at, rowid LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, kind: Kind, id: string], Row>(
    `SELECT ${columns} FROM workflow_templates WHERE workspace_id = ? AND kind = ? AND id = ?`,
  ),
  count: db
    .prepare<[workspace: string, kind: Kind, builtin: number], number>(
      'SELECT count(*) FROM workflow_templates WHERE workspace_id = ? AND kind = ? AND is_builtin = ?',
    )
    .pluck(),
  insert: db.prepare<[Row & { kind: Kind }], Row>(
    `INSERT INTO workflow_templates (id, workspace_id, kind, name, description, template_json, icon, color, is_builtin,
      created_at, updated_at)
     VALUES (@id, @workspace_id, @kind, @name, @description, @template_json, @icon, @color, @is_builtin, @created_at,
      @updated_at) ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  update: db.prepare<[Row], Row>(
    `UPDATE OR IGNORE workflow_templates SET name = @name, description = @description,
      template_json = @template_json, icon = @icon, color = @color, updated_at = @updated_at WHERE id = @id
     RETURNING ${columns}`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM workflow_templates WHERE id = ?'),
}))
