import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ending } from './endings.ts'

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface FakeServer {
  url: string
  seen: Seen[]
  close(): Promise<void>
}

type Answer = (request: Seen, reply: ServerResponse) => unknown

/** Certificate of `fakeServer` at `tls`, for `NODE_EXTRA_CA_CERTS`. */
export const certificate = new URL('../fixtures/tls/localhost.crt', import.meta.url).pathname

/**
 * An HTTP server that answers as told: for what a real daemon cannot be made to say. `at` is a port, a socket path, or
 * `tls`.
 */
export async function fakeServer(answer: Answer, at: number | string = 0): Promise<FakeServer> {
  const seen: Seen[] = []
  const listener: RequestListener = async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    seen.push(one)
    await answer(one, reply)
  }
  const tls = at === 'tls'
  const server = tls
    ? createSecureServer(
        { cert: readFileSync(certificate), key: readFileSync(certificate.replace(/crt$/, 'key')) },
        listener,
      )
    : createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (typeof at === 'string' && !tls) server.listen(at, resolve)
    else server.listen(tls ? 0 : Number(at), '127.0.0.1', resolve)
  })
  const url =
    typeof at === 'string' && !tls
      ? `unix://${at}`
      : `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  const it = {
    url,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  ending(() => it.close())
  return it
}

/** Sends JSON. */
export function json(reply: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
