import { type TSchema, Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, nullable, prose, Ref, Time } from './fields.ts'

export const mcpTransports = ['streamable-http', 'stdio'] as const
export type McpTransport = (typeof mcpTransports)[number]
export const mcpScopes = ['workspace', 'crew'] as const
export type McpScope = (typeof mcpScopes)[number]
/** How a credential is sent to a server. */
export const mcpCredentialTypes = ['bearer', 'api_key', 'basic'] as const
export type McpCredentialType = (typeof mcpCredentialTypes)[number]
export const mcpAuthStatuses = ['none', 'missing', 'expired', 'connected'] as const

/** Servers of a workspace, and of each crew. */
export const mostServers = 200
/** What stands in the place of the value of a variable, which is not shown. Sent back, it keeps the value. */
export const hiddenValue = '********'

const text = nullable(Type.String())
const jsonText = (description: string) => nullable(Type.String({ description }))

/** What is the same in all shapes of a server. */
const ServerMembers = {
  name: Type.String(),
  display_name: Type.String(),
  transport: Type.Enum(mcpTransports),
  endpoint: text,
  command: text,
  args_json: jsonText('JSON array of texts'),
  env_json: jsonText(`JSON object of variables, each with the value ${hiddenValue}: values are not shown`),
  config_json: jsonText('JSON object: headers, timeout_seconds'),
  icon: text,
  enabled: Type.Boolean(),
}

const stored = { created_at: Time, updated_at: Time }

/** An MCP server of the workspace. */
export const Integration = Type.Object({
  id: Id,
  workspace_id: Id,
  ...ServerMembers,
  agent_binding_count: Type.Integer({ description: 'Agents that are bound to it; 0: all may use it' }),
  crew_server_count: Type.Integer({ description: 'Servers of crews that were made from it' }),
  ...stored,
})

const CrewMembers = {
  id: Id,
  crew_id: Id,
  workspace_mcp_server_id: nullable(Type.String({ description: 'The server of the workspace that it was made from' })),
  ...ServerMembers,
  agent_binding_count: Type.Integer({ description: 'Agents that are bound to it; 0: all of the crew may use it' }),
  auth_status: Type.Enum(mcpAuthStatuses, { description: 'none: it is not reached over HTTP' }),
  ...stored,
}

/** An MCP server of a crew. */
export const CrewIntegration = Type.Object(CrewMembers)

/** What an agent's use of a server is bound to. */
export const Binding = Type.Object({
  id: Id,
  agent_id: Id,
  mcp_server_id: Id,
  mcp_server_scope: Type.Enum(mcpScopes),
  credential_id: nullable(Id),
  cred_type: nullable(Type.Enum(mcpCredentialTypes)),
  cred_header: nullable(Type.String({ description: 'The header that carries it' })),
  env_var_name: nullable(Type.String({ description: 'The variable that carries it to a stdio server' })),
  enabled: Type.Boolean(),
  config_override_json: jsonText("JSON object: its members win over those of the server's config_json"),
  created_at: Time,
  server_name: Type.String(),
  server_display_name: Type.String(),
  credential_name: nullable(Type.String({ description: 'null also for a credential that you may not see' })),
})

/** A server that an agent may use, and why. */
export const ResolvedIntegration = Type.Object({
  server_id: Id,
  scope: Type.Enum(mcpScopes),
  ...ServerMembers,
  binding_id: nullable(Id),
  credential_id: nullable(Id),
  credential_name: text,
  replaces: nullable(Type.String({ description: 'The server of the workspace whose place it takes' })),
  reason: Type.String({ description: "Where it comes from, such as: from crew, agent's credential" }),
})

const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))
const json = (maxLength: number, description: string) => optional(Type.String({ maxLength, description }))

const connection = {
  display_name: optional(line(100)),
  transport: Type.Optional(Type.Enum(mcpTransports, { description: 'streamable-http unless stated' })),
  endpoint: optional(Type.String({ maxLength: 2000, description: 'https address of a server over HTTP' })),
  command: optional(Type.String({ maxLength: 100, description: 'program of a stdio server, without a path' })),
  args_json: json(32_768, 'JSON array of at most 50 texts'),
  env_json: json(65_536, `JSON object of at most 50 variables; ${hiddenValue} keeps the value that is stored`),
  config_json: json(16_384, 'JSON object: headers, timeout_seconds'),
  icon: optional(line(500)),
  enabled: optional(Type.Boolean()),
}

const ServerName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
  maxLength: 64,
  description: 'a-z, A-Z, 0-9, _ and -, at most 64 characters',
})

export const IntegrationDraft = Type.Object({ name: ServerName, ...connection })
export const IntegrationPatch = Type.Object(connection)
const CrewDraft = Type.Object({ name: ServerName, ...connection, workspace_mcp_server_id: optional(Ref) })

