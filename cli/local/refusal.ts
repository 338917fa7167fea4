import type { OwnCode } from '../help/problems.ts'

/** The machine itself says no: `next` is what to type instead. */
export class HostRefusal extends Error {
  readonly code: string
  readonly next: string | undefined
  constructor({ code, message, next }: { code: string; message: string; next?: string }) {
    super(message)
    this.code = code
    this.next = next
  }
}

/** A daemon that did not come up: what it said last, and what it says to do. */
export class StartFailure extends Error {
  readonly code: OwnCode
  readonly next: string | undefined
  constructor(message: string, code: OwnCode = 'failed', next?: string) {
    super(message)
    this.code = code
    this.next = next
  }
}
