import { deepestCall, type StepOf } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { Problem } from '#kernel/problem'
import { renderValue } from '#kernel/templates'
import { queries, type RunRow } from '../engine/queries.ts'
import { queries as routineQueries } from '../queries.ts'
import { startRun } from '../starting/service.ts'
import { type Beginning, failed, type Outcome } from './types.ts'

/** A step that runs another routine and waits for its end. */
export function beginCall({ app, run, step, key, values }: Beginning<StepOf<'call_pipeline'>>): Outcome {
  const routine = routineQueries(app.db).bySlug.get(run.workspace_id, step.pipeline_slug)
  if (!routine) return failed(`There is no routine "${step.pipeline_slug}"`, true)
  const above = callersOf(app, run)
  if (above.some(({ routine_id }) => routine_id === routine.id))
    return failed(`The routine "${routine.slug}" would call itself`, true)
  if (above.length >= deepestCall) return failed(`Routines call each other at most ${deepestCall} deep`, true)
  try {
    const { run_id } = startRun(app, {
      workspace: run.workspace_id,
      routine,
      inputs: renderValue(step.inputs ?? {}, values) as Record<string, unknown>,
      via: 'call_pipeline',
      by: run.id,
      user: run.user_id,
      tier: run.tier,
      parent: { run: run.id, step: key },
      chain: { depth: run.chain_depth, origin: run.chain_origin },
    })
    return { status: 'running', keeps: { child_run_id: run_id } }
  } catch (error) {
    if (error instanceof Problem) return failed(error.message, error.code === 'routine_busy' ? undefined : true)
    throw error
  }
}

/** The run and those that called it, one above the other. */
function callersOf({ db }: App, run: RunRow): RunRow[] {
  const found = [run]
  for (let at = run.parent_run_id; at && found.length <= deepestCall; ) {
    const above = queries(db).run.get(at)
    if (!above) break
    found.push(above)
    at = above.parent_run_id
  }
  return found
}
