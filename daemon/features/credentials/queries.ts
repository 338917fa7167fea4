import type { CredentialProvider, CredentialType } from '#contract/credentials'
import { statements } from '#kernel/store/db'

export interface CredentialRow {
  id: string
  workspace_id: string
  name: string
  type: CredentialType
  provider: CredentialProvider
  description: string | null
  scope: 'WORKSPACE' | 'CREW'
  tags_json: string
  account_label: string | null
  account_email: string | null
  encrypted_value: string | null
  status: 'ACTIVE' | 'ERROR' | 'PENDING_APPROVAL'
  last_error: string | null
  last_used_at: string | null
  token_expires_at: string | null
  cooldown_until: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  crew_ids_json: string
  /** The last time that the provider was asked; null when it never was, or when the record of it is gone. */
  last_checked_at: string | null
  agents: number
  /** Id and name of each of these agents. */
  agents_json: string
  /** 1 when an agent is bound with it to an MCP server. */
  mcp_used: number
}

/** What a person decides of a credential, its value aside, as stored. */
export type CredentialColumns = Pick<
  CredentialRow,
  | 'name'
  | 'type'
  | 'provider'
  | 'description'
  | 'scope'
  | 'tags_json'
  | 'account_label'
  | 'account_email'
  | 'token_expires_at'
>

interface Stored extends CredentialColumns {
  id: string
  workspace_id: string
  updated_at: string
}

const select = `SELECT c.id, c.workspace_id, c.name, c.type, c.provider, c.description, c.scope, c.tags_json,
  c.account_label, c.account_email, c.encrypted_value,
    c.status, c.last_error, c.last_used_at, c.token_expires_at, c.cooldown_until, c.created_by, c.created_at,
    c.updated_at,
    (SELECT json_group_array(x.crew_id) FROM credential_crews x WHERE x.credential_id = c.id) AS crew_ids_json,
    (SELECT max(r.created_at) FROM credential_audit r WHERE r.credential_id = c.id AND r.event = 'TEST')
      AS last_checked_at,
    (SELECT count(*) FROM agent_credentials g WHERE g.credential_id = c.id) AS agents,
    (SELECT json_group_array(json_array(a.id, a.name) ORDER BY a.name, a.id)
      FROM agent_credentials g JOIN agents a ON a.id = g.agent_id WHERE g.credential_id = c.id) AS agents_json,
    EXISTS (SELECT 1 FROM agent_mcp_bindings b WHERE b.credential_id = c.id AND b.enabled = 1) AS mcp_used
  FROM credentials c`

