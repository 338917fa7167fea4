import type { Client } from '#client'
import { cliAdapters } from '#client/words'
import { ask, choose, emptyFlaw, InputError, interactive } from './input.ts'
import { crewId } from './lookup.ts'

type CliAdapter = (typeof cliAdapters)[number]

interface Given {
  crew: string | undefined
  adapter: CliAdapter | undefined
}

/** Asks a person at a terminal for a new agent's name, and for its crew and its adapter unless they are given. */
export async function askForAgent(
  api: Client,
  { crew, adapter }: Given,
): Promise<{ name: string; crew: string | undefined; adapter: CliAdapter }> {
  if (!interactive())
    throw new InputError('NAME is missing. Usage: muster agents create NAME', 'muster agents create NAME --crew CREW')
  return {
    name: (await ask('Name of the agent', emptyFlaw)).trim(),
    crew: crew === undefined ? await chooseCrew(api) : await crewId(api, crew),
    adapter: adapter ?? (await choose('Which client does its work?', adapters)),
  }
}

const adapters = cliAdapters.map((value) => ({ name: value, value }))

/** Undefined: no crew yet. */
async function chooseCrew(api: Client): Promise<string | undefined> {
  const crews = await api.crews.list({ query: { limit: 500 } })
  if (!crews.length) return undefined
  const sorted = crews.toSorted((one, other) => one.slug.localeCompare(other.slug))
  const choices = sorted.map(({ id, slug, name }) => ({ name: `${slug} · ${name}`, value: id as string | undefined }))
  return choose('In which crew?', [...choices, { name: 'none yet', value: undefined }])
}
