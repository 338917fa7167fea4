import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  name: string
  color: string
  label_group: string | null
  created_at: string
}

const columns = 'id, name, color, label_group, created_at'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string, limit: number, offset: number], Row>(
    `SELECT ${columns} FROM labels WHERE workspace_id = ? ORDER BY name LIMIT ? OFFSET ?`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM labels WHERE workspace_id = ? AND id = ?`,
  ),
  insert: db.prepare<[Row & { workspace: string }], Row>(
    `INSERT INTO labels (id, workspace_id, name, color, label_group, created_at)
     VALUES (@id, @workspace, @name, @color, @label_group, @created_at) ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  update: db.prepare<[Row], Row>(
    `UPDATE OR IGNORE labels SET name = @name, color = @color, label_group = @label_group WHERE id = @id
     RETURNING ${columns}`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM labels WHERE id = ?'),
}))