export const queries = statements((db) => ({
  list: db.prepare<
    [{ workspace: string; user: string; everything: number; limit: number; offset: number }],
    CredentialRow
  >(
    `${select} WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL
      AND (@everything = 1 OR c.scope = 'WORKSPACE' OR EXISTS
       (SELECT 1 FROM credential_crews x JOIN crew_members m ON m.crew_id = x.crew_id
       WHERE x.credential_id = c.id AND m.user_id = @user))
     ORDER BY c.created_at DESC, c.id DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[workspace: string, id: string], CredentialRow>(
    `${select} WHERE c.workspace_id = ? AND c.id = ? AND c.deleted_at IS NULL`,
  ),
  named: db.prepare<[id: string], Pick<CredentialRow, 'id' | 'workspace_id' | 'name'>>(
    'SELECT id, workspace_id, name FROM credentials WHERE id = ?',
  ),
  ofWorkspace: db.prepare<[workspace: string], { id: string }>(
    'SELECT id FROM credentials WHERE workspace_id = ? AND deleted_at IS NULL',
  ),
  /** A crew of the credential that the user belongs to. */
  sharedCrew: db.prepare<[credential: string, user: string], { crew_id: string }>(
    `SELECT x.crew_id FROM credential_crews x JOIN crew_members m ON m.crew_id = x.crew_id
      WHERE x.credential_id = ? AND m.user_id = ? LIMIT 1`,
  ),
  newest: db.prepare<[], Pick<CredentialRow, 'id' | 'encrypted_value'>>(
    `SELECT id, encrypted_value FROM credentials
     WHERE deleted_at IS NULL AND encrypted_value IS NOT NULL ORDER BY rowid DESC LIMIT 1`,
  ),
  insert: db.prepare<[Stored & { encrypted_value: string; created_by: string }], { id: string }>(
    `INSERT INTO credentials (id, workspace_id, name, type, provider, description, scope, tags_json, account_label,
      account_email, encrypted_value, status,
       token_expires_at, created_by, created_at, updated_at)
     VALUES (@id, @workspace_id, @name, @type, @provider, @description, @scope, @tags_json, @account_label,
     @account_email, @encrypted_value, 'ACTIVE',
       @token_expires_at, @created_by, @updated_at, @updated_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  propose: db.prepare<[Stored & { encrypted_value: string }], { id: string }>(
    `INSERT INTO credentials (id, workspace_id, name, type, provider, description, scope, tags_json, account_label,
      account_email, encrypted_value, status,
       token_expires_at, created_by, created_at, updated_at)
     VALUES (@id, @workspace_id, @name, @type, @provider, @description, @scope, @tags_json, @account_label,
     @account_email, @encrypted_value, 'PENDING_APPROVAL',
       @token_expires_at, NULL, @updated_at, @updated_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  /** No row when it no longer waits. */
  accept: db.prepare<{ id: string; user: string; now: string }, { name: string }>(
    `UPDATE credentials SET status = 'ACTIVE', created_by = @user, updated_at = @now
     WHERE id = @id AND status = 'PENDING_APPROVAL' AND deleted_at IS NULL RETURNING name`,
  ),
  refuse: db.prepare<{ id: string; now: string }, { name: string; workspace_id: string }>(
    `UPDATE credentials SET status = 'REJECTED', encrypted_value = NULL, deleted_at = @now, updated_at = @now
     WHERE id = @id AND status = 'PENDING_APPROVAL' AND deleted_at IS NULL RETURNING name, workspace_id`,
  ),
  update: db.prepare<[Stored], { id: string }>(
    `UPDATE OR IGNORE credentials SET name = @name, type = @type, provider = @provider, description = @description,
      scope = @scope, tags_json = @tags_json,
       account_label = @account_label, account_email = @account_email, token_expires_at = @token_expires_at,
       updated_at = @updated_at
     WHERE workspace_id = @workspace_id AND id = @id AND deleted_at IS NULL RETURNING id`,
  ),
  setValue: db.prepare<[sealed: string, at: string, id: string]>(
    `UPDATE credentials SET encrypted_value = ?, status = 'ACTIVE', last_error = NULL, cooldown_until = NULL,
      token_expires_at = NULL, updated_at = ?
     WHERE id = ?`,
  ),
  setOutcome: db.prepare<[status: CredentialRow['status'], error: string | null, id: string]>(
    'UPDATE credentials SET status = ?, last_error = ?, cooldown_until = NULL WHERE id = ?',
  ),
  setError: db.prepare<[error: string, id: string]>('UPDATE credentials SET last_error = ? WHERE id = ?'),
  setCooldown: db.prepare<[until: string, id: string], { workspace_id: string }>(
    `UPDATE credentials SET cooldown_until = ?,
     last_error = 'The provider refused a call for being over its limit'
     WHERE id = ? AND deleted_at IS NULL RETURNING workspace_id`,
  ),
  setUsed: db.prepare<[at: string, id: string]>('UPDATE credentials SET last_used_at = ? WHERE id = ?'),
  remove: db.prepare<[at: string, at: string, id: string]>(
    'UPDATE credentials SET encrypted_value = NULL, deleted_at = ?, updated_at = ? WHERE id = ?',
  ),
  liveCrew: db.prepare<[workspace: string, crew: string], { id: string }>(
    'SELECT id FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
  ),
  addCrew: db.prepare<[credential: string, crew: string]>(
    'INSERT INTO credential_crews (credential_id, crew_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  ),
  dropCrews: db.prepare<[credential: string]>('DELETE FROM credential_crews WHERE credential_id = ?'),
  dropCrew: db.prepare<[crew: string]>('DELETE FROM credential_crews WHERE crew_id = ?'),
  dropAgent: db.prepare<[agent: string]>('DELETE FROM agent_credentials WHERE agent_id = ?'),
  withdraw: db.prepare<[credential: string]>('DELETE FROM agent_credentials WHERE credential_id = ?'),
}))

export const scans = { newest: 'ends at the first row that was not deleted' }
