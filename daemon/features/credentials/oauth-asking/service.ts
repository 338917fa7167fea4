import type { App } from '#kernel/app'
import { permitsAddress } from '#kernel/outbound/operator-hosts'
import { OutboundError } from '#kernel/outbound/outbound'
import { streamingFetch } from '#kernel/outbound/stream-fetch'
import { plainLine } from '#kernel/plain-line'

/** Why a server cannot be used to sign in, in words of our own and at most a line of the server's. */
export class Unsound extends Error {
  /** The server's own word for it, such as `invalid_grant`; null when it gave none. */
  readonly word: string | null
  constructor(message: string, { word = null, cause }: { word?: string | null; cause?: unknown } = {}) {
    super(message, { cause })
    this.word = word
  }
}

const timeoutMs = 10_000
const maxBytes = 1024 * 1024

/**
 * A `fetch` for one exchange with other servers: all of it within 15 seconds, each answer of at most 1 MiB. What must
 * be heard to its end (`toTheEnd`) goes on while the daemon stops.
 */
export function guardedFetch(app: App, { toTheEnd = false } = {}) {
  const time = AbortSignal.timeout(15_000)
  const signal = toTheEnd ? time : AbortSignal.any([time, app.stopping.signal])
  return (url: string | URL, init: object = {}): Promise<Response> => {
    const operator = permitsAddress(app.config.integrationHosts, new URL(url))
    return streamingFetch(app.outbound, { operator, timeoutMs, maxBytes, signal })(url, init)
  }
}

export type Fetch = ReturnType<typeof guardedFetch>

/** What went wrong with a server, in words that quote at most a line of it. */
export function unsound(error: unknown, address: string): Unsound {
  if (error instanceof Unsound) return error
  const { host } = new URL(address)
  if (error instanceof OutboundError) return new Unsound(error.message, { cause: error })
  const { errorCode, name } = error as { errorCode?: unknown; name?: string }
  if (name === 'TimeoutError' || name === 'AbortError')
    return new Unsound(`${host} did not answer in time`, { cause: error })
  if (typeof errorCode === 'string' && /^[a-z_]{1,64}$/.test(errorCode))
    return new Unsound(`${host} refused: ${errorCode}`, { word: errorCode, cause: error })
  return new Unsound(`${host} did not answer as an authorization server should`, { cause: error })
}

/** An address that a browser or the daemon may be sent to; `what` names it. */
export function checkAddress(app: App, address: string, what: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (
    !url ||
    url.username ||
    url.password ||
    !(url.protocol === 'https:' || permitsAddress(app.config.integrationHosts, url))
  )
    throw new Unsound(`${what} is no https address: ${plainLine(address)}`)
  return address
}
