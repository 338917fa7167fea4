import type { AuditEvent } from '#contract/credentials'
import { statements } from '#kernel/db'

export interface AuditRow {
  id: string
  credential_id: string
  event: AuditEvent
  actor_type: string
  actor_id: string | null
  detail_json: string
  created_at: string
}

const columns = 'id, credential_id, event, actor_type, actor_id, detail_json, created_at'

export const queries = statements((db) => ({
  insert: db.prepare<[AuditRow]>(
    `INSERT INTO credential_audit (${columns}) VALUES (@id, @credential_id, @event, @actor_type, @actor_id, @detail_json, @created_at)`,
  ),
  list: db.prepare<[credential: string, limit: number], AuditRow>(`SELECT ${columns} FROM credential_audit WHERE credential_id = ? ORDER BY seq DESC LIMIT ?`),
}))
