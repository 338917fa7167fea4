import type { CredentialProvider, CredentialType } from '#contract/credentials'
import { statements } from '#kernel/store/db'

/** Who gave something for a while: a person, the judge, or people in place of it. */
export type LeaseSource = 'manual' | 'keeper_allow' | 'escalation_approve'

export interface AgentRef {
  id: string
  slug: string
  workspace_id: string
  crew_id: string | null
  /** When its hire was over; null for an agent that may work. */
  expired_at: string | null
}

/** A credential that reaches an agent, with how it does. */
export interface GrantRow {
  /** Empty unless the assignment is explicit. */
  id: string
  source: 'explicit' | 'crew' | 'workspace'
  credential_id: string
  credential_name: string
  type: CredentialType
  provider: CredentialProvider
  scope: 'WORKSPACE' | 'CREW'
  security_level: number
  encrypted_value: string | null
  status: 'ACTIVE' | 'ERROR' | 'PENDING_APPROVAL'
  token_expires_at: string | null
  cooldown_until: string | null
  account_label: string | null
  account_email: string | null
  created_by: string | null
  /** Null: from the credential's name. */
  env_var_name: string | null
  priority: number
  expires_at: string | null
  lease_source: LeaseSource | null
  lease_issued_at: string | null
  /** Where a lease was asked for: until when a person assigned it; null for as long as it is. */
  given_until: string | null
  /** There is an assignment only for that lease. */
  by_lease: number
  created_at: string
  /** For explicit ones: whether the credential's own crews include the agent's. */
  in_reach: number
}

interface AssignmentRow {
  id: string
  workspace_id: string
  agent_id: string
  credential_id: string
  env_var_name: string
  priority: number
  expires_at: string | null
  lease_source: LeaseSource | null
  lease_issued_at: string | null
  created_at: string
}

const credential = `c.id AS credential_id, c.name AS credential_name, c.type, c.provider, c.scope, c.security_level,
  c.encrypted_value, c.status, c.token_expires_at, c.cooldown_until, c.account_label, c.account_email, c.created_by`
const unassigned = 'NOT EXISTS (SELECT 1 FROM agent_credentials g WHERE g.agent_id = @agent AND g.credential_id = c.id)'

export const queries = statements((db) => ({
  agent: db.prepare<[workspace: string, id: string], AgentRef>(
    `SELECT id, slug, workspace_id, crew_id, expired_at FROM agents
      WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL`,
  ),
  agentById: db.prepare<[id: string], AgentRef>(
    'SELECT id, slug, workspace_id, crew_id, expired_at FROM agents WHERE id = ? AND deleted_at IS NULL',
  ),
  explicit: db.prepare<[{ agent: string; crew: string | null }], GrantRow>(
    `SELECT g.id, 'explicit' AS source, ${credential}, g.env_var_name, g.priority, g.expires_at, g.lease_source,
      g.lease_issued_at, g.given_until, g.by_lease, g.created_at,
       (c.scope = 'WORKSPACE' OR EXISTS (SELECT 1 FROM credential_crews x
       WHERE x.credential_id = c.id AND x.crew_id = @crew)) AS in_reach
     FROM agent_credentials g JOIN credentials c ON c.id = g.credential_id
     WHERE g.agent_id = @agent AND c.deleted_at IS NULL`,
  ),
  ofCrew: db.prepare<[{ agent: string; crew: string }], GrantRow>(
    `SELECT '' AS id, 'crew' AS source, ${credential}, NULL AS env_var_name, 0 AS priority, NULL AS expires_at,
      NULL AS lease_source, NULL AS lease_issued_at, NULL AS given_until, 0 AS by_lease,
       c.created_at, 1 AS in_reach
     FROM credential_crews x JOIN credentials c ON c.id = x.credential_id
     WHERE x.crew_id = @crew AND c.scope = 'CREW' AND c.deleted_at IS NULL AND ${unassigned}`,
  ),
  ofWorkspace: db.prepare<[{ agent: string; workspace: string }], GrantRow>(
    `SELECT '' AS id, 'workspace' AS source, ${credential}, NULL AS env_var_name, 0 AS priority, NULL AS expires_at,
      NULL AS lease_source,
       NULL AS lease_issued_at, NULL AS given_until, 0 AS by_lease, c.created_at, 1 AS in_reach
     FROM credentials c
     WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL AND c.scope = 'WORKSPACE'
     AND c.type IN ('API_KEY', 'AI_CLI_TOKEN') AND ${unassigned}`,
  ),
  insert: db.prepare<[AssignmentRow], { id: string }>(
    `INSERT INTO agent_credentials (id, workspace_id, agent_id, credential_id, env_var_name, priority, expires_at,
      lease_source, lease_issued_at, created_at)
     VALUES (@id, @workspace_id, @agent_id, @credential_id, @env_var_name, @priority, @expires_at, @lease_source,
     @lease_issued_at, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  find: db.prepare<
    [agent: string, id: string],
    { id: string; name: string; credential_id: string; env_var_name: string }
  >(
    `SELECT g.id, c.name, g.credential_id, g.env_var_name
     FROM agent_credentials g JOIN credentials c ON c.id = g.credential_id WHERE g.agent_id = ? AND g.id = ?`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM agent_credentials WHERE id = ?'),
}))
