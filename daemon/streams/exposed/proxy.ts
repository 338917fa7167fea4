import { type ClientRequest, type IncomingMessage, request as open, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { App } from '#kernel/app'
import { createSlots } from '#kernel/limits/slots'
import { answerHeaders, type Forwarded, type Headers, isClear, preflight, requestHeaders, sandbox } from './headers.ts'

/** Idle timeout of either side; ten times as long for event streams and while the other side reads slowly. */
const idleMs = 60_000
const patience = 10
const connectMs = 20_000
/** How long a client may continue to send a body that is discarded. */
const dropMs = 10_000
/** The longest transfer: as long as a port can be open. */
const longestMs = 24 * 60 * 60 * 1000
/** Most interim (1xx) answers to one request. */
const interimLimit = 8
/** Most requests in flight to one crew and in total. Each may buffer a megabyte for a slow reader. */
const inFlightLimit = { each: 128, all: 512 }

/** The port of a crew that a capability URL leads to. */
export interface Target {
  crew_id: string
  container_port: number
}

/** Finds the target of a token: null for an unknown or revoked one. */
export type Lookup = (app: App, token: string) => Target | 'expired' | null

export interface Exposed {
  /** Answers a request to a capability URL; anything else is 404. */
  serve(request: IncomingMessage, response: ServerResponse): void
  close(): void
}

const words: Record<number, string> = {
  400: 'This request cannot be forwarded.',
  404: 'This URL does not exist or was revoked.',
  410: 'This URL has expired. Ask the agent for another one.',
  426: 'Connections to this URL cannot be upgraded: it serves HTTP only.',
  502: 'The program behind this URL does not answer.',
  503: 'Too many requests to this URL are in progress. Try again in a moment.',
}

/**
 * Proxies requests to programs in crews. Both directions are streamed with back-pressure, and when one side disconnects
 * the other is closed.
 */
export function createExposed(
  app: App,
  targetOf: Lookup,
  { silence = idleMs, longest = longestMs, limit = inFlightLimit } = {},
): Exposed {
  const passages = new Set<() => void>()
  const slots = createSlots(limit)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = addressOf(request.url ?? '')
    const target = found && targetOf(app, found.token)
    if (!found || !target) return refuse(request, response, 404)
    if (target === 'expired') return refuse(request, response, 410)
    if (request.headers.upgrade !== undefined) return refuse(request, response, 426, { upgrade: 'HTTP/1.1' })
    // A service worker would outlive the page. An unknown transfer coding cannot be forwarded with its name.
    if (request.headers['service-worker'] !== undefined) return refuse(request, response, 404)
    if ((request.headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
      return refuse(request, response, 400)
    const asked = preflight(request.headers, request.method)
    if (asked) return void response.writeHead(204, asked).end()
    const release = slots.take(target.crew_id)
    if (!release) return refuse(request, response, 503, { 'retry-after': '5' })
    response.once('close', release)
    const { remoteAddress } = request.socket
    const forwarded = {
      port: target.container_port,
      host: request.headers.host,
      address: app.originRules.clientIp(remoteAddress, request.headers),
      encrypted: app.originRules.isSecure(remoteAddress, request.headers, 'encrypted' in request.socket),
      prefix: `/exposed/${found.token}`,
    }
    const connection = await connected(app, target.crew_id, target.container_port)
    if (!connection) return refuse(request, response, 502)
    if (response.destroyed) return void connection.destroy()
    pass(request, response, connection, found.path, forwarded)
  }

  function pass(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Duplex,
    path: string,
    forwarded: Forwarded,
  ): void {
    let answer: IncomingMessage | null = null
    let upstream: ClientRequest | null = null
    let left = 0
    let interim = 0
    let failed = false
    const clock = setTimeout(late, silence)
    const end = setTimeout(fail, longest)
    const heard = () => {
      left = 0
      clock.refresh()
    }
    const leave = () => {
      clearTimeout(clock)
      clearTimeout(end)
      passages.delete(stop)
      app.metrics.openStreams.dec({ kind: 'exposed' })
      discardBody(request)
      connection.destroy()
    }
    const stop = () => {
      connection.destroy()
      response.destroy()
    }
    function late(): void {
      const waits = response.writableNeedDrain || answer?.headers['content-type']?.startsWith('text/event-stream')
      if (answer && waits && ++left < patience) clock.refresh()
      else fail()
    }
    function fail(): void {
      if (failed) return
      failed = true
      if (response.headersSent) response.destroy()
      else refuse(request, response, 502)
      connection.destroy()
    }

    passages.add(stop)
    app.metrics.openStreams.inc({ kind: 'exposed' })
    response.on('close', leave)
    // The request reports errors of its connection; without a listener here they would be thrown.
    connection.on('error', () => {})
    try {
      const headers = requestHeaders(request.rawHeaders, forwarded)
      upstream = open({ method: request.method, path, headers, createConnection: () => connection, setHost: false })
    } catch {
      refuse(request, response, 400)
      return
    }
    upstream.on('error', () => answer?.complete || fail())
    upstream.on('upgrade', fail)
    upstream.on('information', () => {
      if (++interim > interimLimit) fail()
    })
    upstream.on('response', (it) => {
      answer = it
      heard()
      if (failed || !isClear(it.statusCode!, it.rawHeaders)) return void fail()
      try {
        response.writeHead(it.statusCode!, answerHeaders(it.statusCode!, it.rawHeaders, forwarded))
      } catch {
        fail()
        return
      }
      response.flushHeaders()
      it.on('data', heard)
      it.on('error', fail)
      it.pipe(response)
    })
    request.on('data', heard)
    request.on('error', stop)
    if (hasBody(request)) request.pipe(upstream)
    else upstream.end()
  }

  const close = () => {
    for (const stop of [...passages]) stop()
  }
  app.stopping.signal.addEventListener('abort', close)
  return {
    serve: (request, response) =>
      void serve(request, response).catch((error: Error) => {
        app.log.error({ err: error }, 'A request to an exposed port failed')
        refuse(request, response, 502)
      }),
    close() {
      app.stopping.signal.removeEventListener('abort', close)
      close()
    },
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Splits off the token; the rest of the path is forwarded as it is written. */
function addressOf(url: string): { token: string; path: string } | null {
  const [, token, rest] = /^\/exposed\/([^/?#]+)(.*)$/s.exec(url) ?? []
  if (!token) return null
  return { token, path: rest?.startsWith('/') ? rest : `/${rest ?? ''}` }
}

async function connected(app: App, crewId: string, port: number): Promise<Duplex | null> {
  const connecting = app.runtime.connect(crewId, port)
  let late: NodeJS.Timeout | undefined
  const patient = new Promise<null>((resolve) => {
    late = setTimeout(() => resolve(null), connectMs)
  })
  try {
    const connection = await Promise.race([connecting, patient])
    if (!connection) connecting.then((it) => it.destroy()).catch(() => {})
    return connection
  } catch (error) {
    app.log.debug({ err: error, crew: crewId, port }, 'An exposed port cannot be reached')
    return null
  } finally {
    clearTimeout(late)
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, more: Headers = {}): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  discardBody(request)
  response
    .writeHead(status, {
      ...sandbox,
      'cache-control': 'no-store',
      'content-type': 'text/plain; charset=utf-8',
      ...more,
    })
    .end(`${words[status]}\n`)
}

/** Discards the rest of the body for a limited time, so that the client can read the answer. */
function discardBody(request: IncomingMessage): void {
  if (request.complete) return
  request.unpipe()
  request.resume()
  const late = setTimeout(() => request.destroy(), dropMs).unref()
  request.once('close', () => clearTimeout(late))
}
