import type { App } from '#kernel/app'
import { ancestorsOf } from '../../runs/chains/service.ts'
import { sourceOf } from '../../runs/messages/service.ts'
import { findRun } from '../../runs/service.ts'
import { queries, type RunRow } from '../engine/queries.ts'

/** How many runs started each other, up to this one. */
export interface Chain {
  depth: number
  origin: string | null
}

/**
 * The chain of the first of these ids that is a run of a routine of the workspace, or an agent's run for one, also one
 * that another agent or the routine itself gave the work.
 */
export function chainOf(app: App, workspace: string, ids: readonly string[]): Chain | null {
  for (const id of ids) {
    const run = queries(app.db).run.get(id) ?? aboveAgent(app, id)
    if (run?.workspace_id === workspace) return { depth: run.chain_depth, origin: run.chain_origin }
  }
  return null
}

/** The run of a routine from which the run of an agent hangs. */
function aboveAgent(app: App, id: string): RunRow | undefined {
  const agentRun = findRun(app, id)
  const all = agentRun ? ancestorsOf(app, agentRun) : []
  const { stepOfAgentRun, run } = queries(app.db)
  for (const one of all) {
    const step = stepOfAgentRun.get(one.id)
    if (step) return run.get(step.run_id)
  }
  const last = all.at(-1)
  const above = last && sourceOf(app, last).parent?.(app, last)
  return above ? run.get(above) : undefined
}

/** The longer of two chains. */
export const longer = (one: Chain | null, other: Chain | null): Chain | null =>
  (other?.depth ?? 0) > (one?.depth ?? 0) ? other : one
