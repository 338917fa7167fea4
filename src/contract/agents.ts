import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, nullable, page, promptBytes, prose, proseOfBytes, Slug, Time } from './fields.ts'

export const cliAdapters = [
  'CLAUDE_CODE',
  'CODEX_CLI',
  'GEMINI_CLI',
  'OPENCODE',
  'CURSOR_CLI',
  'FACTORY_DROID',
] as const
export const llmProviders = ['ANTHROPIC', 'OPENAI', 'GOOGLE', 'CURSOR', 'FACTORY', 'OLLAMA'] as const
/** Providers whose models can be listed. */
export const listedProviders = ['ANTHROPIC', 'OPENAI', 'GOOGLE', 'OLLAMA'] as const
export const agentRoles = ['AGENT', 'LEAD'] as const
export const leadModes = ['active', 'passive'] as const
export const agentStatuses = ['IDLE', 'RUNNING', 'ERROR', 'PENDING_REVIEW'] as const
export type AgentStatus = (typeof agentStatuses)[number]

export type CliAdapter = (typeof cliAdapters)[number]
export type LlmProvider = (typeof llmProviders)[number]

/** Adapters that this version can run, with the providers each one works with; the first is the default. */
export const adapterProviders: Partial<Record<CliAdapter, readonly [LlmProvider, ...LlmProvider[]]>> = {
  CLAUDE_CODE: ['ANTHROPIC'],
  CODEX_CLI: ['OPENAI'],
  GEMINI_CLI: ['GOOGLE'],
  OPENCODE: ['ANTHROPIC', 'OPENAI', 'GOOGLE'],
  FACTORY_DROID: ['ANTHROPIC', 'OPENAI'],
}

/** The provider whose models an agent works with; undefined when this version cannot run its client. */
export const providerFor = (adapter: CliAdapter, chosen?: LlmProvider | null): LlmProvider | undefined =>
  chosen ?? adapterProviders[adapter]?.[0]

/** A model's name, and the provider that stands before it (`openai/gpt-5`) where the client works with several. */
export function splitModel(adapter: CliAdapter, model: string): { owner: LlmProvider | null; name: string } {
  const providers = adapterProviders[adapter] ?? []
  const owner = providers.length > 1 && providers.find((it) => model.startsWith(`${it.toLowerCase()}/`))
  return owner ? { owner, name: model.slice(owner.length + 1) } : { owner: null, name: model }
}

/** Tools without which a client can do nothing, so that it cannot be kept from them. */
export const adapterNeeds: Partial<Record<CliAdapter, readonly string[]>> = {
  CODEX_CLI: ['Bash'],
  // It runs plugins that lie in the folder it works in, whatever its tools.
  OPENCODE: ['Bash'],
  // It runs `git` where it works, whose settings there may name programs.
  FACTORY_DROID: ['Bash'],
}

/** Adapters whose clients choose no model by themselves. */
export const adaptersWithModel: readonly CliAdapter[] = ['FACTORY_DROID']
export const defaultAdapter: CliAdapter = 'CLAUDE_CODE'

export const toolProfiles = ['MINIMAL', 'CODING', 'FULL'] as const

const minimal = ['Read', 'Glob', 'Grep', 'ToolSearch']
const coding = [...minimal, 'Write', 'Edit', 'Bash', 'WebFetch', 'WebSearch']

/** The tools of each profile; `cli_tools` narrows them. */
export const profileTools: Record<(typeof toolProfiles)[number], readonly string[]> = {
  MINIMAL: minimal,
  CODING: coding,
  FULL: [...coding, 'NotebookEdit'],
}

export const defaultTimeoutSeconds = 1800

const optionalText = nullable(Type.String())

export const PaysWith = Type.Object({
  credential_id: Type.Optional(Id),
  name: Type.Optional(Type.String()),
  login: Type.Optional(optionalText),
  provider: Type.Optional(Type.String()),
  restricted: Type.Optional(Type.Boolean({ description: 'True for callers who may not see which account pays' })),
})

