import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Brought, fromQuery } from './brought.ts'

export interface Listener {
  /** Where the browser is to come back to. */
  address: string
  /** What it brings. */
  brought: Promise<Brought>
  close(): void
}

const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Muster</title><p>${text} You can close this window.</p>`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

/** Waits on a port of this machine for a browser that comes back from a sign-in. */
export async function listenForBrowser(): Promise<Listener> {
  let settle: { resolve(brought: Brought): void; reject(error: unknown): void }
  const brought = new Promise<Brought>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Whoever waits for something else first must not end the process.
  brought.catch(() => undefined)
  const server = createServer(({ method, url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    if (method !== 'GET' || pathname !== '/callback') return response.writeHead(404, { connection: 'close' }).end()
    try {
      settle.resolve(fromQuery(searchParams))
      return response.writeHead(200, headers).end(page('Back to the command line.'))
    } catch (error) {
      settle.reject(error)
      return response.writeHead(400, headers).end(page('The sign-in was not finished.'))
    }
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    brought,
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}
