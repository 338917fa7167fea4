import type { IncomingMessage } from 'node:http'
import type { Incoming, Outgoing } from './http.ts'
import { problemOf } from './problem.ts'
import { parseTarget, type Target } from './target.ts'

export interface ConnectionOptions {
  /** Address of the server, or one already read. */
  server: string | Target
  token?: string
  /** Id or slug; sent as `X-Workspace-ID`. */
  workspace?: string
  headers?: Record<string, string>
  /** Milliseconds to wait for a reply; 30000 unless stated. */
  timeout?: number
  /** Sends a request and answers it; tests put a daemon without a socket here. */
  send?: Send
  /** Called before anything is sent; throws where nothing may be. */
  guard?: () => void
  /** Called with every reply, before failures are thrown. */
  onReply?: (reply: Incoming, sent: { method: string; path: string }) => void
}

export type Send = (target: Target, outgoing: Outgoing) => Promise<Incoming & { body: Buffer | string }>

export interface RequestOptions {
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal
  timeout?: number
}

export type Reply = Incoming & { body: Buffer | string }

/** A server, and who is asking. Every call opens a connection of its own. */
export interface Connection {
  readonly target: Target
  readonly workspace: string | undefined
  /**
   * Sends a request; a status of 300 or more (no redirect is followed: the token stays here) is thrown as
   * `ProblemError`, an absent answer as `UnreachableError`.
   */
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** As `request`, but the body is handed over as it arrives. `stall`: longest silence in milliseconds. */
  stream(
    method: string,
    path: string,
    options?: RequestOptions & { stall?: number },
  ): Promise<Incoming & { body: IncomingMessage }>
  /** The headers that identify the caller, for other transports. */
  headers(): Record<string, string>
}

export function createConnection(options: ConnectionOptions): Connection {
  const target = typeof options.server === 'string' ? parseTarget(options.server) : options.server
  const headers = () => {
    options.guard?.()
    return identifying(options, target)
  }
  const outgoing = (
    method: string,
    path: string,
    { headers: more, body, signal, timeout }: RequestOptions,
  ): Outgoing => {
    const payload = encode(body)
    return {
      method,
      path,
      headers: {
        ...headers(),
        ...(payload !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(payload)),
        }),
        ...more,
      },
      ...(payload !== undefined && { body: payload }),
      ...(signal && { signal }),
      timeout: timeout ?? options.timeout ?? 30_000,
    }
  }
  return {
    target,
    workspace: options.workspace,
    headers,
    async request(method, path, given = {}) {
      const send = options.send ?? (await import('./http.ts')).send
      const reply = await send(target, outgoing(method, path, given))
      options.onReply?.(reply, { method, path })
      if (reply.status >= 300) throw problemOf(reply.status, reply.headers, String(reply.body), path)
      return reply
    },
    async stream(method, path, { stall, ...given } = {}) {
      const { open } = await import('./http.ts')
      const reply = await open(target, outgoing(method, path, given), stall)
      options.onReply?.(reply, { method, path })
      if (reply.status >= 300) throw problemOf(reply.status, reply.headers, await textOf(reply.body), path)
      return reply
    },
  }
}

const identifying = ({ token, workspace, headers }: ConnectionOptions, target: Target): Record<string, string> => ({
  accept: 'application/json',
  host: target.socket ? 'localhost' : `${target.host?.includes(':') ? `[${target.host}]` : target.host}:${target.port}`,
  ...(token && { authorization: `Bearer ${token}` }),
  ...(workspace && { 'x-workspace-id': workspace }),
  ...headers,
})

const encode = (body: unknown): string | Buffer | undefined =>
  body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)

/** The text of a stream, as far as `most` bytes go: leaving the loop ends a stream that would not end by itself. */
export async function textOf(body: AsyncIterable<unknown>, most = 1024 * 1024): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size >= most) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
