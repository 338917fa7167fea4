import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type Connections, createConnections } from '#runtime/bridge/connections'
import { askRelay } from '#runtime/bridge/relay-sockets'
import { serveRelay } from '#runtime/bridge/serve-relay'
import { connectUpstream, type Relayed } from '#runtime/relayed'
import type { SidecarConfig } from '#runtime/types'
import { config, credential, server, sidecar, text } from '../sidecar/support.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

async function listening(then: (socket: Socket) => void): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections++
    open.add(socket.on('error', () => {}))
    then(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    for (const it of open) it.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const localhost = (port: number): Relayed => ({ provider: 'OPENAI', host: '127.0.0.1', port })

/** A sidecar's configuration whose only agent is the user of this test. */
const oneAgent = (port: number): SidecarConfig => {
  const agent = { agentId: 'agent-ada', slug: 'ada', uid: process.getuid!(), credentials: [credential('OPENAI', 'sk')] }
  return config([], { OPENAI: `http://127.0.0.1:${port}` }, { agents: { 'dummy-ada': agent } })
}

const asked = (body: string | Buffer) => ({ method: 'POST', headers: { authorization: 'Bearer dummy-ada' }, body })

const deliver = (to: Connections, bytes: Buffer, done: () => void) =>
  setImmediate(() => {
    to.receive(bytes)
    done()
  })

/** Both ends, with the pipes between them as function calls. */
async function relay(upstreams: Relayed[], { providers = ['OPENAI'], most = 64 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'))
  const broken = (error: Error) => {
    throw error
  }
  const daemon: Connections = createConnections({
    write: (bytes, done) => deliver(sidecar, bytes, done),
    broken,
    most,
    connect: (place) => connectUpstream(upstreams[place]),
  })
  const sidecar: Connections = createConnections({
    write: (bytes, done) => deliver(daemon, bytes, done),
    broken,
  })
  const servers: Server[] = await serveRelay(sidecar, folder, providers)
  ends.push(() => {
    daemon.close(new Error('over'))
    sidecar.close(new Error('over'))
    for (const it of servers) it.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, daemon, sidecar }
}

async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'end')
  return text
}

it('carries what both sides say, past the end of one of them', async () => {
  const { port } = await listening((socket) => {
    void textOf(socket).then((asked) => socket.end(`answer to ${asked}`))
  })
  const { folder } = await relay([localhost(port)])
  const socket = await askRelay(folder, 'OPENAI')
  socket.end('question')
  expect(await textOf(socket)).toBe('answer to question')
})

it('says that nobody listens', async () => {
  const { port } = await listening(() => {})
  for (const end of ends.splice(0)) end()
  const { folder } = await relay([localhost(port)])
  await expect(askRelay(folder, 'OPENAI')).rejects.toThrow(`nobody listens on port ${port}`)
})

it('knows no provider but those that it was started for', async () => {
  const { folder } = await relay([])
  await expect(askRelay(folder, 'GOOGLE')).rejects.toThrow('the daemon does not relay to it now')
  await expect(askRelay(folder, 'OPENAI')).rejects.toThrow('there is no such upstream')
})

it('takes no port: a number that a compromised sidecar asks for is a place in the list', async () => {
  const upstream = await listening(() => {})
  const neighbour = await listening(() => {})
  const { sidecar } = await relay([localhost(upstream.port)])
  for (const asked of [neighbour.port, upstream.port, 1, 65_535])
    await expect(sidecar.open(asked)).rejects.toThrow('there is no such upstream')
  expect([neighbour.connections(), upstream.connections()]).toEqual([0, 0])
})

it('refuses more connections than it may hold, and takes one again when one has ended', async () => {
  const { port } = await listening((socket) => void socket.on('end', () => socket.end()).resume())
  const { folder } = await relay([localhost(port)], { most: 2 })
  const [first] = [await askRelay(folder, 'OPENAI'), await askRelay(folder, 'OPENAI')]
  await expect(askRelay(folder, 'OPENAI')).rejects.toThrow('too many connections are open')
  first!.resume().end()
  await once(first!, 'close')
  await expect(askRelay(folder, 'OPENAI')).resolves.toBeDefined()
})

it('ends the connection when the upstream dies in the middle', async () => {
  const { port } = await listening((socket) => void socket.once('data', () => socket.resetAndDestroy()))
  const { folder } = await relay([localhost(port)])
  const socket = await askRelay(folder, 'OPENAI')
  socket
    .on('error', () => {})
    .resume()
    .write('question')
  await once(socket, 'close')
  expect(socket.destroyed).toBe(true)
})

it('takes no more from an upstream than its reader has room for', async () => {
  const whole = 32 * 1024 * 1024
  let upstream: Socket | null = null
  const { port } = await listening((socket) => {
    upstream = socket
    socket.end(Buffer.alloc(whole))
  })
  const { folder } = await relay([localhost(port)])
  const socket = await askRelay(folder, 'OPENAI')
  await once(socket, 'readable')
  expect(upstream!.writableFinished).toBe(false)
  expect((await textOf(socket)).length).toBe(whole)
})

it('ends with the pipes', async () => {
  const { port } = await listening(() => {})
  const { folder, sidecar } = await relay([localhost(port)])
  const socket = await askRelay(folder, 'OPENAI')
  socket.on('error', () => {}).resume()
  sidecar.close(new Error('the daemon is gone'))
  await once(socket, 'close')
  await expect(askRelay(folder, 'OPENAI')).rejects.toThrow('the daemon is gone')
})

it('hands on each event of a model’s answer when it comes', async () => {
  let next = () => {}
  const { port } = await server((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1'))
    next = () => void response.end('data: 2')
  })
  const { folder } = await relay([localhost(port)])
  const { url } = await sidecar(oneAgent(port), { isolated: true, relay: folder })
  const answer = await fetch(`${url}/openai/v1/responses`, asked('hello'))
  const events = answer.body!.getReader()
  expect(Buffer.from((await events.read()).value!).toString()).toBe('data: 1')
  next()
  expect(Buffer.from((await events.read()).value!).toString()).toBe('data: 2')
  expect(await events.read()).toMatchObject({ done: true })
})

it('carries the largest body of a model call', async () => {
  const whole = Buffer.alloc(10 * 1024 * 1024, 'muster')
  const { port } = await server(async (request, response) => {
    response.end(
      createHash('sha256')
        .update(await text(request))
        .digest('hex'),
    )
  })
  const { folder } = await relay([localhost(port)])
  const { url } = await sidecar(oneAgent(port), { isolated: true, relay: folder })
  const answer = await fetch(`${url}/openai/v1/responses`, asked(whole))
  expect(await answer.text()).toBe(createHash('sha256').update(whole).digest('hex'))
})
