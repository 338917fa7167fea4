import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closing } from './index.ts'

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A real server on loopback that remembers what reached it, connections included. */
export async function server(answer: RequestListener) {
  const seen: Seen[] = []
  let connections = 0
  const http = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(request, response)
    })
  })
  http.on('connection', () => connections++)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  closing({
    close: () => {
      http.closeAllConnections()
      return new Promise((resolve) => http.close(resolve))
    },
  })
  return { port, url: `http://127.0.0.1:${port}`, seen, connections: () => connections }
}
