import { lookup } from 'node:dns/promises'
import type { Agent } from 'undici'
import { type AddressClass, canonicalAddress, classify } from './addresses.ts'

export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  headers?: Record<string, string>
  body?: string
  /** The URL comes from the operator's configuration, so plain HTTP and private addresses are allowed. */
  operator?: boolean
  /** Most redirects to follow, each checked by the same rules. By default 0: a redirect is returned as the answer. */
  redirects?: number
  /** For the whole exchange; 10 s by default. */
  timeoutMs?: number
  /** Most bytes of the answer; 1 MiB by default. */
  maxBytes?: number
  /** Aborts the exchange, which counts as a timeout. */
  signal?: AbortSignal
}

export interface OutboundReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The body as text in UTF-8, and as it came. */
  text: string
  bytes: Buffer
  /** The URL that answered, after redirects. */
  url: string
}

/** `refused` by our own rules, `unreachable`, `timeout`, or `too_large`. The message contains no header and no body. */
export class OutboundError extends Error {
  readonly reason: 'refused' | 'unreachable' | 'timeout' | 'too_large'
  constructor(reason: OutboundError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutboundError'
    this.reason = reason
  }
}

/** An answer whose body is read as it comes, at most `maxBytes` of it; reading throws `OutboundError`. */
export interface OutboundStream extends Omit<OutboundReply, 'text' | 'bytes'> {
  body: AsyncIterable<Buffer>
}

/** The daemon's only client for other servers. */
export interface Outbound {
  /** Resolves with an answer of any status; throws `OutboundError`. */
  send(url: string, request?: OutboundRequest): Promise<OutboundReply>
  /** As `send`, for answers that may go on: `timeoutMs` counts until the end of the body. */
  stream(url: string, request?: OutboundRequest): Promise<OutboundStream>
  close(): Promise<void>
}

type Resolve = (host: string) => Promise<string[]>

interface Parts {
  resolve?: Resolve
  permits?: (is: AddressClass) => boolean
}

const resolveAll: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** Dials only `public` addresses, checked when connecting, so that no name can change between check and use. */
export function createOutbound({ resolve = resolveAll, permits = (is) => is === 'public' }: Parts = {}): Outbound {
  const agents = new Map<boolean, Promise<Agent>>()
  const agent = (operator: boolean): Promise<Agent> => {
    const known = agents.get(operator)
    if (known) return known
    const made = createAgent(resolve, operator ? () => true : permits)
    agents.set(operator, made)
    return made
  }

  async function follow(url: string, request: OutboundRequest): Promise<OutboundStream> {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? 10_000)
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
    let hop: Hop = {
      url: parse(url),
      method: request.method ?? 'GET',
      headers: request.headers ?? {},
      body: request.body,
      operator: request.operator ?? false,
    }
    for (let left = request.redirects ?? 0; ; left--) {
      judge(hop)
      const reply = await begin(await agent(hop.operator), hop, signal)
      const next = left > 0 ? redirected(hop, reply) : null
      if (!next) return { ...reply, body: atMost(reply.body, request.maxBytes ?? 1024 * 1024, hop.url, signal) }
      await reply.body.dump()
      hop = next
    }
  }

  return {
    stream: (url, request = {}) => follow(url, request),
    async send(url, request = {}) {
      const { body, ...reply } = await follow(url, request)
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      return {
        ...reply,
        get text() {
          return bytes.toString('utf8')
        },
        bytes,
      }
    },
    async close() {
      for (const made of agents.values()) await (await made).destroy()
      agents.clear()
    },
  }
}

interface Hop {
  url: URL
  method: NonNullable<OutboundRequest['method']>
  headers: Record<string, string>
  body: string | undefined
  operator: boolean
}

function parse(url: string, base?: URL): URL {
  try {
    return new URL(url, base)
  } catch {
    throw new OutboundError('refused', 'The address is not a URL')
  }
}

function judge({ url, operator }: Hop): void {
  if (url.protocol !== 'https:' && !(operator && url.protocol === 'http:'))
    throw new OutboundError('refused', `${url.protocol}// is not allowed here`)
  if (url.username || url.password)
    throw new OutboundError('refused', 'The address must not carry a user name or password')
}

/** The request that a redirect leads to. Keys and cookies are not sent to another server. */
function redirected(hop: Hop, { status, headers }: Pick<OutboundReply, 'status' | 'headers'>): Hop | null {
  const location = headers['location']
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return null
  const url = parse(location, hop.url)
  const same = url.origin === hop.url.origin
  const keeps = status === 307 || status === 308 || hop.method === 'GET' || hop.method === 'HEAD'
  return {
    url,
    method: keeps ? hop.method : 'GET',
    headers: same
      ? hop.headers
      : Object.fromEntries(
          Object.entries(hop.headers).filter(([name]) => /^(accept|content-type|user-agent)$/i.test(name)),
        ),
    body: keeps ? hop.body : undefined,
    operator: hop.operator && same,
  }
}

/** The bundle exposes CommonJS modules only as `default`. */
const loadUndici = async () => (await import('undici')).default

async function begin(dispatcher: Agent, { url, method, headers, body }: Hop, signal: AbortSignal) {
  try {
    const { request } = await loadUndici()
    const reply = await request(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'muster', ...headers },
      body: body ?? null,
      signal,
    })
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, url: url.href }
  } catch (error) {
    throw failure(error, url, signal)
  }
}

function failure(error: unknown, { host }: URL, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error
  if (signal.aborted) return new OutboundError('timeout', `${host} did not answer in time`, error)
  return new OutboundError('unreachable', `${host} cannot be reached: ${reasonOf(error)}`, error)
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message: string }
  return code ?? message
}

async function* atMost(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  url: URL,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxBytes) throw new OutboundError('too_large', `The answer is larger than ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    throw failure(error, url, signal)
  }
}

/** Connects to the address that was checked, with the requested name in the Host header and for the certificate. */
async function createAgent(resolve: Resolve, permits: (is: AddressClass) => boolean): Promise<Agent> {
  const { Agent, buildConnector } = await loadUndici()
  const connect = buildConnector({ timeout: 8000 })
  return new Agent({
    keepAliveTimeout: 4000,
    connect(options, callback) {
      const dial = (address: string) =>
        new Promise<Parameters<typeof callback>>((done) =>
          connect({ ...options, hostname: address }, (...outcome) => done(outcome as Parameters<typeof callback>)),
        )
      firstOf(options.hostname, resolve, permits, dial).then(
        (outcome) => callback(...outcome),
        (error: Error) => callback(error, null),
      )
    },
  })
}

const attempts = 4

async function firstOf<T extends [Error | null, unknown]>(
  name: string,
  resolve: Resolve,
  permits: (is: AddressClass) => boolean,
  dial: (address: string) => Promise<T>,
): Promise<T> {
  const host = name.replace(/^\[|\]$/g, '')
  const addresses = canonicalAddress(host) ? [host] : await resolve(host)
  const permitted = addresses.filter((address) => permits(classify(address)))
  if (!permitted.length) throw new OutboundError('refused', `${host} does not lead to a public address`)
  let outcome: T | undefined
  for (const address of permitted.slice(0, attempts)) {
    outcome = await dial(address)
    if (!outcome[0]) return outcome
  }
  return outcome!
}
