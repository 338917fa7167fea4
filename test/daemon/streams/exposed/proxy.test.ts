import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { noRuntime } from '#kernel/absent'
import { closing } from '#test'
import { targetOf } from '../../../../daemon/features/ports/service.ts'
import { connectHere } from '../../../../daemon/runtime/bridge/here.ts'
import { createExposed } from '../../../../daemon/streams/exposed/proxy.ts'
import { createSockets } from '../../../../daemon/streams/ws.ts'
import { office } from '../../../support/ports.ts'
import { ask, begin, raw, read } from '../../../support/ports-http.ts'

/** A program of an agent behind a capability URL. */
async function shown(
  program: RequestListener,
  { config = {}, silence = 60_000 }: { config?: object; silence?: number } = {},
) {
  const http = createHttpServer(program)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  closing({
    close: () => {
      http.closeAllConnections()
      http.close()
    },
  })
  return { http, ...(await exposing((http.address() as AddressInfo).port, { config, silence })) }
}

async function exposing(port: number, { config = {}, silence = 60_000 }: { config?: object; silence?: number } = {}) {
  const it = await office({ config }, (_crew, at) => connectHere(at))
  const exposed = closing(createExposed(it.app, targetOf, { silence }))
  it.app.exposed = exposed.serve
  const { status, body } = await it.expose({ port })
  expect(status).toBe(201)
  const prefix = `/exposed/${body.token}`
  return {
    it,
    port,
    id: body.id as string,
    token: body.token as string,
    prefix,
    at: (path: string, asked = {}) => ask(it.base, prefix + path, asked),
  }
}

const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () =>
    response.end(
      JSON.stringify({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: String(Buffer.concat(chunks)),
      }),
    ),
  )
}

