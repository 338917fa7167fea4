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

/** A daemon that did not come up; the message ends with what it said last. `state_lost`: because of what is stored. */
export class StartFailure extends Error {
  readonly code: 'failed' | 'state_lost'
  constructor(message: string, code: 'failed' | 'state_lost' = 'failed') {
    super(message)
    this.code = code
  }
}
