import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  name: string
  enabled: number
  event_type: string
  matcher_json: string
  routine_slug: string
  inputs_json: string | null
  debounce_seconds: number
  max_per_hour: number
  created_by: string | null
  created_at: string
  updated_at: string
}

const columns =
  'id, workspace_id, name, enabled, event_type, matcher_json, routine_slug, inputs_json, debounce_seconds, ' +
  'max_per_hour, created_by, created_at, updated_at'
const live = 'FROM automations WHERE deleted_at IS NULL'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} ${live} AND workspace_id = ? ORDER BY created_at DESC, rowid DESC`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(`SELECT ${columns} ${live} AND workspace_id = ? AND id = ?`),
  count: db.prepare<[workspace: string], number>(`SELECT count(*) ${live} AND workspace_id = ?`).pluck(),
  insert: db.prepare<[Row]>(
    `INSERT INTO automations (${columns}) VALUES (@id, @workspace_id, @name, @enabled, @event_type, @matcher_json,
      @routine_slug, @inputs_json, @debounce_seconds, @max_per_hour, @created_by, @created_at, @updated_at)`,
  ),
  update: db.prepare<[Row]>(
    `UPDATE automations SET name = @name, enabled = @enabled, event_type = @event_type, matcher_json = @matcher_json,
      routine_slug = @routine_slug, inputs_json = @inputs_json, debounce_seconds = @debounce_seconds,
      max_per_hour = @max_per_hour, updated_at = @updated_at WHERE id = @id`,
  ),
  remove: db.prepare<[now: string, id: string]>('UPDATE automations SET deleted_at = ? WHERE id = ?'),
  removeAll: db.prepare<[now: string, workspace: string]>(
    'UPDATE automations SET deleted_at = ? WHERE workspace_id = ? AND deleted_at IS NULL',
  ),
  /** The rules of a workspace that match entries. */
  enabled: db.prepare<[workspace: string], Row>(`SELECT ${columns} ${live} AND workspace_id = ? AND enabled = 1`),
  /** The newest entries of a type, as JSON. Workspace 0 holds the names of workspaces. */
  entries: db
    .prepare<[{ workspace: string; type: string; since: number; most: number }], string>(
      `SELECT j.doc FROM journal j WHERE j.type = (SELECT t.name FROM journal_names t
        WHERE t.ws = (SELECT w.name FROM journal_names w WHERE w.ws = 0 AND w.text = @workspace) AND t.text = @type)
        AND j.ts >= @since ORDER BY j.seq DESC LIMIT @most`,
    )
    .pluck(),
}))
