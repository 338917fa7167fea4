import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AddressClass, canonicalAddress, classify } from '../../kernel/outbound/addresses.ts'
import type { Target } from './policy.ts'
import type { Resolve } from './resolve.ts'

/** The policy forbids every address of a host. */
export class Refused extends Error {}

/** The host is permitted but cannot be reached. */
export class Unreachable extends Error {
  readonly timedOut: boolean
  constructor(message: string, timedOut = false) {
    super(message)
    this.timedOut = timedOut
  }
}

export type Dial = (target: Target, permits: (is: AddressClass) => boolean) => Promise<Socket>

const connectMs = 8000
const attempts = 4

/** Resolves a host once, checks its addresses and connects to one of them, so that DNS cannot change in between. */
export function createDial(resolve: Resolve, { judgeOwn = true } = {}): Dial {
  return async ({ host, port }, permits) => {
    const addresses = canonicalAddress(host) ? [host] : await lookUp(resolve, host)
    const classes = addresses.map((it) => (judgeOwn && isOwn(it) ? 'loopback' : classify(it)))
    const permitted = addresses.filter((_, index) => permits(classes[index]!))
    if (!permitted.length)
      throw new Refused(`${host} is ${classes[0] === classes.at(-1) ? `a ${classes[0]}` : 'not a public'} address`)
    let failure = new Unreachable(`${host} cannot be reached`)
    for (const address of permitted.slice(0, attempts)) {
      try {
        return await open(address, port)
      } catch (error) {
        failure = error as Unreachable
      }
    }
    throw failure
  }
}

async function lookUp(resolve: Resolve, host: string): Promise<string[]> {
  const addresses = await resolve(host).catch(() => {
    throw new Unreachable(`no name server answers for ${host}`, true)
  })
  if (!addresses.length) throw new Unreachable(`there is no host ${host}`)
  return addresses
}

function open(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    socket.setTimeout(connectMs, () => socket.destroy(new Unreachable('the connection was not answered in time', true)))
    const failed = (error: NodeJS.ErrnoException) =>
      reject(error instanceof Unreachable ? error : new Unreachable(`the connection failed (${error.code})`))
    socket.once('error', failed)
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.removeAllListeners('timeout').removeListener('error', failed)
      resolve(socket)
    })
  })
}

/** Whether an address is in this network namespace, where only agents listen. */
function isOwn(address: string): boolean {
  const wanted = canonicalAddress(address)
  return Object.values(networkInterfaces()).some((list) => list?.some((it) => canonicalAddress(it.address) === wanted))
}
