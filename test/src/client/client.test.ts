import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient, createConnection, locate, ProblemError, parseTarget, UnreachableError } from '#client'
import { lines } from '#client/lines'
import { pathOf, queryOf } from '#client/locate'
import { fakeServer, json } from '../../support/fake-server.ts'

describe('parseTarget', () => {
  it.each([
    ['http://127.0.0.1:8080', { key: 'http://127.0.0.1:8080', host: '127.0.0.1', port: 8080, secure: false, base: '' }],
    ['http://Example.COM/', { key: 'http://example.com', port: 80 }],
    ['https://h.example/muster/', { key: 'https://h.example/muster', secure: true, port: 443, base: '/muster' }],
    ['localhost:9', { key: 'http://localhost:9', host: 'localhost', port: 9 }],
    ['http://[::1]:80', { host: '::1', key: 'http://[::1]' }],
    ['unix:///run/m.sock', { key: 'unix:///run/m.sock', socket: '/run/m.sock' }],
    ['unix:/run/a%20b%25.sock', { key: 'unix:///run/a%20b%25.sock', socket: '/run/a b%.sock' }],
  ])('reads %s', (address, expected) => {
    const target = parseTarget(address)
    expect(target).toMatchObject(expected)
    expect(parseTarget(target.key)).toEqual(target)
  })

  it.each(['', 'ftp://x', 'http://', 'unix:relative', 'http://user:pass@h', 'http://h?token=1', 'not an address'])(
    'refuses "%s"',
    (address) => {
      expect(() => parseTarget(address)).toThrow(TypeError)
    },
  )
})

describe('locate', () => {
  it('leaves out what has no value and repeats lists', () => {
    expect(queryOf({ a: 1, b: undefined, c: null, d: ['x y', 'z'], e: false })).toBe('?a=1&d=x+y&d=z&e=false')
    expect(queryOf({})).toBe('')
  })

  it('fills in parameters, and refuses those that would name another resource', () => {
    expect(pathOf('/crews/:crew/agents/:agent', { crew: 'a/b', agent: 'ü' })).toBe('/crews/a%2Fb/agents/%C3%BC')
    for (const crew of ['', '.', '..', undefined, null, {}])
      expect(() => pathOf('/crews/:crew', { crew })).toThrow('needs a crew')
  })

  it('refuses an unknown operation', () => expect(() => locate('system.nothing')).toThrow('no operation'))
})

describe('a server that answers too much, or other than was agreed', () => {
  /** Sends the same until nobody listens. */
  const endless = (reply: ServerResponse, chunk: Buffer, sent = { bytes: 0 }) => {
    const more = () => {
      while (!reply.destroyed && reply.write(chunk)) sent.bytes += chunk.length
      if (!reply.destroyed) reply.once('drain', more)
    }
    more()
    return sent
  }
  const megabyte = Buffer.alloc(1024 * 1024, 'x')

  it('is left when its reply does not end', async () => {
    const server = await fakeServer((_, reply) => endless(reply, megabyte))
    const { request } = createConnection({ server: server.url })
    await expect(request('GET', '/x')).rejects.toMatchObject({
      reason: 'TOO_LONG',
      message: expect.stringContaining('its reply is too long'),
    })
  })

  it('is left when the refusal of a stream does not end', async () => {
    const server = await fakeServer((_, reply) => endless(reply.writeHead(500), megabyte))
    const { stream } = createConnection({ server: server.url })
    await expect(stream('GET', '/x')).rejects.toBeInstanceOf(ProblemError)
  })

  it('is left when a line does not end', async () => {
    const server = await fakeServer((_, reply) => endless(reply, megabyte))
    const connection = createConnection({ server: server.url })
    const read = async () => {
      for await (const line of lines(connection, { method: 'GET', path: '/x' })) throw new Error(String(line))
    }
    await expect(read()).rejects.toThrow('a line that does not end')
  })

  it.each([
    [{ code: 5, detail: ['a'], title: null, field: {}, error: 7, instance: 1, type: [] }, 'The server answered 400'],
    [{ detail: 'Words', code: 5 }, 'Words'],
  ])('has no words but texts: %j', async (body, said) => {
    const server = await fakeServer((_, reply) => json(reply, body, 400))
    const { request } = createConnection({ server: server.url })
    const error = await request('GET', '/x').catch((error: ProblemError) => error)
    expect(error).toMatchObject({ message: said, problem: { code: 'http_400', title: said, type: 'about:blank' } })
    expect((error as ProblemError).problem.field).toBeUndefined()
  })
})

