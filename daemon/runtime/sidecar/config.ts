import { isIP } from 'node:net'
import type { Destination } from '../../kernel/outbound/destinations.ts'
import { isRestrictedServer, isServerUser, nameOfServerUser } from '../server-users.ts'
import { createFinder, type Finder, type Sought } from '../tripwires/finder.ts'
import type { ModelCredential, NetworkPolicy, SidecarAgent, SidecarConfig } from '../types.ts'
import { compilePolicy, type Rules } from './policy.ts'
import { vendors } from './vendors.ts'

/** A validated configuration. It is replaced as a whole, so that no request sees a mixture. */
export interface Compiled {
  /** The rules for an agent; where agents cannot be told apart, the strictest of them all. */
  rulesOf(agent: SidecarAgent | undefined): Rules
  agentByKey: Map<string, SidecarAgent>
  /** Who has a uid; undefined for strangers. A tool server of the crew has no key. */
  ownerOf(uid: number | null): SidecarAgent | undefined
  /** Each agent has its own uid, and callers with other uids are refused. */
  uids: boolean
  /** Base URLs that the operator set, by provider. */
  upstreams: Map<string, URL>
  resolvers: string[] | null
  /** Looks for the crew's decoys; null where it has none. */
  decoys: Finder | null
}

type Fields = Record<string, unknown>

/**
 * Validates a configuration. Without `uids`, agents have no uids of their own and are not bound to them. The error
 * names the path of the first invalid value, never the value, which may be a secret.
 */
export function compileConfig(raw: unknown, { uids = true } = {}): Compiled {
  const config = fields(raw, 'config') as unknown as SidecarConfig
  const agentByKey = new Map(
    Object.entries(fields(config.agents, 'agents')).map(([key, it], index) => [
      key,
      agent(it, `agents[${index}]`, uids),
    ]),
  )
  const agentByUid = new Map(
    [...agentByKey.values()].flatMap((it) => (it.uid === undefined ? [] : [[it.uid, it] as const])),
  )
  const upstreams = Object.entries(fields(config.upstreams, 'upstreams')).flatMap(([provider, url]) =>
    upstream(provider, url),
  )
  const rules = compilePolicy(network(config.network))
  const strict = compilePolicy({ ...network(config.network), mode: 'restricted' })
  const someRestricted = [...agentByKey.values()].some(({ restricted }) => restricted)
  return {
    rulesOf: (agent) => ((uids ? agent?.restricted : someRestricted) ? strict : rules),
    agentByKey,
    ownerOf: (uid) => (uid === null ? undefined : (agentByUid.get(uid) ?? (uids ? serverWith(uid) : undefined))),
    uids,
    upstreams: new Map(upstreams),
    resolvers: resolvers(config.resolvers),
    decoys: createFinder(decoys(config.decoys)),
  }
}

function serverWith(uid: number): SidecarAgent | undefined {
  if (!isServerUser(uid)) return undefined
  const name = nameOfServerUser(uid)
  return { agentId: name, slug: name, uid, credentials: [], ...(isRestrictedServer(uid) && { restricted: true }) }
}

function network(raw: unknown): NetworkPolicy {
  const { mode, allowedDomains, allowPrivateEndpoints } = fields(raw, 'network')
  if (mode !== 'restricted' && mode !== 'free') throw new Error('network.mode is neither restricted nor free')
  if (typeof allowPrivateEndpoints !== 'boolean') throw new Error('network.allowPrivateEndpoints is no boolean')
  return { mode, allowedDomains: strings(allowedDomains, 'network.allowedDomains'), allowPrivateEndpoints }
}

function agent(raw: unknown, at: string, uids: boolean): SidecarAgent {
  const { agentId, slug, uid, restricted, credentials } = fields(raw, at)
  if (uid !== undefined && !Number.isInteger(uid)) throw new Error(`${at}.uid is no whole number`)
  if (!Array.isArray(credentials)) throw new Error(`${at}.credentials is no list`)
  return {
    agentId: text(agentId, `${at}.agentId`),
    slug: text(slug, `${at}.slug`),
    ...(uids && uid !== undefined && { uid: uid as number }),
    ...(restricted === true && { restricted }),
    credentials: credentials.map((it, index) => credential(it, `${at}.credentials[${index}]`)),
  }
}

function credential(raw: unknown, at: string): ModelCredential {
  const { credentialId, provider, kind, token, priority, scopes } = fields(raw, at)
  if (kind !== 'api_key' && kind !== 'oauth') throw new Error(`${at}.kind is neither api_key nor oauth`)
  if (typeof priority !== 'number') throw new Error(`${at}.priority is no number`)
  // Node would refuse control characters in a header at every call, with the value in its message.
  if (!/^[\x21-\x7e]+$/.test(text(token, `${at}.token`)))
    throw new Error(`${at}.token holds a character that no header may hold`)
  return {
    credentialId: text(credentialId, `${at}.credentialId`),
    provider: text(provider, `${at}.provider`).toUpperCase(),
    kind,
    token: token as string,
    priority,
    ...(scopes !== undefined && { scopes: destinations(scopes, `${at}.scopes`) }),
  }
}

function destinations(raw: unknown, at: string): Destination[] {
  if (!Array.isArray(raw)) throw new Error(`${at} is no list`)
  return raw.map((it, index) => {
    const { host, method, path } = fields(it, `${at}[${index}]`)
    const named = (value: unknown, name: string) => text(value, `${at}[${index}].${name}`)
    return { host: named(host, 'host'), method: named(method, 'method'), path: named(path, 'path') }
  })
}

/** The operator's base URL; empty when it is the vendor's own host, which must stay a public address. */
function upstream(provider: string, raw: unknown): [provider: string, url: URL][] {
  const at = `upstreams.${provider}`
  const vendor = vendors.find((it) => it.provider === provider.toUpperCase())
  if (!vendor) throw new Error(`${at} is no provider of model calls`)
  const address = text(raw, at)
  if (!URL.canParse(address)) throw new Error(`${at} is no URL`)
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`${at} is neither http nor https`)
  if (url.username || url.password || url.search || url.hash) throw new Error(`${at} may hold a host and a path only`)
  return url.href === new URL(vendor.base).href ? [] : [[vendor.provider, url]]
}

function resolvers(raw: unknown): string[] | null {
  if (raw === undefined) return null
  const list = strings(raw, 'resolvers')
  const address = (it: string) => it.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  for (const [index, it] of list.entries()) if (!isIP(address(it))) throw new Error(`resolvers[${index}] is no address`)
  return list.length ? list : null
}

function decoys(raw: unknown): Sought[] {
  if (raw === undefined) return []
  if (!Array.isArray(raw)) throw new Error('decoys is no list')
  return raw.map((it, index) => {
    const { id, value } = fields(it, `decoys[${index}]`)
    return { id: text(id, `decoys[${index}].id`), value: text(value, `decoys[${index}].value`) }
  })
}

function fields(raw: unknown, at: string): Fields {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Error(`${at} is no object`)
  return raw as Fields
}

function strings(raw: unknown, at: string): string[] {
  if (!Array.isArray(raw) || !raw.every((it) => typeof it === 'string')) throw new Error(`${at} is no list of strings`)
  return raw
}

function text(raw: unknown, at: string): string {
  if (typeof raw !== 'string' || raw === '') throw new Error(`${at} is no text`)
  return raw
}
