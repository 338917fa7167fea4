import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { createConnection, ProblemError, UnreachableError } from '#client'
import { events } from '#client/events'
import { lines } from '#client/lines'
import { openSocket } from '#client/socket'
import { fakeServer, json } from '../../support/fake-server.ts'

const begin = (reply: ServerResponse) => reply.writeHead(200, { 'content-type': 'text/event-stream' })
const say = (reply: ServerResponse, id: number, event = 'entry') =>
  reply.write(`id: ${id}\nevent: ${event}\ndata: {"n":${id}}\n\n`)

async function take<T>(source: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const it of source) {
    taken.push(it)
    if (taken.length === count) break
  }
  return taken
}

describe('lines', () => {
  it('reads objects cut anywhere, and the last one without its line break', async () => {
    const bytes = Buffer.from('{"a":"ü"}\n\n{"a":2}\n{"a":3}')
    const server = await fakeServer(async (_, reply) => {
      reply.writeHead(200, { 'content-type': 'application/x-ndjson' })
      for (const byte of bytes) await new Promise((done) => reply.write(Buffer.from([byte]), done))
      reply.end()
    })
    const read: unknown[] = []
    for await (const line of lines(createConnection({ server: server.url }), { method: 'GET', path: '/s' }))
      read.push(line)
    expect(read).toEqual([{ a: 'ü' }, { a: 2 }, { a: 3 }])
  })

  it('throws when the connection breaks half-way, and closes it when the reader leaves', async () => {
    let closed: Promise<void> | undefined
    const server = await fakeServer(({ url }, reply) => {
      closed = new Promise((resolve) => reply.on('close', resolve))
      reply.writeHead(200).write('{"a":1}\n')
      if (url === '/broken') setImmediate(() => reply.destroy())
    })
    const connection = createConnection({ server: server.url })
    const broken = lines(connection, { method: 'GET', path: '/broken' })
    await expect(take(broken, 2)).rejects.toThrow()
    expect(await take(lines(connection, { method: 'GET', path: '/open' }), 1)).toEqual([{ a: 1 }])
    await closed
  })

  it('throws the problem of a refused stream', async () => {
    const server = await fakeServer((_, reply) => json(reply, { code: 'not_found', title: 'No such resource' }, 404))
    await expect(
      take(lines(createConnection({ server: server.url }), { method: 'GET', path: '/s' }), 1),
    ).rejects.toMatchObject({
      problem: { code: 'not_found' },
    })
  })
})

