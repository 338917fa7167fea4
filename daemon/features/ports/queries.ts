import type { PortStatus } from '#contract/ports'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
  agent_slug: string
  chat_id: string | null
  container_id: string
  container_port: number
  description: string | null
  status: PortStatus
  created_at: string
  expires_at: string
  revoked_at: string | null
  revoked_reason: string | null
}

/** What a request to a capability URL needs to know. */
export type Target = Pick<Row, 'id' | 'crew_id' | 'container_port' | 'status' | 'expires_at'>

export interface Opening {
  id: string
  workspace: string
  crew: string
  agent: string
  chat: string | null
  call: string | null
  container: string
  port: number
  description: string | null
  hash: string
  now: string
  expires: string
  /** Open ones at the same time. */
  ofAgent: number
  ofWorkspace: number
}

interface Closing {
  now: string
  by: string | null
  reason: string | null
}

interface Window {
  workspace: string
  crew: string
  status: PortStatus | null
  now: string
  limit: number
  offset: number
}

const columns = `p.id, p.workspace_id, p.crew_id, p.agent_id, a.slug AS agent_slug, p.chat_id, p.container_id,
  p.container_port, p.description, p.status, p.created_at, p.expires_at, p.revoked_at, p.revoked_reason`
const tables = 'port_exposures p JOIN agents a ON a.id = p.agent_id'
const open = "status IN ('ACTIVE', 'PENDING')"
/** Nobody has to wait for the sweep to see that a time is over. */
const seen = "CASE WHEN p.status = 'ACTIVE' AND p.expires_at <= @now THEN 'EXPIRED' ELSE p.status END"
const revoke = `UPDATE port_exposures SET status = 'REVOKED', revoked_at = @now, revoked_by = @by,
  revoked_reason = @reason`

export const queries = statements((db) => ({
  list: db.prepare<Window, Row>(
    `SELECT ${columns} FROM ${tables} WHERE p.workspace_id = @workspace AND p.crew_id = @crew
      AND (@status IS NULL OR ${seen} = @status)
     ORDER BY p.created_at DESC, p.id DESC LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[id: string], Row>(`SELECT ${columns} FROM ${tables} WHERE p.id = ?`),
  byHash: db.prepare<[hash: string], Target>(
    'SELECT id, crew_id, container_port, status, expires_at FROM port_exposures WHERE token_hash = ?',
  ),
  /**
   * Membership and quotas are looked at by the statement that inserts: two at the same time cannot both be the last.
   */
  open: db.prepare<Opening, { id: string }>(
    `INSERT INTO port_exposures (id, workspace_id, crew_id, agent_id, chat_id, call_id, container_id, container_port,
      description, token_hash, status,
       created_at, expires_at)
     SELECT @id, @workspace, @crew, @agent, @chat, @call, @container, @port, @description, @hash, 'ACTIVE', @now,
     @expires
     WHERE (SELECT count(*) FROM port_exposures WHERE agent_id = @agent AND ${open} AND expires_at > @now) < @ofAgent
       AND (SELECT count(*) FROM port_exposures WHERE workspace_id = @workspace AND ${open}
       AND expires_at > @now) < @ofWorkspace
       AND EXISTS (SELECT 1 FROM agents a JOIN crews c ON c.id = a.crew_id
         WHERE a.id = @agent AND c.id = @crew AND c.workspace_id = @workspace AND a.deleted_at IS NULL
         AND c.deleted_at IS NULL)
     RETURNING id`,
  ),
  ofCall: db.prepare<[call: string], Row>(`SELECT ${columns} FROM ${tables} WHERE p.call_id = ?`),
  renew: db.prepare<{ id: string; hash: string; now: string }, { id: string }>(
    `UPDATE port_exposures SET token_hash = @hash
     WHERE id = @id AND status = 'ACTIVE' AND expires_at > @now RETURNING id`,
  ),
  crew: db.prepare<[workspace: string, crew: string], { found: 1 }>(
    'SELECT 1 AS found FROM crews WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
  ),
  member: db.prepare<[workspace: string, crew: string, agent: string], { found: 1 }>(
    'SELECT 1 AS found FROM agents WHERE workspace_id = ? AND crew_id = ? AND id = ? AND deleted_at IS NULL',
  ),
  chat: db.prepare<[id: string, agent: string], { found: 1 }>(
    'SELECT 1 AS found FROM chats WHERE id = ? AND agent_id = ?',
  ),
  revoke: db.prepare<Closing & { id: string; workspace: string; crew: string }, { id: string }>(
    `${revoke} WHERE id = @id AND workspace_id = @workspace AND crew_id = @crew
      AND (status = 'PENDING' OR (status = 'ACTIVE' AND expires_at > @now)) RETURNING id`,
  ),
  revokeOfAgent: db.prepare<Closing & { agent: string }, { id: string }>(
    `${revoke} WHERE agent_id = @agent AND ${open} AND expires_at > @now RETURNING id`,
  ),
  /** Those in a crew that the agent does not belong to. */
  revokeOutside: db.prepare<Closing & { agent: string }, { id: string }>(
    `${revoke} WHERE agent_id = @agent AND ${open} AND expires_at > @now
      AND crew_id IS NOT (SELECT a.crew_id FROM agents a WHERE a.id = @agent) RETURNING id`,
  ),
  ofAgent: db.prepare<[agent: string, now: string], { found: 1 }>(
    `SELECT 1 AS found FROM port_exposures WHERE agent_id = ? AND ${open} AND expires_at > ? LIMIT 1`,
  ),
  expire: db.prepare<[now: string], { id: string }>(
    "UPDATE port_exposures SET status = 'EXPIRED' WHERE status = 'ACTIVE' AND expires_at <= ? RETURNING id",
  ),
  next: db.prepare<[], { expires_at: string }>(
    "SELECT expires_at FROM port_exposures WHERE status = 'ACTIVE' AND expires_at > '' ORDER BY expires_at LIMIT 1",
  ),
  ofCrew: db.prepare<[crew: string, now: string], { found: 1 }>(
    "SELECT 1 AS found FROM port_exposures WHERE crew_id = ? AND status = 'ACTIVE' AND expires_at > ? LIMIT 1",
  ),
}))
