import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { targetOf } from '../../daemon/features/ports/service.ts'
import { type Connections, createConnections } from '../../daemon/runtime/bridge/connections.ts'
import { createExposed } from '../../daemon/streams/exposed/proxy.ts'
import { closing } from './index.ts'
import { office } from './ports.ts'

const bridge = new URL('../../dist/container/bridge.cjs', import.meta.url).pathname

/** The program that carries connections into a container, here beside the test. */
function carried(): Connections {
  const child = spawn(process.execPath, [bridge], { stdio: ['pipe', 'pipe', 'inherit'] })
  closing({
    async close() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  })
  const connections = createConnections({
    write: (bytes, done) => void child.stdin.write(bytes, () => done()),
    broken: (error) => connections.close(error),
  })
  child.stdout.on('data', (chunk) => connections.receive(chunk))
  child.stdin.on('error', () => undefined)
  return connections
}

export interface Answered {
  /** What came: an answer that is whole, or one that broke off. */
  status: number | null
  headers: IncomingHttpHeaders
  text: string
  whole: boolean
}

/** A program that answers with whatever bytes it likes, as far as a visitor of its capability URL sees it. */
export async function hostile(
  answer: (socket: Socket, head: string) => void,
  options: Parameters<typeof createExposed>[2] = {},
) {
  const requests: string[] = []
  const sockets: Socket[] = []
  const program = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    let head = ''
    const read = (chunk: Buffer) => {
      head += chunk
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', read)
      socket.on('data', (more) => requests.push(String(more)))
      requests.push(head)
      answer(socket, head)
    }
    socket.on('data', read)
  }).listen(0, '127.0.0.1')
  closing({
    close: () => {
      for (const socket of sockets) socket.destroy()
      program.close()
    },
  })
  await once(program, 'listening')
  const { port } = program.address() as AddressInfo
  const connections = carried()
  const it = await office({}, (_crew, at) => connections.open(at))
  const exposed = closing(createExposed(it.app, targetOf, options))
  it.app.exposed = exposed.serve
  const { body } = await it.expose({ port })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  closing({ close: () => agent.destroy() })
  const { hostname, port: at } = new URL(it.base)

  /** A visitor's request; one visitor asks over one connection as long as it lasts. */
  function visit(
    path: string,
    { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<Answered> {
    return new Promise((resolve) => {
      const call = request(
        { hostname, port: at, path: `/exposed/${body.token}${path}`, method, headers, agent },
        (reply) => {
          let text = ''
          reply.on('data', (chunk) => (text += chunk))
          reply.on('error', () => undefined)
          reply.on('close', () =>
            resolve({ status: reply.statusCode!, headers: reply.headers, text, whole: reply.complete }),
          )
        },
      )
      call.on('error', () => resolve({ status: null, headers: {}, text: '', whole: false }))
      call.end()
    })
  }
  return { it, visit, requests, sockets, base: it.base, prefix: `/exposed/${body.token}` }
}
