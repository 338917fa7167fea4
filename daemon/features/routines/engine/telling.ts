import { type About, type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { queries, type RunRow, type StepRow } from './queries.ts'

export const orchestrator: Acting = { actor_type: 'orchestrator' }

/** Whom a fact about a run concerns: all of a run has its id as its trace. */
export const about = ({ id, workspace_id, crew_id }: RunRow, by: Acting = orchestrator): About => ({
  workspace_id,
  ...(crew_id && { crew_id }),
  ...by,
  trace_id: id,
})

export const ofRun = ({ id, routine_id, routine_slug, triggered_via, triggered_by_id }: RunRow) => ({
  run_id: id,
  pipeline_id: routine_id,
  pipeline_slug: routine_slug,
  triggered_via,
  ...(triggered_by_id && { triggered_by_id }),
})

const told = {
  completed: 'pipeline.step.completed',
  failed: 'pipeline.step.failed',
  running: 'pipeline.step.started',
  waiting: 'pipeline.step.started',
} as const

/** Records that what a step gave is refused by its own rules. */
export function tellInvalid(app: App, run: RunRow, { key, type }: Pick<StepRow, 'key' | 'type'>, flaw: string): void {
  const of = { run_id: run.id, pipeline_slug: run.routine_slug, step_id: key, step_type: type }
  app.journal(fact('routine_step.invalid', { ...of, error_message: flaw }, about(run)))
}

/** Records that the container in which a step works is there. */
export function tellReady(app: App, run: RunRow, { key, type, attempt }: StepRow): void {
  const of = { run_id: run.id, pipeline_slug: run.routine_slug, step_id: key, step_type: type, attempt }
  app.journal(fact('routine_step.container_ready', of, about(run)))
}

/** Records with how many runs of each workspace the daemon went on when it started. */
export function tellResumed(app: App, before: readonly RunRow[]): void {
  const { run } = queries(app.db)
  for (const workspace_id of new Set(before.map((one) => one.workspace_id))) {
    const runs = before.filter((one) => one.workspace_id === workspace_id)
    const interrupted = runs.filter(({ id }) => run.get(id)?.status === 'interrupted').length
    const of = { resumed: runs.length - interrupted, interrupted }
    app.journal(fact('routine_runs.swept', of, { workspace_id, ...orchestrator }))
  }
}

/** Records what a step has come to, and tells clients. */
export function tellStep(app: App, run: RunRow, step: StepRow): void {
  const { key, type, status, attempt, error_message, duration_ms, cost_usd } = step
  const of = { run_id: run.id, pipeline_slug: run.routine_slug, step_id: key, step_type: type }
  const who = about(run)
  const error = error_message ?? ''
  if (status === 'completed')
    app.journal(
      fact(
        'routine_step.completed',
        { ...of, duration_ms: duration_ms ?? 0, ...(cost_usd !== null && { cost_usd }) },
        who,
      ),
    )
  else if (status === 'failed')
    app.journal(fact('routine_step.failed', { ...of, duration_ms: duration_ms ?? 0, error_message: error }, who))
  else if (status === 'skipped') app.journal(fact('routine_step.skipped', of, who))
  else if (status === 'retrying')
    app.journal(fact('routine_step.retrying', { ...of, attempt, error_message: error, wake_at: step.wake_at! }, who))
  else if (status === 'running' || status === 'waiting')
    app.journal(
      fact(
        'routine_step.started',
        {
          ...of,
          attempt,
          ...(step.agent_run_id && { agent_run_id: step.agent_run_id }),
          ...(step.child_run_id && { child_run_id: step.child_run_id }),
        },
        who,
      ),
    )
  if (status in told)
    app.broadcast({
      channel: `workspace:${run.workspace_id}`,
      type: told[status as keyof typeof told],
      payload: {
        run_id: run.id,
        step_id: key,
        ...(duration_ms !== null && { duration_ms }),
        ...(error && { error_message: error }),
      },
    })
  if (step.waitpoint_id && status === 'waiting')
    app.broadcast({
      channel: `workspace:${run.workspace_id}`,
      type: 'pipeline.waitpoint.created',
      payload: { run_id: run.id },
    })
}
