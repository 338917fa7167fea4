import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, pipeline, Transform } from 'node:stream'
import type { Hello } from './client-hello.ts'
import type { Compiled } from './config.ts'
import { type DecoyWatch, notLetOut } from './decoys.ts'
import type { Denial } from './denials.ts'
import { type Dial, Refused, type Unreachable } from './dial.ts'
import { forwardable } from './headers.ts'
import { canonicalHost, parseAuthority, type Target } from './policy.ts'
import type { Slots } from './slots.ts'
import { idleMs, joinTunnel } from './tunnel.ts'
import type { CheckName } from './wildcard-names.ts'

/** The crew's forward proxy: CONNECT tunnels and plain HTTP in absolute form, both under the network policy. */
export interface Egress {
  tunnel(request: IncomingMessage, client: Duplex, head: Buffer, uid: number | null): Promise<void>
  forward(request: IncomingMessage, response: ServerResponse, uid: number | null): Promise<void>
}

export interface EgressParts {
  config(): Compiled | null
  dial: Dial
  slots: Slots
  checkName: CheckName
  denied(denial: Denial): void
  /** Nothing is looked for without it. */
  decoys?: DecoyWatch
  /** Timeout for the first bytes in a tunnel. */
  helloMs?: number
}

/** A connection to the target, and a check that the TLS client in the tunnel asks for the same host. */
interface Tunnel {
  far: Socket
  admits(hello: Hello): boolean
}

/** A refused connection: the status and the message for the agent. */
class Denied extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function createEgress({ config, dial, slots, checkName, denied, decoys, helloMs }: EgressParts): Egress {
  /** Connects to a target or throws. The slot is released when the connection closes. */
  async function open(target: Target | null, asked: string, uid: number | null): Promise<Tunnel> {
    const current = config()
    if (!current) throw new Denied(503, 'this crew is still being set up: its sidecar has no configuration yet')
    const agent = current.ownerOf(uid)
    const agentId = agent?.agentId ?? null
    const rules = current.rulesOf(agent)
    const deny = (reason: string) => {
      denied({ agentId, host: target?.host ?? asked, port: target?.port ?? 0, reason })
      return new Denied(403, reason)
    }
    if (current.uids && agentId === null) throw deny('who asks is no agent of this crew')
    if (!target) throw deny('the target is not written as host:port, with a plain name or address and no user name')
    const { host } = target
    if (!rules.permitsHost(host))
      throw deny(`${host} is not in this crew's allowed domains; a manager of the crew can add it to allowed_domains`)
    const wildcard = rules.wildcardOf(host)
    const fault = wildcard && checkName(uid, host, wildcard)
    if (fault) throw deny(fault)
    const release = slots.take(uid)
    if (!release)
      throw new Denied(503, 'too many connections of this agent are open; try again when one of them has ended')
    try {
      const far = await dial(target, rules.permitsAddress)
      far.once('close', release)
      return {
        far,
        admits: (hello) =>
          rules.permitsHello(host, hello) || !deny(`a TLS client in a tunnel to ${host} ${asksFor(hello)}`),
      }
    } catch (error) {
      release()
      if (error instanceof Refused) throw deny(error.message)
      throw new Denied((error as Unreachable).timedOut ? 504 : 502, (error as Error).message)
    }
  }

  return {
    async tunnel(request, client, head, uid) {
      client.on('error', () => client.destroy())
      if (decoys?.inHead(request, uid)) return void client.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
      try {
        const { far, admits } = await open(parseAuthority(request.url ?? ''), request.url ?? '', uid)
        if (client.destroyed) return void far.destroy()
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        await joinTunnel(client as Socket, far, { head, admits, ...(helloMs && { helloMs }) })
      } catch (error) {
        const { status, message } = error as Denied
        client.end(
          `HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-type: text/plain\r\ncontent-length: ${
            sentence(message).length
          }\r\nconnection: close\r\n\r\n${sentence(message)}`,
        )
      }
    },

    async forward(request, response, uid) {
      const [, authority, path] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(request.url ?? '') ?? []
      try {
        if (authority === undefined)
          throw new Denied(400, 'only http:// is passed on in this form; for https use CONNECT')
        const { far } = await open(parseAuthority(authority, 80), authority, uid)
        if (response.destroyed) return void far.destroy()
        const holdsDecoy = decoys?.ofBody(request, uid) ?? null
        relay(request, response, { far, host: authority, path: path!.startsWith('/') ? path! : `/${path}`, holdsDecoy })
      } catch (error) {
        refuse(response, (error as Denied).status, (error as Denied).message)
      }
    },
  }
}

function asksFor(hello: Hello): string {
  if (typeof hello === 'string') return 'begins with a hello that cannot be read'
  return hello.serverName === null
    ? 'asks for no server by name'
    : `asks for ${canonicalHost(hello.serverName) ?? 'what is no name'}`
}

interface Relayed {
  far: Socket
  host: string
  path: string
  holdsDecoy: ((chunk: Buffer) => boolean) | null
}

/** Sends one plain HTTP request over its own connection, with the target's name in the Host header. */
function relay(request: IncomingMessage, response: ServerResponse, { far, host, path, holdsDecoy }: Relayed): void {
  const headers = { ...forwardable(request, ['host']), host, connection: 'close' }
  const out = httpRequest({ createConnection: () => far, method: request.method!, path, headers, setHost: false })
  out.setTimeout(idleMs, () => out.destroy())
  out.on('response', (answered) => {
    if (answered.statusCode! < 200 || answered.statusCode! > 999) return void out.destroy()
    response.writeHead(answered.statusCode!, forwardable(answered))
    response.flushHeaders()
    pipeline(answered, response, () => {})
  })
  out.on('upgrade', (_, socket) => socket.destroy())
  out.on('error', () => {})
  out.on('close', () => refuse(response, 502, 'the connection ended before an answer came'))
  response.on('close', () => {
    out.destroy()
    request.resume()
  })
  if (!holdsDecoy) return void request.pipe(out)
  const inspected = new Transform({
    transform(chunk: Buffer, _, done) {
      if (!holdsDecoy(chunk)) return done(null, chunk)
      refuse(response, 403, notLetOut)
      out.destroy()
    },
  })
  request.pipe(inspected).pipe(out)
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

const sentence = (message: string) => `Muster did not let this out: ${message.replace(/[^ -~]/g, '?')}.\n`

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return
  response
    .writeHead(status, { 'content-type': 'text/plain', 'content-length': sentence(message).length })
    .end(sentence(message))
}