describe('client', () => {
  it('sends who asks, and reads JSON and text', async () => {
    const server = await fakeServer(({ url }, reply) =>
      url === '/readyz' ? reply.end('ok') : json(reply, { status: 'ok' }),
    )
    const client = createClient({ server: server.url, token: 'svc_cli_1', workspace: 'acme' })
    expect(await client.system.health()).toEqual({ status: 'ok' })
    expect(await client.system.ready()).toBe('ok')
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/api/health',
      headers: { authorization: 'Bearer svc_cli_1', 'x-workspace-id': 'acme', connection: 'close' },
    })
  })

  it('speaks over a unix socket', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'muster-client-'))
    try {
      const server = await fakeServer((_, reply) => json(reply, { status: 'ok' }), join(dir, 'a b.sock'))
      expect(await createClient({ server: `unix://${dir}/a%20b.sock` }).system.health()).toEqual({ status: 'ok' })
      expect(server.seen[0]?.headers.host).toBe('localhost')
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('sends bodies as JSON', async () => {
    const server = await fakeServer((_, reply) => reply.writeHead(204).end())
    await createConnection({ server: server.url }).request('POST', '/x', { body: { name: 'ü' } })
    expect(server.seen[0]).toMatchObject({
      body: '{"name":"ü"}',
      headers: { 'content-type': 'application/json', 'content-length': '13' },
    })
  })

  it('throws what the server refuses, with its problem', async () => {
    const problem = {
      type: 'about:blank',
      title: 'No such resource',
      status: 404,
      code: 'not_found',
      instance: '/x',
      error: 'No such resource',
      field: 'crew',
    }
    const server = await fakeServer((_, reply) =>
      json(reply, problem, 404, { 'x-request-id': 'r1', 'retry-after': '7' }),
    )
    const error = await createClient({ server: server.url })
      .system.health()
      .catch((it: unknown) => it)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({ problem, requestId: 'r1', retryAfter: 7 })
  })

  it('makes a problem of a page that is not JSON', async () => {
    const server = await fakeServer((_, reply) =>
      reply.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    )
    await expect(createClient({ server: server.url }).system.health()).rejects.toMatchObject({
      problem: { status: 502, code: 'http_502', title: 'The server answered 502' },
    })
  })

  it('does not follow redirects: the token stays with its server', async () => {
    const other = await fakeServer((_, reply) => json(reply, {}))
    const server = await fakeServer((_, reply) => reply.writeHead(302, { location: other.url }).end())
    await expect(createClient({ server: server.url, token: 't' }).system.health()).rejects.toMatchObject({
      problem: { status: 302, code: 'http_302' },
    })
    expect(other.seen).toEqual([])
  })

  it('says why nothing answers', async () => {
    const server = await fakeServer(() => {})
    await server.close()
    await expect(createClient({ server: server.url }).system.health()).rejects.toMatchObject({
      reason: 'ECONNREFUSED',
      message: `Nothing listens on ${server.url}`,
    })
    await expect(createClient({ server: 'unix:///nonexistent/m.sock' }).system.health()).rejects.toThrow(
      UnreachableError,
    )
    const silent = await fakeServer(() => {})
    await expect(createClient({ server: silent.url, timeout: 50 }).system.health()).rejects.toMatchObject({
      reason: 'TIMEOUT',
    })
  })

  it('ends a call that is aborted with the reason of the abort', async () => {
    const server = await fakeServer(() => {})
    const leave = new AbortController()
    const call = createClient({ server: server.url }).system.health({}, { signal: leave.signal })
    leave.abort(new Error('changed my mind'))
    await expect(call).rejects.toThrow('changed my mind')
  })

  it('says when something else answers', async () => {
    const server = await fakeServer((_, reply) => reply.end('<h1>Welcome</h1>'))
    await expect(createClient({ server: server.url }).system.health()).rejects.toMatchObject({ reason: 'NOT_JSON' })
  })
})
