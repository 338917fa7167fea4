import { hash, verify } from '@node-rs/bcrypt'
import { problem } from '../problem.ts'

/** Longest password, in bytes of UTF-8: bcrypt reads no further, so more is refused rather than ignored. */
export const passwordBytes = 72

export interface Passwords {
  /** bcrypt, cost 12. Refuses a password of more than 72 bytes; `rate_limited` when too many wait. */
  hash(password: string): Promise<string>
  /** False, after a comparison that takes as long as any, for a password of more than 72 bytes. */
  verify(password: string, stored: string): Promise<boolean>
}

const atOnce = 2
/** At a fifth of a second each, nobody in line waits longer than a person would. */
const waiting = 64

/** The same characters typed on another system must be the same password. */
export const canonical = (password: string) => password.normalize('NFKC')

/** Password hashing: off the event loop, but it takes a whole core, so two run at once and a few may wait. */
export function createPasswords(cost = 12): Passwords {
  const queue: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (queue.length >= waiting)
        throw problem('rate_limited', {
          headers: { 'retry-after': '2' },
          detail: 'Too many sign-ins at this moment; try again in 2 s',
        })
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      // The place goes straight to the next in line, so that nobody who comes in between can take it.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    async hash(password) {
      const text = canonical(password)
      if (Buffer.byteLength(text) > passwordBytes)
        throw problem('invalid_field', { field: 'password', detail: `password must not exceed ${passwordBytes} bytes` })
      return inTurn(() => hash(text, { cost, rejectLongPasswords: true }))
    },
    async verify(password, stored) {
      const text = canonical(password)
      // What bcrypt would cut off must not be taken for the whole.
      const whole = Buffer.byteLength(text) <= passwordBytes
      return (await inTurn(() => verify(whole ? text : '', stored))) && whole
    },
  }
}
