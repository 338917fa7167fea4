import type { App } from '#kernel/app'
import { network } from '#kernel/limits/limits'
import { createSlots } from '#kernel/limits/slots'

/** Most sockets without sign-in, of one network and in total. */
const unauthenticated = { each: 32, all: 512 }

export interface Refusal {
  status: number
  headers?: Record<string, string>
}

export interface Admitted {
  /** Frees the slot and gives back the rate limit's token once the client has signed in. */
  signedIn(): void
  leave(): void
}

export interface Admission {
  /** Admits a client by its address, which is null on the local socket, or refuses it. */
  admit(address: string | null): Admitted | Refusal
}

/** Limits sockets that have not signed in yet. Clients of the local socket are exempt. */
export function createAdmission({ limits }: App): Admission {
  const slots = createSlots(unauthenticated)
  return {
    admit(address) {
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
