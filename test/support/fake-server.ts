import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

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

const open: FakeServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

type Answer = (request: Seen, reply: ServerResponse) => unknown

/** An HTTP server that answers as told: for what a real daemon cannot be made to say. `at` is a port or a socket path. */
export async function fakeServer(answer: Answer, at: number | string = 0): Promise<FakeServer> {
  const seen: Seen[] = []
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    seen.push(one)
    await answer(one, reply)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (typeof at === 'string') server.listen(at, resolve)
    else server.listen(at, '127.0.0.1', resolve)
  })
  const url = typeof at === 'string' ? `unix://${at}` : `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const it = {
    url,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  open.push(it)
  return it
}

/** Sends JSON. */
export function json(reply: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
