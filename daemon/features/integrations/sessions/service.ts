import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { App } from '#kernel/app'
import { permitsAddress } from '#kernel/outbound/operator-hosts'
import { OutboundError } from '#kernel/outbound/outbound'
import { streamingFetch } from '#kernel/outbound/stream-fetch'
import { version } from '#kernel/version'

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
  constructor(message: string, { authRequired = false, cause }: { authRequired?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.authRequired = authRequired
  }
}

/**
 * Connects to a server over HTTP, does something with it and disconnects. Throws `Unusable` for whatever the server
 * does.
 */
export async function withServer<T>(
  app: App,
  { endpoint, headers, timeoutMs, maxBytes }: Called,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  // Loading the library costs what a start of the daemon should not.
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  const url = new URL(endpoint)
  const end = new AbortController()
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs), app.stopping.signal])
  const operator = permitsAddress(app.config.integrationHosts, url)
  const fetch = streamingFetch(app.outbound, { operator, timeoutMs, maxBytes, signal })
  const transport = new StreamableHTTPClientTransport(url, {
    fetch,
    requestInit: { headers },
    reconnectionOptions: once,
  })
  const client = new Client({ name: 'muster', version })
  try {
    // The library's types do not know of exact optional members.
    await client.connect(transport as Parameters<typeof client.connect>[0], { timeout: timeoutMs })
    return await use(client)
  } catch (error) {
    throw unusable(error, url)
  } finally {
    end.abort()
    await client.close()
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

/** What the library says quotes the server at length, so it is said anew. */
function unusable(error: unknown, { host }: URL): Unusable {
  if (error instanceof Unusable) return error
  if (error instanceof OutboundError) return new Unusable(error.message, { cause: error })
  const { code, message, name } = error as { code?: number; message: string; name: string }
  if (code === 401 || code === 403)
    return new Unusable(`${host} asks for a credential (${code})`, { authRequired: true, cause: error })
  if (typeof code === 'number' && code >= 100) return new Unusable(`${host} answered ${code}`, { cause: error })
  if (code === timedOut || name === 'TimeoutError' || name === 'AbortError')
    return new Unusable(`${host} did not answer in time`, { cause: error })
  if (typeof code === 'number' && code < -1)
    return new Unusable(`${host} refused: ${plainLine(message)}`, { cause: error })
  return new Unusable(`${host} does not speak MCP`, { cause: error })
}

/** A line of a server without characters that could deceive. */
export const plainLine = (text: string, most = 200): string =>
  [...text.replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, most).join('')
