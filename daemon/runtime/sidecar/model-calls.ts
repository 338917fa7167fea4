import { type ClientRequest, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import type { ModelCredential, SidecarReport } from '../types.ts'
import { admit, clientSecrets, type Refusal, tooLarge, withoutSecrets } from './admission.ts'
import { Body } from './body.ts'
import type { Compiled } from './config.ts'
import { cooldownMs, type Turns } from './credentials.ts'
import { type Dial, Refused, Unreachable } from './dial.ts'
import { forwardable } from './headers.ts'
import { createPools, type Pools } from './pools.ts'
import type { Slots } from './slots.ts'
import { route, type Vendor } from './vendors.ts'

export interface ModelCalls {
  /** Answers a request whose path belongs to a vendor; false when it belongs to none. */
  answer(request: IncomingMessage, response: ServerResponse, uid: number | null): boolean
  close(): void
}

export interface ModelCallParts {
  config(): Compiled | null
  turns: Turns
  dial: Dial
  slots: Slots
  report(report: SidecarReport): void
  /** Whether an operator's upstream may be on loopback. */
  loopbackUpstreams: boolean
}

/** Models may think for minutes without a byte. */
const silenceMs = 10 * 60_000

const busy: Refusal = { status: 503, message: 'Too many model calls of this agent are under way. Try again when one of them has ended.' }

export function createModelCalls({ config, turns, dial, slots, report, loopbackUpstreams }: ModelCallParts): ModelCalls {
  const pools = createPools(dial, { loopback: loopbackUpstreams, silenceMs })

  function answer(request: IncomingMessage, response: ServerResponse, uid: number | null): boolean {
    const at = route(request.url ?? '')
    if (!at) return false
    const current = config()
    const admitted = admit(request, at.path, at.vendor, current, uid)
    const release = Array.isArray(admitted) ? slots.take(uid) : null
    if (!Array.isArray(admitted)) fail(response, at.vendor, admitted)
    else if (!release) fail(response, at.vendor, busy)
    else {
      const call = new Call(request, response, at, current!, pools)
      response.on('close', () => {
        release()
        call.end()
      })
      attempt(call, turns.order(admitted))
    }
    return true
  }

  /** Makes the call with the first credential; when the vendor limits it and the body can be sent again, with the next. */
  function attempt(call: Call, [credential, ...others]: ModelCredential[]): void {
    turns.used(credential!)
    call.send(credential!, (answered) => {
      if (answered.statusCode !== 429) return void call.deliver(answered)
      turns.limited(credential!)
      report({ type: 'credential_limited', credentialId: credential!.credentialId, retryAfterSeconds: cooldownMs / 1000 })
      if (!others.length || !call.repeatable) return void call.deliver(answered)
      answered.resume()
      attempt(call, others)
    })
  }

  return { answer, close: () => pools.close() }
}

/** One model call: what the client asks, and the request to the vendor that is under way for it. */
class Call {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #vendor: Vendor
  readonly #path: string
  readonly #headers: OutgoingHttpHeaders
  readonly #upstream: URL
  readonly #pools: Pools
  readonly #operators: boolean
  readonly #body: Body
  #out: ClientRequest | null = null

  constructor(request: IncomingMessage, response: ServerResponse, { vendor, path }: { vendor: Vendor; path: string }, config: Compiled, pools: Pools) {
    const set = config.upstreams.get(vendor.provider)
    this.#request = request
    this.#response = response
    this.#vendor = vendor
    this.#upstream = set ?? new URL(vendor.base)
    this.#path = this.#upstream.pathname.replace(/\/$/, '') + withoutSecrets(path)
    this.#headers = { ...vendor.defaults, ...forwardable(request, clientSecrets), host: this.#upstream.host }
    this.#pools = pools
    this.#operators = set !== undefined
    this.#body = new Body(request, () => this.#fail(tooLarge))
  }

  get repeatable(): boolean {
    return this.#body.repeatable
  }

  send(credential: ModelCredential, answered: (answer: IncomingMessage) => void, again = false): void {
    const { protocol, hostname, port, host } = this.#upstream
    const headers = { ...this.#headers, ...this.#vendor.authenticate(credential, this.#headers) }
    const agent = this.#pools.for(this.#upstream, this.#operators)
    const request = protocol === 'https:' ? httpsRequest : httpRequest
    const out = request({ agent, host: hostname, port, method: this.#request.method!, path: this.#path, headers, setHost: false })
    this.#out = out
    out.setTimeout(silenceMs, () => out.destroy(new Unreachable(`${host} was silent for ten minutes`, true)))
    out.on('response', answered)
    out.on('upgrade', (_, socket) => {
      socket.destroy()
      this.#fail({ status: 502, message: `${host} wants another protocol.` })
    })
    out.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#out !== out) return
      // A connection that waited in the pool was closed by the vendor just as it was used.
      const stale = out.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      if (stale && this.repeatable && !again && !this.#response.headersSent) this.send(credential, answered, true)
      else this.#fail(reason(error, this.#upstream))
    })
    this.#body.sendTo(out)
  }

  deliver(answered: IncomingMessage): void {
    this.#body.release()
    const status = answered.statusCode!
    if (status < 200 || status > 999) {
      this.#fail({ status: 502, message: `${this.#upstream.host} answered with the status ${status}.` })
      return
    }
    this.#response.writeHead(status, forwardable(answered))
    this.#response.flushHeaders()
    pipeline(answered, this.#response, () => {})
  }

  /** Lets go of everything; a client that left stops the vendor's work, too. */
  end(): void {
    const out = this.#out
    this.#out = null
    out?.destroy()
    this.#body.discard()
  }

  #fail(refusal: Refusal): void {
    this.end()
    fail(this.#response, this.#vendor, refusal)
  }
}

function reason(error: Error, { host }: URL): Refusal {
  if (error instanceof Refused) return { status: 502, message: `The address of ${host} is refused: ${error.message}. An operator can set another upstream.` }
  if (error instanceof Unreachable) return { status: error.timedOut ? 504 : 502, message: `${error.message}.` }
  return { status: 502, message: `The call to ${host} failed (${(error as NodeJS.ErrnoException).code ?? 'no answer'}).` }
}

/** Says in the vendor's own shape what Muster refuses; clients need not try again what will not change by itself. */
function fail(response: ServerResponse, vendor: Vendor, { status, message }: Refusal): void {
  if (response.headersSent) return void response.destroy()
  const body = JSON.stringify(vendor.failure(status, message))
  const retry = status < 500 ? { 'x-should-retry': 'false' } : {}
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-muster': 'sidecar', ...retry }).end(body)
}
