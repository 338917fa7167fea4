import { isIP, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { type AddressClass, isThisMachine } from '../../kernel/outbound/addresses.ts'
import { askRelay } from '../bridge/relay-sockets.ts'
import { type Dial, Unreachable } from './dial.ts'
import { canonicalHost } from './policy.ts'

/** Opens a connection to a vendor, or to the operator's upstream, for a single call. */
export type Reach = (url: URL, operators: boolean, provider: string) => Promise<Socket>

/**
 * An operator's upstream may be private. One on loopback is the daemon's: in a crew the daemon relays to it, and
 * loopback and 0.0.0.0 are never connected to, where agents listen.
 */
export function createReach(
  dial: Dial,
  { loopback, relay, handshakeMs = 8000 }: { loopback: boolean; relay: string; handshakeMs?: number },
): Reach {
  const never = new Set<AddressClass>([
    'link-local',
    'metadata',
    'multicast',
    ...(loopback ? [] : (['loopback', 'reserved'] as const)),
  ])
  return async ({ protocol, hostname, port }, operators, provider) => {
    const host = canonicalHost(hostname)
    if (host === null) throw new Unreachable(`${hostname} is no host`)
    const secure = protocol === 'https:'
    const relayed = operators && !loopback && isThisMachine(hostname)
    const socket = relayed
      ? await relayTo(relay, provider)
      : await dial({ host, port: Number(port) || (secure ? 443 : 80) }, (is) =>
          operators ? !never.has(is) : is === 'public',
        )
    return secure ? encrypted(socket, host, handshakeMs) : socket
  }
}

const relayTo = (folder: string, provider: string): Promise<Socket> =>
  askRelay(folder, provider).catch((error: Error) => {
    throw new Unreachable(error.message)
  })

/** Resolves once the certificate is verified; nothing is sent before that. */
function encrypted(plain: Socket, host: string, handshakeMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) ? { host } : { servername: host }
    const socket = tlsConnect({ socket: plain, ...name, ALPNProtocols: ['http/1.1'] })
    socket.setTimeout(handshakeMs, () =>
      socket.destroy(new Unreachable(`${host} did not complete the TLS handshake in time`, true)),
    )
    socket
      .once('error', reject)
      .once('close', () => reject(new Unreachable(`${host} closed the connection in the TLS handshake`)))
    socket.once('secureConnect', () => {
      socket.setTimeout(0)
      socket.removeAllListeners('timeout').on('error', () => {})
      resolve(socket)
    })
  })
}
