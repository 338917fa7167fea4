import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** One request as its bytes say. */
export interface Plain {
  method: string
  target: string
  /** In lower case; no header comes twice. */
  headers: Map<string, string>
  body: string
}

/**
 * Reads the first request of a connection by the letter of RFC 9112, taking nothing that two readers could read
 * differently:
 * throws at the first byte that is out of place, returns null while there is not yet a whole one. Text is Latin-1, a
 * byte a character.
 */
export function readRequest(text: string): { request: Plain; rest: string } | null {
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  if (/[\n\0]|\r[^\n]/.test(head.replaceAll('\r\n', ''))) throw new Error(`bare line end in ${JSON.stringify(head)}`)
  if (end < 0) return null
  const [first, ...lines] = head.split('\r\n')
  const [, method, target] = /^(GET|POST) (\/[!-~]*) HTTP\/1\.1$/.exec(first!) ?? []
  if (!method || !target) throw new Error(`odd request line ${first}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([A-Za-z0-9-]+): ([!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)$/.exec(line) ?? []
    if (!name || value === undefined) throw new Error(`odd header ${JSON.stringify(line)}`)
    if (headers.has(name.toLowerCase())) throw new Error(`${name} comes twice`)
    headers.set(name.toLowerCase(), value)
  }
  if (!headers.has('host')) throw new Error('no host')
  const read = readBody(method, headers, text.slice(end + 4))
  return read && { request: { method, target, headers, body: read.body }, rest: read.rest }
}

function readBody(method: string, headers: Map<string, string>, text: string): { body: string; rest: string } | null {
  const [length, coding] = [headers.get('content-length'), headers.get('transfer-encoding')]
  if (method === 'GET') {
    if (length ?? coding) throw new Error('a GET that announces a body')
    return { body: '', rest: text }
  }
  if ((length === undefined) === (coding === undefined)) throw new Error('not exactly one framing')
  if (coding !== undefined) return coding === 'chunked' ? readChunks(text) : fault(`transfer-encoding ${coding}`)
  if (!/^(0|[1-9]\d*)$/.test(length!)) throw new Error(`content-length ${length}`)
  const size = Number(length)
  return text.length < size ? null : { body: text.slice(0, size), rest: text.slice(size) }
}

function readChunks(text: string): { body: string; rest: string } | null {
  let body = ''
  for (let at = 0; ; ) {
    const line = text.indexOf('\r\n', at)
    if (line < 0) return null
    const digits = text.slice(at, line)
    if (!/^(0|[1-9a-f][0-9a-f]*)$/.test(digits)) throw new Error(`chunk size ${JSON.stringify(digits)}`)
    const size = Number.parseInt(digits, 16)
    const close = line + 2 + size
    if (text.length < close + 2) return null
    if (text.slice(close, close + 2) !== '\r\n')
      throw new Error('a chunk that does not end where it should, or a trailer')
    if (size === 0) return { body, rest: text.slice(close + 2) }
    body += text.slice(line + 2, close)
    at = close + 2
  }
}

function fault(what: string): never {
  throw new Error(what)
}

/**
 * What came over one connection: every byte, the requests in it, the first fault, and what is not yet a whole request.
 */
export interface Heard {
  bytes: string
  requests: Plain[]
  fault: string | null
  rest: string
  /** Resolves when the connection is gone. */
  closed: Promise<unknown>
}

const certificate = (kind: 'crt' | 'key') =>
  readFileSync(new URL(`../../../fixtures/tls/localhost.${kind}`, import.meta.url))

/**
 * A vendor at the level of bytes. As vendors do, it takes request after request from a connection and answers each;
 * `reply`
 * gives the bytes of an answer, and whether the connection ends with it.
 */
export async function rawVendor(reply: (request: Plain) => [bytes: string, closes?: boolean], secure = false) {
  const heard: Heard[] = []
  const sockets = new Set<Socket>()
  const listener = (socket: Socket) => {
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const one: Heard = { bytes: '', requests: [], fault: null, rest: '', closed }
    heard.push(one)
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    socket.on('data', (chunk) => {
      one.bytes += chunk.toString('latin1')
      one.rest += chunk.toString('latin1')
      try {
        for (let next = readRequest(one.rest); next; next = readRequest(one.rest)) {
          one.rest = next.rest
          one.requests.push(next.request)
          const [bytes, closes] = reply(next.request)
          socket.write(bytes, 'latin1')
          if (closes) socket.end()
        }
      } catch (error) {
        one.fault ??= (error as Error).message
        socket.destroy()
      }
    })
  }
  const server = secure
    ? createTlsServer({ cert: certificate('crt'), key: certificate('key') }, listener)
    : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { url: `${secure ? 'https' : 'http'}://localhost:${port}`, heard, close }
}

export interface Leaving {
  sizes?: number[]
  /** Leaves after so many bytes. */
  after?: number
  /** Leaves, whatever was answered, when this is settled. */
  when?: Promise<unknown>
}

/**
 * Sends bytes, in pieces of the given sizes, and returns what comes back until the other side closes or the visitor
 * leaves.
 */
export async function visit(port: number, bytes: string, { sizes = [], after, when }: Leaving = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
  let got = ''
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1')
  })
  const whole = bytes.slice(0, after)
  let at = 0
  for (const size of [...sizes, whole.length]) {
    const piece = whole.slice(at, at + size)
    at += size
    if (piece && !socket.destroyed) await new Promise((written) => socket.write(piece, 'latin1', written))
  }
  void when?.then(() => socket.destroy())
  if (after !== undefined) socket.destroy()
  await closed
  return got
}
