import type { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'

/** Largest request body of a model call. */
export const bodyLimit = 10 * 1024 * 1024

/** Most bytes that all bodies together keep for a retry. */
const keptLimit = 8 * bodyLimit
let keptTotal = 0

/**
 * Streams the body of a request to an upstream, and keeps it so that the call can be retried with another credential.
 * `tooLarge` is called once, when it exceeds its stated `length` or the limit; `refuse` once, when it holds a decoy, of
 * which the last piece is not sent.
 */
export class Body {
  readonly #request: IncomingMessage
  #kept: Buffer[] | null = []
  #keptBytes = 0
  #size = 0
  #ended = false
  #refused = false
  #sink: Writable | null = null

  constructor(
    request: IncomingMessage,
    length: number | null,
    tooLarge: () => void,
    holdsDecoy: ((chunk: Buffer) => boolean) | null = null,
    refuse: () => void = tooLarge,
  ) {
    const most = Math.min(length ?? bodyLimit, bodyLimit)
    this.#request = request
    request.pause()
    request.on('data', (chunk: Buffer) => {
      this.#size += chunk.length
      if (this.#size > most) return void (this.#size - chunk.length <= most && tooLarge())
      if (this.#refused) return
      if (holdsDecoy?.(chunk)) {
        this.#refused = true
        return refuse()
      }
      this.#keep(chunk)
      if (this.#sink && !this.#sink.write(chunk)) request.pause()
    })
    request.on('end', () => {
      this.#ended = true
      this.#sink?.end()
    })
  }

  /** False once a part of the body could not be kept: the call cannot be retried. */
  get repeatable(): boolean {
    return this.#kept !== null
  }

  /** Sends the whole body to `sink`; an earlier sink gets nothing more. */
  sendTo(sink: Writable): void {
    this.#sink = sink
    for (const chunk of this.#kept ?? []) sink.write(chunk)
    sink.on('drain', () => this.#sink === sink && this.#request.resume())
    if (this.#ended) sink.end()
    else this.#request.resume()
  }

  /** Stops sending and drops what was kept: there will be no retry. */
  release(): void {
    keptTotal -= this.#keptBytes
    this.#keptBytes = 0
    this.#kept = null
  }

  /** Discards the rest of the body. */
  discard(): void {
    this.release()
    this.#sink = null
    this.#request.resume()
  }

  #keep(chunk: Buffer): void {
    if (!this.#kept) return
    if (keptTotal + chunk.length > keptLimit) this.release()
    else {
      this.#kept.push(chunk)
      this.#keptBytes += chunk.length
      keptTotal += chunk.length
    }
  }
}
