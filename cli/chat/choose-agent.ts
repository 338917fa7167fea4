import type { Client } from '#client'
import { choose, InputError, interactive } from '../input.ts'
import { agentId } from '../lookup.ts'

const listed = 500

/** Id of the agent given by slug or id; a person at a terminal who gave none chooses one, by name. */
export async function agentGiven(api: Client, given: string | undefined, command: string): Promise<string> {
  if (given !== undefined) return agentId(api, given)
  if (!interactive()) throw new InputError(`AGENT is missing. Usage: muster ${command} AGENT`, 'muster agents list')
  const agents = await api.agents.list({ query: { limit: listed } })
  if (!agents.length) throw new InputError('There are no agents yet.', 'muster agents create NAME --crew CREW')
  const sorted = agents.toSorted((one, other) => one.slug.localeCompare(other.slug))
  const choices = sorted.map(({ id, slug, name, role_title }) => ({
    name: [slug, name, role_title].filter(Boolean).join(' · '),
    value: id,
  }))
  return choose('With which agent?', choices)
}
