import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { SidecarAnswer, SidecarCall, SidecarConfig, SidecarReport } from '../types.ts'
import { lineReader, parseLine } from './lines.ts'
import type { FromSidecar, ToSidecar } from './wire.ts'

export interface LinkEvents {
  report(report: SidecarReport): void
  /** Must not reject. */
  call(call: SidecarCall, signal: AbortSignal): Promise<SidecarAnswer>
  /** Called once, when the streams have ended and the link is unusable. */
  down(): void
}

/** The daemon's end of a sidecar's private channel, over the attached streams of its container. */
export class SidecarLink {
  /** Resolves when the sidecar has answered; rejects when the streams end before that. */
  readonly ready: Promise<void>
  readonly #input: Writable
  readonly #events: LinkEvents
  readonly #nonce: string = randomUUID()
  readonly #waiting = new Map<string, { resolve(): void; reject(error: Error): void }>()
  #answered!: { resolve(): void; reject(error: Error): void }
  readonly #calls = new Map<string, AbortController>()
  #synced = false
  #down = false
  #latest: SidecarConfig | null = null
  #seen = 0

  constructor(input: Writable, output: Readable, events: LinkEvents) {
    this.#input = input
    this.#events = events
    this.ready = new Promise((resolve, reject) => {
      this.#answered = { resolve, reject }
    })
    this.ready.catch(() => {}) // prevents an unhandled rejection when nobody awaits it
    const lost = () => this.#lost()
    for (const stream of [input, output]) stream.on('close', lost).on('error', lost)
    output.on('end', lost)
    output.on(
      'data',
      lineReader((line) => this.#read(parseLine(line) as FromSidecar | null)),
    )
    this.#greet()
  }

  /** Sends a configuration and waits until the sidecar has applied it. */
  async configure(config: SidecarConfig): Promise<void> {
    await this.ready
    this.#latest = config
    await this.#send(config)
  }

  #send(config: SidecarConfig): Promise<void> {
    if (this.#down) return Promise.reject(new Error('the sidecar is gone'))
    const id = randomUUID()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#write({ type: 'config', id, config })
    })
  }

  /** Sends the configuration to a restarted program. Pending `configure` calls wait for its answer. */
  #resend(): void {
    if (!this.#latest) return
    const before = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#send(this.#latest).then(
      () => before.forEach((it) => void it.resolve()),
      (error: Error) => before.forEach((it) => void it.reject(error)),
    )
  }

  #greet(): void {
    this.#input.write('\n')
    this.#write({ type: 'hello', nonce: this.#nonce })
  }

  #write(message: ToSidecar): void {
    if (!this.#down) this.#input.write(`${JSON.stringify(message)}\n`)
  }

  #read(message: FromSidecar | null): void {
    if (message?.type === 'hello' && message.nonce === this.#nonce) {
      this.#synced = true
      this.#answered.resolve()
    } else if (message?.type === 'ready' && this.#synced) {
      // The program crashed and was restarted within its container: its numbers start over, without a configuration.
      this.#seen = 0
      this.#dropCalls()
      this.#greet()
      this.#resend()
    } else if (message && this.#synced) this.#handle(message)
  }

  #handle(message: FromSidecar): void {
    if (message.type === 'report') {
      if (message.seq > this.#seen) this.#events.report(message.report)
      this.#seen = Math.max(this.#seen, message.seq)
      this.#write({ type: 'ack', seq: message.seq })
    } else if (message.type === 'call') this.#answer(message.call)
    else if (message.type === 'hangup') this.#calls.get(message.id)?.abort()
    else if (message.type === 'configured' || message.type === 'rejected') {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.type === 'configured') waiting?.resolve()
      else waiting?.reject(new Error(`the sidecar refused its configuration: ${message.reason}`))
    }
  }

  #answer(call: SidecarCall): void {
    if (this.#calls.has(call.id)) return
    const waiting = new AbortController()
    this.#calls.set(call.id, waiting)
    void this.#events.call(call, waiting.signal).then((answer) => {
      if (this.#calls.get(call.id) === waiting) this.#calls.delete(call.id)
      if (!waiting.signal.aborted) this.#write({ type: 'answer', id: call.id, answer })
    })
  }

  /** Aborts all calls, whose callers are gone. */
  #dropCalls(): void {
    for (const waiting of this.#calls.values()) waiting.abort()
    this.#calls.clear()
  }

  #lost(): void {
    if (this.#down) return
    this.#down = true
    const error = new Error('the sidecar is gone')
    this.#answered.reject(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#dropCalls()
    this.#events.down()
  }
}
