import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { type Destination, destinationOf } from '../../kernel/outbound/destinations.ts'
import type { Vendor } from '../../providers/vendor.ts'
import type { ModelCredential } from '../types.ts'
import { type Admitted, fail, type Refusal, tooLarge } from './admission.ts'
import { Body } from './body.ts'
import { notLetOut } from './decoys.ts'
import { Refused, Unreachable } from './dial.ts'
import { bodyLength, framingOf } from './framing.ts'
import { answerHeaders, listed } from './headers.ts'
import type { Reach } from './upstream.ts'

/** A model may work for minutes without sending a byte. */
const silenceMs = 10 * 60_000

/** One model call: the client's request, rebuilt for the vendor, and the current attempt. */
export class Call {
  readonly agentId: string
  credential: ModelCredential | null = null
  /** Called when the call is over before an answer came. */
  onEnd: (() => void) | null = null
  readonly #response: ServerResponse
  readonly vendor: Vendor
  readonly #method: string
  readonly #path: string
  readonly #asked: OutgoingHttpHeaders
  readonly #framing: OutgoingHttpHeaders
  readonly #upstream: URL
  readonly #operators: boolean
  readonly #reach: Reach
  readonly #body: Body
  /** The answer to the current attempt, and its connection. */
  #answer: IncomingMessage | null = null
  #socket: Socket | null = null
  #over = false

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { agent, vendor, path, upstream }: Admitted,
    reach: Reach,
    holdsDecoy: ((chunk: Buffer) => boolean) | null = null,
  ) {
    const length = bodyLength(request)
    this.agentId = agent.agentId
    this.#response = response
    this.vendor = vendor
    this.#method = request.method!
    this.#upstream = upstream ?? new URL(vendor.base)
    this.#operators = upstream !== undefined
    this.#path = this.#upstream.pathname.replace(/\/$/, '') + path
    this.#asked = { ...vendor.defaults, ...listed(request, vendor.headers) }
    this.#framing = framingOf(this.#method, length)
    this.#reach = reach
    const refused = { status: 403, message: notLetOut }
    this.#body = new Body(
      request,
      length,
      () => this.fail(tooLarge),
      holdsDecoy,
      () => this.fail(refused),
    )
  }

  get repeatable(): boolean {
    return this.#body.repeatable
  }

  /** Where the call goes, whichever credential it is made with. */
  get destination(): Destination {
    return destinationOf(this.#method, new URL(this.#path, this.#upstream))
  }

  /**
   * Sends the call with a credential over a new connection, and aborts the attempt before it. `used` is called once it
   * is under way.
   */
  async send(
    credential: ModelCredential,
    used: () => void,
    answered: (answer: IncomingMessage) => void,
  ): Promise<void> {
    this.#drop()
    this.credential = credential
    try {
      const socket = await this.#reach(this.#upstream, this.#operators, this.vendor.provider)
      if (this.#over) socket.destroy()
      else {
        this.#write(socket, credential, answered)
        used()
      }
    } catch (error) {
      this.fail(reason(error as Error, this.#upstream))
    }
  }

  #write(socket: Socket, credential: ModelCredential, answered: (answer: IncomingMessage) => void): void {
    const { host } = this.#upstream
    // Keep-alive, so that we close the connection after the answer: a vendor that closes it while the body is still
    // being sent could truncate its own answer.
    const fixed = { ...this.#framing, host, connection: 'keep-alive' }
    const headers = { ...this.#asked, ...this.vendor.authenticate(credential, this.#asked), ...fixed }
    const out = httpRequest({
      createConnection: () => socket,
      method: this.#method,
      path: this.#path,
      headers,
      setHost: false,
    })
    const current = () => this.#socket === socket
    this.#socket = socket
    out.setTimeout(silenceMs, () => out.destroy(new Unreachable(`${host} was silent for ten minutes`, true)))
    out.on('response', (answer) => {
      if (!current()) return
      this.#answer = answer
      answered(answer)
    })
    out.on('upgrade', () => this.fail({ status: 502, message: `The upstream ${host} wants another protocol.` }))
    out.on('error', (error) => void (current() && this.fail(reason(error, this.#upstream))))
    this.#body.sendTo(out)
  }

  /** False once the call is over, or another attempt has begun. */
  expects(answer: IncomingMessage): boolean {
    return !this.#over && this.#answer === answer
  }

  /** Hands the answer on; with `body` when that was read already. */
  deliver(answered: IncomingMessage, body: Buffer | null = null): void {
    if (!this.expects(answered)) return
    this.#body.release()
    const status = answered.statusCode!
    if (status < 200 || status > 599)
      return void this.fail({
        status: 502,
        message: `The upstream ${this.#upstream.host} answered with the status ${status}.`,
      })
    this.#response.writeHead(status, answerHeaders(answered, this.credential!.token))
    this.#response.flushHeaders()
    if (body) this.#response.end(body)
    else pipeline(answered, this.#response, () => {})
  }

  /** Closes the connection to the vendor, also when the client has disconnected. */
  end(): void {
    this.#over = true
    this.onEnd?.()
    this.#drop()
    this.#body.discard()
  }

  fail(refusal: Refusal): void {
    if (this.#over) return
    this.end()
    fail(this.#response, this.vendor, refusal)
  }

  #drop(): void {
    const socket = this.#socket
    this.#socket = null
    this.#answer = null
    socket?.destroy()
  }
}

function reason(error: Error, { host }: URL): Refusal {
  const refusal = (why: string, status = 502) => ({
    status,
    message: `The upstream ${host} cannot be reached: ${why}.`,
  })
  if (error instanceof Refused)
    return refusal(`its address is refused, since ${error.message}. An operator can set another upstream`)
  if (error instanceof Unreachable) return refusal(error.message, error.timedOut ? 504 : 502)
  return refusal(`the call failed (${(error as NodeJS.ErrnoException).code ?? 'no answer'})`)
}
