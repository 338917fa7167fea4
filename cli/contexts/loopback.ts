import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Cancelled } from '../input.ts'

export type Outcome = 'signed-in' | 'denied' | 'failed'

/** A place on this machine to which a browser brings a pairing code, once. */
export interface Loopback {
  port: number
  /** Rejects when the person said no, or took longer than `patience` milliseconds. */
  code: Promise<string>
  /** Shows the browser what became of it and closes the place. */
  finish(outcome: Outcome): Promise<void>
}

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'",
  connection: 'close',
}

/** Listens on loopback for the browser that knows `state`. `pageOf` is where it is sent in the end. */
export async function listenForCode(
  state: string,
  pageOf: (outcome: Outcome) => string,
  patience: number,
): Promise<Loopback> {
  let waiting: ServerResponse | undefined
  let settle!: { resolve(code: string): void; reject(error: Error): void }
  const code = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // The caller may not await this promise yet.
  code.catch(() => {})
  const server = createServer((request, response) => {
    const given = readCallback(request, (server.address() as AddressInfo).port)
    if (!given) return say(response, 404, 'There is nothing here.')
    if (!same(given.state, state)) return say(response, 400, 'The command that waits here did not ask for this.')
    if (waiting) return say(response, 410, 'The answer has come already.')
    waiting = response
    if ('code' in given) settle.resolve(given.code)
    else settle.reject(new Cancelled('You said no in the browser. Nothing was changed.'))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const timer = setTimeout(() => settle.reject(new Cancelled('Nobody signed in within ten minutes.')), patience)
  return {
    port: (server.address() as AddressInfo).port,
    code,
    async finish(outcome) {
      clearTimeout(timer)
      const response = waiting
      if (response && !response.destroyed)
        await new Promise<void>((resolve) =>
          response
            .on('close', resolve)
            .writeHead(303, { ...headers, location: pageOf(outcome) })
            .end(),
        )
      server.close()
      server.closeAllConnections()
    },
  }
}

const say = (response: ServerResponse, status: number, text: string) =>
  void response.writeHead(status, { ...headers, 'content-type': 'text/plain' }).end(`${text}\n`)

/** What a browser brings. Undefined for any other request, those under a foreign name for this address included. */
function readCallback(
  { method, url = '/', headers: { host } }: IncomingMessage,
  port: number,
): ({ state: string } & ({ code: string } | { error: string })) | undefined {
  const here = `127.0.0.1:${port}`
  if (method !== 'GET' || host !== here || !URL.canParse(url, `http://${here}`)) return undefined
  const { pathname, searchParams } = new URL(url, `http://${here}`)
  const [state, code, error] = ['state', 'code', 'error'].map((name) => searchParams.get(name) ?? '') as [
    string,
    string,
    string,
  ]
  if (pathname !== '/callback' || !(code || error)) return undefined
  return code ? { state, code } : { state, error }
}

function same(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
