import type { GrantMode } from '#contract/managed'
import { statements } from '#kernel/store/db'

export interface GrantRow {
  id: string
  workspace_id: string
  /** Null for the default connector. */
  agent_id: string | null
  toolkit: string
  mode: GrantMode
  account_user: string
  tools_json: string | null
  endpoint: string
  mcp_server_id: string
  credential_id: string
  created_at: string
}

const columns =
  'id, workspace_id, agent_id, toolkit, mode, account_user, tools_json, endpoint, mcp_server_id, credential_id, ' +
  'created_at'
const grant = `SELECT ${columns} FROM managed_grants`

export const queries = statements((db) => ({
  ofAgent: db.prepare<[agent: string], GrantRow>(`${grant} WHERE agent_id = ? ORDER BY toolkit`),
  ofWorkspace: db.prepare<[workspace: string], GrantRow>(`${grant} WHERE workspace_id = ?`),
  default: db.prepare<[workspace: string], GrantRow>(`${grant} WHERE workspace_id = ? AND agent_id IS NULL`),
  ofServer: db.prepare<[server: string], GrantRow>(`${grant} WHERE mcp_server_id = ?`),
  insert: db.prepare<[GrantRow]>(
    `INSERT INTO managed_grants (${columns}) VALUES (@id, @workspace_id, @agent_id, @toolkit, @mode, @account_user,
      @tools_json, @endpoint, @mcp_server_id, @credential_id, @created_at)`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM managed_grants WHERE id = ?'),
  dropWorkspace: db.prepare<[workspace: string]>('DELETE FROM managed_grants WHERE workspace_id = ?'),
}))
