import type { ModelTier } from '#contract/routine-definition'
import type { RoutineRunStatus } from '#contract/routines'
import { statements } from '#kernel/store/db'

export interface RunRow {
  id: string
  workspace_id: string
  routine_id: string
  routine_slug: string
  routine_name: string
  crew_id: string | null
  version: number
  definition_hash: string
  definition_json: string | null
  mode: 'run' | 'test_run' | 'dry_run'
  status: RoutineRunStatus
  inputs_json: string
  event_json: string | null
  output_json: string | null
  error_message: string | null
  failed_at_step: string | null
  current_step_id: string | null
  warnings_json: string
  tags_json: string
  metadata_json: string
  priority: number
  triggered_via: string
  triggered_by_id: string | null
  user_id: string | null
  parent_run_id: string | null
  parent_step_id: string | null
  chain_origin: string | null
  chain_depth: number
  idempotency_key: string | null
  replay_of: string | null
  concurrency_group: string | null
  /** The grade of model with which its agents work, whatever its steps say. */
  tier: ModelTier | null
  cost_usd: number
  created_at: string
  started_at: string | null
  ended_at: string | null
  duration_ms: number | null
}

export interface StepRow {
  id: string
  run_id: string
  key: string
  type: string
  status: 'running' | 'waiting' | 'retrying' | 'completed' | 'failed' | 'skipped' | 'cancelled'
  attempt: number
  output_json: string | null
  error_message: string | null
  waitpoint_id: string | null
  agent_run_id: string | null
  child_run_id: string | null
  event_type: string | null
  state_json: string | null
  cost_usd: number | null
  wake_at: string | null
  started_at: string
  ended_at: string | null
  duration_ms: number | null
}

const runColumns =
  'id, workspace_id, routine_id, routine_slug, routine_name, crew_id, version, definition_hash, ' +
  'definition_json, mode, status, inputs_json, event_json, output_json, error_message, failed_at_step, ' +
  'current_step_id, warnings_json, tags_json, metadata_json, priority, triggered_via, triggered_by_id, ' +
  'user_id, parent_run_id, parent_step_id, chain_origin, chain_depth, idempotency_key, replay_of, ' +
  'concurrency_group, tier, cost_usd, created_at, started_at, ended_at, duration_ms'
const stepColumns =
  'id, run_id, key, type, status, attempt, output_json, error_message, waitpoint_id, agent_run_id, child_run_id, ' +
  'event_type, state_json, cost_usd, wake_at, started_at, ended_at, duration_ms'
const values = (columns: string) =>
  columns
    .split(', ')
    .map((name) => `@${name}`)
    .join(', ')
const open = "status IN ('queued', 'running', 'waiting')"

