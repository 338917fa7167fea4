import { hash, verify } from '@node-rs/bcrypt'
import { problem } from '../problem.ts'

/** Longest password in bytes of UTF-8. bcrypt would ignore the rest, so a longer one is refused. */
export const passwordBytes = 72

export interface Passwords {
  /** bcrypt, cost 12. Refuses a password of more than 72 bytes; `rate_limited` when too many wait. */
  hash(password: string): Promise<string>
  /** False for a password of more than 72 bytes, after a comparison of the usual length. */
  verify(password: string, stored: string): Promise<boolean>
}

const atOnce = 2
/** Most queued hashes. At a fifth of a second each, the last one waits about six seconds. */
const waiting = 64

/** Normalized, so that a password typed on another system is the same. */
export const canonical = (password: string) => password.normalize('NFKC')

/** Hashes passwords off the event loop. Each hash takes a whole core, so two run at once and the others queue. */
export function createPasswords(cost = 12): Passwords {
  const queue: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (queue.length >= waiting)
        throw problem('rate_limited', {
          headers: { 'retry-after': '2' },
          detail: 'Too many sign-ins at once; try again in 2 s',
        })
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      // The slot passes directly to the next in the queue, so that no newcomer can take it.
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
      // bcrypt ignores bytes past its limit, so an overlong password must not match.
      const whole = Buffer.byteLength(text) <= passwordBytes
      return (await inTurn(() => verify(whole ? text : '', stored))) && whole
    },
  }
}
