import { statements } from '#kernel/store/db'

export interface ToolRow {
  id: string
  server_id: string
  name: string
  note: string | null
  approved_json: string | null
  told_json: string | null
  approved_hash: string | null
  told_hash: string | null
  enabled: number
  held_since: string | null
  held_for: string | null
  created_at: string
  updated_at: string
}

export interface ListRow {
  server_id: string
  tried_at: string | null
  listed_at: string | null
  failure: string | null
  left_out: number
  decision_id: string | null
}

const columns =
  'id, server_id, name, note, approved_json, told_json, approved_hash, told_hash, enabled, held_since, held_for, ' +
  'created_at, updated_at'
const ofList = 'server_id, tried_at, listed_at, failure, left_out, decision_id'

export const queries = statements((db) => ({
  ofServer: db.prepare<[server: string], ToolRow>(`SELECT ${columns} FROM mcp_tools WHERE server_id = ? ORDER BY name`),
  find: db.prepare<[server: string, name: string], ToolRow>(
    `SELECT ${columns} FROM mcp_tools WHERE server_id = ? AND name = ?`,
  ),
  save: db.prepare<[ToolRow]>(
    `INSERT INTO mcp_tools (${columns}) VALUES (@id, @server_id, @name, @note, @approved_json, @told_json,
      @approved_hash, @told_hash, @enabled, @held_since, @held_for, @created_at, @updated_at)
     ON CONFLICT (server_id, name) DO UPDATE SET note = @note, approved_json = @approved_json, told_json = @told_json,
      approved_hash = @approved_hash, told_hash = @told_hash, enabled = @enabled, held_since = @held_since,
      held_for = @held_for, updated_at = @updated_at`,
  ),
  drop: db.prepare<[id: string]>('DELETE FROM mcp_tools WHERE id = ?'),
  dropAll: db.prepare<[server: string]>('DELETE FROM mcp_tools WHERE server_id = ?'),
  list: db.prepare<[server: string], ListRow>(`SELECT ${ofList} FROM mcp_tool_lists WHERE server_id = ?`),
  saveList: db.prepare<[ListRow]>(
    `INSERT INTO mcp_tool_lists (${ofList}) VALUES (@server_id, @tried_at, @listed_at, @failure, @left_out,
      @decision_id)
     ON CONFLICT (server_id) DO UPDATE SET tried_at = @tried_at, listed_at = @listed_at, failure = @failure,
      left_out = @left_out, decision_id = @decision_id`,
  ),
  ofDecision: db
    .prepare<[decision: string], string>('SELECT server_id FROM mcp_tool_lists WHERE decision_id = ?')
    .pluck(),
  /** Servers over HTTP whose lists were read before `read`, or could not be read before `failed`. */
  due: db.prepare<[{ read: string; failed: string; most: number }], { id: string; workspace_id: string }>(
    `SELECT s.id, s.workspace_id FROM mcp_servers s LEFT JOIN mcp_tool_lists l ON l.server_id = s.id
     WHERE s.enabled = 1 AND s.transport = 'streamable-http'
      AND (l.tried_at IS NULL OR l.tried_at <= iif(l.failure IS NULL, @read, @failed))
     ORDER BY l.tried_at LIMIT @most`,
  ),
  dropList: db.prepare<[server: string]>('DELETE FROM mcp_tool_lists WHERE server_id = ?'),
}))

/** Statements that scan a table, with the reason. */
export const scans = { due: 'once an hour, and when a server is added or changed' }