const row = {
  id: Id,
  crew_id: nullable(Id),
  workspace_id: Id,
  name: Type.String(),
  slug: Type.String(),
  description: optionalText,
  role_title: optionalText,
  agent_role: Type.Enum(agentRoles),
  lead_mode: nullable(Type.Enum(leadModes)),
  status: Type.Enum(agentStatuses),
  waiting_runs: Type.Integer({ description: 'Runs of it that wait for a person, without a program' }),
  cli_adapter: Type.Enum(cliAdapters),
  llm_provider: nullable(Type.Enum(llmProviders)),
  llm_model: optionalText,
  system_prompt: optionalText,
  avatar_seed: optionalText,
  avatar_style: optionalText,
  avatar_url: optionalText,
  timeout_seconds: Type.Integer(),
  tool_profile: Type.Enum(toolProfiles),
  memory_enabled: Type.Boolean(),
  cli_tools: optionalText,
  schedule_cron: optionalText,
  schedule_prompt: optionalText,
  schedule_enabled: Type.Boolean(),
  schedule_timezone: Type.String(),
  schedule_last_run: optionalText,
  schedule_next_run: optionalText,
  webhook_require_timestamp: Type.Boolean(),
  mcp_config_json: Type.Optional(
    Type.String({ description: 'Left out when empty and for members who may not change agents: it can hold secrets' }),
  ),
  crew: Type.Unsafe<{
    id: string
    name: string
    slug: string
    color: string | null
    avatar_style: string | null
  } | null>({
    type: ['object', 'null'],
    properties: { id: Id, name: Type.String(), slug: Type.String(), color: optionalText, avatar_style: optionalText },
  }),
  _count: Type.Object({ skills: Type.Integer(), credentials: Type.Integer(), chats: Type.Integer() }),
  created_by_user_id: Type.Optional(Id),
  owner: Type.Optional(
    Type.Object(
      { full_name: optionalText, email: Type.String() },
      { description: 'Who made it, as long as that person belongs to the workspace' },
    ),
  ),
  last_active_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'When its newest run ended or, if it goes on, began' }),
  ),
  ephemeral: Type.Boolean(),
  expires_at: optionalText,
  expired_at: optionalText,
  parent_lead_id: optionalText,
  hire_reason: optionalText,
  suggested_prompts: optionalText,
  ask_forms: optionalText,
  created_at: Time,
  updated_at: Time,
  pays_with: Type.Unsafe<Type.Static<typeof PaysWith> | null>({ ...PaysWith, type: ['object', 'null'] }),
}

export const AgentRow = Type.Object(row)
export const Agent = Type.Object({
  ...row,
  schedule_next_runs: Type.Array(Type.String(), { description: 'The next three times; none while it is switched off' }),
  webhook_secret_set: Type.Boolean(),
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'What was stored but deserves a second look' })),
})

const members = {
  description: Type.Optional(nullable(prose(4000))),
  role_title: Type.Optional(nullable(line(200))),
  agent_role: Type.Optional(Type.String({ description: 'AGENT or LEAD, in any case' })),
  cli_adapter: Type.Optional(Type.Enum(cliAdapters)),
  llm_provider: Type.Optional(Type.Enum(llmProviders)),
  llm_model: Type.Optional(nullable(line(200))),
  system_prompt: Type.Optional(nullable(proseOfBytes(promptBytes))),
  avatar_seed: Type.Optional(nullable(line(200))),
  avatar_style: Type.Optional(nullable(line(100))),
  timeout_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86400, description: `0: ${defaultTimeoutSeconds}` }),
  ),
  tool_profile: Type.Optional(Type.Enum(toolProfiles)),
  cli_tools: Type.Optional(nullable(line(1000))),
  mcp_config_json: Type.Optional(nullable(prose(65_536))),
  memory_enabled: Type.Optional(Type.Boolean()),
  suggested_prompts: Type.Optional(
    nullable(Type.String({ maxLength: 4000, description: 'One a line: at most 8, of 120 characters each' })),
  ),
  schedule_cron: Type.Optional(
    nullable(
      Type.String({
        maxLength: 200,
        description: 'Minute, hour, day of month, month and day of week; or @hourly etc.',
      }),
    ),
  ),
  schedule_prompt: Type.Optional(nullable(prose(16_000))),
  schedule_enabled: Type.Optional(Type.Boolean()),
  schedule_timezone: Type.Optional(nullable(Type.String({ maxLength: 64, description: 'UTC unless stated' }))),
  webhook_require_timestamp: Type.Optional(
    Type.Boolean({ description: 'Refuse calls whose signature has no timestamp' }),
  ),
  ask_forms: Type.Optional(
    nullable(Type.String({ maxLength: 65_536, description: 'At most 4 forms: a JSON array, as text' })),
  ),
}

