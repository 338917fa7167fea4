import { isIP, type Socket } from 'node:net'
import type { Config } from '#kernel/config'
import { isThisMachine } from '#kernel/outbound/addresses'
import { addressOf, providers } from '../providers/index.ts'
import { connectHere, connectTo } from './bridge/here.ts'

/** A provider whose upstream is on the daemon's loopback. */
export interface Relayed {
  provider: string
  host: string
  port: number
}

/** The upstreams that sidecars in containers cannot reach by themselves. */
export const relayedUpstreams = (config: Config): Relayed[] =>
  providers.flatMap((it) => {
    const address = it.vendor ? addressOf(config, it) : null
    if (!address || !URL.canParse(address)) return []
    const { protocol, hostname, port } = new URL(address)
    if (!isThisMachine(hostname)) return []
    return [{ provider: it.name, host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) }]
  })

/** Connects to exactly this address; a name, 0.0.0.0 and :: mean loopback of either family. */
export function connectUpstream(upstream: Relayed | undefined): Promise<Socket> {
  if (!upstream) return Promise.reject(new Error('there is no such upstream'))
  const host = upstream.host.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) && host !== '0.0.0.0' && host !== '::' ? connectTo(host, upstream.port) : connectHere(upstream.port)
}
