import type { CatchupPolicy } from '#contract/schedules'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  name: string
  cron_expr: string
  timezone: string
  routine_id: string
  version: number | null
  inputs_json: string
  enabled: number
  catchup_policy: CatchupPolicy
  max_consecutive_failures: number
  wake_slug: string | null
  wake_inputs_json: string | null
  wake_fail_closed: number
  next_run_at: string | null
  last_run_at: string | null
  last_run_id: string | null
  last_status: 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'WAITING' | 'DEDUPED' | null
  last_missed_count: number
  consecutive_failures: number
  disabled_reason: 'circuit_breaker' | 'routine_deleted' | null
  created_at: string
  updated_at: string
}
export type Listed = Row & { slug: string }

const columns =
  'id, workspace_id, name, cron_expr, timezone, routine_id, version, inputs_json, enabled, catchup_policy, ' +
  'max_consecutive_failures, wake_slug, wake_inputs_json, wake_fail_closed, next_run_at, last_run_at, last_run_id, ' +
  'last_status, last_missed_count, consecutive_failures, disabled_reason, created_at, updated_at'
const listed = `SELECT ${columns
  .split(', ')
  .map((name) => `s.${name}`)
  .join(', ')}, r.slug FROM routine_schedules s JOIN routines r ON r.id = s.routine_id`

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string], Listed>(
    `${listed} WHERE s.workspace_id = ? ORDER BY s.next_run_at IS NULL, s.next_run_at, s.name, s.id`,
  ),
  find: db.prepare<[workspace: string, id: string], Listed>(`${listed} WHERE s.workspace_id = ? AND s.id = ?`),
  byId: db.prepare<[id: string], Listed>(`${listed} WHERE s.id = ?`),
  count: db
    .prepare<[workspace: string], number>('SELECT count(*) FROM routine_schedules WHERE workspace_id = ?')
    .pluck(),
  due: db.prepare<[now: string, most: number], { id: string }>(
    'SELECT id FROM routine_schedules WHERE next_run_at IS NOT NULL AND next_run_at <= ? ORDER BY next_run_at LIMIT ?',
  ),
  next: db.prepare<[], { next_run_at: string | null }>(
    'SELECT next_run_at FROM routine_schedules WHERE next_run_at IS NOT NULL ORDER BY next_run_at LIMIT 1',
  ),
  insert: db.prepare<[Row]>(
    `INSERT INTO routine_schedules (${columns}) VALUES (${columns
      .split(', ')
      .map((name) => `@${name}`)
      .join(', ')})`,
  ),
  update: db.prepare<[Row]>(
    `UPDATE routine_schedules SET name = @name, cron_expr = @cron_expr, timezone = @timezone, routine_id = @routine_id,
      version = @version, inputs_json = @inputs_json, enabled = @enabled, catchup_policy = @catchup_policy,
      max_consecutive_failures = @max_consecutive_failures, wake_slug = @wake_slug,
      wake_inputs_json = @wake_inputs_json, wake_fail_closed = @wake_fail_closed, next_run_at = @next_run_at,
      last_run_at = @last_run_at, last_run_id = @last_run_id, last_status = @last_status,
      last_missed_count = @last_missed_count, consecutive_failures = @consecutive_failures,
      disabled_reason = @disabled_reason, updated_at = @updated_at WHERE id = @id`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM routine_schedules WHERE id = ?'),
  stopOfRoutine: db.prepare<[routine: string]>(
    `UPDATE routine_schedules SET enabled = 0, next_run_at = NULL, disabled_reason = 'routine_deleted'
     WHERE routine_id = ?`,
  ),
  removeOfWorkspace: db.prepare<[workspace: string]>('DELETE FROM routine_schedules WHERE workspace_id = ?'),
}))
