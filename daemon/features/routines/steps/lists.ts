import type { StepOf } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import type { RunRow } from '../engine/queries.ts'
import { queries } from './queries.ts'
import { type Beginning, completed, type Outcome } from './types.ts'

/** Issues in the backlog that nobody has given a priority, oldest first; those of the routine's crew if it has one. */
function untriaged({ db }: App, { workspace_id: workspace, crew_id: crew }: RunRow): Outcome {
  const issues = queries(db).untriaged.all({ workspace, crew })
  return completed({ total: issues.length, issues })
}

const dayHours = 24

/** What was run or spent lately. */
export function beginQuery({ app, run, step }: Beginning<StepOf<'query'>>): Outcome {
  const { source, pipeline_slug: slug = null, window_hours = dayHours } = step.query
  const sinceMs = app.clock() - window_hours * 3_600_000
  const since = new Date(sinceMs).toISOString()
  if (source === 'untriaged_issues') return untriaged(app, run)
  const wanted = { workspace: run.workspace_id, slug, since }
  if (source === 'agent_costs') {
    const agents = queries(app.db).spent.all({ workspace: run.workspace_id, sinceMs })
    const total_usd = agents.reduce((sum, { cost_usd }) => sum + cost_usd, 0)
    const lines = agents.map(({ agent, runs, cost_usd }) => `- ${agent}: $${cost_usd.toFixed(2)} in ${runs} runs`)
    return completed({ window_hours, total_usd, agents, text: lines.join('\n') || 'No agent worked.' })
  }
  const counts = queries(app.db).counts.all(wanted)
  const of = (status: string) => counts.find((it) => it.status === status)?.count ?? 0
  return completed({
    window_hours,
    total: counts.reduce((sum, { count }) => sum + count, 0),
    completed: of('completed'),
    failed: of('failed') + of('interrupted'),
    cancelled: of('cancelled'),
    open: of('queued') + of('running') + of('waiting'),
    cost_usd: counts.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    runs: queries(app.db).runs.all(wanted),
  })
}
