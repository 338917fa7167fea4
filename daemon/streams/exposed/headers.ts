/** Headers between browsers and programs of a crew. Names are lower case; repeated headers have a list. */
export type Headers = Record<string, string | string[]>

/** Headers of one connection, not of the message. */
const hopByHop = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Request headers that the agent's program must not learn (credentials) or trust (forwarding). */
const keptFromUpstream = new Set([
  ...hopByHop,
  'authorization',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'referer',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-internal-token',
  'x-real-ip',
])

/** Answer headers for a proxy or cache in front of this server, which would take them for the server's own. */
const keptFromProxies = [
  'cdn-cache-control',
  'surrogate-control',
  'x-accel-charset',
  'x-accel-expires',
  'x-accel-limit-rate',
  'x-accel-redirect',
  'x-lighttpd-send-file',
  'x-lighttpd-send-tempfile',
  'x-lighttpd-send2-file',
  'x-reproxy-file',
  'x-reproxy-url',
  'x-sendfile',
  'x-sendfile2',
]

/** Answer headers that would affect the server's whole origin or undo the sandbox. */
const keptFromBrowser = new Set([
  ...hopByHop,
  ...keptFromProxies,
  'accept-ch',
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'activate-storage-access',
  'alt-svc',
  'attribution-reporting-register-os-source',
  'attribution-reporting-register-os-trigger',
  'attribution-reporting-register-source',
  'attribution-reporting-register-trigger',
  'authentication-info',
  'authorization',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'critical-ch',
  'cross-origin-embedder-policy',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'expect-ct',
  'nel',
  'observe-browsing-topics',
  'origin-agent-cluster',
  'permissions-policy',
  'public-key-pins',
  'public-key-pins-report-only',
  'referrer-policy',
  'report-to',
  'reporting-endpoints',
  'sec-session-challenge',
  'sec-session-registration',
  'secure-session-challenge',
  'secure-session-registration',
  'secure-session-skipped',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'shared-storage-write',
  'speculation-rules',
  'strict-transport-security',
  'use-as-dictionary',
  'www-authenticate',
  'x-content-type-options',
  'x-permitted-cross-domain-policies',
  'x-robots-tag',
])

/**
 * Headers of every answer: a page gets an opaque origin, so that it can neither read from nor call the server as its
 * viewer. Its own URL is cross-origin too, which is why any origin may read it.
 */
export const sandbox: Headers = {
  'access-control-allow-origin': '*',
  'content-security-policy': 'sandbox allow-scripts allow-forms allow-popups allow-downloads',
  'cross-origin-resource-policy': 'cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
}

export interface Forwarded {
  port: number
  host: string | undefined
  address: string
  encrypted: boolean
  /** `/exposed/<token>` */
  prefix: string
}

/** The headers of a request to the program in the crew. */
export function requestHeaders(raw: readonly string[], { port, host, address, encrypted, prefix }: Forwarded): Headers {
  const kept = collect(raw, keptFromUpstream)
  const chunked = valuesOf(raw, 'transfer-encoding').length > 0
  return {
    ...kept,
    host: `localhost:${port}`,
    'x-forwarded-for': address,
    ...(host && { 'x-forwarded-host': host }),
    'x-forwarded-proto': encrypted ? 'https' : 'http',
    'x-forwarded-prefix': prefix,
    ...(chunked && { 'transfer-encoding': 'chunked' }),
  }
}

/** The headers of an answer to the browser. */
export function answerHeaders(
  status: number,
  raw: readonly string[],
  { port, prefix }: Pick<Forwarded, 'port' | 'prefix'>,
): Headers {
  const kept = collect(raw, keptFromBrowser)
  // 204 has no body.
  if (status === 204) delete kept['content-length']
  const location = kept['location']
  return {
    'cache-control': 'no-store',
    'access-control-expose-headers': '*',
    ...kept,
    ...(typeof location === 'string' && { location: relocate(location, port, prefix) }),
    ...sandbox,
  }
}

/** The answer to a CORS preflight of a sandboxed page; null for any other request. */
export function preflight(
  headers: Record<string, string | string[] | undefined>,
  method: string | undefined,
): Headers | null {
  const wanted = headers['access-control-request-method']
  if (method !== 'OPTIONS' || headers['origin'] !== 'null' || typeof wanted !== 'string') return null
  const names = headers['access-control-request-headers']
  return {
    ...sandbox,
    'access-control-allow-methods': wanted,
    ...(typeof names === 'string' && { 'access-control-allow-headers': names }),
    'access-control-max-age': '600',
  }
}

/** Most headers of an answer. */
const headerLimit = 200
/** Headers that readers would interpret differently if they were repeated. */
const once = ['content-disposition', 'content-encoding', 'content-type', 'location']

/** Whether every proxy on the way will agree on the end and the kind of the answer. */
export function isClear(status: number, raw: readonly string[]): boolean {
  if (status < 200 || status > 599 || raw.length > 2 * headerLimit) return false
  const codings = valuesOf(raw, 'transfer-encoding')
  if (codings.length > 1 || (codings[0] ?? 'chunked').toLowerCase() !== 'chunked') return false
  return once.every((name) => valuesOf(raw, name).length < 2)
}

/** Rewrites a redirect within the program to its public URL. */
function relocate(location: string, port: number, prefix: string): string {
  const within = /^\/(?![/\\])/.test(location)
  const whole = within ? `http://localhost:${port}${location}` : location
  const url = URL.canParse(whole) ? new URL(whole) : null
  const own =
    url?.protocol === 'http:' &&
    ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) &&
    Number(url.port || 80) === port
  return own ? `${prefix}${url.pathname}${url.search}${url.hash}` : location
}

function collect(raw: readonly string[], left: ReadonlySet<string>): Headers {
  const named = new Set(
    valuesOf(raw, 'connection').flatMap((it) => it.split(',').map((name) => name.trim().toLowerCase())),
  )
  const headers: Headers = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (left.has(name) || (named.has(name) && name !== 'content-length')) continue
    const before = headers[name]
    if (Array.isArray(before)) before.push(raw[at + 1]!)
    else headers[name] = before === undefined ? raw[at + 1]! : [before, raw[at + 1]!]
  }
  return headers
}

function valuesOf(raw: readonly string[], wanted: string): string[] {
  const values: string[] = []
  for (let at = 0; at < raw.length; at += 2) if (raw[at]!.toLowerCase() === wanted) values.push(raw[at + 1]!)
  return values
}
