import type { Static } from 'typebox'
import type { Client } from '#client'
import type { IntegrationDraft } from '#contract/integrations'
import { ask, emptyFlaw, InputError, interactive, secret } from '../input.ts'
import type { Listed } from '../views/registry.ts'

interface Variable {
  name: string
  description: string
  isRequired: boolean
  isSecret: boolean
}

/** The server that is meant: by its whole name in the registry, or by the part after the slash that it has alone. */
export async function listedCalled(api: Client, name: string): Promise<Listed> {
  const { servers } = await api.registry.search({ query: { q: name, limit: 200 } })
  const found = servers.filter((it) => it.name === name || it.name.split('/')[1] === name)
  const exact = found.find((it) => it.name === name) ?? (found.length === 1 ? found[0] : undefined)
  if (exact) return exact
  if (found.length)
    throw new InputError(`The registry lists several called "${name}": ${found.map((it) => it.name).join(', ')}.`)
  throw new InputError(
    `--url or --command is missing, and the registry lists no server called "${name}".`,
    'muster mcp registry list',
  )
}

/** The name that a server of the registry has here, unless another one is said. */
export const nameOf = ({ name }: Listed): string =>
  name
    .split('/')[1]!
    .replace(/[^A-Za-z0-9_-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'server'

/** What a server of the registry becomes here, with the variables that it needs; null: they come from a file. */
export async function draftFrom(
  it: Listed,
  given: Readonly<Record<string, string>> | null,
): Promise<Omit<Static<typeof IntegrationDraft>, 'name'>> {
  const common = { display_name: it.display_name, ...(it.icon && { icon: it.icon }) }
  if (it.transport === 'streamable-http') return { ...common, transport: it.transport, endpoint: it.endpoint }
  if (it.command === null)
    throw new InputError(
      `${it.name} is a package of ${it.package_registry}, and Muster knows no program that runs it.`,
      'muster integrations create NAME --command PROGRAM',
    )
  const env = given ? await withMissing(it, given) : {}
  const versioned = it.package_version ? `${it.package_name}@${it.package_version}` : it.package_name!
  return {
    ...common,
    transport: it.transport,
    command: it.command,
    args_json: JSON.stringify(it.package_registry === 'npm' ? ['-y', versioned] : [versioned]),
    ...(Object.keys(env).length && { env_json: JSON.stringify(env) }),
  }
}

/** The values that were given, and those of variables that are needed besides: asked for, never on the command line. */
async function withMissing(it: Listed, given: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const known = JSON.parse(it.env_vars_json ?? '[]') as Variable[]
  const values = { ...given }
  const left = known.filter(({ name, isRequired }) => isRequired && values[name] === undefined)
  if (left.length && !interactive())
    throw new InputError(
      `${it.name} needs ${left.map(({ name }) => name).join(', ')}.`,
      `set them in the environment and add ${left.map(({ name }) => `--from-env ${name}`).join(' ')}`,
    )
  for (const { name, description, isSecret } of left) {
    const question = description ? `${name} (${description})` : name
    values[name] = isSecret ? await secret(question) : await ask(question, emptyFlaw)
  }
  return values
}

/** The values that the environment has. */
export function variablesFrom(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = process.env[name]
      if (value === undefined) throw new InputError(`The environment has no variable ${name}.`)
      return [name, value]
    }),
  )
}

/** What people should know of whom they trust. */
export const trustLine = ({ name, trust_tier, is_verified, source_url }: Listed): string =>
  `${name}: ${trust_tier}${is_verified ? ', its publisher is known to the registry' : ''}. ` +
  (trust_tier === 'community' ? 'Nobody but its author vouches for it.' : '') +
  (source_url ? ` Source: ${source_url}` : '')
