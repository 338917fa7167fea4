import { Flags } from '@oclif/core'
import type { Static } from 'typebox'
import type { AgentPatch } from '#contract/agents'
import { bodyOf, oneOf } from '../flags.ts'
import { fileOr } from '../input.ts'

const adapters = ['CLAUDE_CODE', 'CODEX_CLI', 'GEMINI_CLI', 'OPENCODE', 'CURSOR_CLI', 'FACTORY_DROID'] as const
const providers = ['ANTHROPIC', 'OPENAI', 'GOOGLE', 'CURSOR', 'FACTORY', 'OLLAMA'] as const

/** Flags of what a person decides of an agent. */
export const agentFlags = {
  description: Flags.string({ description: 'what the agent is for' }),
  'role-title': Flags.string({ aliases: ['title'], description: 'title of its role, as "Release manager"' }),
  lead: Flags.boolean({ allowNo: true, description: 'the agent leads its crew' }),
  'lead-mode': oneOf(['active', 'passive'], { description: 'how a lead leads' }),
  adapter: oneOf(adapters, { aliases: ['cli-adapter'], description: 'command-line agent that does the work' }),
  provider: oneOf(providers, { aliases: ['llm-provider'], description: 'who serves the model' }),
  model: Flags.string({ aliases: ['llm-model'], description: "name of the model; empty for the adapter's own choice" }),
  prompt: Flags.string({
    aliases: ['system-prompt'],
    helpValue: 'TEXT|@FILE',
    description: 'system prompt, or @ and the file that holds it',
  }),
  timeout: Flags.integer({
    aliases: ['timeout-seconds'],
    min: 0,
    max: 86_400,
    helpValue: 'SECONDS',
    description: 'longest run; 0 means the default',
  }),
  profile: oneOf(['MINIMAL', 'CODING', 'FULL'], {
    aliases: ['tool-profile'],
    description: 'tools that the agent may use',
  }),
  tools: Flags.string({ aliases: ['cli-tools'], helpValue: 'A,B', description: 'narrows the profile to these tools' }),
  mcp: Flags.string({
    aliases: ['mcp-config-json'],
    helpValue: 'JSON|@FILE',
    description: 'MCP servers, as JSON or @ and the file that holds it',
  }),
  memory: Flags.boolean({ aliases: ['memory-enabled'], allowNo: true, description: 'the agent is to remember' }),
  'suggested-prompts': Flags.string({
    helpValue: 'TEXT|@FILE',
    description: 'what people are offered to ask, one a line; empty for none',
  }),
  'ask-forms': Flags.string({ helpValue: 'JSON|@FILE', description: 'forms that people fill in; empty for none' }),
  'avatar-seed': Flags.string({ description: 'what its picture is drawn from' }),
  'avatar-style': Flags.string({ description: 'how its picture is drawn' }),
}

const members = {
  name: 'name',
  slug: 'slug',
  crew: 'crew_id',
  description: 'description',
  'role-title': 'role_title',
  role: 'agent_role',
  'lead-mode': 'lead_mode',
  adapter: 'cli_adapter',
  provider: 'llm_provider',
  model: 'llm_model',
  prompt: 'system_prompt',
  timeout: 'timeout_seconds',
  profile: 'tool_profile',
  tools: 'cli_tools',
  mcp: 'mcp_config_json',
  memory: 'memory_enabled',
  'suggested-prompts': 'suggested_prompts',
  'ask-forms': 'ask_forms',
  'avatar-seed': 'avatar_seed',
  'avatar-style': 'avatar_style',
}

type Given = {
  prompt?: string | undefined
  mcp?: string | undefined
  'suggested-prompts'?: string | undefined
  'ask-forms'?: string | undefined
  lead?: boolean | undefined
  crew?: string | undefined
}

/** The body of a create or a change from the flags that were given; `crew` holds an id by now. */
export function agentBody(flags: Given & object) {
  const { prompt, mcp, lead, 'suggested-prompts': prompts, 'ask-forms': forms } = flags
  const read = {
    ...(prompt !== undefined && { prompt: fileOr(prompt) }),
    ...(mcp !== undefined && { mcp: fileOr(mcp) }),
    ...(prompts !== undefined && { 'suggested-prompts': fileOr(prompts) }),
    ...(forms !== undefined && { 'ask-forms': fileOr(forms) }),
    ...(lead !== undefined && { role: lead ? 'LEAD' : 'AGENT' }),
  }
  return bodyOf<Static<typeof AgentPatch>>({ ...flags, ...read }, members)
}
