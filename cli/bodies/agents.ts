import { Flags, type Interfaces } from '@oclif/core'
import type { Static } from 'typebox'
import { cliAdapters, leadModes, llmProviders, toolProfiles } from '#client/words'
import type { AgentPatch } from '#contract/agents'
import { given, oneOf } from '../flags.ts'
import { fileOr } from '../input.ts'

/** Flags of what a person decides of an agent. */
export const agentFlags = {
  description: Flags.string({ description: 'purpose of the agent' }),
  'role-title': Flags.string({ aliases: ['title'], description: 'job title, such as "Release manager"' }),
  lead: Flags.boolean({ allowNo: true, description: 'make the agent the lead of its crew' }),
  'lead-mode': oneOf(leadModes, { description: 'how the lead works' }),
  adapter: oneOf(cliAdapters, { aliases: ['cli-adapter'], description: 'coding agent that does the work' }),
  provider: oneOf(llmProviders, { aliases: ['llm-provider'], description: 'model provider' }),
  model: Flags.string({ aliases: ['llm-model'], description: "model name; empty for the adapter's default" }),
  prompt: Flags.string({
    aliases: ['system-prompt'],
    helpValue: 'TEXT|@FILE',
    description: 'system prompt, or @FILE to read it from a file',
  }),
  timeout: Flags.integer({
    aliases: ['timeout-seconds'],
    min: 0,
    max: 86_400,
    helpValue: 'SECONDS',
    description: 'maximum duration of a run; 0 for the default',
  }),
  profile: oneOf(toolProfiles, {
    aliases: ['tool-profile'],
    description: 'set of tools that the agent may use',
  }),
  tools: Flags.string({ aliases: ['cli-tools'], helpValue: 'A,B', description: 'restrict the profile to these tools' }),
  mcp: Flags.string({
    helpGroup: 'MORE',
    aliases: ['mcp-config-json'],
    helpValue: 'JSON|@FILE',
    description: 'MCP servers as JSON, or @FILE to read them from a file',
  }),
  memory: Flags.boolean({ aliases: ['memory-enabled'], allowNo: true, description: "enable the agent's memory" }),
  'suggested-prompts': Flags.string({
    helpGroup: 'MORE',
    helpValue: 'TEXT|@FILE',
    description: 'suggested prompts, one per line; empty for none',
  }),
  'ask-forms': Flags.string({
    helpGroup: 'MORE',
    helpValue: 'JSON|@FILE',
    description: 'forms for people to fill in; empty for none',
  }),
  'schedule-cron': Flags.string({
    helpGroup: 'MORE',
    helpValue: 'CRON',
    description: 'when the agent begins by itself, such as "0 7 * * 1-5" or @daily; empty for never',
  }),
  'schedule-prompt': Flags.string({
    helpGroup: 'MORE',
    helpValue: 'TEXT|@FILE',
    description: 'what the agent is asked then',
  }),
  'schedule-timezone': Flags.string({
    helpGroup: 'MORE',
    helpValue: 'ZONE',
    description: 'time zone of the schedule, such as Europe/Berlin (default: UTC)',
  }),
  'schedule-enabled': Flags.boolean({ helpGroup: 'MORE', allowNo: true, description: 'switch the schedule on or off' }),
  'webhook-require-timestamp': Flags.boolean({
    helpGroup: 'MORE',
    allowNo: true,
    description: 'take only webhook calls that are signed with their time',
  }),
  'avatar-seed': Flags.string({ helpGroup: 'MORE', description: 'seed of the generated picture' }),
  'avatar-style': Flags.string({ helpGroup: 'MORE', description: 'style of the generated picture' }),
}

interface Named {
  name?: string | undefined
  slug?: string | undefined
  /** Its id. */
  crew?: string | undefined
}

/** What a flag says, or the file that it names holds. */
const read = (text: string | undefined) => (text === undefined ? undefined : fileOr(text))

/** The body of a create or a change from the flags that were given. */
export const agentBody = (
  flags: Named & Partial<Interfaces.InferredFlags<typeof agentFlags>>,
): Static<typeof AgentPatch> =>
  given({
    name: flags.name,
    slug: flags.slug,
    crew_id: flags.crew,
    description: flags.description,
    role_title: flags['role-title'],
    agent_role: flags.lead === undefined ? undefined : flags.lead ? 'LEAD' : 'AGENT',
    lead_mode: flags['lead-mode'],
    cli_adapter: flags.adapter,
    llm_provider: flags.provider,
    llm_model: flags.model,
    system_prompt: read(flags.prompt),
    timeout_seconds: flags.timeout,
    tool_profile: flags.profile,
    cli_tools: flags.tools,
    mcp_config_json: read(flags.mcp),
    memory_enabled: flags.memory,
    suggested_prompts: read(flags['suggested-prompts']),
    ask_forms: read(flags['ask-forms']),
    schedule_cron: flags['schedule-cron'],
    schedule_prompt: read(flags['schedule-prompt']),
    schedule_timezone: flags['schedule-timezone'],
    schedule_enabled: flags['schedule-enabled'],
    webhook_require_timestamp: flags['webhook-require-timestamp'],
    avatar_seed: flags['avatar-seed'],
    avatar_style: flags['avatar-style'],
  })
