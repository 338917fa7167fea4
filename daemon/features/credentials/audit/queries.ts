import type { AuditEvent } from '#contract/credential-audit'
import { statements } from '#kernel/store/db'

export interface AuditRow {
  id: string
  credential_id: string
  event: AuditEvent
  actor_type: string
  actor_id: string | null
  detail_json: string
  created_at: string
}

/** With the name of who acted, as it is now. */
export interface NamedAuditRow extends AuditRow {
  actor_name: string | null
}

const columns = 'id, credential_id, event, actor_type, actor_id, detail_json, created_at'

export const queries = statements((db) => ({
  insert: db.prepare<[AuditRow]>(
    `INSERT INTO credential_audit (${columns}) VALUES (@id, @credential_id, @event, @actor_type, @actor_id,
      @detail_json, @created_at)`,
  ),
  /** How many days each workspace keeps its records; those that keep them for ever are left out. */
  retentions: db.prepare<[], { id: string; days: number }>(
    `SELECT id, coalesce(credential_audit_retention_days, 90) AS days
      FROM workspaces WHERE coalesce(credential_audit_retention_days, 90) > 0`,
  ),
  forget: db.prepare<{ workspace: string; before: string; most: number }>(
    `DELETE FROM credential_audit WHERE seq IN
       (SELECT a.seq FROM credentials c JOIN credential_audit a ON a.credential_id = c.id
        WHERE c.workspace_id = @workspace AND a.created_at < @before LIMIT @most)`,
  ),
  list: db.prepare<[credential: string, limit: number], NamedAuditRow>(
    `SELECT r.id, r.credential_id, r.event, r.actor_type, r.actor_id, r.detail_json, r.created_at,
       coalesce(u.full_name, u.email, a.name) AS actor_name
     FROM credential_audit r
       LEFT JOIN users u ON r.actor_type = 'user' AND u.id = r.actor_id
       LEFT JOIN agents a ON r.actor_type = 'agent' AND a.id = r.actor_id
     WHERE r.credential_id = ? ORDER BY r.seq DESC LIMIT ?`,
  ),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { retentions: 'once a day, of every workspace' }
