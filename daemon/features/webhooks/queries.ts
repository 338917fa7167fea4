import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  name: string
  token_hash: string
  token_end: string
  secret_enc: string
  routine_id: string
  version: number | null
  inputs_template_json: string | null
  enabled: number
  rate_limit_per_min: number
  fire_count: number
  last_fired_at: string | null
  last_run_id: string | null
  last_status: 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'REFUSED' | null
  consecutive_failures: number
  created_at: string
  updated_at: string
}
export type Listed = Row & { slug: string }

const names = [
  ...['id', 'workspace_id', 'name', 'token_hash', 'token_end', 'secret_enc', 'routine_id', 'version'],
  ...['inputs_template_json', 'enabled', 'rate_limit_per_min', 'fire_count', 'last_fired_at', 'last_run_id'],
  ...['last_status', 'consecutive_failures', 'created_at', 'updated_at'],
]
const listed = `SELECT ${names.map((name) => `w.${name}`).join(', ')}, r.slug
  FROM routine_webhooks w JOIN routines r ON r.id = w.routine_id`

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string], Listed>(`${listed} WHERE w.workspace_id = ? ORDER BY w.name, w.id`),
  find: db.prepare<[workspace: string, id: string], Listed>(`${listed} WHERE w.workspace_id = ? AND w.id = ?`),
  byId: db.prepare<[id: string], Listed>(`${listed} WHERE w.id = ?`),
  byHash: db.prepare<[hash: string], Listed>(`${listed} WHERE w.token_hash = ?`),
  count: db
    .prepare<[workspace: string], number>('SELECT count(*) FROM routine_webhooks WHERE workspace_id = ?')
    .pluck(),
  insert: db.prepare<[Row]>(
    `INSERT INTO routine_webhooks (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
  ),
  update: db.prepare<[Row]>(
    `UPDATE routine_webhooks SET name = @name, secret_enc = @secret_enc, routine_id = @routine_id, version = @version,
      inputs_template_json = @inputs_template_json, enabled = @enabled, rate_limit_per_min = @rate_limit_per_min,
      fire_count = @fire_count, last_fired_at = @last_fired_at, last_run_id = @last_run_id,
      last_status = @last_status, consecutive_failures = @consecutive_failures, updated_at = @updated_at
     WHERE id = @id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM routine_webhooks WHERE id = ?'),
  stopOfRoutine: db.prepare<[routine: string]>('UPDATE routine_webhooks SET enabled = 0 WHERE routine_id = ?'),
  removeOfWorkspace: db.prepare<[workspace: string]>('DELETE FROM routine_webhooks WHERE workspace_id = ?'),
  call: db.prepare<[webhook: string, key: string, now: string], { run_id: string }>(
    'SELECT run_id FROM routine_webhook_calls WHERE webhook_id = ? AND key = ? AND expires_at > ?',
  ),
  remember: db.prepare<[{ webhook: string; key: string; run: string; until: string }]>(
    `INSERT INTO routine_webhook_calls (webhook_id, key, run_id, expires_at) VALUES (@webhook, @key, @run, @until)
     ON CONFLICT (webhook_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at`,
  ),
  forget: db.prepare<[now: string, most: number], { key: string }>(
    `DELETE FROM routine_webhook_calls WHERE (webhook_id, key) IN
       (SELECT webhook_id, key FROM routine_webhook_calls WHERE expires_at <= ? LIMIT ?) RETURNING key`,
  ),
}))
