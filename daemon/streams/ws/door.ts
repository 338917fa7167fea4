import type { App } from '#kernel/app'
import { network } from '#kernel/limits/limits'
import { createSlots } from '#kernel/limits/slots'

/** Sockets that have yet to sign in: of one network, and in all. */
const strangers = { each: 32, all: 512 }

export interface Refusal {
  status: number
  headers?: Record<string, string>
}

export interface Entry {
  /** The client has signed in: it is no stranger any more, and coming in did not count. */
  signedIn(): void
  leave(): void
}

export interface Door {
  /** Lets a client of this address open a socket, or says why not. Null: it came over the local socket. */
  enter(address: string | null): Entry | Refusal
}

/** Who may open a socket before anybody knows who it is. The owner of this machine is never kept out by strangers. */
export function createDoor({ limits }: App): Door {
  const slots = createSlots(strangers)
  return {
    enter(address) {
      if (address === null) return { signedIn: () => undefined, leave: () => undefined }
      const leave = slots.take(network(address))
      if (!leave) return { status: slots.full ? 503 : 429, headers: { 'retry-after': '5' } }
      const refused = limits.take('sockets', address)
      if (refused) {
        leave()
        return { status: refused.status, headers: refused.headers ?? {} }
      }
      return {
        leave,
        signedIn() {
          leave()
          limits.giveBack('sockets', address)
        },
      }
    },
  }
}
