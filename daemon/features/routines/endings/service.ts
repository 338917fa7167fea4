import { hash } from 'node:crypto'
import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import { renderValue } from '#kernel/templates'
import { timeAt } from '#kernel/time-at'
import { wake } from '#kernel/waiting'
import { settle } from '../../decisions/service.ts'
import { raise } from '../../inbox/service.ts'
import { wishCancel } from '../../runs/service.ts'
import { type Loaded, valuesOf } from '../engine/loading.ts'
import { queries, type RunRow, type StepRow } from '../engine/queries.ts'
import { about, ofRun, orchestrator } from '../engine/telling.ts'
import { queries as routines } from '../queries.ts'

/** Ends what a step still does or waits for. */
export function giveUp(app: App, _run: RunRow, step: StepRow): StepRow {
  const now = app.clock()
  const row: StepRow = {
    ...step,
    status: 'cancelled',
    wake_at: null,
    event_type: null,
    ended_at: timeAt(now),
    duration_ms: now - Date.parse(step.started_at),
  }
  queries(app.db).putStep.run(row)
  if (step.agent_run_id) wishCancel(app, step.agent_run_id, null)
  if (step.waitpoint_id)
    settle(app, step.waitpoint_id, {
      state: 'withdrawn',
      actor: null,
      now: app.now(),
      comment: 'The run is over',
      orphaned: true,
    })
  if (step.child_run_id) cancelRun(app, step.child_run_id, orchestrator, 'The run that called it is over')
  if (step.type === 'http' || step.type === 'script') app.afterCommit(() => app.bus.emit('called', step.id))
  return row
}

/** Runs that begin by themselves and fail are told to people. */
const unseen = ['schedule', 'webhook', 'automation', 'wake_check']

/** Ends a run whose steps are all over. */
export function endRun(app: App, loaded: Loaded, over: 'completed' | 'failed'): void {
  const { run } = loaded
  const output = over === 'completed' ? outputOf(loaded) : null
  const ended = finish(app, run, over, { output_json: output === null ? null : JSON.stringify(output) })
  const told = { ...ofRun(run), duration_ms: ended.duration_ms!, cost_usd: run.cost_usd }
  if (over === 'completed') app.journal(fact('routine_run.completed', told, about(run)))
  else
    app.journal(
      fact(
        'routine_run.failed',
        {
          ...told,
          ...(run.failed_at_step && { step_id: run.failed_at_step }),
          ...(run.error_message && { error_message: run.error_message }),
        },
        about(run),
      ),
    )
  if (over === 'failed' && unseen.includes(run.triggered_via)) tellFailure(app, ended)
}

/** What a run that is over gave, and the occurrence that a schedule began it for. */
export function gaveOf({ db }: App, id: string): { output: unknown; due_at: string } {
  const { output_json, metadata_json } = queries(db).run.get(id)!
  const { due_at } = JSON.parse(metadata_json) as { due_at: string }
  return { output: output_json === null ? null : JSON.parse(output_json), due_at }
}

/** What the definition says that a run gives, or what its last step gave. */
function outputOf(loaded: Loaded): unknown {
  const { definition, steps } = loaded
  if (definition.outputs) return renderValue(definition.outputs, valuesOf(loaded))
  const last = definition.steps.findLast(({ id }) => steps.get(id)?.status === 'completed')
  const json = last && steps.get(last.id)?.output_json
  return json ? (JSON.parse(json) as unknown) : null
}

