import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { closing, type Person, type TestDaemon } from '#test'
import { createSockets } from '../../../../daemon/streams/ws.ts'
import { clientFrame, opcodes, type RawWebSocket, rawWebSocket, serverFrames } from '../../../support/raw-websocket.ts'
import { workplace } from '../../../support/runs.ts'

afterEach(() => void vi.useRealTimers())

async function listen(
  it: TestDaemon,
  at: string | { host: string; port: number } = { host: '127.0.0.1', port: 0 },
): Promise<Server> {
  const server = createServer()
  const sockets = closing(createSockets(it.app))
  sockets.attach(server)
  server.listen(at)
  await once(server, 'listening')
  closing({ close: () => server.close() })
  return server
}

async function place(config: object = {}) {
  const it = await workplace({ config })
  const server = await listen(it)
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const owner = it.person('OWNER')
  const dial = (headers: Record<string, string> = {}) => rawWebSocket(base, { headers })
  return { it, server, base, owner, dial, open: () => openConnections(server) }
}

const openConnections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

const tokenOf = async (it: TestDaemon, who: Person) => (await it.call(who, 'GET', '/ws-token')).body.token as string

const auth = (token: string) => clientFrame(opcodes.text, JSON.stringify({ type: 'auth', token }))
const text = (value: object) => clientFrame(opcodes.text, JSON.stringify(value))

/** Sends the token and waits for the first answer. */
async function signIn(it: TestDaemon, client: RawWebSocket, who: Person): Promise<string> {
  client.socket.write(auth(await tokenOf(it, who)))
  return (await heard(client, 1))[0]!.text
}

/** What the server said, once it has said that much. */
async function heard(client: RawWebSocket, count: number) {
  while (serverFrames(client.received()).length < count) await once(client.socket, 'data')
  return serverFrames(client.received())
}

