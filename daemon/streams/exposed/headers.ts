/**
 * What becomes of headers between people and the programs of a crew. Names are lower case; a value is a list where it
 * came so.
 */
export type Headers = Record<string, string | string[]>

/** They concern one connection, not the message. */
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

/** What a program of an agent is not to learn, or not to believe. */
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

/** Orders to a proxy or cache in front of this server, which cannot tell them from the server's own. */
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

/**
 * What would act on the whole origin, which is ours, or undo the sandbox: state of browsers, reports, dictionaries,
 * policies.
 */
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
 * On everything that leaves: a page has an origin that nobody shares, so that it can neither read nor call the server
 * as the
 * person who looks at it. Its own address is foreign to it as well, which is why everybody may read what is there.
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

/** The headers of a request as the program in the crew gets them. */
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

/** The headers of an answer as browsers get them. */
export function answerHeaders(
  status: number,
  raw: readonly string[],
  { port, prefix }: Pick<Forwarded, 'port' | 'prefix'>,
): Headers {
  const kept = collect(raw, keptFromBrowser)
  // There is no body to be so long.
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

/** What a page of a sandbox asks before it calls its own address; null for everything else. */
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

/** Headers of an answer; more come from no program that means well. */
const headerLimit = 200
/** Of these every reader would take another one if there were two. */
const once = ['content-disposition', 'content-encoding', 'content-type', 'location']

/** Whether everybody on the way to the browser will read the answer alike: its end, and what kind of answer it is. */
export function isClear(status: number, raw: readonly string[]): boolean {
  if (status < 200 || status > 599 || raw.length > 2 * headerLimit) return false
  const codings = valuesOf(raw, 'transfer-encoding')
  if (codings.length > 1 || (codings[0] ?? 'chunked').toLowerCase() !== 'chunked') return false
  return once.every((name) => valuesOf(raw, name).length < 2)
}

/** Where a program sends people within itself: the address at which it is seen from outside. */
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
