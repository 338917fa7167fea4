import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** Headers of one connection, which are never forwarded. */
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

/** Framing headers, which a Connection header cannot remove: the body would be read as the next message. */
const bounds = ['content-length', 'transfer-encoding']

/** Headers of a vendor's answer that agents do not get: cookies, alternative services and the framing. */
const keptBack = ['set-cookie', 'set-cookie2', 'alt-svc', 'content-length']

/** A shorter credential would match by accident. */
const shortest = 8

/**
 * The headers of a message for the next hop, without those in `drop` and in its Connection header. A chunked request
 * stays chunked with any method, or its body would be read as the next request.
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

/** The headers of a client's request whose names match, each joined into one line. */
export function listed({ headersDistinct }: IncomingMessage, names: RegExp): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      names.test(name) && values ? [[name, values.join(', ')]] : [],
    ),
  )
}

/** The headers of a vendor's answer for the agent, without the credential in case the vendor repeats it. */
export function answerHeaders(answered: IncomingMessage, secret: string): OutgoingHttpHeaders {
  const hidden = (value: string) => (secret.length < shortest ? value : value.replaceAll(secret, '[redacted]'))
  return Object.fromEntries(
    Object.entries(forwardable(answered, keptBack)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(hidden) : hidden(String(value)),
    ]),
  )
}
