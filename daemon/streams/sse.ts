import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Bytes that may wait for a client; past it the client is left to catch up by itself. */
export const pressureLimit = 1024 * 1024

/** How long a client may take over what waits for it before it is cut: a megabyte is nothing in that time. */
const stalledMs = 5 * 60_000

/** Text for any number of clients, encoded once: as it is, or as a chunk of HTTP's chunked coding. */
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

/** A client of a stream of Server-Sent Events. */
export interface EventStream {
  write(chunk: Chunk): void
  /** True while more waits for this client than it should. */
  pressed(): boolean
  /** Resolves when the client has taken everything, or is gone. */
  drained(): Promise<void>
  end(): void
  readonly closed: boolean
}

/** Answers a request with a stream. The head goes out at once. */
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
  // The client may have left while its first events were looked up.
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
 * Writing a shared, ready-made chunk to the socket costs half of what `response.write` does, which frames it again for
 * each
 * client. Only where Node would frame it the same way.
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