export const AgentDraft = Type.Object({
  name: line(100),
  slug: Slug,
  crew_id: Type.Optional(nullable(Id)),
  lead_mode: Type.Optional(nullable(Type.Enum(leadModes))),
  ...members,
  llm_provider: Type.Optional(nullable(members.llm_provider)),
})
export const AgentPatch = Type.Object({
  name: Type.Optional(line(100)),
  slug: Type.Optional(Slug),
  crew_id: Type.Optional(nullable(Type.String({ description: 'Empty or null: the agent leaves its crew' }))),
  lead_mode: Type.Optional(Type.Enum(leadModes)),
  ...members,
})

export const agents = {
  list: get('/agents', {
    summary: 'List agents; X-Total-Count, X-Limit and X-Offset say which window this is',
    access: 'VIEWER',
    query: Type.Object({
      ...page,
      crew_id: Type.Optional(Type.String()),
      q: Type.Optional(Type.String({ description: 'Part of name, slug or role title, in any case' })),
      include_setup: Type.Optional(Type.String({ description: '1: also the agents of the onboarding guide' })),
      ephemeral: Type.Optional(Type.String({ description: '1: only hired agents' })),
    }),
    reply: Type.Array(AgentRow),
  }),
  status: get('/agents/crews-status', {
    summary: 'Count agents by what they do',
    access: 'VIEWER',
    reply: Type.Object({
      total: Type.Integer(),
      running: Type.Integer(),
      error: Type.Integer(),
      idle: Type.Integer(),
      queued: Type.Integer(),
    }),
  }),
  load: get('/agent-load', {
    summary: 'Say how much each agent has to do',
    access: 'VIEWER',
    reply: Type.Array(
      Type.Object({
        agent_id: Id,
        agent_name: Type.String(),
        agent_slug: Type.String(),
        agent_status: Type.Enum(agentStatuses),
        active_tasks: Type.Integer(),
        pending_tasks: Type.Integer(),
        completed_today: Type.Integer(),
        tokens_used_today: Type.Integer({
          description: 'Input, cached input and output of runs that ended since 00:00 UTC',
        }),
        cost_usd_today: Type.Union([Type.Number(), Type.Null()], { description: 'null when none of it is known' }),
        unpriced_runs_today: Type.Integer({ description: 'Runs among them whose cost is unknown' }),
        token_budget: Type.Integer(),
      }),
    ),
  }),
  create: post('/agents', {
    summary: 'Create an agent',
    access: 'MANAGER',
    crew: 'body.crew_id',
    scope: 'agents:write',
    body: AgentDraft,
    reply: Agent,
    journal: ['audit.entity_created'],
    entity: 'agent',
    throws: ['slug_taken', 'lead_taken'],
  }),
  show: get('/agents/:agentId', {
    summary: 'Show an agent and what pays for its model',
    access: 'VIEWER',
    crew: 'agentId',
    reply: Agent,
    throws: ['not_found'],
  }),
  update: patch('/agents/:agentId', {
    summary: 'Change an agent; managers only those that they created',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    body: AgentPatch,
    reply: Agent,
    journal: ['audit.entity_updated'],
    entity: 'agent',
    throws: ['not_found', 'slug_taken', 'lead_taken', 'no_fields'],
  }),
  remove: del('/agents/:agentId', {
    summary: 'Delete an agent; managers only those that they created',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    status: 200,
    reply: Type.Object({ success: Type.Boolean() }),
    journal: ['audit.entity_deleted'],
    entity: 'agent',
    throws: ['not_found'],
  }),
}