function finish(
  app: App,
  run: RunRow,
  status: 'completed' | 'failed' | 'cancelled' | 'interrupted',
  more: Partial<RunRow> = {},
): RunRow {
  const now = app.clock()
  const ended: RunRow = {
    ...run,
    ...more,
    status,
    current_step_id: null,
    ended_at: timeAt(now),
    duration_ms: now - Date.parse(run.started_at ?? run.created_at),
  }
  queries(app.db).updateRun.run(ended)
  routines(app.db).ended.run(status, run.routine_id)
  app.broadcast({
    channel: `workspace:${run.workspace_id}`,
    type: status === 'completed' ? 'pipeline.run.completed' : 'pipeline.run.failed',
    payload: {
      run_id: run.id,
      status,
      pipeline_slug: run.routine_slug,
      triggered_via: run.triggered_via,
      ...(ended.error_message && { error_message: ended.error_message }),
    },
  })
  wake(app, run.id)
  if (run.parent_run_id) app.afterCommit(() => app.bus.emit('routine', run.parent_run_id!))
  return ended
}

/** Inputs of more characters are left out of the inbox: a webhook brings up to two megabytes. */
const shownInputs = 16_384

function tellFailure(app: App, run: RunRow): void {
  const { routine_slug, routine_name, error_message, failed_at_step, inputs_json } = run
  const where = failed_at_step ? `At ${failed_at_step}: ` : ''
  const item = {
    kind: 'failed_run',
    source: run.id,
    target: { role: 'MANAGER' },
    title: `The routine "${routine_name}" failed`,
    body: `${where}${error_message ?? ''}\nLook at it with: muster routines result ${run.id}`,
    priority: 'high',
    sender: { type: 'pipeline', id: run.routine_id, name: routine_slug },
    payload: {
      run_id: run.id,
      pipeline_id: run.routine_id,
      pipeline_slug: routine_slug,
      ...(run.triggered_via === 'schedule' && run.triggered_by_id && { schedule_id: run.triggered_by_id }),
      ...(inputs_json.length <= shownInputs && { inputs: JSON.parse(inputs_json) as unknown }),
    },
  } as const
  raise(app, { ...item, workspace: run.workspace_id, now: app.now() })
}

/** Ends a run that cannot go on by itself: nobody knows what it would do. */
export function interrupt(app: App, run: RunRow, reason: string): void {
  for (const step of openSteps(app, run)) giveUp(app, run, step)
  const ended = finish(app, run, 'interrupted', { error_message: reason })
  const told = { ...ofRun(run), duration_ms: ended.duration_ms!, cost_usd: run.cost_usd }
  app.journal(fact('routine_run.failed', { ...told, error_message: reason, interrupted: true }, about(run)))
  if (unseen.includes(run.triggered_via)) tellFailure(app, ended)
}

const openSteps = ({ db }: App, { id }: RunRow): StepRow[] =>
  queries(db)
    .steps.all(id)
    .filter(({ status }) => status === 'running' || status === 'waiting' || status === 'retrying')

/** Cancels a run wherever it is; false when it is over. */
export function cancelRun(app: App, id: string, by: Acting, reason?: string): boolean {
  const run = queries(app.db).run.get(id)
  if (!run || run.ended_at !== null) return false
  finish(app, run, 'cancelled', { error_message: reason ?? null })
  for (const step of openSteps(app, run)) giveUp(app, run, step)
  app.journal(fact('routine_run.cancelled', { ...ofRun(run), ...(reason && { reason }) }, about(run, by)))
  return true
}

/** Cancels all that a routine does. */
export function cancelAll(app: App, routine: string, by: Acting, reason: string): void {
  for (const { id } of queries(app.db).openOfRoutine.all(routine)) cancelRun(app, id, by, reason)
}

/** Nothing goes on in a workspace that is deleted. */
export function endAll(app: App, { payload, about: of }: Happened<'workspace.deleted'>): void {
  for (const { id } of queries(app.db).openOfWorkspace.all(payload.entity_id))
    cancelRun(app, id, acting(of), 'The workspace was deleted')
}

/** The same for failures alike: at the same step, with the same words but for numbers and ids. */
export const fingerprintOf = ({ failed_at_step, error_message }: RunRow): string =>
  hash('sha256', `${failed_at_step ?? ''}\n${(error_message ?? '').replace(/[0-9a-f-]{8,}|\d+/g, '#')}`, 'hex').slice(
    0,
    16,
  )
