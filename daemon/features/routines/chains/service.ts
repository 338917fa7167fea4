import type { App } from '#kernel/app'
import { queries } from '../engine/queries.ts'

/** How many runs started each other, up to this one. */
export interface Chain {
  depth: number
  origin: string | null
}

/** The chain of the first of these ids that is a run of a routine of the workspace, or an agent's run for one. */
export function chainOf({ db }: App, workspace: string, ids: readonly string[]): Chain | null {
  for (const id of ids) {
    const step = queries(db).stepOfAgentRun.get(id)
    const run = queries(db).run.get(step?.run_id ?? id)
    if (run?.workspace_id === workspace) return { depth: run.chain_depth, origin: run.chain_origin }
  }
  return null
}

/** The longer of two chains. */
export const longer = (one: Chain | null, other: Chain | null): Chain | null =>
  (other?.depth ?? 0) > (one?.depth ?? 0) ? other : one
