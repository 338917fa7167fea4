import { type Static, Type } from 'typebox'
import { cliAdapters, llmProviders } from './agents.ts'
import { get } from './define.ts'
import { nullable } from './fields.ts'

const Abilities = Type.Object({
  resume: Type.Boolean({ description: "The next turn of a chat goes on with the client's own session" }),
  steer: Type.Boolean({ description: 'A message reaches a run that is going on' }),
  mcp: Type.Boolean({ description: 'It works with MCP servers' }),
  sub_agents: Type.Boolean({ description: 'It may start agents of its own' }),
  images: Type.Boolean({ description: 'Images in its answers are shown' }),
  cost_report: Type.Boolean({ description: 'It reports what a run cost' }),
  turn_cap: Type.Boolean({ description: 'It ends a run after so many turns itself; for the others the daemon does' }),
})
export type Abilities = Static<typeof Abilities>

const Adapter = Type.Object({
  cli_adapter: Type.Enum(cliAdapters),
  installed: nullable(
    Type.Boolean({ description: 'The crew has the client; null: the crew is not named, not running or has no agent' }),
  ),
  version: nullable(Type.String({ description: "As the client's package states it; null when unknown" })),
  providers: Type.Array(Type.Enum(llmProviders), { description: 'Whose credentials pay for it' }),
  can: Abilities,
  refused: nullable(Type.String({ description: 'Why no agent may have it; null when agents may' })),
})
export type Adapter = Static<typeof Adapter>

export const adapters = {
  list: get('/adapters', {
    summary: "List the agents' clients, and what a crew has of them",
    access: 'VIEWER',
    query: Type.Object({ crew_id: Type.Optional(Type.String({ description: 'Also says what this crew has' })) }),
    reply: Type.Object({ adapters: Type.Array(Adapter) }),
    throws: ['not_found', 'runtime_unavailable'],
  }),
}
