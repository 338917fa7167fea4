import { statements } from '#kernel/store/db'

export interface DeliveryRow {
  id: string
  agent_id: string
  content: string
  created_at: string
}

export const queries = statements((db) => ({
  insert: db.prepare<[DeliveryRow]>(
    `INSERT INTO webhook_deliveries (id, agent_id, content, created_at)
     VALUES (@id, @agent_id, @content, @created_at)`,
  ),
  count: db.prepare<[agent: string], { n: number }>('SELECT count(*) AS n FROM webhook_deliveries WHERE agent_id = ?'),
  oldest: db.prepare<[agent: string], DeliveryRow>(
    'SELECT id, agent_id, content, created_at FROM webhook_deliveries WHERE agent_id = ? ORDER BY rowid LIMIT 1',
  ),
  agents: db.prepare<[], { agent_id: string }>('SELECT DISTINCT agent_id FROM webhook_deliveries'),
  remove: db.prepare<[id: string]>('DELETE FROM webhook_deliveries WHERE id = ?'),
  removeOfAgent: db.prepare<[agent: string]>('DELETE FROM webhook_deliveries WHERE agent_id = ?'),
  /** A key of a call that is long ago counts as a new one. */
  remember: db.prepare<[{ key: string; run: string; until: string; now: string }], { key: string }>(
    `INSERT INTO webhook_idempotency (key, run_id, expires_at) VALUES (@key, @run, @until)
     ON CONFLICT (key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at
       WHERE webhook_idempotency.expires_at <= @now
     RETURNING key`,
  ),
  forget: db.prepare<[now: string, most: number], { key: string }>(
    `DELETE FROM webhook_idempotency WHERE key IN
       (SELECT key FROM webhook_idempotency WHERE expires_at <= ? LIMIT ?) RETURNING key`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { agents: 'reads the few calls that wait, along their index' }