describe('a request', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['?a=1', '/?a=1'],
    ['/a/b?c=%2F&d', '/a/b?c=%2F&d'],
    ['//elsewhere.example/x', '//elsewhere.example/x'],
    ['/../../api/v1/users/me', '/../../api/v1/users/me'],
    ['/%2e%2e/%2E./x', '/%2e%2e/%2E./x'],
    ['/%zz%0d%0aX-Evil:%201', '/%zz%0d%0aX-Evil:%201'],
    [`/${'x'.repeat(3000)}`, `/${'x'.repeat(3000)}`],
  ])('to %j asks the program for %j', async (path, url) => {
    const { at } = await shown(echo)
    expect(JSON.parse((await at(path)).text).url).toBe(url)
  })

  const bodiless = new Set(['HEAD', 'CONNECT'])
  it('may have every method that there is', async () => {
    const { at } = await shown(echo)
    for (const method of METHODS.filter((it) => !bodiless.has(it))) {
      const { status, text } = await at('/x', { method })
      expect({ status, method: JSON.parse(text).method }).toEqual({ status: 200, method })
    }
    expect(await at('/x', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'])(
    'of %s carries its body, of known length and in chunks',
    async (method) => {
      const { at } = await shown(echo)
      const known = JSON.parse((await at('/', { method, headers: { 'content-length': 5 }, body: 'hello' })).text)
      expect(known).toMatchObject({ body: 'hello', headers: { 'content-length': '5' } })
      const chunked = JSON.parse(
        (await at('/', { method, headers: { 'transfer-encoding': 'chunked' }, body: 'hello' })).text,
      )
      expect(chunked).toMatchObject({ body: 'hello', headers: { 'transfer-encoding': 'chunked' } })
      expect(chunked.headers).not.toHaveProperty('content-length')
    },
  )

  it('leaves behind what the program is not to know, and says who asks', async () => {
    const { at, port, prefix, it } = await shown(echo)
    const secrets = {
      authorization: 'Bearer secret',
      cookie: 'session=secret',
      referer: 'https://muster.example/secret',
      'x-internal-token': 'secret',
      'x-forwarded-for': '6.6.6.6, 7.7.7.7',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=secret',
      te: 'trailers',
      connection: 'close, x-named',
      'x-named': 'secret',
      'proxy-authorization': 'secret',
    }
    const { headers } = JSON.parse(
      (await at('/', { headers: { ...secrets, 'x-kept': ['a', 'b'], accept: 'text/html' } })).text,
    )
    expect(headers).toEqual({
      accept: 'text/html',
      'x-kept': 'a, b',
      host: `localhost:${port}`,
      'x-forwarded-for': '7.7.7.7',
      'x-forwarded-host': new URL(it.base).host,
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': prefix,
      connection: 'close',
    })
  })

  it('is not an operation: no token, no origin, no limit and no size', async () => {
    const { at } = await shown(echo, { config: { rateLimitDisabled: false, apiPerMinute: 1, authPerMinute: 1 } })
    for (let n = 0; n < 5; n++)
      expect(
        (await at('/', { method: 'POST', headers: { origin: 'https://elsewhere.example' }, body: '{' })).status,
      ).toBe(200)
    const { at: large } = await shown((request, response) => {
      let size = 0
      request.on('data', (chunk) => (size += chunk.length))
      request.on('end', () => response.end(String(size)))
    })
    expect((await large('/', { method: 'POST', body: 'x'.repeat(17 * 1024 * 1024) })).text).toBe(
      String(17 * 1024 * 1024),
    )
  })

  it('cannot be two', async () => {
    const seen: string[] = []
    const { it, prefix } = await shown((request, response) => {
      seen.push(request.url!)
      request.resume().on('end', () => response.end('ok'))
    })
    const head = `POST ${prefix}/one HTTP/1.1\r\nHost: localhost\r\n`
    const both = await raw(
      it.base,
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET ${prefix}/two ` +
        'HTTP/1.1\r\nHost: localhost\r\n\r\n',
    )
    expect(both).toMatch(/^HTTP\/1.1 400 /)
    const twice = await raw(it.base, `${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`)
    expect(twice).toMatch(/^HTTP\/1.1 400 /)
    const odd = await raw(it.base, `${head}Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`)
    expect(odd).toMatch(/^HTTP\/1.1 400 /)
    const split = await raw(it.base, `GET ${prefix}/x\u000bHost:y HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(split).toMatch(/^HTTP\/1.1 400 /)
    const pair = await raw(
      it.base,
      `${head}Content-Length: 3\r\nConnection: keep-alive\r\n\r\nabcGET ${prefix}/two HTTP/1.1\r\nHost: ` +
        'localhost\r\nConnection: close\r\n\r\n',
    )
    expect(pair.match(/HTTP\/1.1 200/g)).toHaveLength(2)
    expect(seen).toEqual(['/one', '/two'])
  })
})

describe('an answer', () => {
  it('loses what would act on the origin, and is put into a sandbox', async () => {
    const { at } = await shown((_, response) => {
      response.writeHead(207, [
        ['Content-Type', 'text/html'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['Clear-Site-Data', '"*"'],
        ['Service-Worker-Allowed', '/'],
        ['Strict-Transport-Security', 'max-age=1'],
        ['Public-Key-Pins', 'x'],
        ['Alt-Svc', 'h3=":443"'],
        ['Content-Security-Policy', 'default-src *'],
        ['Content-Security-Policy', 'sandbox allow-same-origin'],
        ['WWW-Authenticate', 'Basic realm="Muster"'],
        ['Cross-Origin-Opener-Policy', 'same-origin'],
        ['Access-Control-Allow-Origin', 'https://elsewhere.example'],
        ['Access-Control-Allow-Credentials', 'true'],
        ['NEL', '{}'],
        ['Connection', 'close, X-Hop'],
        ['X-Hop', 'x'],
        ['X-Two', '1'],
        ['X-Two', '2'],
        ['ETag', '"x"'],
      ] as unknown as string[])
      response.end('<p>')
    })
    const { status, text, headers } = await at('/')
    const { date, connection, 'keep-alive': _, ...rest } = headers
    expect({ status, text, headers: rest }).toEqual({
      status: 207,
      text: '<p>',
      headers: {
        'content-type': 'text/html',
        etag: '"x"',
        'x-two': '1, 2',
        'cache-control': 'no-store',
        'transfer-encoding': 'chunked',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': '*',
        'content-security-policy': 'sandbox allow-scripts allow-forms allow-popups allow-downloads',
        'cross-origin-resource-policy': 'cross-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      },
    })
  })

  it.each([
    ['/login?a', 'PREFIX/login?a'],
    ['next', 'next'],
    ['http://localhost:PORT/x?y', 'PREFIX/x?y'],
    ['http://127.0.0.1:PORT', 'PREFIX/'],
    ['http://localhost:1/x', 'http://localhost:1/x'],
    ['https://elsewhere.example/', 'https://elsewhere.example/'],
    ['//elsewhere.example/', '//elsewhere.example/'],
    ['/\\elsewhere.example/', '/\\elsewhere.example/'],
  ])('that leads to %s leads to %s', async (given, seen) => {
    const { at, port, prefix } = await shown((_, response) =>
      response.writeHead(302, { location: given.replace('PORT', String(port)) }).end(),
    )
    const { status, headers } = await at('/')
    expect({ status, location: headers.location }).toEqual({ status: 302, location: seen.replace('PREFIX', prefix) })
  })

  it('comes as it is written, before it is whole', async () => {
    let response!: ServerResponse
    const { it, prefix } = await shown((_, its) => {
      response = its
      its.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const call = begin(it.base, `${prefix}/events`)
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\n')
    response.write('data: 2\n\n')
    expect(String((await once(answer, 'data'))[0])).toBe('data: 2\n\n')
    response.end('bye')
    expect(await read(answer)).toBe('bye')
  })

  it('and the request go both ways at the same time', async () => {
    const { it, prefix } = await shown((request, response) => void request.pipe(response))
    const call = begin(it.base, `${prefix}/`, { method: 'POST' })
    call.write('one')
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    expect(String((await once(answer, 'data'))[0])).toBe('one')
    call.write('two')
    expect(String((await once(answer, 'data'))[0])).toBe('two')
    call.end('three')
    expect(await read(answer)).toBe('three')
  })

  it('before the end of the request is passed on all the same', async () => {
    const { it, prefix } = await shown((_, response) =>
      response.writeHead(413, { connection: 'close' }).end('too much'),
    )
    const call = begin(it.base, `${prefix}/`, { method: 'POST' })
    call.write('x'.repeat(100_000))
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(413)
    expect(await read(answer)).toBe('too much')
  })

  it('that breaks off breaks off here', async () => {
    const { it, prefix } = await shown((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      response.once('drain', () => {})
      setImmediate(() => response.destroy())
    })
    const call = begin(it.base, `${prefix}/`)
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    await expect(read(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('ends with the client', async () => {
    let ended!: Promise<unknown>
    let began = () => {}
    const going = new Promise<void>((resolve) => {
      began = resolve
    })
    const { it, prefix } = await shown((_, response) => {
      ended = once(response, 'close')
      const more = () => {
        while (response.write('x'.repeat(10_000)));
        response.once('drain', more)
      }
      more()
      began()
    })
    const call = begin(it.base, `${prefix}/endless`)
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    await going
    answer.destroy()
    await ended
  })

  it('to a preflight of a sandboxed page comes from here; others are the program’s affair', async () => {
    const { at } = await shown(echo)
    const headers = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' }
    expect(await at('/', { method: 'OPTIONS', headers: { ...headers, origin: 'null' } })).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'PUT',
        'access-control-allow-headers': 'content-type',
      },
    })
    expect(
      (await at('/', { method: 'OPTIONS', headers: { ...headers, origin: 'https://elsewhere.example' } })).status,
    ).toBe(200)
  })
})

describe('refusals are plain text in a sandbox', () => {
  const plain = (status: number) => ({
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^sandbox /),
      'cache-control': 'no-store',
    },
  })

  it('404 for what is unknown', async () => {
    const { it, token } = await shown(echo)
    for (const path of [
      `/exposed/${'x'.repeat(43)}/`,
      '/exposed/x',
      '/exposed//x',
      `/exposed/${token}x/`,
      `/exposed/%2e%2e/api`,
      '/exposed/',
    ])
      expect(await ask(it.base, path)).toMatchObject(plain(404))
    expect((await ask(it.base, '/exposed')).status).toBe(404)
  })

  it('404 for what was revoked', async () => {
    const { it, at, id } = await shown(echo)
    expect((await at('/')).status).toBe(200)
    await it.revoke(id)
    expect(await at('/')).toMatchObject(plain(404))
  })

  it('410 for what is over', async () => {
    const { it, at } = await shown(echo)
    it.clock.advance(3_600_000)
    expect(await at('/')).toMatchObject(plain(410))
  })

  it('426 for upgrades, with and without sockets of our own', async () => {
    const { it, at } = await shown(echo)
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    expect(await at('/ws', { headers })).toMatchObject(plain(426))
    const sockets = closing(createSockets(it.app))
    sockets.attach(it.http.server)
    expect((await at('/ws', { headers })).status).toBe(426)
  })

  it('404 for workers that would outlive the page', async () => {
    const { at } = await shown(echo)
    expect(await at('/sw.js', { headers: { 'service-worker': 'script' } })).toMatchObject(plain(404))
  })

  it('502 when nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    const { at } = await exposing(port)
    expect(await at('/', { method: 'POST', body: 'x'.repeat(100_000) })).toMatchObject(plain(502))
  })

  it.each([
    'nonsense\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
    'HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX: a\u0000b\r\n\r\n',
    '',
  ])('502 for the answer %j', async (answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(answer, 'latin1'))
    }).listen(0, '127.0.0.1')
    closing({ close: () => server.close() })
    await once(server, 'listening')
    const { at } = await exposing((server.address() as AddressInfo).port)
    expect(await at('/')).toMatchObject(plain(502))
  })

  it('502 for a program that says nothing; one that stops in the middle is cut off', async () => {
    const { it, at, prefix } = await shown(
      (request, response) => request.url === '/half' && void response.write('half'),
      { silence: 20 },
    )
    expect(await at('/never')).toMatchObject(plain(502))
    const call = begin(it.base, `${prefix}/half`)
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    await expect(read(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('502 where there is no runtime', async () => {
    const { it, at } = await shown(echo)
    it.app.runtime = noRuntime
    expect(await at('/')).toMatchObject(plain(502))
  })
})

describe('what is under way', () => {
  it('goes on when the port is revoked, or its time is over', async () => {
    const responses: ServerResponse[] = []
    const { it, prefix, id } = await shown((_, response) => {
      responses.push(response)
      response.write('a')
    })
    const call = begin(it.base, `${prefix}/`)
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    await it.revoke(id)
    it.clock.advance(3_600_000)
    responses[0]!.end('b')
    expect(await read(answer)).toBe('ab')
  })

  it('ends when the daemon stops', async () => {
    const { it, prefix } = await shown((_, response) => void response.write('a'))
    const call = begin(it.base, `${prefix}/`)
    call.end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    it.app.stopping.abort()
    await expect(read(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})
