import { isIP, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { AddressClass } from '../../kernel/outbound/addresses.ts'
import { type Dial, Unreachable } from './dial.ts'
import { canonicalHost } from './policy.ts'

/** Opens a connection to a vendor, or to the operator's upstream, for a single call. */
export type Reach = (url: URL, operators: boolean) => Promise<Socket>

/** An operator's upstream may be private. Within a crew it may not be on loopback, where agents listen. */
export function createReach(
  dial: Dial,
  { loopback, handshakeMs = 8000 }: { loopback: boolean; handshakeMs?: number },
): Reach {
  const never = new Set<AddressClass>([
    'link-local',
    'metadata',
    'multicast',
    ...(loopback ? [] : (['loopback'] as const)),
  ])
  return async ({ protocol, hostname, port }, operators) => {
    const host = canonicalHost(hostname)
    if (host === null) throw new Unreachable(`${hostname} is no host`)
    const secure = protocol === 'https:'
    const socket = await dial({ host, port: Number(port) || (secure ? 443 : 80) }, (is) =>
      operators ? !never.has(is) : is === 'public',
    )
    return secure ? encrypted(socket, host, handshakeMs) : socket
  }
}

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
