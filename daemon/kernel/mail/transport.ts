import type { Outbound } from '../outbound/outbound.ts'
import type { Mail } from './letter.ts'

/** Hands one mail to whoever delivers it. `signal` ends the attempt. */
export type Transport = (mail: Mail, signal: AbortSignal) => Promise<void>

/**
 * A mail that was not taken. `temporary`: another attempt may succeed. The message names neither address nor content.
 */
export class MailError extends Error {
  readonly temporary: boolean
  constructor(message: string, temporary: boolean) {
    super(message)
    this.name = 'MailError'
    this.temporary = temporary
  }
}

/** How long one step of an exchange may take. */
export const stepMs = 10_000

/** Who sends, and by which way out. */
export interface Sender {
  /** `Muster <muster@example.com>` */
  from: { name: string; address: string }
  outbound: Outbound
}
