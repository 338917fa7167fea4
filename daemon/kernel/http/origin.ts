import { BlockList, isIP } from 'node:net'
import { memoize } from '../cache.ts'
import type { Config } from '../config.ts'

interface Headers {
  host?: string | undefined
  origin?: string | undefined
  referer?: string | undefined
  'x-forwarded-for'?: string | string[] | undefined
  'x-forwarded-proto'?: string | string[] | undefined
  'x-real-ip'?: string | string[] | undefined
}

export interface OriginRules {
  /** True for a Host header that names this server, which stops DNS rebinding. */
  acceptsHost(host: string | undefined): boolean
  /** True for requests without an origin (programs) and for this server's own or allowed origins. */
  acceptsOrigin(headers: Headers, secure: boolean): boolean
  /** As `acceptsOrigin`, comparing host names only: the rule for WebSocket upgrades. */
  acceptsSocketOrigin(headers: Headers): boolean
  /** The client's address: the peer's, or the one that trusted proxies report. */
  clientIp(peer: string | undefined, headers: Headers): string
  isSecure(peer: string | undefined, headers: Headers, tls: boolean): boolean
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value)
const bare = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** `localhost:8080` -> `localhost`, `[::1]:80` -> `::1`. */
const hostName = (host: string): string =>
  (/^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase()

/** Host, origin and proxy rules. docs/rules/http.md, "Rate limits" and "Origins". */
export function createOriginRules(config: Config): OriginRules {
  const trusted = new BlockList()
  for (const cidr of config.trustedProxies.length ? config.trustedProxies : ['127.0.0.0/8', '::1/128']) {
    const [address, bits] = cidr.split('/') as [string, string?]
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    trusted.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  const judged = new Map<string, boolean>()
  // Caches verdicts: few addresses recur, and the list is slow to search.
  const isTrusted = (address: string) => {
    const known = judged.get(address)
    if (known !== undefined) return known
    const family = isIP(address)
    const verdict = family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
    if (judged.size >= 1000) judged.clear()
    judged.set(address, verdict)
    return verdict
  }
  const allowed = new Set(config.allowedOrigins.map((origin) => origin.toLowerCase()))
  const publicUrl = config.publicUrl ? new URL(config.publicUrl) : null
  const hosts = new Set(
    [
      'localhost',
      '127.0.0.1',
      '::1',
      config.host,
      ...config.allowedHosts,
      ...(publicUrl ? [publicUrl.hostname] : []),
    ].map((name) => name.toLowerCase()),
  )

  // Literal addresses pass: DNS rebinding needs a name.
  const knowsHost = memoize(100, (host) => hosts.has(hostName(host)) || isIP(hostName(host)) !== 0)

  return {
    acceptsHost: (host) => host !== undefined && knowsHost(host),
    acceptsOrigin({ origin, referer, host }, secure) {
      const from = origin ?? (referer ? originOf(referer) : undefined)
      if (from === undefined) return true
      // Sandboxed and other opaque origins send "null", which no list may allow.
      if (from === null || from === 'null') return false
      return (
        from.toLowerCase() === `${secure ? 'https' : 'http'}://${host}`.toLowerCase() || allowed.has(from.toLowerCase())
      )
    },
    acceptsSocketOrigin({ origin, host }) {
      if (origin === undefined) return true
      if (allowed.has(origin.toLowerCase())) return true
      const name = originOf(origin) === null ? null : hostName(new URL(origin).host)
      if (name === null) return false
      return (
        (host !== undefined && name === hostName(host)) ||
        (config.env !== 'production' && (name === 'localhost' || name === '127.0.0.1'))
      )
    },
    clientIp(peer, headers) {
      const direct = bare(peer ?? '')
      if (!direct) return 'local'
      if (!isTrusted(direct)) return direct
      const forwarded = single(headers['x-forwarded-for'])
      const real = single(headers['x-real-ip'])
      if (!forwarded) return (real && hopAddress(real)) || direct
      let nearest = direct
      for (const hop of forwarded.split(',').reverse()) {
        const address = hopAddress(hop)
        // Entries left of an unreadable one are not trusted.
        if (!address) break
        nearest = address
        if (!isTrusted(address)) break
      }
      return nearest
    },
    isSecure(peer, headers, tls) {
      if (tls) return true
      const direct = bare(peer ?? '')
      return isTrusted(direct) && single(headers['x-forwarded-proto'])?.split(',').at(-1)?.trim() === 'https'
    },
  }
}

/** `10.0.0.1`, `10.0.0.1:5000`, `[2001:db8::1]:5000` -> the address; null for anything else. */
function hopAddress(hop: string): string | null {
  const text = hop.trim()
  const address = bare(/^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text)
  return isIP(address) ? address : null
}

function originOf(url: string): string | null {
  try {
    return new URL(url).origin
  } catch {
    return null
  }
}
