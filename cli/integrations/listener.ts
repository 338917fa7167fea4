import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Brought, fromQuery } from './brought.ts'

export interface Listener {
  /** Where the browser is to come back to. */
  address: string
  /** What it brings for this state; whatever comes for another one is not taken. */
  bringing(state: string): Promise<Brought>
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
  let wanted: { state: string; resolve(brought: Brought): void; reject(error: unknown): void } | null = null
  const server = createServer(({ method, url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    if (method !== 'GET' || pathname !== '/callback') return response.writeHead(404, { connection: 'close' }).end()
    if (!wanted || searchParams.get('state') !== wanted.state)
      return response.writeHead(400, headers).end(page('This sign-in was not begun here.'))
    try {
      wanted.resolve(fromQuery(searchParams))
      return response.writeHead(200, headers).end(page('Back to the command line.'))
    } catch (error) {
      wanted.reject(error)
      return response.writeHead(400, headers).end(page('The sign-in was not finished.'))
    }
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    bringing(state) {
      const brought = new Promise<Brought>((resolve, reject) => {
        wanted = { state, resolve, reject }
      })
      // Whoever waits for something else first must not end the process.
      brought.catch(() => undefined)
      return brought
    },
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}
