import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { IntegrationTool, integrationTools, ToolState } from '#contract/integration-tools'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, requireSome } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import type { AgentRow } from '../../agents/service.ts'
import { findCrew } from '../../crews/service.ts'
import { findServer } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { integrationsOf } from '../resolved/service.ts'
import { askAbout } from './asking.ts'
import { type Definition, definitionOf } from './definition.ts'
import { changeOf } from './held.ts'
import { queries, type ToolRow } from './queries.ts'

/** A tool as agents have it. */
export interface AgentTool {
  name: string
  state: ToolState
  /** What models are told of it: as people approved it, with their words in the place of its description. */
  definition: Definition | null
}

/** The standing of a tool: `off` wins, since nobody is asked about a tool that people switched off. */
export const stateOf = ({ enabled, held_since, approved_json }: ToolRow): ToolState =>
  enabled === 0 ? 'off' : held_since !== null ? 'held' : approved_json === null ? 'unknown' : 'allowed'

/** The tools of a server by name. None: its list was never read; what is not among them is `unknown`. */
export const toolStates = ({ db }: App, server: string): AgentTool[] =>
  queries(db)
    .ofServer.all(server)
    .map((row) => ({ name: row.name, state: stateOf(row), definition: definitionFor(row) }))

function definitionFor({ approved_json, note }: ToolRow): Definition | null {
  if (approved_json === null) return null
  return { ...definitionOf(approved_json), ...(note !== null && { description: note }) }
}

/**
 * Whether an agent may call this tool now. A tool that no list has named is `unknown`, and may not be called: whoever
 * asks reads the list first (`learn`) and asks again. A server that the agent may not use has its tools `off`.
 */
export function mayCall(
  app: App,
  agent: Pick<AgentRow, 'id' | 'workspace_id' | 'crew_id'>,
  server: string,
  tool: string,
): ToolState {
  if (!integrationsOf(app, agent).some((it) => it.server.id === server)) return 'off'
  return toolState(app, server, tool)
}

/** As `mayCall`, for a server that the agent may use. */
export function toolState({ db }: App, server: string, tool: string): ToolState {
  const row = queries(db).find.get(server, tool)
  return row ? stateOf(row) : 'unknown'
}

type Shown = Static<typeof IntegrationTool>

function present(row: ToolRow): Shown {
  const told = row.approved_json ?? row.told_json
  return {
    id: row.id,
    tool_name: row.name,
    description: row.note ?? (told === null ? null : (definitionOf(told).description ?? null)),
    enabled: row.enabled === 1,
    state: stateOf(row),
    held_since: row.held_since,
    held_for: row.held_for,
    change: changeOf(row),
    revision: row.told_hash,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

const toolsOf = ({ db }: App, server: ServerRow): Shown[] => queries(db).ofServer.all(server.id).map(present)

export const tools = (app: App, { actor, integrationId }: Call<typeof integrationTools.tools>): Shown[] =>
  toolsOf(app, findServer(app, actor.workspace, null, integrationId))

export function toolsInCrew(app: App, { actor, crewId, serverId }: Call<typeof integrationTools.toolsInCrew>): Shown[] {
  findCrew(app, actor.workspace, crewId)
  return toolsOf(app, findServer(app, actor.workspace, crewId, serverId))
}

type Setting = Pick<Call<typeof integrationTools.setTool>, 'toolName' | 'body' | 'now'> & { actor: Actor }

export const setTool = (app: App, call: Call<typeof integrationTools.setTool>): Shown =>
  set(app, findServer(app, call.actor.workspace, null, call.integrationId), call)

export function setToolInCrew(app: App, call: Call<typeof integrationTools.setToolInCrew>): Shown {
  findCrew(app, call.actor.workspace, call.crewId)
  return set(app, findServer(app, call.actor.workspace, call.crewId, call.serverId), call)
}

const changeable = ['enabled', 'description'] as const

function set(app: App, server: ServerRow, { actor, toolName, body, now }: Setting): Shown {
  const before = queries(app.db).find.get(server.id, toolName)
  if (!before) throw problem('not_found', { detail: 'The integration has no such tool' })
  requireSome(body, changeable)
  const row: ToolRow = {
    ...before,
    enabled: body.enabled === undefined ? before.enabled : Number(body.enabled),
    note: body.description === undefined ? before.note : blankToNull(body.description),
    updated_at: now,
  }
  queries(app.db).save.run(row)
  const changed = changeable.filter((member) => body[member] !== undefined)
  const metadata = { server_id: server.id, enabled: row.enabled === 1, changed }
  const about = { workspace_id: actor.workspace, ...(server.crew_id !== null && { crew_id: server.crew_id }) }
  app.journal(
    fact('integration_tool.updated', { entity_id: row.id, name: row.name, metadata }, { ...about, ...actorOf(actor) }),
  )
  if (row.held_since !== null && row.enabled !== before.enabled) askAbout(app, server, now)
  return present(row)
}
