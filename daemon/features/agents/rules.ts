import type { Static } from 'typebox'
import {
  type AgentPatch,
  adapterNeeds,
  adapterProviders,
  adaptersWithModel,
  agentRoles,
  type CliAdapter,
  defaultAdapter,
  defaultTimeoutSeconds,
  profileTools,
  splitModel,
} from '#contract/agents'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { providerOfModel } from '../../providers/index.ts'
import { askForms } from './forms/definition.ts'
import { isRecord, parsed } from './json.ts'
import { suggestedPrompts } from './prompts.ts'
import type { AgentMembers } from './queries.ts'

type Body = Static<typeof AgentPatch>

const blank: AgentMembers = {
  name: '',
  slug: '',
  crew_id: null,
  description: null,
  role_title: null,
  agent_role: 'AGENT',
  lead_mode: null,
  cli_adapter: defaultAdapter,
  llm_provider: null,
  llm_model: null,
  system_prompt: null,
  avatar_seed: null,
  avatar_style: null,
  timeout_seconds: defaultTimeoutSeconds,
  tool_profile: 'CODING',
  cli_tools: null,
  mcp_config_json: null,
  memory_enabled: false,
  suggested_prompts: null,
  ask_forms: null,
}

export const memberNames: readonly string[] = Object.keys(blank)

const texts = ['description', 'role_title', 'system_prompt', 'avatar_seed', 'avatar_style'] as const

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** The agent after a create (no `before`) or a change; refuses what does not fit together. */
export function merge(body: Body, before: AgentMembers = blank): AgentMembers {
  const next: AgentMembers = { ...before }
  if (body.name !== undefined) next.name = cleanName('name', body.name, { min: 2, max: 100, unit: 'bytes' })
  if (body.slug !== undefined) next.slug = body.slug
  if (body.crew_id !== undefined) next.crew_id = body.crew_id || null
  for (const name of texts) if (body[name] !== undefined) next[name] = blankToNull(body[name])
  if (body.llm_model !== undefined) next.llm_model = model(body.llm_model)
  if (body.timeout_seconds !== undefined) next.timeout_seconds = body.timeout_seconds || defaultTimeoutSeconds
  if (body.mcp_config_json !== undefined) next.mcp_config_json = mcpConfig(body.mcp_config_json)
  if (body.memory_enabled !== undefined) next.memory_enabled = body.memory_enabled
  if (body.suggested_prompts !== undefined) next.suggested_prompts = suggestedPrompts(body.suggested_prompts)
  if (body.ask_forms !== undefined) next.ask_forms = askForms(body.ask_forms)
  Object.assign(next, client(body, next), role(body, next), tools(body, next))
  checkNeeds(body, next)
  return next
}

function client(
  body: Body,
  { cli_adapter, llm_provider }: AgentMembers,
): Pick<AgentMembers, 'cli_adapter' | 'llm_provider'> {
  const adapter = body.cli_adapter ?? cli_adapter
  const provider = body.llm_provider ?? llm_provider
  const providers = adapterProviders[adapter]
  if (!providers) {
    throw refuse(
      'cli_adapter',
      `cli_adapter ${adapter} is not supported by this version yet; it runs ` +
        Object.keys(adapterProviders).join(', '),
    )
  }
  if (provider !== null && !providers.includes(provider))
    throw refuse('llm_provider', `${adapter} works with ${providers.join(', ')} models, not with ${provider}`)
  return { cli_adapter: adapter, llm_provider: provider }
}

function role(body: Body, next: AgentMembers): Pick<AgentMembers, 'agent_role' | 'lead_mode'> {
  const agent_role = body.agent_role === undefined ? next.agent_role : roleOf(body.agent_role)
  if (agent_role === 'AGENT') {
    if (body.lead_mode) throw refuse('lead_mode', 'lead_mode belongs to a LEAD')
    return { agent_role, lead_mode: null }
  }
  if (!next.crew_id) {
    const field = body.agent_role === undefined ? 'crew_id' : 'agent_role'
    throw refuse(field, 'A LEAD needs a crew to lead')
  }
  return { agent_role, lead_mode: body.lead_mode ?? next.lead_mode ?? 'active' }
}

