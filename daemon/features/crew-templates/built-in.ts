import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { defaultAdapter, providerFor } from '#contract/agents'
import { type BuiltInTemplate, builtInTemplates } from '#contract/crew-templates'
import { shippedFolder } from '#kernel/shipped'
import { models } from './models.ts'
import type { Template, TemplateAgent } from './types.ts'

/** A template as it is written in templates/crews. */
interface Written extends Pick<Template, 'name' | 'description' | 'icon' | 'color' | 'category'> {
  agents: (Pick<TemplateAgent, 'name' | 'slug' | 'role_title' | 'agent_role' | 'system_prompt'> & { model: string })[]
}

const read = new Map<string, Template>()

/** A template that comes with Muster, read when it is asked for the first time. */
export function builtIn(slug: string): Template | undefined {
  if (!builtInTemplates.includes(slug as BuiltInTemplate)) return undefined
  const known = read.get(slug) ?? load(slug)
  read.set(slug, known)
  return known
}

function load(slug: string): Template {
  const text = readFileSync(new URL(`${slug}.yaml`, shippedFolder('crews')), 'utf8')
  const { agents, ...members } = parse(text) as Written
  return { id: slug, slug, ...members, agents: agents.map(agentOf), is_builtin: true, created_at: since }
}

/** When built-in templates came to be, for clients that show it. */
const since = '2026-11-26T00:00:00Z'

const agentOf = ({ model, ...agent }: Written['agents'][number]): TemplateAgent => ({
  ...agent,
  cli_adapter: defaultAdapter,
  llm_provider: providerFor(defaultAdapter) ?? null,
  llm_model: models[model]!,
  tool_profile: 'CODING',
})
