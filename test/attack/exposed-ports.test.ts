import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostile } from '../support/hostile.ts'
import { begin } from '../support/ports-http.ts'

// What a program of an agent may do to people who look at it, and to the daemon in between.

const ok = 'HTTP/1.1 200 OK\r\n'
const named = (head: string) => /^\w+ \/(\S*)/.exec(head)![1]!
const mine = `${ok}Content-Length: 4\r\n\r\nmine`

/** Answers what the test names, and every other request honestly. */
const answering = (bytes: string) => (socket: Socket, head: string) =>
  void socket.end(Buffer.from(named(head) === 'mine' ? mine : bytes, 'latin1'))

/** The next request of the same visitor gets the answer to itself. */
async function expectUntouched(visit: Awaited<ReturnType<typeof hostile>>['visit']) {
  expect(await visit('/mine')).toMatchObject({ status: 200, text: 'mine', whole: true })
}

describe('an answer whose end cannot be told for certain', () => {
  const refused = { status: 502, whole: true }
  it.each([
    ['both framings', `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['two lengths', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nokk`],
    ['the same length twice', `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
    ['a list of lengths', `${ok}Content-Length: 2, 2\r\n\r\nok`],
    ['a signed length', `${ok}Content-Length: +2\r\n\r\nok`],
    ['a length with a space before its colon', `${ok}Content-Length : 2\r\n\r\nok`],
    ['a folded length', `${ok}Content-Length:\r\n 2\r\n\r\nok`],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
    ['another coding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['a coding that is none', `${ok}Transfer-Encoding: identity\r\n\r\nok`],
    ['a coding that looks like one', `${ok}Transfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['a coding twice', `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['101 without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\nEVIL'],
    ['101 with one', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nEVIL'],
    ['199', 'HTTP/1.1 199 Odd\r\nContent-Length: 4\r\n\r\nEVIL'],
    ['600', 'HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\nok'],
    ['999', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok'],
    ['two addresses', 'HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: //elsewhere.example/\r\n\r\n'],
    ['two types', `${ok}Content-Type: text/plain\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok`],
  ])('is refused: %s', async (_, bytes) => {
    const { visit } = await hostile(answering(bytes))
    for (const method of ['GET', 'HEAD']) {
      expect(await visit('/', { method })).toMatchObject(refused)
      await expectUntouched(visit)
    }
  })

  it.each([
    ['a size that is none', 'zz\r\nok\r\n0\r\n\r\n'],
    ['a negative size', '-1\r\nok\r\n0\r\n\r\n'],
    ['a size beyond all numbers', 'FFFFFFFFFFFFFFFFFF\r\nok\r\n0\r\n\r\n'],
    ['more than was said', '2\r\nokEVIL\r\n0\r\n\r\n'],
    ['bare line feeds', '2\nok\n0\n\n'],
    ['an extension without end', `2;${'x'.repeat(100_000)}\r\nok\r\n0\r\n\r\n`],
    ['trailers without end', `2\r\nok\r\n0\r\n${'a: b\r\n'.repeat(50_000)}\r\n`],
    ['no end', '2\r\nok\r\n'],
  ])('breaks off in its chunks: %s', async (_, chunks) => {
    const { visit } = await hostile(answering(`${ok}Transfer-Encoding: chunked\r\n\r\n${chunks}`))
    expect(await visit('/')).toMatchObject({ whole: false })
    await expectUntouched(visit)
  })
})

describe('what follows an answer', () => {
  const evil = `${ok}Content-Length: 4\r\n\r\nEVIL`
  it.each([
    ['a length', `${ok}Content-Length: 2\r\n\r\nok${evil}`, 'ok'],
    ['a length, kept open', `${ok}Connection: keep-alive\r\nContent-Length: 2\r\n\r\nok${evil}`, 'ok'],
    ['chunks', `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${evil}`, 'ok'],
    ['no body at all', `HTTP/1.1 204 No Content\r\nContent-Length: ${evil.length}\r\n\r\n${evil}`, ''],
    ['304', `HTTP/1.1 304 Not Modified\r\nContent-Length: ${evil.length}\r\n\r\n${evil}`, ''],
  ])('answers nobody: after %s', async (_, bytes, text) => {
    const { visit, requests, sockets } = await hostile(answering(bytes))
    for (let n = 0; n < 3; n++) {
      expect(await visit('/')).toMatchObject({ text, whole: true })
      await expectUntouched(visit)
    }
    // Each request had a connection to the program of its own.
    expect([requests.length, sockets.length]).toEqual([6, 6])
  })

  it('is nothing after 204: its length is not passed on', async () => {
    const { visit } = await hostile(answering('HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nEVIL'))
    expect((await visit('/')).headers).not.toHaveProperty('content-length')
  })

  it('answers nobody either when it was sent before the question', async () => {
    const { visit } = await hostile((socket, head) => {
      socket.write(named(head) === 'mine' ? mine : `${ok}Content-Length: 2\r\n\r\nok`)
      socket.write(evil.repeat(100))
    })
    expect(await visit('/')).toMatchObject({ text: 'ok', whole: true })
    await expectUntouched(visit)
  })
})

describe('headers', () => {
  it('in their thousands are refused, and so are endless ones', async () => {
    for (const bytes of [
      `${ok}${Array.from({ length: 300 }, (_, n) => `a${n}:\r\n`).join('')}Content-Length: 2\r\n\r\nok`,
      `${ok}${'a:\r\n'.repeat(3000)}Content-Length: 2\r\n\r\nok`,
      `${ok}X: ${'x'.repeat(100_000)}`,
    ]) {
      const { visit } = await hostile(answering(bytes))
      expect(await visit('/')).toMatchObject({ status: 502, whole: true })
      await expectUntouched(visit)
    }
  })

  it('that never end are given up, however fast they come', async () => {
    let sent = 0
    const { visit, sockets } = await hostile((socket, head) => {
      if (named(head) === 'mine') return void socket.end(mine)
      socket.write(ok)
      const more = () => {
        while (socket.writable && socket.write('X-More: of the same\r\n')) sent++
      }
      socket.on('drain', more)
      more()
    })
    expect(await visit('/')).toMatchObject({ status: 502, whole: true })
    await expect.poll(() => sockets[0]!.destroyed || sockets[0]!.readableEnded).toBe(true)
    expect(sent).toBeLessThan(1_000_000)
    await expectUntouched(visit)
  })

  it.each([
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103', 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'],
  ])('of an answer that is always yet to come (%s) are given up', async (_, interim) => {
    const { visit } = await hostile((socket, head) => {
      if (named(head) === 'mine') return void socket.end(mine)
      const more = () => {
        while (socket.writable && socket.write(interim.repeat(10)));
      }
      socket.on('drain', more)
      more()
    })
    expect(await visit('/')).toMatchObject({ status: 502, whole: true })
    await expectUntouched(visit)
  })

  it('that are orders to browsers, caches and proxies do not pass; none can undo the sandbox', async () => {
    const orders = {
      'Set-Cookie': 'session=evil; Path=/',
      Authorization: 'Bearer x',
      'Strict-Transport-Security': 'max-age=1',
      'Clear-Site-Data': '"*"',
      'Content-Security-Policy': 'sandbox allow-same-origin',
      'Service-Worker-Allowed': '/',
      'Alt-Svc': 'h3="elsewhere.example:443"',
      'Speculation-Rules': '"/rules"',
      'Secure-Session-Registration': '(ES256); path="/"',
      'Attribution-Reporting-Register-Source': '{}',
      'X-Accel-Redirect': '/api/v1/users/me',
      'X-Accel-Expires': '@0',
      'X-Accel-Limit-Rate': '1',
      'X-Sendfile': '/etc/passwd',
      'X-Lighttpd-Send-File': '/etc/passwd',
      'X-Reproxy-URL': 'http://169.254.169.254/',
      'Surrogate-Control': 'max-age=1',
      'CDN-Cache-Control': 'max-age=1',
      Connection: 'close, content-security-policy, x-content-type-options, content-type',
      'X-Accel-Buffering': 'no',
      Refresh: '5',
      Link: '</style.css>; rel=preload',
    }
    const lines = Object.entries(orders).map(([name, value]) => `${name}: ${value}\r\n`)
    const { visit } = await hostile(answering(`${ok}${lines.join('')}Content-Length: 2\r\n\r\nok`))
    const { headers } = await visit('/')
    const { date, connection, 'keep-alive': _, ...rest } = headers
    expect(rest).toEqual({
      'content-length': '2',
      'x-accel-buffering': 'no',
      refresh: '5',
      link: '</style.css>; rel=preload',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
      'content-security-policy': 'sandbox allow-scripts allow-forms allow-popups allow-downloads',
      'cross-origin-resource-policy': 'cross-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    })
  })

  it.each(['/a/../../../api/v1/users/me', '/./../api/v1/users/me', '/%2e%2e/%2E%2e/api/v1/users/me'])(
    'of a redirect stay below its own address: %s',
    async (location) => {
      const { visit, prefix } = await hostile(
        answering(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
      )
      expect((await visit('/')).headers.location).toBe(`${prefix}/api/v1/users/me`)
    },
  )
})

describe('a program that takes its time', () => {
  it('over its headers, byte by byte, is given up after the silence that is allowed', async () => {
    const { visit } = await hostile(
      (socket) => {
        let at = 0
        const drip = setInterval(() => socket.write(`${ok}X-Slow: ${'x'.repeat(10_000)}`[at++]!), 10)
        socket.on('close', () => clearInterval(drip))
      },
      { silence: 200 },
    )
    expect(await visit('/')).toMatchObject({ status: 502 })
  })

  it('over its body is cut at the end of the longest transfer', async () => {
    const { visit, sockets } = await hostile(
      (socket) => {
        socket.write(`${ok}Content-Type: text/event-stream\r\n\r\n`)
        const drip = setInterval(() => socket.write('x'), 10)
        socket.on('close', () => clearInterval(drip))
      },
      { longest: 500 },
    )
    expect(await visit('/')).toMatchObject({ status: 200, whole: false })
    await expect.poll(() => sockets[0]!.destroyed || sockets[0]!.readableEnded).toBe(true)
  })
})

describe('an endless body', () => {
  const endless = () => {
    const state = { sent: 0 }
    const block = Buffer.alloc(65_536, 'x')
    const answer = (socket: Socket) => {
      socket.write(`${ok}\r\n`)
      const more = () => {
        while (socket.writable) {
          state.sent += block.length
          if (!socket.write(block)) return
        }
      }
      socket.on('drain', more)
      more()
    }
    return { state, answer }
  }

  it('waits for its reader, and holds no more memory than windows and buffers', async () => {
    const { state, answer } = endless()
    const { base, prefix } = await hostile(answer)
    const call = begin(base, `${prefix}/`)
    call.end()
    const [reply] = (await once(call, 'response')) as [IncomingMessage]
    reply.pause()
    // The writer stands still when nothing more was taken for a while.
    let before = -1
    while (before !== state.sent) {
      before = state.sent
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(state.sent).toBeLessThan(32 * 1024 * 1024)
  })

  it('ends with its reader', async () => {
    const { answer } = endless()
    const { base, prefix, sockets } = await hostile(answer)
    const call = begin(base, `${prefix}/`)
    call.end()
    const [reply] = (await once(call, 'response')) as [IncomingMessage]
    await once(reply, 'data')
    const ended = new Promise((resolve) => sockets[0]!.on('close', resolve))
    reply.destroy()
    await ended
  })
})

describe('a program that goes away', () => {
  const body = 'hello, visitor'
  it.each([
    ['a length', `${ok}Content-Length: ${body.length}\r\n\r\n${body}`, (text: string) => text === body],
    [
      'chunks',
      `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n9;x=y\r\n, visitor\r\n0\r\nX-Trailer: y\r\n\r\n`,
      (text: string) => text === body,
    ],
    // Its end is the end of the connection: whatever came is whole.
    ['neither', `${ok}Content-Type: text/plain\r\n\r\n${body}`, (text: string) => body.startsWith(text)],
  ])(
    'after any number of bytes leaves the visitor with an answer or a clear break: %s',
    { timeout: 60_000 },
    async (_, bytes, isWhole) => {
      const { visit } = await hostile((socket, head) => {
        const [, how, count] = /^(end|reset)(\d+)$/.exec(named(head)) ?? []
        if (!how) return void socket.end(mine)
        const part = bytes.slice(0, Number(count))
        if (how === 'end') socket.end(part)
        else socket.write(part, () => socket.resetAndDestroy())
      })
      for (const how of ['end', 'reset']) {
        for (let count = 0; count <= bytes.length; count++) {
          const { status, text, whole } = await visit(`/${how}${count}`)
          const at = `${how} after ${count}: ${status} ${JSON.stringify(text)}`
          if (status === 502) expect(bytes.slice(0, count).endsWith(bytes), at).toBe(false)
          else if (whole) expect(isWhole(text), at).toBe(true)
          else expect(status === null || body.startsWith(text), at).toBe(true)
          if (how === 'end' && count === bytes.length)
            expect({ status, text, whole }).toEqual({ status: 200, text: body, whole: true })
        }
      }
      await expectUntouched(visit)
    },
  )

  it('and says anything at all never reaches another request', { timeout: 60_000 }, async () => {
    const said = new Map<string, Buffer>()
    const { visit } = await hostile((socket, head) => void socket.end(said.get(named(head)) ?? mine))
    const line = fc.constantFrom(
      ok,
      'HTTP/1.1 100 Continue\r\n',
      'Content-Length: 2\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Connection: keep-alive\r\n',
      '\r\n',
      '\n',
      '2\r\nok\r\n',
      '0\r\n\r\n',
      'EVIL',
      mine,
    )
    const piece = fc.oneof(
      { weight: 8, arbitrary: line.map((it) => Buffer.from(it)) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((it) => Buffer.from(it)) },
    )
    let n = 0
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const name = `any${n++}`
        said.set(name, Buffer.concat(pieces))
        await visit(`/${name}`)
        await expectUntouched(visit)
      }),
      { numRuns: 300 },
    )
  })
})

describe('many requests at a time', () => {
  it('are so many for one crew; the next is told to wait', async () => {
    const { visit, base, prefix } = await hostile((socket, head) => void (named(head) === 'mine' && socket.end(mine)), {
      limit: { each: 3, all: 10 },
    })
    const calls = Array.from({ length: 3 }, () => begin(base, `${prefix}/held`))
    for (const call of calls) call.on('error', () => undefined).end()
    await expect.poll(async () => (await visit('/mine')).status).toBe(503)
    expect((await visit('/mine')).headers).toMatchObject({
      'retry-after': '5',
      'content-security-policy': expect.stringMatching(/^sandbox /),
    })
    calls[0]!.destroy()
    await expect.poll(async () => (await visit('/mine')).text).toBe('mine')
  })
})
