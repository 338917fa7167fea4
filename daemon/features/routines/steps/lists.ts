import type { StepOf } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { statements } from '#kernel/store/db'
import type { RunRow } from '../engine/queries.ts'
import { type Beginning, completed, type Outcome } from './types.ts'

interface Wanted {
  workspace: string
  slug: string | null
  since: string
}
interface Listed {
  id: string
  pipeline_slug: string
  status: string
  triggered_via: string
  error_message: string | null
  cost_usd: number
  created_at: string
}

const queries = statements((db) => ({
  runs: db.prepare<[Wanted], Listed>(
    `SELECT id, routine_slug AS pipeline_slug, status, triggered_via, error_message, cost_usd, created_at
     FROM routine_runs WHERE workspace_id = @workspace AND created_at >= @since
      AND (@slug IS NULL OR routine_slug = @slug) ORDER BY created_at DESC, id DESC LIMIT 50`,
  ),
  counts: db.prepare<[Wanted], { status: string; count: number; cost_usd: number }>(
    `SELECT status, count(*) AS count, sum(cost_usd) AS cost_usd FROM routine_runs
     WHERE workspace_id = @workspace AND created_at >= @since AND (@slug IS NULL OR routine_slug = @slug)
     GROUP BY status`,
  ),
  untriaged: db.prepare<
    [{ workspace: string; crew: string | null }],
    { identifier: string; title: string; created_at: string }
  >(
    `SELECT identifier, title, created_at FROM missions WHERE workspace_id = @workspace AND mission_type = 'issue'
      AND status = 'BACKLOG' AND priority = 'none' AND (@crew IS NULL OR crew_id = @crew)
     ORDER BY created_at, id LIMIT 50`,
  ),
  spent: db.prepare<
    [{ workspace: string; sinceMs: number }],
    { agent_id: string; agent: string; runs: number; input_tokens: number; output_tokens: number; cost_usd: number }
  >(
    `SELECT x.agent_id, coalesce(a.name, x.agent_id) AS agent, count(*) AS runs,
      sum(coalesce(x.input_tokens, 0)) AS input_tokens, sum(coalesce(x.output_tokens, 0)) AS output_tokens,
      sum(coalesce(x.cost_usd, 0)) AS cost_usd
     FROM run_records x LEFT JOIN agents a ON a.id = x.agent_id
     WHERE x.workspace_id = @workspace AND x.finished >= @sinceMs
     GROUP BY x.agent_id ORDER BY cost_usd DESC, agent LIMIT 100`,
  ),
}))

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
