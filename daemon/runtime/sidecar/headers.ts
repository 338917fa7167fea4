import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** Headers that belong to one connection and never travel further. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]

/**
 * What says where a message ends: a Connection header that names it is not obeyed, or the body would read as the next
 * message.
 */
const bounds = ['content-length', 'transfer-encoding']

/**
 * What an answer of a vendor's does not tell an agent: cookies of the key's owner, other ways to the vendor, bounds
 * that are ours to choose.
 */
const keptBack = ['set-cookie', 'set-cookie2', 'alt-svc', 'content-length']

/** A shorter credential would be found where it is not. */
const shortest = 8

/**
 * The headers of a message as the next hop may see them, without those named in `drop` and in its own Connection
 * header.
 * A request whose body came in chunks goes on in chunks whatever its method, or its body would read as the next
 * request.
 */
export function forwardable(message: IncomingMessage, drop: readonly string[] = []): OutgoingHttpHeaders {
  const named = (message.headers.connection ?? '').split(',').map((it) => it.trim().toLowerCase())
  const gone = new Set([...named.filter((it) => !bounds.includes(it)), ...hopByHop, ...drop])
  const kept: OutgoingHttpHeaders = {}
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (!gone.has(name) && values) kept[name] = values.length === 1 ? values[0] : values
  }
  if (message.method && message.headers['transfer-encoding'] !== undefined) kept['transfer-encoding'] = 'chunked'
  return kept
}

/** The headers of a client's request whose names match, each on one line. */
export function listed({ headersDistinct }: IncomingMessage, names: RegExp): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      names.test(name) && values ? [[name, values.join(', ')]] : [],
    ),
  )
}

/**
 * The headers of a vendor's answer as an agent may see them: nothing of the connection, and not the credential, should
 * the vendor repeat it.
 */
export function answerHeaders(answered: IncomingMessage, secret: string): OutgoingHttpHeaders {
  const hidden = (value: string) => (secret.length < shortest ? value : value.replaceAll(secret, '[redacted]'))
  return Object.fromEntries(
    Object.entries(forwardable(answered, keptBack)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(hidden) : hidden(String(value)),
    ]),
  )
}
