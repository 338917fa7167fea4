import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'

const statuses: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Refuses malformed HTTP in a format that the clients of all vendors read, since the vendor is unknown. */
export function refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  // After an earlier answer on this connection, the refusal could be taken for a part of it.
  if (!socket.writable || socket.bytesWritten) return void socket.destroy()
  const error = {
    type: 'invalid_request_error',
    message: `The request is not passed on: it is not well-formed HTTP/1.1 (${code}).`,
  }
  const body = JSON.stringify({ type: 'error', error })
  const head = [
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-muster: sidecar',
    'x-should-retry: false',
    'connection: close',
  ]
  socket.end(`HTTP/1.1 ${statuses[code] ?? '400 Bad Request'}\r\n${head.join('\r\n')}\r\n\r\n${body}`, () =>
    socket.destroy(),
  )
}
