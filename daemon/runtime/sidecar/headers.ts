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
 * The headers of a message as the next hop may see them, without those named in `drop` and in its own Connection header.
 * A request whose body came in chunks goes on in chunks whatever its method, or its body would read as the next request.
 */
export function forwardable(message: IncomingMessage, drop: readonly string[] = []): OutgoingHttpHeaders {
  const named = (message.headers.connection ?? '').split(',').map((it) => it.trim().toLowerCase())
  const gone = new Set([...hopByHop, ...named, ...drop])
  const kept: OutgoingHttpHeaders = {}
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (!gone.has(name) && values) kept[name] = values.length === 1 ? values[0] : values
  }
  if (message.method && message.headers['transfer-encoding'] !== undefined) kept['transfer-encoding'] = 'chunked'
  return kept
}