describe('events', () => {
  it('passes on every event with its type and id', async () => {
    const server = await fakeServer((_, reply) => {
      begin(reply)
      say(reply, 1)
      say(reply, 2, 'other')
      reply.write(': a remark\n\ndata: a\ndata: b\n\n')
    })
    expect(await take(events(createConnection({ server: server.url, token: 't' }), '/s'), 3)).toEqual([
      { id: '1', type: 'entry', data: '{"n":1}' },
      { id: '2', type: 'other', data: '{"n":2}' },
      { id: '', type: 'message', data: 'a\nb' },
    ])
    expect(server.seen[0]?.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer t' })
  })

  it('goes on after breaks and a refused restart, without gap or duplicate', async () => {
    const server = await fakeServer(({ headers }, reply) => {
      const from = Number(headers['last-event-id'] ?? 0)
      if (server.seen.length === 2) return json(reply, { title: 'Draining' }, 503)
      begin(reply).write('retry: 1\n\n')
      // The server repeats the last event that was seen, as one does whose watermark lags.
      for (let id = Math.max(1, from); id <= from + 3; id++) say(reply, id)
      reply.write(`id: 99\ndata: {"cut`)
      setImmediate(() => reply.destroy())
    })
    const states: boolean[] = []
    const got = await take(
      events(createConnection({ server: server.url }), '/s', { onState: (lost) => states.push(Boolean(lost)) }),
      9,
    )
    expect(got.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(server.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '3', '3', '6'])
    expect(states).toEqual([true, true, false, true, false])
  })

  it('resumes after a given event', async () => {
    const server = await fakeServer(({ headers }, reply) => say(begin(reply), Number(headers['last-event-id']) + 1))
    expect(await take(events(createConnection({ server: server.url }), '/s', { lastEventId: '41' }), 1)).toMatchObject([
      { id: '42' },
    ])
  })

  it('throws when the first connection fails, or a later one is refused for good', async () => {
    const away = await fakeServer(() => {})
    await away.close()
    await expect(take(events(createConnection({ server: away.url }), '/s'), 1)).rejects.toThrow(UnreachableError)
    const server = await fakeServer((_, reply) => {
      if (server.seen.length > 1) return json(reply, { title: 'The token is not valid', code: 'session_invalid' }, 401)
      begin(reply).write('retry: 1\n\n')
      say(reply, 1)
      reply.end()
    })
    const error = await take(events(createConnection({ server: server.url }), '/s'), 2).catch((it: unknown) => it)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({ problem: { status: 401 } })
  })

  it('ends when aborted, and closes the connection', async () => {
    let closed: Promise<void> | undefined
    const server = await fakeServer((_, reply) => {
      closed = new Promise((resolve) => reply.on('close', resolve))
      say(begin(reply), 1)
    })
    const leave = new AbortController()
    const seen: string[] = []
    for await (const { id } of events(createConnection({ server: server.url }), '/s', { signal: leave.signal })) {
      seen.push(id)
      leave.abort()
    }
    expect(seen).toEqual(['1'])
    await closed
  })

  it('takes a silent connection for dead and makes it again', async () => {
    const server = await fakeServer((_, reply) => {
      begin(reply).write('retry: 1\n\n')
      say(reply, server.seen.length)
    })
    expect(await take(events(createConnection({ server: server.url }), '/s', { stall: 50 }), 3)).toHaveLength(3)
  })

  it('gives up a connection on which an event does not end, and makes it again', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x')
    let tries = 0
    const server = await fakeServer((_, reply) => {
      begin(reply).write('retry: 1\n\n')
      if (tries++) return say(reply, 1)
      const more = () => {
        while (!reply.destroyed && reply.write(megabyte));
        if (!reply.destroyed) reply.once('drain', more)
      }
      return more()
    })
    const [event] = await take(events(createConnection({ server: server.url }), '/e'), 1)
    expect(event).toMatchObject({ id: '1' })
    expect(server.seen).toHaveLength(2)
  })

  it('stops reading from the server while its reader is behind', async () => {
    const total = 20_000
    let sent = 0
    const server = await fakeServer(async (_, reply) => {
      begin(reply)
      const gone = once(reply, 'close')
      const filler = 'x'.repeat(1000)
      while (sent < total && !reply.destroyed) {
        sent++
        if (!reply.write(`id: ${sent}\ndata: ${filler}\n\n`)) await Promise.race([once(reply, 'drain'), gone])
      }
    })
    const source = events(createConnection({ server: server.url }), '/s')
    await source.next()
    const settled = async (): Promise<number> => {
      const before = sent
      await new Promise((go) => setTimeout(go, 100))
      return sent === before ? sent : settled()
    }
    expect(await settled()).toBeLessThan(total / 2)
    expect((await take(source, total - 1)).at(-1)?.id).toBe(String(total))
  })
})

describe('openSocket', () => {
  it('signs in with a fresh token and hands over the frames', async () => {
    const server = await fakeServer((_, reply) => json(reply, { token: 'one-time' }))
    const sockets = new WebSocketServer({ port: 0, path: '/ws' })
    const first = new Promise<unknown>((resolve) =>
      sockets.on('connection', (socket) => {
        socket.once('message', (data) => {
          resolve(JSON.parse(String(data)))
          for (let n = 0; n < 3; n++) socket.send(JSON.stringify({ type: 'pong', seq: n }))
          socket.close(4401, 'signed out')
        })
      }),
    )
    const { port } = sockets.address() as { port: number }
    const connection = createConnection({ server: server.url })
    const live = await openSocket({
      ...connection,
      target: { ...connection.target, port },
      headers: () => ({ host: `127.0.0.1:${port}` }),
    })
    const frames: unknown[] = []
    for await (const frame of live.frames) frames.push(frame)
    expect(await first).toEqual({ type: 'auth', token: 'one-time' })
    expect(frames).toEqual([0, 1, 2].map((seq) => ({ type: 'pong', seq })))
    expect(await live.closed).toEqual({ code: 4401, reason: 'signed out' })
    sockets.close()
  })

  it('fails as unreachable when there is no socket', async () => {
    const server = await fakeServer((_, reply) => json(reply, { token: 'one-time' }))
    await expect(openSocket(createConnection({ server: server.url }))).rejects.toThrow(UnreachableError)
  })
})
