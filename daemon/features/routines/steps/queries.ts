import { statements } from '#kernel/store/db'

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

export const queries = statements((db) => ({
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
    {
      agent_id: string | null
      agent: string | null
      runs: number
      input_tokens: number
      output_tokens: number
      cost_usd: number
    }
  >(
    `SELECT x.agent_id, coalesce(a.name, x.agent_id) AS agent, count(*) AS runs,
      sum(coalesce(x.input_tokens, 0)) AS input_tokens, sum(coalesce(x.output_tokens, 0)) AS output_tokens,
      sum(coalesce(x.cost_usd, 0)) AS cost_usd
     FROM run_records x LEFT JOIN agents a ON a.id = x.agent_id
     WHERE x.workspace_id = @workspace AND x.finished >= @sinceMs
     GROUP BY x.agent_id ORDER BY cost_usd DESC, agent LIMIT 100`,
  ),
}))