const grant = {
  credential_id: optional(Ref),
  cred_type: optional(Type.Enum(mcpCredentialTypes, { description: 'bearer unless stated' })),
  cred_header: optional(
    Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9-]+$', description: 'Authorization or x-api-key unless stated' }),
  ),
  env_var_name: optional(
    Type.String({ maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$', description: 'letters, digits and _' }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'true unless stated; false takes the server from the agent' })),
  config_override_json: optional(prose(16_384)),
}

const writing = { scope: 'workspace:admin' } as const
const manage = { access: 'ADMIN', ...writing } as const
const inCrew = { crew: 'crewId', scope: 'crews:write' } as const
const ofAgent = { access: 'MANAGER', crew: 'agentId', scope: 'agents:write' } as const

const testing = {
  access: 'MANAGER',
  status: 200,
  journal: false,
  throws: ['not_found'],
  noDryRun: 'it asks the server and stores nothing',
  reply: Type.Object({
    status: Type.Enum(['ok', 'error', 'auth_required']),
    message: Type.Optional(
      Type.String({ description: 'What is wrong, with which credential it was asked, or where a program was run' }),
    ),
    server_info: Type.Optional(
      Type.Object({ name: Type.String(), version: Type.String() }, { description: 'What the server says of itself' }),
    ),
  }),
} as const

const Deleted = Type.Object({ status: Type.Literal('deleted') })
const refusals = ['name_taken', 'integrations_full', 'encryption_unavailable'] as const

/** MCP servers of the workspace, its crews and their agents. docs/integrations.md. */
export const integrations = {
  list: get('/integrations', {
    summary: 'List the MCP servers of the workspace, newest first',
    access: 'VIEWER',
    reply: Type.Array(Integration),
  }),
  show: get('/integrations/:integrationId', {
    summary: 'Show an MCP server of the workspace',
    access: 'VIEWER',
    reply: Integration,
    throws: ['not_found'],
  }),
  create: post('/integrations', {
    summary: 'Add an MCP server for all crews',
    ...manage,
    body: IntegrationDraft,
    reply: Integration,
    journal: ['audit.entity_created'],
    throws: refusals,
  }),
  update: patch('/integrations/:integrationId', {
    summary: 'Change an MCP server of the workspace',
    ...manage,
    body: IntegrationPatch,
    reply: Integration,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'no_fields', 'encryption_unavailable'],
  }),
  remove: del('/integrations/:integrationId', {
    summary: 'Delete an MCP server of the workspace, with what was made from it and bound to it',
    ...manage,
    status: 200,
    reply: Deleted,
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  test: post('/integrations/:integrationId/test', {
    summary: 'Test whether an MCP server of the workspace answers, with the credential that it is used with',
    ...testing,
    ...writing,
  }),
  crews: get('/integrations/crews', {
    summary: 'List the MCP servers of all crews',
    access: 'VIEWER',
    reply: Type.Array(Type.Object({ ...CrewMembers, crew_name: Type.String(), crew_slug: Type.String() })),
  }),
  ofCrew: get('/crews/:crewId/integrations', {
    summary: 'List the MCP servers of a crew, newest first',
    access: 'VIEWER',
    reply: Type.Array(CrewIntegration),
    throws: ['not_found'],
  }),
  createInCrew: post('/crews/:crewId/integrations', {
    summary: 'Add an MCP server for a crew, also from one of the workspace',
    access: 'MANAGER',
    ...inCrew,
    body: CrewDraft,
    reply: CrewIntegration,
    journal: ['audit.entity_created'],
    throws: ['not_found', ...refusals],
  }),
  updateInCrew: patch('/crews/:crewId/integrations/:serverId', {
    summary: 'Change an MCP server of a crew',
    access: 'ADMIN',
    ...inCrew,
    body: IntegrationPatch,
    reply: CrewIntegration,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'no_fields', 'encryption_unavailable'],
  }),
  removeInCrew: del('/crews/:crewId/integrations/:serverId', {
    summary: 'Delete an MCP server of a crew, with what is bound to it',
    access: 'ADMIN',
    ...inCrew,
    status: 200,
    reply: Deleted,
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  testInCrew: post('/crews/:crewId/integrations/:serverId/test', {
    summary: 'Test whether an MCP server of a crew answers, with the credential that it is used with',
    ...testing,
    ...inCrew,
  }),
  bound: get('/agents/:agentId/integrations', {
    summary: 'List what an agent is bound to',
    access: 'VIEWER',
    reply: Type.Array(Binding),
    throws: ['not_found'],
  }),
  bind: post('/agents/:agentId/integrations', {
    summary: 'Bind an agent to an MCP server, with a credential or without one',
    ...ofAgent,
    body: Type.Object({ mcp_server_id: Ref, mcp_server_scope: Type.Enum(mcpScopes), ...grant }),
    reply: Binding,
    journal: ['audit.entity_created'],
    throws: ['not_found', 'already_assigned', 'source_managed'],
  }),
  rebind: patch('/agents/:agentId/integrations/:bindingId', {
    summary: 'Change what an agent is bound to',
    ...ofAgent,
    body: Type.Object(grant),
    reply: Type.Object({ status: Type.Literal('updated') }),
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'no_fields', 'source_managed'],
  }),
  unbind: del('/agents/:agentId/integrations/:bindingId', {
    summary: 'End what an agent is bound to',
    ...ofAgent,
    status: 200,
    reply: Deleted,
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  resolved: get('/agents/:agentId/integrations/resolved', {
    summary: 'List the MCP servers that an agent may use, each with the reason',
    access: 'VIEWER',
    reply: Type.Array(ResolvedIntegration),
    throws: ['not_found'],
  }),
}
