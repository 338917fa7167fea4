import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Most bytes buffered for a client; beyond that, live events stop and it catches up from the journal. */
export const pressureLimit = 1024 * 1024

/** A client that has not read its buffered events within this time is disconnected. */
const stalledMs = 5 * 60_000

/** Text for any number of clients, encoded once, plain or as a chunk of chunked transfer coding. */
export class Chunk {
  readonly bytes: number
  private readonly text: string
  private asIs: Buffer | undefined
  private asChunk: Buffer | undefined

  constructor(text: string) {
    this.text = text
    this.bytes = Buffer.byteLength(text)
  }

  get plain(): Buffer {
    this.asIs ??= Buffer.from(this.text)
    return this.asIs
  }

  get framed(): Buffer {
    this.asChunk ??= Buffer.from(`${this.bytes.toString(16)}\r\n${this.text}\r\n`)
    return this.asChunk
  }
}

/** One event of a stream; `data` is a single line. */
export const eventText = (id: string, event: string, data: string): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`

/** A client of a stream of server-sent events. */
export interface EventStream {
  write(chunk: Chunk): void
  /** True while more is buffered than `pressureLimit`. */
  pressed(): boolean
  /** Resolves when the client has read everything or is gone. */
  drained(): Promise<void>
  end(): void
  readonly closed: boolean
}

/** Answers a request with a stream. The head is sent at once. */
export function openEventStream(reply: FastifyReply, onClose: () => void): EventStream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  let closed = false
  const close = () => {
    closed = true
    onClose()
  }
  raw.on('error', () => raw.destroy())
  raw.on('close', close)
  // The client may have disconnected while its first events were read.
  if (raw.destroyed) close()
  const send = writerOf(raw)
  return {
    get closed() {
      return closed
    },
    write: (chunk) => {
      if (!closed) send(chunk)
    },
    pressed: () => raw.writableLength > pressureLimit,
    drained: () => (closed || raw.writableLength === 0 ? Promise.resolve() : drainOf(raw)),
    end: () => void raw.end(),
  }
}

/**
 * Writes shared, encoded chunks to the socket where Node would frame them the same way. `response.write`, which frames
 * a chunk again for each client, costs twice as much.
 */
function writerOf(raw: ServerResponse): (chunk: Chunk) => void {
  const { socket } = raw
  if (!socket || !raw.chunkedEncoding) return (chunk) => void raw.write(chunk.plain)
  return (chunk) => void socket.write(chunk.framed)
}

function drainOf(raw: ServerResponse): Promise<void> {
  const { socket } = raw
  const late = setTimeout(() => raw.destroy(), stalledMs)
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late)
      socket?.off('drain', done)
      raw.off('close', done)
      resolve()
    }
    socket?.on('drain', done)
    raw.on('close', done)
  })
}
