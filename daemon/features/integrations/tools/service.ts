import type { ToolState } from '#contract/integration-tools'
import type { App } from '#kernel/app'
import type { AgentRow } from '../../agents/service.ts'
import { integrationsOf } from '../resolved/service.ts'
import { type Definition, definitionOf } from './definition.ts'
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
  enabled === 0 ? 'off' : held_since !== null || approved_json === null ? 'held' : 'allowed'

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
): ToolState | 'unknown' {
  if (!integrationsOf(app, agent).some((it) => it.server.id === server)) return 'off'
  const row = queries(app.db).find.get(server, tool)
  return row ? stateOf(row) : 'unknown'
}
