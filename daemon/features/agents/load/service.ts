import type { agents } from '#contract/agents'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { queries as all } from '../queries.ts'
import { usedToday } from '../usage/service.ts'
import { queries } from './queries.ts'

const dayMs = 86_400_000
const idle = { active_tasks: 0, pending_tasks: 0, completed_today: 0 }

/** What each agent has to do in missions and did since 00:00 UTC: who has most at work comes first. */
export function load(app: App, { actor: { workspace } }: Call<typeof agents.load>): Reply<typeof agents.load> {
  const now = app.clock()
  const midnight = new Date(now - (now % dayMs)).toISOString().slice(0, 10)
  const tasks = new Map(
    queries(app.db)
      .tasks.all({ workspace, midnight })
      .map(({ agent_id, ...it }) => [agent_id, it]),
  )
  return all(app.db)
    .all.all(workspace)
    .map(({ id, name, slug, status }) => {
      const { tokens, cost_usd, unpriced_runs } = usedToday(app, workspace, id)
      return {
        agent_id: id,
        agent_name: name,
        agent_slug: slug,
        agent_status: status,
        ...(tasks.get(id) ?? idle),
        tokens_used_today: tokens,
        cost_usd_today: cost_usd,
        unpriced_runs_today: unpriced_runs,
        token_budget: 0,
      }
    })
    .sort((a, b) => b.active_tasks - a.active_tasks || b.pending_tasks - a.pending_tasks)
}
