import { statements } from '#kernel/store/db'
import type { LeaseSource } from '../assignments/queries.ts'

interface Lease {
  id: string
  workspace_id: string
  agent_id: string
  credential_id: string
  env_var_name: string
  expires_at: string
  lease_source: LeaseSource
  lease_issued_at: string
}

interface Ended {
  id: string
  workspace_id: string
  crew_id: string | null
  agent_id: string
  credential_id: string
  credential_name: string
  by_lease: number
}

export const queries = statements((db) => ({
  /** A lease never outlives what a person assigned for a while. */
  issue: db.prepare<Lease, { expires_at: string | null }>(
    `INSERT INTO agent_credentials (id, workspace_id, agent_id, credential_id, env_var_name, priority, expires_at,
      lease_source, lease_issued_at, created_at, by_lease)
     VALUES (@id, @workspace_id, @agent_id, @credential_id, @env_var_name, 0, @expires_at, @lease_source,
      @lease_issued_at, @lease_issued_at, 1)
     ON CONFLICT (agent_id, credential_id) DO UPDATE SET
      given_until = iif(lease_source = 'manual', expires_at, given_until),
      expires_at = iif(lease_source = 'manual', min(expires_at, excluded.expires_at),
        min(coalesce(given_until, excluded.expires_at), excluded.expires_at)),
      lease_source = excluded.lease_source, lease_issued_at = excluded.lease_issued_at
     RETURNING expires_at`,
  ),
  ended: db.prepare<[now: string, most: number], Ended>(
    `SELECT g.id, g.workspace_id, a.crew_id, g.agent_id, g.credential_id, c.name AS credential_name, g.by_lease
     FROM agent_credentials g JOIN agents a ON a.id = g.agent_id JOIN credentials c ON c.id = g.credential_id
     WHERE g.lease_source IN ('keeper_allow', 'escalation_approve') AND g.expires_at <= ?
     ORDER BY g.expires_at LIMIT ?`,
  ),
  /** As a person assigned it. */
  restore: db.prepare<[id: string]>(
    `UPDATE agent_credentials SET expires_at = given_until, lease_source = iif(given_until IS NULL, NULL, 'manual'),
      lease_issued_at = iif(given_until IS NULL, NULL, lease_issued_at), given_until = NULL WHERE id = ?`,
  ),
  drop: db.prepare<[id: string]>('DELETE FROM agent_credentials WHERE id = ?'),
}))
