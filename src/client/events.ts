import { EventSource, type EventSourceFetchInit, type FetchLike, type FetchLikeResponse } from 'eventsource'
import type { Connection } from './connection.ts'
import { ProblemError, UnreachableError } from './problem.ts'

export interface ServerEvent {
  type: string
  data: string
  /** What to resume after; empty when the server gave none. */
  id: string
}

export interface EventOptions {
  /** Resume after this event. */
  lastEventId?: string
  signal?: AbortSignal
  /** Longest silence in milliseconds before the connection is taken for dead. */
  stall?: number
  /** Called when the connection is lost (with the reason) and when it is back (without). */
  onState?: (lost?: Error) => void
}

/** As many events as are held before reading from the server pauses. */
const room = 1000
/** Bytes without the end of an event after which a connection is given up: the server may never send one. */
const longestEvent = 64 * 1024 * 1024

/**
 * The events of a Server-Sent Events reply. A lost connection, a restarting server included, is made again with
 * `Last-Event-ID`, so that no event is missed, and an event that comes twice is passed on once. Throws when the first
 * connection fails or the server refuses.
 */
export async function* events(
  connection: Connection,
  path: string,
  options: EventOptions = {},
): AsyncGenerator<ServerEvent> {
  const feed = new Feed(connection, path, options)
  try {
    for (;;) {
      const event = await feed.next()
      if (!event) return
      yield event
    }
  } finally {
    feed.close()
  }
}

type Message = Event & { data: string; lastEventId: string }

class Feed {
  private readonly source: Source
  private readonly held: ServerEvent[] = []
  private readonly seen = new Set<string>()
  private readonly connection: Connection
  private readonly path: string
  private readonly options: EventOptions
  private lastId: string
  private connected = false
  private failure: unknown
  private ended = false
  private wake: () => void = () => {}
  private drained: () => void = () => {}

  constructor(connection: Connection, path: string, options: EventOptions) {
    this.connection = connection
    this.path = path
    this.options = options
    this.lastId = options.lastEventId ?? ''
    this.source = new Source(`http://server${path}`, { fetch: (_, init) => this.fetch(init) }, (event) =>
      this.receive(event),
    )
    options.signal?.addEventListener('abort', this.abort)
    if (options.signal?.aborted) this.abort()
  }

  async next(): Promise<ServerEvent | undefined> {
    while (!this.held.length && !this.ended) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    const event = this.held.shift()
    if (event && this.held.length < room) this.drained()
    if (!event && this.failure) throw this.failure
    return event
  }

  close(): void {
    this.options.signal?.removeEventListener('abort', this.abort)
    this.source.close()
    this.end()
    this.drained()
  }

  private readonly abort = () => this.close()

  private end(failure?: unknown): void {
    this.failure ??= failure
    this.ended = true
    this.wake()
  }

  private receive(event: Event): void {
    if (event.type === 'open') this.opened()
    else if (event.type === 'error') this.lost(event as Event & { message?: string })
    else this.hold(event as Message)
  }

  private opened(): void {
    if (this.connected) this.options.onState?.()
    this.connected = true
  }

  private lost({ message }: { message?: string }): void {
    if (this.source.readyState !== this.source.CLOSED)
      this.options.onState?.(new Error(message ?? 'the connection was lost'))
    else this.end(this.failure ?? new Error(message ?? 'the stream was refused'))
  }

  private hold({ type, data, lastEventId: id }: Message): void {
    if (id) {
      if (this.seen.has(id)) return
      this.seen.add(id)
      if (this.seen.size > 2 * room) this.seen.delete(this.seen.values().next().value as string)
      this.lastId = id
    }
    this.held.push({ type, data, id })
    this.wake()
  }

  private async fetch(init: EventSourceFetchInit): Promise<FetchLikeResponse> {
    const headers = { accept: 'text/event-stream', ...(this.lastId && { 'last-event-id': this.lastId }) }
    const given = {
      headers,
      signal: init.signal as AbortSignal,
      ...(this.options.stall && { stall: this.options.stall }),
    }
    try {
      const { status, headers: sent, body } = await this.connection.stream('GET', this.path, given)
      return {
        status,
        body: this.paced(body),
        url: '',
        redirected: false,
        headers: { get: (name) => String(sent[name] ?? '') },
      }
    } catch (error) {
      if (this.connected && passing(error)) throw error
      this.failure = error
      return {
        status: error instanceof ProblemError ? error.problem.status : 400,
        body: null,
        url: '',
        redirected: false,
        headers: { get: () => '' },
      }
    }
  }

  /** The body, read only while there is room for what it holds. */
  private paced(body: AsyncIterable<Buffer>): ReadableStream<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]()
    let open = 0
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (this.held.length >= room && !this.ended) {
          await new Promise<void>((resolve) => {
            this.drained = resolve
          })
        }
        const { value, done } = await chunks.next()
        if (done) return controller.close()
        open = value.includes('\n\n') ? 0 : open + value.length
        if (open <= longestEvent) return controller.enqueue(value)
        await chunks.return?.()
        controller.error(new Error('the server sends an event that does not end'))
      },
    })
  }
}

/** True for a failure that a later attempt may not meet: the server is away, restarting or busy. */
const passing = (error: unknown) =>
  error instanceof UnreachableError ||
  (error instanceof ProblemError && (error.problem.status >= 500 || error.problem.status === 429))

/** An event source that hands over every event, whatever its type. */
class Source extends EventSource {
  private readonly sink: (event: Event) => void

  constructor(url: string, init: { fetch: FetchLike }, sink: (event: Event) => void) {
    super(url, init)
    this.sink = sink
  }

  override dispatchEvent(event: Event): boolean {
    this.sink(event)
    return true
  }
}
