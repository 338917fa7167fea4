import { Type } from 'typebox'
import { get, patch, post } from './define.ts'
import { Id, nullable, Time } from './fields.ts'

/**
 * Whether agents may use a tool: `off` people said no, `held` people have to look at it first, `unknown` the server has
 * not listed it.
 */
export const toolStates = ['allowed', 'off', 'held', 'unknown'] as const
export type ToolState = (typeof toolStates)[number]

/** Names that people can tell apart by looking at them, and name in an address: there "." and ".." are steps. */
export const toolName = /^(?!\.{1,2}$)[A-Za-z0-9_./-]{1,128}$/
/** Tools of a server. */
export const mostTools = 1000
/** Characters of a description. */
export const mostToolDescription = 16_384
/** Bytes of all that is said of a tool. */
export const mostToolSchema = 65_536

const hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hexadecimal figures' })

export const IntegrationTool = Type.Object({
  id: Id,
  tool_name: Type.String(),
  description: nullable(Type.String({ description: "What agents are told: people's words, or what was approved" })),
  enabled: Type.Boolean(),
  state: Type.Enum(toolStates, { description: 'held: agents may use it once people approve it' }),
  held_since: nullable(Time),
  held_for: nullable(Type.String({ description: 'Why it is held' })),
  change: nullable(Type.String({ description: 'What the server says now against what was approved, as a diff' })),
  revision: nullable(Type.String({ description: 'Names what the server says now, for approving just that' })),
  created_at: Time,
  updated_at: Time,
})

const Name = Type.String({
  maxLength: 128,
  pattern: toolName.source,
  description: 'A-Z, a-z, 0-9 and _ . / -, at most 128 characters, and not . or ..',
})
const description = Type.Optional(
  nullable(
    Type.String({
      maxLength: mostToolDescription,
      pattern: '^[^\\u0000]*$',
      description: "Words in the place of the server's; null or blank for those",
    }),
  ),
)

const ToolPatch = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  description,
})
const Refreshing = Type.Object({
  tools: Type.Optional(
    Type.Array(Type.Object({ name: Name, description }), {
      maxItems: mostTools,
      description: 'Tools to expect of the server; without it the server is asked',
    }),
  ),
})
const Refreshed = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  held: Type.Integer({ description: 'Of the created and updated ones, those that wait for people now' }),
  left_out: Type.Integer({ description: 'Tools whose names or sizes are not allowed' }),
  total: Type.Integer(),
})
const Deciding = Type.Object({
  approve: Type.Boolean({ description: 'false switches the tools off' }),
  revision: Type.Optional(nullable(hash)),
  tools: Type.Optional(
    Type.Array(Type.Object({ tool_name: Name, revision: Type.Optional(nullable(hash)) }), {
      minItems: 1,
      maxItems: mostTools,
      description: 'All that are held unless stated',
    }),
  ),
})
const Decided = Type.Object({ decided: Type.Array(Type.String(), { description: 'The tools that were held' }) })

const ofWorkspace = { scope: 'workspace:admin' } as const
const inCrew = { crew: 'crewId', scope: 'crews:write' } as const

const reading = { access: 'VIEWER', reply: Type.Array(IntegrationTool), throws: ['not_found'] } as const
const setting = {
  access: 'ADMIN',
  body: ToolPatch,
  reply: IntegrationTool,
  journal: ['audit.entity_updated'],
  throws: ['not_found', 'no_fields'],
} as const
const refreshing = {
  access: 'ADMIN',
  status: 200,
  body: Refreshing,
  bodyOptional: true,
  reply: Refreshed,
  journal: ['audit.entity_updated', 'integration.tool_changed'],
  throws: ['not_found', 'tools_unreadable', 'tools_elsewhere', 'integration_changed'],
} as const
const deciding = {
  status: 200,
  body: Deciding,
  reply: Decided,
  journal: ['audit.entity_updated'],
  throws: ['not_found', 'tools_changed'],
} as const

/** Tools of MCP servers, and which of them agents may use. docs/integrations.md, "Tools". */
export const integrationTools = {
  tools: get('/integrations/:integrationId/tools', {
    summary: 'List the tools of an MCP server of the workspace, by name',
    ...reading,
  }),
  toolsInCrew: get('/crews/:crewId/integrations/:serverId/tools', {
    summary: 'List the tools of an MCP server of a crew, by name',
    ...reading,
  }),
  setTool: patch('/integrations/:integrationId/tools/:toolName', {
    summary: 'Switch a tool of an MCP server of the workspace on or off, or describe it',
    ...setting,
    ...ofWorkspace,
  }),
  setToolInCrew: patch('/crews/:crewId/integrations/:serverId/tools/:toolName', {
    summary: 'Switch a tool of an MCP server of a crew on or off, or describe it',
    ...setting,
    ...inCrew,
  }),
  refreshTools: post('/integrations/:integrationId/tools/refresh', {
    summary: 'Read the list of tools from an MCP server of the workspace',
    ...refreshing,
    ...ofWorkspace,
  }),
  refreshToolsInCrew: post('/crews/:crewId/integrations/:serverId/tools/refresh', {
    summary: 'Read the list of tools from an MCP server of a crew',
    ...refreshing,
    ...inCrew,
  }),
  decideTools: post('/integrations/:integrationId/tools/decide', {
    summary: 'Approve or refuse the held tools of an MCP server of the workspace',
    access: 'ADMIN',
    ...deciding,
    ...ofWorkspace,
  }),
  decideToolsInCrew: post('/crews/:crewId/integrations/:serverId/tools/decide', {
    summary: 'Approve or refuse the held tools of an MCP server of a crew',
    access: 'MANAGER',
    ...deciding,
    ...inCrew,
  }),
}
