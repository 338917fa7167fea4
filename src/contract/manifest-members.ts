import { type TSchema, Type } from 'typebox'
import { AgentDraft } from './agents.ts'
import { channelTypes, notificationCategories, notificationPriorities } from './channels.ts'
import { credentialProviders, credentialTypes } from './credentials.ts'
import { line, nullable, prose } from './fields.ts'
import { IntegrationDraft, mcpCredentialTypes } from './integrations.ts'

/** Where a member of a thing stands in its document, and what it may be. */
export type ManifestMember = readonly [path: string, schema: TSchema]
export type ManifestMembers = Readonly<Record<string, ManifestMember>>

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)
export const names = (description: string) =>
  optional(Type.Array(line(255), { maxItems: 500, uniqueItems: true, description }))
export const agentName = optional(nullable(Type.String({ maxLength: 64, description: 'The slug of an agent' })))
export const projectName = optional(nullable(Type.String({ maxLength: 100, description: 'The name of a project' })))
export const crewName = optional(nullable(Type.String({ maxLength: 64, description: 'The slug of a crew' })))

const { name: _agentName, slug: _agentSlug, crew_id: _crew, mcp_config_json: _mcp, ...agent } = AgentDraft.properties

/** The members of an agent: all in one mapping within a crew, in `metadata` and `spec` in a document of its own. */
export const agentMembers = (metadata: string, spec: string): ManifestMembers => ({
  name: [`${metadata}name`, optional(line(100))],
  description: [`${metadata}description`, agent.description],
  role_title: [`${spec}role_title`, agent.role_title],
  agent_role: [`${spec}agent_role`, optional(Type.Enum(['AGENT', 'LEAD']))],
  lead_mode: [`${spec}lead_mode`, agent.lead_mode],
  cli_adapter: [`${spec}cli_adapter`, agent.cli_adapter],
  llm_provider: [`${spec}llm.provider`, agent.llm_provider],
  llm_model: [`${spec}llm.model`, agent.llm_model],
  system_prompt: [`${spec}prompt`, agent.system_prompt],
  avatar_seed: [`${spec}avatar_seed`, agent.avatar_seed],
  avatar_style: [`${spec}avatar_style`, agent.avatar_style],
  timeout_seconds: [`${spec}timeout_seconds`, agent.timeout_seconds],
  tool_profile: [`${spec}tool_profile`, agent.tool_profile],
  cli_tools: [`${spec}cli_tools`, agent.cli_tools],
  memory_enabled: [`${spec}memory_enabled`, agent.memory_enabled],
  suggested_prompts: [`${spec}suggested_prompts`, agent.suggested_prompts],
  ask_forms: [`${spec}ask_forms`, agent.ask_forms],
  schedule_cron: [`${spec}schedule_cron`, agent.schedule_cron],
  schedule_prompt: [`${spec}schedule_prompt`, agent.schedule_prompt],
  schedule_enabled: [`${spec}schedule_enabled`, agent.schedule_enabled],
  schedule_timezone: [`${spec}schedule_timezone`, agent.schedule_timezone],
  webhook_require_timestamp: [`${spec}webhook_require_timestamp`, agent.webhook_require_timestamp],
  skills: [`${spec}skills`, names('Slugs of the skills that it has')],
  env_refs: [`${spec}env_refs`, names('Variables of credentials that it is given by itself')],
})

export const credentialMembers: ManifestMembers = {
  type: ['type', optional(Type.Enum(credentialTypes, { description: 'SECRET unless stated' }))],
  provider: ['provider', optional(Type.Enum(credentialProviders, { description: 'NONE unless stated' }))],
  account_label: ['label', optional(nullable(line(200)))],
  help_url: ['help_url', optional(nullable(line(2000)))],
  description: ['description', optional(nullable(prose(4000)))],
  required: [
    'required',
    optional(Type.Boolean({ description: 'Refuse to apply without a value; true unless stated' })),
  ],
}

/** The server of the workspace whose place a crew's takes. */
export const serverName = optional(nullable(Type.String({ maxLength: 64, description: 'A server of the workspace' })))

const serverConfig = optional(
  nullable(
    Type.Object(
      {
        headers: optional(Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 1000 }))),
        timeout_seconds: optional(Type.Integer({ minimum: 1, maximum: 300 })),
      },
      { additionalProperties: false },
    ),
  ),
)

const variableName = '^[A-Za-z_][A-Za-z0-9_]{0,127}$'

/** How an agent uses a server. */
const ServerBinding = Type.Object(
  {
    agent: Type.String({ maxLength: 64, description: 'The slug of an agent' }),
    credential: optional(nullable(Type.String({ maxLength: 255, description: 'The credential that is sent' }))),
    type: optional(Type.Enum(mcpCredentialTypes, { description: 'bearer unless stated' })),
    header: optional(nullable(Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }))),
    variable: optional(nullable(Type.String({ maxLength: 128, pattern: variableName }))),
    enabled: optional(Type.Boolean({ description: 'true unless stated' })),
    config: serverConfig,
  },
  { additionalProperties: false },
)

export const server = IntegrationDraft.properties

/** The members of an MCP server. Its variables take their values from credentials, so no value is in a file. */
export const serverMembers = (spec: string): ManifestMembers => ({
  display_name: [`${spec}display_name`, server.display_name],
  transport: [`${spec}transport`, server.transport],
  endpoint: [`${spec}endpoint`, server.endpoint],
  command: [`${spec}command`, server.command],
  args: [`${spec}args`, optional(Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 50 }))],
  env_mapping: [
    `${spec}env_mapping`,
    optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        patternProperties: { [variableName]: { type: 'string', pattern: variableName } },
        additionalProperties: false,
        maxProperties: 50,
        description: 'Variables of the server, and which credential fills each',
      }),
    ),
  ],
  config: [`${spec}config`, serverConfig],
  icon: [`${spec}icon`, server.icon],
  enabled: [`${spec}enabled`, optional(Type.Boolean())],
  bindings: [
    `${spec}bindings`,
    optional(Type.Array(ServerBinding, { maxItems: 500, description: 'Agents that use it; none: all' })),
  ],
})

/** A channel for notifications. What signs it, or where a service is, is a secret and never in a file. */
export const channelMembers: ManifestMembers = {
  type: ['type', Type.Enum([...channelTypes])],
  url: ['url', optional(Type.String({ maxLength: 2000, description: 'of a webhook' }))],
  to: ['to', optional(Type.String({ maxLength: 254, description: 'of mail' }))],
  provider: ['provider', optional(Type.String({ maxLength: 40, description: 'of the type shoutrrr' }))],
  events: ['events', optional(Type.Array(Type.Enum(['run.completed', 'run.failed']), { uniqueItems: true }))],
  categories: ['categories', optional(Type.Array(Type.Enum([...notificationCategories]), { uniqueItems: true }))],
  min_priority: ['min_priority', optional(Type.Enum([...notificationPriorities]))],
  enabled: ['enabled', optional(Type.Boolean())],
  agents: ['agents', names('Slugs of the agents that may send through it')],
}

/** The variable whose value a new channel is given: what signs a webhook, or the URL of a service. */
export const channelVariable = (slug: string): string => `CHANNEL_${slug.toUpperCase().replaceAll('-', '_')}`
