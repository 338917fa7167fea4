import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { closing } from './index.ts'

export interface Asked {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string
}

/** Begins a request to a listening server over a connection of its own; the test ends it. */
export function begin(base: string, path: string, { method = 'GET', headers = {} }: Asked = {}): ClientRequest {
  const { hostname, port } = new URL(base)
  const call = request({ hostname, port, path, method, headers, agent: false })
  closing({ close: () => call.destroy() })
  return call
}

export async function ask(base: string, path: string, asked: Asked = {}) {
  const call = begin(base, path, asked)
  call.end(asked.body)
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, headers: answer.headers, text: await read(answer) }
}

export async function read(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

/** What a server answers to bytes as they are, until it closes. */
export async function raw(base: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  closing({ close: () => socket.destroy() })
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write(bytes)
  await once(socket, 'close')
  return text
}
