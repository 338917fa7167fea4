import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'

const statuses: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * Refuses what is no HTTP, in a shape that the vendors' clients read. Nobody knows yet which of them it was meant for.
 */
export function refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  // What was begun before on this connection cannot be told from an answer to it.
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