/** ASCII before folding: some letters of other scripts turn into ASCII ones when their case changes. */
function roleOf(given: string): AgentMembers['agent_role'] {
  const upper = /^[A-Za-z]+$/.test(given) ? given.toUpperCase() : ''
  const found = agentRoles.find((known) => known === upper)
  if (!found) throw refuse('agent_role', `agent_role must be one of ${agentRoles.join(', ')}`)
  return found
}

/** Every tool that some profile has. */
const everyTool = [...new Set(Object.values(profileTools).flat())]

/**
 * Names in one spelling and order. A run is given those that its profile has too, so a profile can be narrowed and
 * widened again.
 */
function tools(
  body: Body,
  { tool_profile, cli_tools }: AgentMembers,
): Pick<AgentMembers, 'tool_profile' | 'cli_tools'> {
  const profile = body.tool_profile ?? tool_profile
  if (body.cli_tools === undefined) return { tool_profile: profile, cli_tools }
  const list = blankToNull(body.cli_tools)
  if (list === null) return { tool_profile: profile, cli_tools: null }
  const wanted = list.split(',').map((name) => name.trim().toLowerCase())
  const stray = wanted.find((name) => !everyTool.some((tool) => tool.toLowerCase() === name))
  if (stray !== undefined)
    throw refuse('cli_tools', `cli_tools: there is no tool "${stray.slice(0, 50)}"; there are ${everyTool.join(', ')}`)
  return { tool_profile: profile, cli_tools: everyTool.filter((tool) => wanted.includes(tool.toLowerCase())).join(',') }
}

/** Refuses what the client could not work with, and tools that it could not be kept to. */
function checkNeeds(body: Body, { cli_adapter, llm_model, tool_profile, cli_tools }: AgentMembers): void {
  if (llm_model === null && adaptersWithModel.includes(cli_adapter))
    throw refuse('llm_model', `${cli_adapter} chooses no model by itself; name one in llm_model`)
  checkFamily(cli_adapter, llm_model)
  const given = profileTools[tool_profile].filter((tool) => cli_tools === null || cli_tools.split(',').includes(tool))
  const needed = adapterNeeds[cli_adapter]?.find((tool) => !given.includes(tool))
  if (needed === undefined) return
  const field = body.cli_tools !== undefined ? 'cli_tools' : body.tool_profile ? 'tool_profile' : 'cli_adapter'
  throw refuse(
    field,
    `${cli_adapter} cannot be kept from ${needed}, which these tools leave out; take a profile and tools with it`,
  )
}

/** A client that works with several providers tells by a model's name whose it is. */
function checkFamily(adapter: CliAdapter, model: string | null): void {
  const own = adapterProviders[adapter] ?? []
  if (own.length < 2 || model === null) return
  const { owner, name } = splitModel(adapter, model)
  const family = owner ?? providerOfModel(name)?.name
  if (family !== undefined && !(own as readonly string[]).includes(family))
    throw refuse('llm_model', `${adapter} works with ${own.join(', ')} models, not with those of ${family}`)
}

/** Becomes an argument of the agent's program, so it must not look like an option. */
function model(given: string | null): string | null {
  const name = blankToNull(given)?.trim() ?? null
  if (name !== null && !/^[A-Za-z0-9][A-Za-z0-9._:/@[\]-]*$/.test(name))
    throw refuse(
      'llm_model',
      'llm_model is no model id: one begins with a letter or digit and holds only these and . _ : / @ [ ] -',
    )
  return name
}

function mcpConfig(given: string | null): string | null {
  const text = blankToNull(given)
  if (text === null) return null
  const config = parsed(text)
  const servers = isRecord(config) ? config['mcpServers'] : undefined
  if (!isRecord(servers)) throw refuse('mcp_config_json', 'mcp_config_json must be JSON with an mcpServers object')
  const broken = Object.entries(servers).find(([, server]) => !isRecord(server))
  if (broken)
    throw refuse('mcp_config_json', `mcp_config_json: the server "${broken[0].slice(0, 50)}" must be an object`)
  return text
}

/** What `q` of the list is matched against, in one Unicode form and case. */
export const searchText = ({ name, slug, role_title }: Pick<AgentMembers, 'name' | 'slug' | 'role_title'>): string =>
  fold(`${name}\n${slug}\n${role_title ?? ''}`)
export const fold = (text: string): string => text.normalize('NFC').toLowerCase()
