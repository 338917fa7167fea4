import { domainToASCII } from 'node:url'
import { type AddressClass, canonicalAddress } from '../../kernel/outbound/addresses.ts'
import { providers } from '../../providers/index.ts'
import type { NetworkPolicy } from '../types.ts'
import type { Hello } from './client-hello.ts'

/** The host that an agent wants to connect to, in canonical form: lower-case ASCII without final dot, or an address. */
export interface Target {
  host: string
  port: number
}

/** Hosts that every crew may reach: those of the vendors, for the agents' command-line clients. */
export const defaultHosts: readonly string[] = providers.flatMap(({ hosts = [] }) => hosts)

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const authority = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([!-~]{1,254}?))(?::([0-9]{1,5}))?$/

/** Canonical form of a host; null when invalid, such as octal, hexadecimal or short IPv4, a zone or a user name. */
export function canonicalHost(text: string): string | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (bare.includes(':')) return canonicalAddress(bare)
  const ascii = /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : domainToASCII(text)
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii
  const labels = name.split('.')
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return canonicalAddress(name)
  return name.length <= 253 && labels.every((it) => label.test(it)) ? name : null
}

/** Parses `host`, `host:port` or `[v6]:port`; null without a port and `defaultPort`. */
export function parseAuthority(text: string, defaultPort?: number): Target | null {
  const [, bracketed, plain, digits] = authority.exec(text) ?? []
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port === undefined || port < 1 || port > 65535 || (plain && /[[\]:]/.test(plain))) return null
  const host = canonicalHost(bracketed ? `[${bracketed}]` : (plain ?? ''))
  return host === null ? null : { host, port }
}

/** A compiled network policy. */
export interface Rules {
  permitsHost(host: string): boolean
  permitsAddress(is: AddressClass): boolean
  /** The `.domain` of the only wildcard that permits a host; null for every other host. */
  wildcardOf(host: string): string | null
  /** Whether a client in a tunnel may start so: TLS must name the tunnel's host, or nothing if that is an address. */
  permitsHello(host: string, hello: Hello): boolean
}

/** `*.host` permits names below host at any depth, but not host itself. Invalid entries permit nothing. */
export function compilePolicy({ mode, allowedDomains, allowPrivateEndpoints }: NetworkPolicy): Rules {
  const exact = new Set(defaultHosts)
  const below: string[] = []
  for (const entry of allowedDomains) {
    const wild = entry.startsWith('*.')
    const host = canonicalHost(wild ? entry.slice(2) : entry)
    if (host === null || (wild && canonicalAddress(host))) continue
    if (wild) below.push(`.${host}`)
    else exact.add(host)
  }
  const free = mode === 'free'
  const wildcardOf = (host: string) =>
    free || exact.has(host) ? null : (below.find((it) => host.endsWith(it)) ?? null)
  return {
    permitsHost: (host) => free || exact.has(host) || wildcardOf(host) !== null,
    permitsAddress: (is) => is === 'public' || (is === 'private' && allowPrivateEndpoints),
    wildcardOf,
    permitsHello(host, hello) {
      // A hello that stays incomplete means that the client has ended.
      if (free || hello === 'not-tls' || hello === 'incomplete') return true
      if (hello === 'malformed') return false
      return hello.serverName === null ? canonicalAddress(host) !== null : canonicalHost(hello.serverName) === host
    },
  }
}
