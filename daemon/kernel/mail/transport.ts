import type { Outbound } from '../outbound/outbound.ts'
import type { Mail } from './letter.ts'

/** Sends one mail. `signal` aborts the attempt. */
export type Transport = (mail: Mail, signal: AbortSignal) => Promise<void>

/** A mail was not accepted. `temporary`: another attempt may succeed. The message names neither address nor content. */
export class MailError extends Error {
  readonly temporary: boolean
  constructor(message: string, temporary: boolean) {
    super(message)
    this.name = 'MailError'
    this.temporary = temporary
  }
}

/** Timeout of one step of an exchange. */
export const stepMs = 10_000

/** The sender, and the client to send with. */
export interface Sender {
  /** `Muster <muster@example.com>` */
  from: { name: string; address: string }
  outbound: Outbound
}
