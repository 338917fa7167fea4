import type { Static } from 'typebox'
import { adapterProviders, defaultAdapter, providerFor } from '#contract/agents'
import type { CrewTemplateDraft } from '#contract/crew-templates'
import { cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import type { TemplateAgent } from './types.ts'

type Given = Static<typeof CrewTemplateDraft>['agents'][number]

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** The agents of a template with what was left out, the LEAD first; refuses what no crew could be made of. */
export function agentsOf(given: readonly Given[]): TemplateAgent[] {
  const agents = given.map(complete)
  const leads = agents.filter(({ agent_role }) => agent_role === 'LEAD')
  if (leads.length !== 1) throw refuse('agents', `Exactly one agent must be the LEAD, not ${leads.length}`)
  const doubled = agents.findIndex(({ slug }, at) => agents.findIndex((other) => other.slug === slug) < at)
  if (doubled >= 0) throw refuse(`agents.${doubled}.slug`, `Another agent has the slug "${agents[doubled]!.slug}"`)
  return [...leads, ...agents.filter(({ agent_role }) => agent_role !== 'LEAD')]
}

function complete(given: Given, at: number): TemplateAgent {
  const cli_adapter = given.cli_adapter ?? defaultAdapter
  const providers = adapterProviders[cli_adapter]
  if (!providers)
    throw refuse(`agents.${at}.cli_adapter`, `This version runs ${Object.keys(adapterProviders).join(', ')}`)
  const llm_provider = given.llm_provider ?? providerFor(cli_adapter) ?? null
  if (llm_provider && !providers.includes(llm_provider))
    throw refuse(`agents.${at}.llm_provider`, `${cli_adapter} works with ${providers.join(', ')}`)
  return {
    name: cleanName(`agents.${at}.name`, given.name, { min: 2, max: 100, unit: 'bytes' }),
    slug: given.slug,
    role_title: given.role_title?.trim() ?? '',
    agent_role: given.agent_role ?? 'AGENT',
    cli_adapter,
    llm_provider,
    llm_model: given.llm_model?.trim() || null,
    tool_profile: given.tool_profile ?? 'CODING',
    system_prompt: given.system_prompt,
    ...(given.skills?.length && { skills: given.skills }),
  }
}
