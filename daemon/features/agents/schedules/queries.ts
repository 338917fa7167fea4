import { statements } from '#kernel/store/db'

export interface ScheduleRow {
  agent_id: string
  cron: string | null
  prompt: string | null
  enabled: 0 | 1
  timezone: string
  last_run: string | null
  next_run: string | null
  failures: number
  skipped: string | null
}

type Set = Pick<ScheduleRow, 'agent_id' | 'cron' | 'prompt' | 'enabled' | 'timezone' | 'next_run'>

const columns = 'agent_id, cron, prompt, enabled, timezone, last_run, next_run, failures, skipped'

export const queries = statements((db) => ({
  find: db.prepare<[agent: string], ScheduleRow>(`SELECT ${columns} FROM agent_schedules WHERE agent_id = ?`),
  set: db.prepare<[Set]>(
    `INSERT INTO agent_schedules (agent_id, cron, prompt, enabled, timezone, next_run)
     VALUES (@agent_id, @cron, @prompt, @enabled, @timezone, @next_run)
     ON CONFLICT (agent_id) DO UPDATE SET cron = excluded.cron, prompt = excluded.prompt, enabled = excluded.enabled,
       timezone = excluded.timezone, next_run = excluded.next_run, failures = 0, skipped = NULL`,
  ),
  next: db.prepare<[], { next_run: string | null }>(
    'SELECT next_run FROM agent_schedules WHERE next_run IS NOT NULL ORDER BY next_run LIMIT 1',
  ),
  due: db.prepare<[now: string], { agent_id: string }>(
    `SELECT agent_id FROM agent_schedules WHERE next_run IS NOT NULL AND next_run <= ?
     ORDER BY next_run, agent_id`,
  ),
  advance: db.prepare<[Pick<ScheduleRow, 'agent_id' | 'next_run' | 'last_run' | 'skipped'>]>(
    `UPDATE agent_schedules SET next_run = @next_run, last_run = coalesce(@last_run, last_run), skipped = @skipped
     WHERE agent_id = @agent_id`,
  ),
  failed: db.prepare<[agent: string], { failures: number }>(
    'UPDATE agent_schedules SET failures = failures + 1 WHERE agent_id = ? AND enabled = 1 RETURNING failures',
  ),
  succeeded: db.prepare<[agent: string]>('UPDATE agent_schedules SET failures = 0 WHERE agent_id = ?'),
  disable: db.prepare<[agent: string]>('UPDATE agent_schedules SET enabled = 0, next_run = NULL WHERE agent_id = ?'),
  remove: db.prepare<[agent: string]>('DELETE FROM agent_schedules WHERE agent_id = ?'),
}))
