import { statements } from '#kernel/store/db'
import type { BindingRow } from '../bindings/queries.ts'

/** What names a credential, and how it is sent. */
export type Bound = Pick<BindingRow, 'credential_id' | 'cred_type' | 'cred_header'>

export interface Reachable {
  id: string
  crew_id: string | null
  endpoint: string | null
  credential_id: string | null
}

export const queries = statements((db) => ({
  /** Every server of a workspace that is reached over HTTP, with what it is connected with. */
  reachable: db.prepare<[workspace: string], Reachable>(
    `SELECT s.id, s.crew_id, s.endpoint, k.credential_id
     FROM mcp_servers s LEFT JOIN connected_servers k ON k.server_id = s.id
     WHERE s.workspace_id = ? AND s.transport <> 'stdio' AND s.endpoint IS NOT NULL`,
  ),
  find: db.prepare<[server: string], string>('SELECT credential_id FROM connected_servers WHERE server_id = ?').pluck(),
  /** What agents use a server with, the oldest binding first. */
  bound: db.prepare<[server: string], Bound>(
    `SELECT credential_id, cred_type, cred_header FROM agent_mcp_bindings
     WHERE mcp_server_id = ? AND enabled = 1 AND credential_id IS NOT NULL ORDER BY created_at, rowid`,
  ),
  connect: db.prepare<[server: string, credential: string]>(
    `INSERT INTO connected_servers (server_id, credential_id) VALUES (?, ?)
     ON CONFLICT (server_id) DO UPDATE SET credential_id = excluded.credential_id`,
  ),
  disconnect: db.prepare<[server: string]>('DELETE FROM connected_servers WHERE server_id = ?'),
  forget: db.prepare<[credential: string]>('DELETE FROM connected_servers WHERE credential_id = ?'),
  /** Whether anything is used with a credential. */
  used: db
    .prepare<{ credential: string }, number>(
      `SELECT EXISTS (SELECT 1 FROM connected_servers WHERE credential_id = @credential)
        OR EXISTS (SELECT 1 FROM agent_mcp_bindings WHERE credential_id = @credential)`,
    )
    .pluck(),
}))
