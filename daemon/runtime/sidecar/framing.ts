import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** Most header lines. Node silently drops those after the 2000th. */
const linesLimit = 100

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const controls = /[\x00-\x08\x0a-\x1f\x7f]/

/**
 * Why a request is ambiguous about its host, its length or its connection (request smuggling); null when it is not.
 * Does not rely on Node's parser, which refuses much of this already.
 */
export function faultOf({ httpVersion, method, rawHeaders, headersDistinct }: IncomingMessage): string | null {
  const [lengths = [], codings = [], hosts = []] = ['content-length', 'transfer-encoding', 'host'].map(
    (it) => headersDistinct[it],
  )
  if (httpVersion !== '1.1') return 'it is not HTTP/1.1'
  if (rawHeaders.length / 2 > linesLimit) return `it has more than ${linesLimit} headers`
  if (rawHeaders.some((it, index) => (index % 2 ? controls.test(it) : !token.test(it))))
    return 'a header holds what no header may hold'
  if (hosts.length !== 1) return 'it needs one Host header'
  if (codings.length + lengths.length > 1) return 'its length is stated more than once'
  if (lengths.some((it) => !/^\d{1,15}$/.test(it))) return 'its Content-Length is no whole number'
  if (codings.some((it) => it.toLowerCase() !== 'chunked')) return 'of transfer encodings only "chunked" is taken'
  if (method !== 'POST' && (codings.length || lengths.some((it) => Number(it) > 0))) return `a ${method} has no body`
  const asks = ['expect', 'upgrade'].find((it) => headersDistinct[it])
  return asks ? `its ${asks} header is not taken` : null
}

/** Length of the body of a request without faults, in bytes; null when it is chunked. */
export function bodyLength({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null
}

/** The framing headers of an outgoing body; none for a GET. */
export function framingOf(method: string, length: number | null): OutgoingHttpHeaders {
  if (method !== 'POST') return {}
  return length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }
}
