import type { agents } from '#contract/agents'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { broadcast } from '../broadcasts.ts'
import { queries } from '../queries.ts'
import { forgetSchedule } from '../schedules/service.ts'
import { editable } from '../service.ts'
import { forgetWebhook } from '../webhooks/service.ts'

export function removeAgent(app: App, { actor, agentId }: Call<typeof agents.remove>) {
  const { slug, crew_id } = editable(app, actor, agentId)
  retire(app, actor.workspace, agentId)
  return { success: true, id: agentId, slug, crew_id }
}

/** Marks an agent as deleted. The row stays, since the journal and past runs refer to it. */
export function retire(app: App, workspace: string, agentId: string): void {
  queries(app.db).remove.run(app.now(), app.now(), agentId)
  queries(app.db).dropAvatar.run(agentId)
  forgetSchedule(app, agentId)
  forgetWebhook(app, agentId)
  broadcast(app, workspace, 'agent.deleted', { id: agentId })
}

/** Deletes the agents of a deleted crew, each with its own fact. */
export function removeCrewAgents(app: App, { payload, about }: Happened<'crew.deleted'>): void {
  for (const agent of queries(app.db).ofCrew.all(payload.entity_id)) removeWith(app, 'crew', agent, about)
}

/** Deletes the agents without a crew in a deleted workspace. The others are deleted with their crews. */
export function removeFreeAgents(app: App, { payload, about }: Happened<'workspace.deleted'>): void {
  for (const agent of queries(app.db).free.all(payload.entity_id)) removeWith(app, 'workspace', agent, about)
}

function removeWith(
  app: App,
  owner: 'crew' | 'workspace',
  { id, slug }: { id: string; slug: string },
  { workspace_id, crew_id, ...about }: Happened['about'],
): void {
  retire(app, workspace_id!, id)
  const payload = { entity_id: id, name: slug, metadata: { with: owner } }
  app.journal(fact('agent.deleted', payload, { workspace_id: workspace_id!, crew_id, agent_id: id, ...acting(about) }))
}
