import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { App } from '#kernel/app'
import { permitsAddress } from '#kernel/outbound/operator-hosts'
import { OutboundError } from '#kernel/outbound/outbound'
import { streamingFetch } from '#kernel/outbound/stream-fetch'
import { plainLine } from '#kernel/plain-line'
import { version } from '#kernel/version'
import { wholeAnswer } from './whole-answer.ts'

/** What a server is called with, and the most that it may answer. */
export interface Called {
  endpoint: string
  headers: Record<string, string>
  /** For everything that is done with it. */
  timeoutMs: number
  /** Of each answer. */
  maxBytes: number
}

/** Why a server cannot be used, in words of our own and at most a line of the server's. */
export class Unusable extends Error {
  readonly authRequired: boolean
  /** Muster itself says no. */
  readonly refusal: boolean
  /** What the server answered with over HTTP; null where that is not the reason. */
  readonly status: number | null
  constructor(message: string, { authRequired = false, refusal = false, status = null, cause }: Reasons = {}) {
    super(message, { cause })
    this.status = status
    this.authRequired = authRequired
    this.refusal = refusal
  }
}

interface Reasons {
  authRequired?: boolean
  refusal?: boolean
  status?: number | null
  cause?: unknown
}

/** A connection to a server, which stays until it is closed. */
export interface Session {
  client: Client
  /** With a reason, that is why what is under way fails. */
  close(reason?: string): Promise<void>
  /** Why the server is gone, where that is known. */
  failure?(): Unusable | null
}

/**
 * Connects to a server over HTTP. `timeoutMs` and `maxBytes` count for each exchange with it, and `signal` ends them
 * all. Throws `Unusable`.
 */
export async function openSession(
  app: App,
  { endpoint, headers, timeoutMs, maxBytes }: Called,
  signal: AbortSignal,
): Promise<Session> {
  // Loading the library costs what a start of the daemon should not.
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  const url = new URL(endpoint)
  const end = new AbortController()
  const until = AbortSignal.any([end.signal, signal, app.stopping.signal])
  const operator = permitsAddress(app.config.integrationHosts, url)
  const ask = streamingFetch(app.outbound, {
    operator,
    timeoutMs,
    maxBytes,
    signal: until,
    whole: wholeAnswer,
  })
  const transport = new StreamableHTTPClientTransport(url, {
    // Nothing is done with what a server says unasked, so no stream is opened for it.
    fetch: async (to, init) => (init?.method === 'GET' ? new Response(null, { status: 405 }) : ask(to, init)),
    requestInit: { headers },
    reconnectionOptions: once,
  })
  const client = new Client({ name: 'muster', version })
  const close = async () => {
    end.abort()
    await client.close()
  }
  const bounded = boundAnswers(transport as Transport, () => void close(), url)
  try {
    await client.connect(bounded.transport, { timeout: timeoutMs })
    return { client, close, failure: bounded.failure }
  } catch (error) {
    await close()
    throw bounded.failure() ?? unusable(error, url)
  }
}

/** What a server may ask of its client for each message of the client. */
const mostAnswers = 100

/** Gives a server up that has its client send one message after the other: each answer is a request to it. */
function boundAnswers(transport: Transport, giveUp: () => void, { host }: URL) {
  const send = transport.send.bind(transport)
  let failure: Unusable | null = null
  let answers = 0
  transport.send = async (message, options) => {
    if ('method' in message) answers = 0
    else if (++answers > mostAnswers) {
      failure ??= new Unusable(`${host} asks its client more than it may`)
      return giveUp()
    }
    await send(message, options)
  }
  return { transport, failure: () => failure }
}

/**
 * Connects to a server over HTTP, does something with it and disconnects; all of that within `timeoutMs`. Throws
 * `Unusable` for whatever the server does.
 */
export async function withServer<T>(app: App, called: Called, use: (client: Client) => Promise<T>): Promise<T> {
  const { client, close, failure } = await openSession(app, called, AbortSignal.timeout(called.timeoutMs))
  try {
    return await use(client)
  } catch (error) {
    throw failure?.() ?? unusable(error, new URL(called.endpoint))
  } finally {
    await close()
  }
}

/** A connection that ends is not made again. */
const once = {
  maxRetries: 0,
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
}

const timedOut = -32001

/** Whether a server refused in a message of the protocol. Its numbers are its own there: 404 is no status of HTTP. */
export const isRefusal = (error: unknown): boolean => (error as Error).name === 'McpError'

/** What the library says quotes the server at length, so it is said anew. */
export function unusable(error: unknown, { host }: Pick<URL, 'host'>): Unusable {
  if (error instanceof Unusable) return error
  if (error instanceof OutboundError) return new Unusable(error.message, { cause: error })
  const { code, message, name } = error as { code?: number; message: string; name: string }
  if (code === timedOut || name === 'TimeoutError' || name === 'AbortError')
    return new Unusable(`${host} did not answer in time`, { cause: error })
  if (isRefusal(error)) return new Unusable(`${host} refused: ${plainLine(message)}`, { cause: error })
  if (code === 401 || code === 403)
    return new Unusable(`${host} asks for a credential (${code})`, { authRequired: true, status: code, cause: error })
  if (typeof code === 'number' && code >= 100)
    return new Unusable(`${host} answered ${code}`, { status: code, cause: error })
  return new Unusable(`${host} does not speak MCP`, { cause: error })
}
