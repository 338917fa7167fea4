import type { McpCredentialType } from '#contract/integrations'
import { statements } from '#kernel/store/db'

export interface BindingRow {
  id: string
  agent_id: string
  mcp_server_id: string
  credential_id: string | null
  cred_type: McpCredentialType | null
  cred_header: string | null
  env_var_name: string | null
  enabled: number
  config_override_json: string | null
  created_at: string
}

/** A binding with the server that it is to. */
export interface Named extends BindingRow {
  server_name: string
  server_display_name: string
  server_crew_id: string | null
}

const columns =
  'id, agent_id, mcp_server_id, credential_id, cred_type, cred_header, env_var_name, enabled, config_override_json, ' +
  'created_at'
const named = `SELECT ${columns
  .split(', ')
  .map((column) => `b.${column}`)
  .join(', ')}, s.name AS server_name, s.display_name AS server_display_name, s.crew_id AS server_crew_id
  FROM agent_mcp_bindings b JOIN mcp_servers s ON s.id = b.mcp_server_id`

export const queries = statements((db) => ({
  ofAgent: db.prepare<[agent: string], Named>(`${named} WHERE b.agent_id = ? ORDER BY s.name, b.id`),
  to: db.prepare<[agent: string, server: string], Named>(`${named} WHERE b.agent_id = ? AND b.mcp_server_id = ?`),
  find: db.prepare<[agent: string, id: string], Named>(`${named} WHERE b.agent_id = ? AND b.id = ?`),
  /** The credentials that a server is used with. */
  credentials: db
    .prepare<[server: string], string>(
      `SELECT credential_id FROM agent_mcp_bindings
       WHERE mcp_server_id = ? AND enabled = 1 AND credential_id IS NOT NULL`,
    )
    .pluck(),
  insert: db.prepare<[BindingRow], { id: string }>(
    `INSERT INTO agent_mcp_bindings (${columns}) VALUES (@id, @agent_id, @mcp_server_id, @credential_id, @cred_type,
      @cred_header, @env_var_name, @enabled, @config_override_json, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  update: db.prepare<[BindingRow]>(
    `UPDATE agent_mcp_bindings SET credential_id = @credential_id, cred_type = @cred_type, cred_header = @cred_header,
      env_var_name = @env_var_name, enabled = @enabled, config_override_json = @config_override_json WHERE id = @id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM agent_mcp_bindings WHERE id = ?'),
  dropAgent: db.prepare<[agent: string]>('DELETE FROM agent_mcp_bindings WHERE agent_id = ?'),
  withdrawFrom: db.prepare<[server: string]>(
    'UPDATE agent_mcp_bindings SET credential_id = NULL WHERE mcp_server_id = ?',
  ),
  withdraw: db.prepare<[credential: string]>(
    'UPDATE agent_mcp_bindings SET credential_id = NULL WHERE credential_id = ?',
  ),
}))
