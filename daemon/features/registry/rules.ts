import { type Members, membersOf } from '#kernel/http/json-bounds'
import { plainLine } from '#kernel/plain-line'
import type { Told } from './queries.ts'

/** A server of a page of the registry: what is kept of it, or that it was withdrawn; null for what cannot be used. */
export type Read = { told: Told } | { gone: string } | null

const listOf = (value: unknown, most: number): Members[] =>
  Array.isArray(value) ? value.slice(0, most).map(membersOf) : []

/** Text on one line without characters that deceive; null when nothing is left. */
const line = (value: unknown, most: number): string | null =>
  (typeof value === 'string' && plainLine(value.slice(0, 4 * most), most)) || null

/** An address that people may open. */
function address(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return null
  const url = new URL(value)
  return url.protocol === 'https:' && !url.username && !url.password ? url.href : null
}

/** Reads one server of a page, of which every member may be anything. */
export function readServer(given: unknown): Read {
  const { server, _meta } = membersOf(given)
  const it = membersOf(server)
  const name = typeof it['name'] === 'string' ? it['name'] : ''
  if (name.length > 200 || !/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(name)) return null
  const official = Object.values(membersOf(_meta)).map(membersOf)
  if (official.some(({ isLatest }) => isLatest === false)) return null
  if (official.some(({ status }) => status === 'deleted')) return { gone: name }
  const place = remoteOf(it) ?? packageOf(it)
  if (!place) return null
  return {
    told: {
      name,
      display_name: line(it['title'], 100) ?? name.split('/')[1]!,
      description: line(it['description'], 500) ?? '',
      icon: listOf(it['icons'], 10).reduce<string | null>((found, { src }) => found ?? address(src), null),
      homepage_url: address(it['websiteUrl']),
      source_url: address(membersOf(it['repository'])['url']),
      category: null,
      is_verified: Number(official.some(({ status }) => status === 'active')),
      ...place,
    },
  }
}

type Place = Pick<
  Told,
  | 'transport'
  | 'endpoint'
  | 'package_name'
  | 'package_version'
  | 'package_registry'
  | 'command'
  | 'auth_type'
  | 'env_vars_json'
>

const nowhere = { endpoint: null, package_name: null, package_version: null, package_registry: null, command: null }

/** The first remote that is reached as Muster does. */
function remoteOf({ remotes }: Members): Place | null {
  for (const remote of listOf(remotes, 20)) {
    const endpoint = address(remote['url'])
    if (remote['type'] !== 'streamable-http' || !endpoint) continue
    const headers = listOf(remote['headers'], 20)
    const bearer = headers.some(({ name }) => typeof name === 'string' && name.toLowerCase() === 'authorization')
    const secret = headers.some(({ isSecret }) => isSecret === true)
    const auth_type = bearer ? 'bearer' : secret ? 'api_key' : 'none'
    return { ...nowhere, transport: 'streamable-http', endpoint, auth_type, env_vars_json: null }
  }
  return null
}

/** The programs that run packages where a crew has them. */
const runners: Readonly<Record<string, string>> = { npm: 'npx', pypi: 'uvx' }

/** The first package that speaks over standard streams. */
function packageOf({ packages }: Members): Place | null {
  for (const one of listOf(packages, 20)) {
    const transport = membersOf(one['transport'])['type'] ?? 'stdio'
    const package_registry = line(one['registryType'], 20)
    const package_name = line(one['identifier'], 200)
    if (transport !== 'stdio' || !package_registry || !package_name) continue
    if (!/^@?[A-Za-z0-9][A-Za-z0-9._/:@-]*$/.test(package_name)) continue
    const version = line(one['version'], 100)
    return {
      ...nowhere,
      transport: 'stdio',
      package_name,
      package_version: version && /^[A-Za-z0-9][A-Za-z0-9.+_-]*$/.test(version) ? version : null,
      package_registry,
      command: runners[package_registry] ?? null,
      auth_type: 'none',
      env_vars_json: variablesOf(one),
    }
  }
  return null
}

function variablesOf({ environmentVariables }: Members): string | null {
  const variables = listOf(environmentVariables, 50).flatMap(({ name, description, isRequired, isSecret }) =>
    typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !/^SVC_/i.test(name)
      ? [
          {
            name,
            description: line(description, 200) ?? '',
            isRequired: isRequired === true,
            isSecret: isSecret === true,
          },
        ]
      : [],
  )
  return variables.length ? JSON.stringify(variables) : null
}