describe('a client that is refused', () => {
  it('hears it once, whatever it goes on to send, and costs one farewell', async () => {
    const { dial } = await place()
    const client = await dial()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    client.socket.write(
      Buffer.concat([
        ...Array.from({ length: 2000 }, () => clientFrame(opcodes.text, '{}')),
        clientFrame(opcodes.close),
      ]),
    )
    await client.ended
    expect(timers.mock.calls.length).toBeLessThan(10)
    expect(serverFrames(client.received())).toEqual([
      { opcode: opcodes.text, text: expect.stringContaining('the first frame must be') },
      { opcode: opcodes.close, code: 4401, text: expect.any(String) },
    ])
  })

  it('is refused for good: a good token after a bad one opens nothing', async () => {
    const { it, dial, owner } = await place()
    const client = await dial()
    const token = await tokenOf(it, owner)
    client.socket.write(Buffer.concat([auth('x.y.z'), auth(token), text({ type: 'ping' }), clientFrame(opcodes.close)]))
    await client.ended
    expect(serverFrames(client.received()).map(({ opcode }) => opcode)).toEqual([opcodes.text, opcodes.close])
  })

  it('is cut when it sends much instead of a farewell', async () => {
    const { dial } = await place()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = await dial()
    client.socket.write(clientFrame(opcodes.text, '{}'))
    await heard(client, 2)
    client.socket.write(clientFrame(opcodes.text, 'x'.repeat(60_000)))
    client.socket.write(clientFrame(opcodes.text, 'x'.repeat(60_000)))
    await client.ended
  })

  it.each([
    ['a wrong frame', clientFrame(opcodes.text, '{}'), 4401],
    ['no frame at all', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
  ])('is cut after two seconds when it says no farewell after %s', async (_, bytes, code) => {
    const { dial } = await place()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = await dial()
    client.socket.write(bytes)
    while (serverFrames(client.received()).at(-1)?.code !== code) await once(client.socket, 'data')
    vi.advanceTimersByTime(2_000)
    await client.ended
  })

  it('hears that its first frame is too large', async () => {
    const { dial } = await place()
    const client = await dial()
    client.socket.write(auth('x'.repeat(8 * 1024)))
    const [error, farewell] = await heard(client, 2)
    expect(error!.text).toContain('the first frame is too large')
    expect(farewell!.code).toBe(4401)
  })
})

describe('frames', () => {
  it('that follow the token at once are dealt with in order when it has been checked', async () => {
    const { it, dial, owner } = await place()
    const client = await dial()
    const channels = Array.from({ length: 50 }, (_, n) => `nothing:${n}`)
    client.socket.write(
      Buffer.concat([
        auth(await tokenOf(it, owner)),
        ...channels.map((channel) => text({ type: 'subscribe', channel })),
      ]),
    )
    const [ready, ...answers] = await heard(client, 51)
    expect(JSON.parse(ready!.text).type).toBe('ready')
    expect(answers.map((it) => JSON.parse(it.text).channel)).toEqual(channels)
  })

  it.each([
    ['text', clientFrame(opcodes.text, '{"type":"pong"}')],
    ['pings', clientFrame(opcodes.ping)],
    ['pongs', clientFrame(opcodes.pong)],
  ])('end the connection when there are far too many: %s', async (_, frame) => {
    const { it, dial, owner } = await place()
    const client = await dial()
    await signIn(it, client, owner)
    client.socket.write(Buffer.concat([...Array.from({ length: 1000 }, () => frame), clientFrame(opcodes.close)]))
    await client.ended
    const [error, farewell] = serverFrames(client.received())
      .slice(1)
      .filter(({ opcode }) => opcode !== opcodes.pong)
    expect(JSON.parse(error!.text)).toEqual({
      type: 'error',
      channel: '',
      payload: { message: 'too many frames', error: 'too many frames' },
    })
    expect(farewell!.code).toBe(1008)
  })

  it('count by their size as well', async () => {
    const { it, dial, owner } = await place()
    const client = await dial()
    await signIn(it, client, owner)
    const large = text({ type: 'pong', payload: 'x'.repeat(60_000) })
    for (let n = 0; n < 60; n++) client.socket.write(large)
    expect((await heard(client, 3))[2]!.code).toBe(1008)
  })

  it('cannot come in crumbs without end', async () => {
    const { it, dial, owner } = await place()
    const client = await dial()
    await signIn(it, client, owner)
    const crumbs = Array.from({ length: 64 }, () => clientFrame(opcodes.continuation, '', { fin: false }))
    client.socket.write(Buffer.concat([clientFrame(opcodes.text, '{', { fin: false }), ...crumbs]))
    expect((await heard(client, 2))[1]!.code).toBe(1008)
  })

  it('of a ping are answered', async () => {
    const { dial } = await place()
    const client = await dial()
    client.socket.write(clientFrame(opcodes.ping, 'here?'))
    expect(await heard(client, 1)).toEqual([{ opcode: opcodes.pong, text: 'here?' }])
  })
})

describe('sockets on which nobody has signed in', () => {
  const many = (count: number, dial: () => Promise<RawWebSocket>) => Promise.all(Array.from({ length: count }, dial))

  it('are 32 of one address; signing in and leaving make room', async () => {
    const { it, dial, owner } = await place()
    const clients = await many(32, () => dial())
    expect(clients.map(({ status }) => status)).toEqual(clients.map(() => 101))
    const refused = await dial()
    expect(refused.status).toBe(429)
    expect(refused.head).toMatch(/^retry-after: 5\r$/im)
    expect((await dial({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(101)
    expect(await signIn(it, clients[0]!, owner)).toContain('ready')
    expect((await dial()).status).toBe(101)
    expect((await dial()).status).toBe(429)
    clients[1]!.socket.destroy()
    await expect.poll(async () => (await dial()).status).toBe(101)
  })

  it('share the places of their IPv6 network', async () => {
    const { dial } = await place()
    await many(32, () => dial({ 'x-forwarded-for': '2001:db8:0:1::1' }))
    expect((await dial({ 'x-forwarded-for': '2001:db8:0:1::2' })).status).toBe(429)
    expect((await dial({ 'x-forwarded-for': '2001:db8:0:2::1' })).status).toBe(101)
  })

  it('are 512 in all', async () => {
    const { dial } = await place()
    for (let n = 0; n < 16; n++) await many(32, () => dial({ 'x-forwarded-for': `203.0.113.${n}` }))
    const refused = await dial({ 'x-forwarded-for': '198.51.100.1' })
    expect(refused.status).toBe(503)
    expect(refused.head).toMatch(/^retry-after: 5\r$/im)
  })

  it('are 120 a minute of one address, not counting those where somebody did', async () => {
    const { it, dial, owner } = await place({ rateLimitDisabled: false })
    const come = async () => {
      const client = await dial()
      client.socket.destroy()
      return client.status
    }
    const token = await tokenOf(it, owner)
    for (let n = 0; n < 10; n++) {
      const client = await dial()
      client.socket.write(auth(token))
      await heard(client, 1)
    }
    for (let n = 0; n < 120; n += 20)
      expect(await Promise.all(Array.from({ length: 20 }, come))).toEqual(Array.from({ length: 20 }, () => 101))
    const refused = await dial()
    expect(refused.status).toBe(429)
    expect(refused.head).toMatch(/^retry-after: \d+\r$/im)
  })

  it('never keep out the owner of the machine', async () => {
    const { it } = await place()
    const dir = mkdtempSync(join(tmpdir(), 'muster-sockets-'))
    closing({ close: () => rmSync(dir, { recursive: true }) })
    const path = join(dir, 'musterd.sock')
    await listen(it, path)
    const dial = async () => {
      const client = new WebSocket(`ws+unix:${path}:/ws`)
      closing({ close: () => client.terminate() })
      await once(client, 'open')
    }
    await Promise.all(Array.from({ length: 40 }, dial))
  })
})

describe('an upgrade that is refused', () => {
  it.each([
    ['/elsewhere', 404],
    ['/ws', 403],
  ])('at %s leaves no connection behind, though the client does not close', async (path, status) => {
    const { base, open } = await place()
    const client = await rawWebSocket(base, { path, headers: { host: 'evil.example' } })
    expect(client.status).toBe(status)
    await expect.poll(open).toBe(0)
  })
})

describe('one user', () => {
  it('has so many sockets and streams at a time', async () => {
    const { it, dial, owner } = await place({ streamsPerUser: 2 })
    const [first, second, third] = [await dial(), await dial(), await dial()]
    expect(await signIn(it, first, owner)).toContain('ready')
    expect(await signIn(it, second, owner)).toContain('ready')
    expect(await signIn(it, third, owner)).toContain('too many streams')
    expect((await heard(third, 2))[1]!.code).toBe(1008)
    expect(await it.call(owner, 'GET', '/journal/stream')).toMatchObject({
      status: 429,
      headers: { 'retry-after': '10' },
    })
    expect(await signIn(it, await dial(), it.person('MEMBER'))).toContain('ready')
    first.socket.destroy()
    await expect.poll(async () => signIn(it, await dial(), owner)).toContain('ready')
  })
})
