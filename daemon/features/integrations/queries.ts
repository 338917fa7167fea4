import type { McpTransport } from '#contract/integrations'
import { statements } from '#kernel/store/db'

export interface ServerRow {
  id: string
  workspace_id: string
  /** Null for a server of the workspace. */
  crew_id: string | null
  workspace_mcp_server_id: string | null
  name: string
  display_name: string
  transport: McpTransport
  endpoint: string | null
  command: string | null
  args_json: string | null
  env_names_json: string | null
  env_sealed: string | null
  config_json: string | null
  icon: string | null
  enabled: number
  created_at: string
  updated_at: string
}

/** A server with what hangs on it. */
export interface Counted extends ServerRow {
  agent_binding_count: number
  crew_server_count: number
}

const columns =
  'id, workspace_id, crew_id, workspace_mcp_server_id, name, display_name, transport, endpoint, command, args_json, ' +
  'env_names_json, env_sealed, config_json, icon, enabled, created_at, updated_at'
const counted = `${columns
  .split(', ')
  .map((column) => `s.${column}`)
  .join(', ')},
  (SELECT count(*) FROM agent_mcp_bindings b WHERE b.mcp_server_id = s.id) AS agent_binding_count,
  (SELECT count(*) FROM mcp_servers c WHERE c.workspace_mcp_server_id = s.id) AS crew_server_count`

export const queries = statements((db) => ({
  ofWorkspace: db.prepare<[workspace: string], Counted>(
    `SELECT ${counted} FROM mcp_servers s WHERE s.workspace_id = ? AND s.crew_id IS NULL
     ORDER BY s.created_at DESC, s.rowid DESC`,
  ),
  ofCrew: db.prepare<[crew: string], Counted>(
    `SELECT ${counted} FROM mcp_servers s WHERE s.crew_id = ? ORDER BY s.created_at DESC, s.rowid DESC`,
  ),
  /** Those of a workspace and of a crew that have a name: one of each at most. */
  called: db.prepare<{ workspace: string; crew: string | null; name: string }, Counted>(
    `SELECT ${counted} FROM mcp_servers s WHERE s.workspace_id = @workspace AND s.crew_id IS NULL AND s.name = @name
     UNION ALL SELECT ${counted} FROM mcp_servers s WHERE s.crew_id = @crew AND s.name = @name`,
  ),
  ofCrews: db.prepare<[workspace: string], Counted & { crew_name: string; crew_slug: string }>(
    `SELECT ${counted}, k.name AS crew_name, k.slug AS crew_slug
     FROM mcp_servers s JOIN crews k ON k.id = s.crew_id
     WHERE s.workspace_id = ? AND s.crew_id IS NOT NULL AND k.deleted_at IS NULL
     ORDER BY k.slug, s.created_at DESC, s.rowid DESC`,
  ),
  find: db.prepare<[workspace: string, id: string], Counted>(
    `SELECT ${counted} FROM mcp_servers s WHERE s.workspace_id = ? AND s.id = ?`,
  ),
  at: db
    .prepare<{ workspace: string; endpoint: string }, number>(
      `SELECT EXISTS (SELECT 1 FROM mcp_servers
        WHERE workspace_id = @workspace AND transport <> 'stdio' AND endpoint = @endpoint)`,
    )
    .pluck(),
  allAt: db.prepare<{ workspace: string; endpoint: string }, ServerRow>(
    `SELECT ${columns} FROM mcp_servers
     WHERE workspace_id = @workspace AND transport <> 'stdio' AND endpoint = @endpoint ORDER BY created_at, id`,
  ),
  madeFrom: db.prepare<[server: string], ServerRow>(
    `SELECT ${columns} FROM mcp_servers WHERE workspace_mcp_server_id = ?`,
  ),
  insert: db.prepare<[ServerRow], { id: string }>(
    `INSERT INTO mcp_servers (${columns}) VALUES (@id, @workspace_id, @crew_id, @workspace_mcp_server_id, @name,
      @display_name, @transport, @endpoint, @command, @args_json, @env_names_json, @env_sealed, @config_json, @icon,
      @enabled, @created_at, @updated_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  update: db.prepare<[ServerRow]>(
    `UPDATE mcp_servers SET display_name = @display_name, transport = @transport, endpoint = @endpoint,
      command = @command, args_json = @args_json, env_names_json = @env_names_json, env_sealed = @env_sealed,
      config_json = @config_json, icon = @icon, enabled = @enabled, updated_at = @updated_at WHERE id = @id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM mcp_servers WHERE id = ?'),
  dropCrew: db.prepare<[crew: string]>('DELETE FROM mcp_servers WHERE crew_id = ?'),
  dropWorkspace: db.prepare<[workspace: string]>('DELETE FROM mcp_servers WHERE workspace_id = ?'),
}))
