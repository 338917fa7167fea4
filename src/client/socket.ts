import { WebSocket } from 'ws'
import type { Connection } from './connection.ts'
import { UnreachableError } from './problem.ts'

export interface SocketFrame {
  type: string
  channel?: string
  payload?: unknown
  seq?: number
}

export interface ClientFrame {
  type: string
  channel?: string
  payload?: unknown
  token?: string
}

export interface LiveSocket {
  send(frame: ClientFrame): void
  /** Frames as they arrive; ends when the socket closes. One reader. */
  frames: AsyncGenerator<SocketFrame>
  close(): void
  /** Closes without a farewell: the other end has gone silent. */
  terminate(): void
  /** Why the socket closed: the code and the server's words. */
  closed: Promise<{ code: number; reason: string }>
}

/** Opens `/ws`, signs in with a fresh token, and hands over the socket. */
export async function openSocket(
  connection: Connection,
  { signal }: { signal?: AbortSignal } = {},
): Promise<LiveSocket> {
  const token = await socketToken(connection, signal)
  const socket = await dial(connection, '/ws', signal)
  const live = listen(socket)
  live.send({ type: 'auth', token })
  return live
}

/** A fresh token for the first frame of a socket. */
export async function socketToken(connection: Connection, signal?: AbortSignal): Promise<string> {
  const reply = await connection.request('GET', '/api/v1/ws-token', { ...(signal && { signal }) })
  return (JSON.parse(String(reply.body)) as { token: string }).token
}

/** Opens a socket at this path. */
export function dial({ target, headers }: Connection, path: string, signal?: AbortSignal): Promise<WebSocket> {
  const { host } = headers()
  const place = target.socket
    ? `ws+unix://${target.socket}:${path}`
    : `${target.secure ? 'wss' : 'ws'}://${host}${target.base}${path}`
  const socket = new WebSocket(place, {
    headers: { host: host ?? 'localhost' },
    handshakeTimeout: 10_000,
    maxPayload: 16 * 1024 * 1024,
  })
  signal?.addEventListener('abort', () => socket.terminate(), { once: true })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new UnreachableError(
          target.key,
          error.code ?? 'ERROR',
          `The live connection to ${target.key} failed: ${error.message}`,
        ),
      ),
    )
  })
}

function listen(socket: WebSocket): LiveSocket {
  const held: SocketFrame[] = []
  let wake = () => {}
  let over = false
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      over = true
      wake()
      resolve({ code, reason: String(reason) })
    })
  })
  // A failure ends in `close` too, which says the rest.
  socket.on('error', () => {})
  socket.on('message', (data) => {
    held.push(JSON.parse(String(data)) as SocketFrame)
    if (held.length >= 1000) socket.pause()
    wake()
  })
  async function* frames(): AsyncGenerator<SocketFrame> {
    for (;;) {
      const frame = held.shift()
      if (frame) {
        if (socket.isPaused && held.length < 500) socket.resume()
        yield frame
      } else if (over) return
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }
  return {
    send: (frame) => socket.send(JSON.stringify(frame)),
    frames: frames(),
    close: () => socket.close(1000),
    terminate: () => socket.terminate(),
    closed,
  }
}
