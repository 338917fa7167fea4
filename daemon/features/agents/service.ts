import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { queries } from './queries.ts'

/** Deletes an agent: its row stays for the record, its credentials are withdrawn. Within a change. */
export function retire(app: App, workspace: string, agentId: string): void {
  queries(app.db).remove.run(app.now(), app.now(), agentId)
  queries(app.db).unassign.run(agentId)
  app.broadcast({ channel: `workspace:${workspace}`, type: 'agent.deleted', payload: { id: agentId } })
}

/** Deletes the agents of a crew that goes, each with an entry of its own. Within a change. */
export function removeCrewAgents(app: App, actor: Actor, crewId: string): void {
  for (const { id, slug } of queries(app.db).ofCrew.all(crewId)) {
    retire(app, actor.workspace, id)
    app.journal({
      workspace_id: actor.workspace,
      crew_id: crewId,
      agent_id: id,
      type: 'audit.entity_deleted',
      summary: `agent ${slug} deleted with its crew`,
      ...actorOf(actor),
      payload: { action: 'delete', entity_type: 'agent', entity_id: id },
      refs: { entity_type: 'agent', entity_id: id },
    })
  }
}
