import type { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'

/** Largest request body of a model call. */
export const bodyLimit = 10 * 1024 * 1024

/** Bytes that all bodies together may hold back for another try. */
const keptLimit = 8 * bodyLimit
let keptTotal = 0

/**
 * The body of a request on its way to an upstream: passed on as it comes, counted, and remembered so that the call can
 * be
 * made again with another credential. It never grows past `length`, when one was stated, nor past the limit: `tooLarge`
 * is
 * called once, at the byte after that.
 */
export class Body {
  readonly #request: IncomingMessage
  #kept: Buffer[] | null = []
  #keptBytes = 0
  #size = 0
  #ended = false
  #sink: Writable | null = null

  constructor(request: IncomingMessage, length: number | null, tooLarge: () => void) {
    const most = Math.min(length ?? bodyLimit, bodyLimit)
    this.#request = request
    request.pause()
    request.on('data', (chunk: Buffer) => {
      this.#size += chunk.length
      if (this.#size > most) return void (this.#size - chunk.length <= most && tooLarge())
      this.#keep(chunk)
      if (this.#sink && !this.#sink.write(chunk)) request.pause()
    })
    request.on('end', () => {
      this.#ended = true
      this.#sink?.end()
    })
  }

  /** False once what has gone by could not be kept: the call has one try only. */
  get repeatable(): boolean {
    return this.#kept !== null
  }

  /** Sends everything to `sink`, from the first byte on; a sink given before gets nothing more. */
  sendTo(sink: Writable): void {
    this.#sink = sink
    for (const chunk of this.#kept ?? []) sink.write(chunk)
    sink.on('drain', () => this.#sink === sink && this.#request.resume())
    if (this.#ended) sink.end()
    else this.#request.resume()
  }

  /** Stops sending and forgets; there will be no other try. */
  release(): void {
    keptTotal -= this.#keptBytes
    this.#keptBytes = 0
    this.#kept = null
  }

  /** Lets what still comes of the request go to nobody. */
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
