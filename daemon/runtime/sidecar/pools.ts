import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { AddressClass } from '../../kernel/addresses.ts'
import { type Dial, Unreachable } from './dial.ts'
import { canonicalHost } from './policy.ts'

/** Kept connections to the vendors, or to what the operator set in a vendor's place. */
export interface Pools {
  for(url: URL, operators: boolean): HttpAgent
  close(): void
}

/** An operator's upstream may be private; inside a crew it may not be on loopback, for what listens there is an agent's. */
export function createPools(dial: Dial, options: { loopback: boolean; silenceMs: number }): Pools {
  const never = new Set<AddressClass>(['link-local', 'metadata', 'multicast', ...(options.loopback ? [] : (['loopback'] as const))])
  const vendors = createPair(dial, options.silenceMs, (is) => is === 'public')
  const operators = createPair(dial, options.silenceMs, (is) => !never.has(is))
  return {
    for: ({ protocol }, own) => (own ? operators : vendors)[protocol as 'http:' | 'https:'],
    close() {
      for (const pair of [vendors, operators]) for (const agent of Object.values(pair)) agent.destroy()
    },
  }
}

function createPair(dial: Dial, silenceMs: number, permits: (is: AddressClass) => boolean) {
  const options = { keepAlive: true, timeout: silenceMs, maxFreeSockets: 16 }
  const connect = (secure: boolean) => (wanted: { host: string; port: number }, ready: (error: Error | null, socket?: Socket) => void) => {
    const host = canonicalHost(wanted.host)
    if (host === null) return void ready(new Unreachable(`${wanted.host} is no host`))
    const upgrade = (socket: Socket) => (secure ? tlsConnect({ socket, servername: isIP(wanted.host) ? '' : host, ALPNProtocols: ['http/1.1'] }) : socket)
    dial({ host, port: Number(wanted.port) }, permits).then((socket) => ready(null, upgrade(socket)), ready)
  }
  return {
    'http:': Object.assign(new HttpAgent(options), { createConnection: connect(false) }),
    'https:': Object.assign(new HttpsAgent(options), { createConnection: connect(true) }),
  }
}
