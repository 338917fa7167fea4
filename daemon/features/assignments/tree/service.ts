import type { Reply } from '#contract/define'
import type { runTree } from '#contract/run-tree'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { findRun, type Run } from '../../runs/service.ts'
import { groupOf } from '../deliveries/service.ts'
import { queries, type Row } from '../queries.ts'
import { readBy } from '../service.ts'

const most = 1000
const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** A run with what it delegated: of an assignment's run its own branch, else what its whole turn delegated. */
export function tree(app: App, { actor, runId }: Call<typeof runTree.tree>): Reply<typeof runTree.tree> {
  const run = findRun(app, runId)
  if (run?.workspace_id !== actor.workspace) throw problem('not_found', { detail: 'There is no such run' })
  return {
    run_id: run.id,
    agent_name: run.agent_name,
    agent_slug: run.agent_slug,
    status: run.outcome ?? 'RUNNING',
    started_at: time(run.created_at)!,
    finished_at: time(run.ended_at),
    assignments: delegatedBy(app, run, actor.id),
  }
}

/** What a run delegated, and what that delegated in turn, as a person may read it. */
export const delegatedBy = (app: App, run: Run, reader: string) =>
  below(app, run).map((row) => shown(readBy(app, row, reader)))

/** What hangs from the run of a routine that gave work, as a person may read it. */
export const givenBy = (app: App, run: string, reader: string) =>
  queries(app.db)
    .ofChain.all(run, most)
    .map((row) => shown(readBy(app, row, reader)))

type Found = Row & { crew_slug: string }

function below(app: App, run: Run): Found[] {
  const { byId, ofChain, groupOfTurn } = queries(app.db)
  const own = run.source === 'assignment' && run.source_id ? byId.get(run.source_id) : undefined
  const chain = own?.chain_origin ?? groupOfTurn.get(run.id)?.chain_origin ?? run.id
  const root = groupOf(app, run)
  const inside = new Set<string>()
  return ofChain.all(chain, most).filter(({ id, group_id, parent_assignment_id }) => {
    const within = group_id === root || (parent_assignment_id !== null && inside.has(parent_assignment_id))
    if (within) inside.add(id)
    return within
  })
}

const shown = (row: Found) => ({
  assignment_id: row.id,
  parent_assignment_id: row.parent_assignment_id,
  parent_run_id: row.parent_run_id,
  run_id: row.run_id,
  depth: row.depth,
  agent_name: row.to_name,
  agent_slug: row.to_slug,
  crew_slug: row.crew_slug,
  task: row.task,
  state: row.status,
  created_at: row.created_at,
  started_at: row.started_at,
  finished_at: row.finished_at,
  error_message: row.error_message,
})
