import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { integrationTools } from '#contract/integration-tools'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { findCrew } from '../../crews/service.ts'
import { findServer } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { askAbout } from './asking.ts'
import { waitingOf } from './held.ts'
import { queries, type ToolRow } from './queries.ts'
import { approvedAs } from './rules.ts'

type Body = Call<typeof integrationTools.decideTools>['body']
type Decided = Reply<typeof integrationTools.decideTools>

export const decideTools = (
  app: App,
  { actor, integrationId, body, now }: Call<typeof integrationTools.decideTools>,
): Decided => decide(app, findServer(app, actor.workspace, null, integrationId), { actor, body, now })

export function decideToolsInCrew(app: App, call: Call<typeof integrationTools.decideToolsInCrew>): Decided {
  const { actor, crewId, serverId, body, now } = call
  findCrew(app, actor.workspace, crewId)
  return decide(app, findServer(app, actor.workspace, crewId, serverId), { actor, body, now })
}

const changed = () =>
  problem('tools_changed', { detail: 'What waits is not what you looked at: list the tools again and look at them' })

function decide(app: App, server: ServerRow, { actor, body, now }: { actor: Actor; body: Body; now: string }): Decided {
  const tools = chosen(app, server, body)
  for (const row of tools) queries(app.db).save.run(body.approve ? approved(row, now) : refused(row, now))
  const names = tools.map(({ name }) => name)
  const metadata = { approved: body.approve, tools: names.slice(0, 20), count: names.length }
  const about = {
    workspace_id: actor.workspace,
    ...(server.crew_id !== null && { crew_id: server.crew_id }),
    ...actorOf(actor),
  }
  app.journal(fact('integration_tools.decided', { entity_id: server.id, name: server.name, metadata }, about))
  askAbout(app, server, now, { outcome: body.approve ? 'approved' : 'refused', actor })
  return { decided: names }
}

/** The held tools that a body means; refused where they are not as it says. */
function chosen(app: App, server: ServerRow, { tools: named, revision }: Body): ToolRow[] {
  const waiting = waitingOf(app, server.id)
  if (revision && revision !== waiting.revision) throw changed()
  if (!named) {
    if (!waiting.tools.length) throw problem('tools_changed', { detail: 'No tool of this integration waits' })
    return waiting.tools
  }
  return named.map(({ tool_name, revision: seen }) => {
    const row = queries(app.db).find.get(server.id, tool_name)
    if (!row) throw problem('not_found', { field: 'tools', detail: `There is no tool ${tool_name}` })
    if (row.held_since === null || (seen && seen !== row.told_hash)) throw changed()
    return row
  })
}

const approved = (row: ToolRow, now: string): ToolRow => ({
  ...approvedAs(row, { json: row.told_json!, hash: row.told_hash! }, now),
  enabled: 1,
})

/** It stays held for what the server said, so that it is not asked again while the server says the same. */
const refused = (row: ToolRow, now: string): ToolRow => ({ ...row, enabled: 0, updated_at: now })
