import { statements } from '#kernel/store/db'

export interface WebhookRow {
  secret_enc: string | null
  require_timestamp: 0 | 1
}

export const queries = statements((db) => ({
  find: db.prepare<[agent: string], WebhookRow>(
    'SELECT secret_enc, require_timestamp FROM agent_webhooks WHERE agent_id = ?',
  ),
  setSecret: db.prepare<[agent: string, secret: string]>(
    `INSERT INTO agent_webhooks (agent_id, secret_enc) VALUES (?, ?)
     ON CONFLICT (agent_id) DO UPDATE SET secret_enc = excluded.secret_enc`,
  ),
  setRequire: db.prepare<[agent: string, require: 0 | 1]>(
    `INSERT INTO agent_webhooks (agent_id, require_timestamp) VALUES (?, ?)
     ON CONFLICT (agent_id) DO UPDATE SET require_timestamp = excluded.require_timestamp`,
  ),
  remove: db.prepare<[agent: string]>('DELETE FROM agent_webhooks WHERE agent_id = ?'),
}))