export const queries = statements((db) => ({
  insertRun: db.prepare<[RunRow]>(`INSERT INTO routine_runs (${runColumns}) VALUES (${values(runColumns)})`),
  run: db.prepare<[id: string], RunRow>(`SELECT ${runColumns} FROM routine_runs WHERE id = ?`),
  updateRun: db.prepare<[RunRow]>(
    `UPDATE routine_runs SET status = @status, output_json = @output_json, error_message = @error_message,
      failed_at_step = @failed_at_step, current_step_id = @current_step_id, warnings_json = @warnings_json,
      cost_usd = @cost_usd, started_at = @started_at, ended_at = @ended_at, duration_ms = @duration_ms
     WHERE id = @id AND ${open}`,
  ),
  definition: db.prepare<[routine: string, version: number], { definition_json: string }>(
    'SELECT definition_json FROM routine_versions WHERE routine_id = ? AND version = ?',
  ),
  openOfRoutine: db.prepare<[routine: string], { id: string }>(
    `SELECT id FROM routine_runs WHERE routine_id = ? AND ${open} ORDER BY created_at, id`,
  ),
  openOfWorkspace: db.prepare<[workspace: string], { id: string }>(
    `SELECT id FROM routine_runs WHERE workspace_id = ? AND ${open} ORDER BY created_at, id`,
  ),
  openInGroup: db
    .prepare<[routine: string, group: string], number>(
      `SELECT count(*) FROM routine_runs WHERE routine_id = ? AND concurrency_group = ? AND ${open}`,
    )
    .pluck(),
  working: db.prepare<[], { id: string }>(
    "SELECT id FROM routine_runs WHERE status IN ('queued', 'running') ORDER BY id",
  ),
  /** Runs that wait for what was decided already: the daemon stopped before it could tell them. */
  decided: db.prepare<[], { id: string }>(
    `SELECT DISTINCT s.run_id AS id FROM routine_steps s CROSS JOIN decisions d ON d.id = s.waitpoint_id
     WHERE s.status = 'waiting' AND s.waitpoint_id IS NOT NULL AND d.state <> 'open'`,
  ),
  /** Scripts and long expressions at work. Scripts that have begun first: they keep the users as which they run. */
  called: db.prepare<[], { id: string }>(
    `SELECT s.id FROM routine_runs r CROSS JOIN routine_steps s ON s.run_id = r.id
     WHERE r.status IN ('queued', 'running') AND s.type IN ('script', 'code') AND s.status = 'running'
     ORDER BY s.state_json IS NULL, r.id`,
  ),
  children: db.prepare<[parent: string], { id: string }>(
    `SELECT id FROM routine_runs WHERE parent_run_id = ? AND ${open}`,
  ),

  steps: db.prepare<[run: string], StepRow>(`SELECT ${stepColumns} FROM routine_steps WHERE run_id = ? ORDER BY rowid`),
  step: db.prepare<[id: string], StepRow>(`SELECT ${stepColumns} FROM routine_steps WHERE id = ?`),
  stepOfAgentRun: db.prepare<[run: string], StepRow>(`SELECT ${stepColumns} FROM routine_steps WHERE agent_run_id = ?`),
  stepOfWaitpoint: db.prepare<[waitpoint: string], StepRow>(
    `SELECT ${stepColumns} FROM routine_steps WHERE waitpoint_id = ?`,
  ),
  putStep: db.prepare<[StepRow]>(
    `INSERT INTO routine_steps (${stepColumns}) VALUES (${values(stepColumns)})
     ON CONFLICT (run_id, key) DO UPDATE SET status = excluded.status, attempt = excluded.attempt,
      output_json = excluded.output_json, error_message = excluded.error_message,
      waitpoint_id = excluded.waitpoint_id, agent_run_id = excluded.agent_run_id,
      child_run_id = excluded.child_run_id, event_type = excluded.event_type, state_json = excluded.state_json,
      cost_usd = excluded.cost_usd, wake_at = excluded.wake_at, started_at = excluded.started_at,
      ended_at = excluded.ended_at, duration_ms = excluded.duration_ms`,
  ),
  nextWake: db.prepare<[], { wake_at: string | null }>(
    'SELECT wake_at FROM routine_steps WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1',
  ),
  due: db.prepare<[now: string, most: number], StepRow>(
    `SELECT ${stepColumns} FROM routine_steps WHERE wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?`,
  ),
  waitingFor: db.prepare<[event: string, workspace: string, most: number], StepRow>(
    `SELECT ${stepColumns
      .split(', ')
      .map((name) => `s.${name}`)
      .join(', ')} FROM routine_steps s JOIN routine_runs r ON r.id = s.run_id
     WHERE s.event_type = ? AND s.status = 'waiting' AND s.event_type IS NOT NULL AND r.workspace_id = ? LIMIT ?`,
  ),
  told: db
    .prepare<[run: string, recipient: string], number>(
      "SELECT count(*) FROM routine_steps WHERE run_id = ? AND type = 'notify' AND state_json = ?",
    )
    .pluck(),

  keepSignal: db.prepare<[{ id: string; run: string; event: string; payload: string; now: string }]>(
    `INSERT INTO routine_signals (id, run_id, event_type, payload_json, created_at)
     VALUES (@id, @run, @event, @payload, @now)`,
  ),
  keptSignals: db.prepare<[run: string], number>('SELECT count(*) FROM routine_signals WHERE run_id = ?').pluck(),
  takeSignal: db.prepare<[run: string, event: string], { payload_json: string }>(
    `DELETE FROM routine_signals WHERE id = (SELECT id FROM routine_signals WHERE run_id = ? AND event_type = ?
      ORDER BY created_at, id LIMIT 1) RETURNING payload_json`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = {
  working: 'reads only the index of runs at work, when the daemon starts',
  called: 'reads only the index of runs at work, when the daemon starts',
  decided: 'reads only the index of steps that wait for a decision, when the daemon starts',
}
