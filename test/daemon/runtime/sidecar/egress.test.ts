import { once } from 'node:events'
import { createServer as createHttp, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { compileConfig } from '#runtime/sidecar/config'
import type { Denial } from '#runtime/sidecar/denials'
import { createDial } from '#runtime/sidecar/dial'
import { createEgress } from '#runtime/sidecar/egress'
import { createSlots } from '#runtime/sidecar/slots'
import { createWildcardNames } from '#runtime/sidecar/wildcard-names'
import type { NetworkPolicy } from '#runtime/types'
import { hello, helloMessage, realHello, records } from '../../../support/client-hello.ts'
import { config, onEnd, server, text } from './support.ts'

/** Where the names of these tests lead. `here` is the machine itself, which stands for a public host. */
const names: Record<string, string[]> = {
  'permitted.example': ['127.0.0.1'],
  'deep.permitted.example': ['127.0.0.1'],
  'private.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['10.1.2.3', '169.254.169.254', '127.0.0.1'],
  'ghost.example': [],
}

/** The proxy alone, in a web server of its own; loopback counts as public here, everything else is as in a crew. */
async function proxy(network: Partial<NetworkPolicy> | null = {}, { each = 100, helloMs = 20_000 } = {}) {
  const denials: Denial[] = []
  const asked: string[] = []
  const real = createDial(
    async (name) => {
      asked.push(name)
      if (!names[name]) throw new Error('SERVFAIL')
      return names[name]
    },
    { judgeOwn: false },
  )
  const compiled =
    network &&
    compileConfig(
      config(
        [],
        {},
        {
          network: {
            mode: 'restricted',
            allowedDomains: Object.keys(names).concat('127.0.0.1'),
            allowPrivateEndpoints: false,
            ...network,
          },
        },
      ),
      { uids: false },
    )
  const egress = createEgress({
    config: () => compiled,
    dial: (target, permits) => real(target, (is) => is === 'loopback' || permits(is)),
    slots: createSlots(100, each),
    checkName: createWildcardNames(() => 0),
    denied: (it) => denials.push(it),
    helloMs,
  })
  const http = createHttp((req, res) => void egress.forward(req, res, 20001))
  http.on('connect', (req, socket, head) => void egress.tunnel(req, socket, head, 20001))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onEnd(() => new Promise((closed) => http.close(closed).closeAllConnections()))
  const { port } = http.address() as AddressInfo
  return { port, denials, asked }
}

/** Sends raw bytes and returns what comes back until the other side closes. */
async function say(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

const tunnel = (port: number, authority: string) =>
  say(port, `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`)
const get = (port: number, url: string, headers = '') =>
  say(port, `GET ${url} HTTP/1.1\r\nhost: elsewhere.example\r\nconnection: close\r\n${headers}\r\n`)

/** An echo server over plain TCP that ends when the other side does. */
async function echo(): Promise<number> {
  const tcp = createTcp({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  onEnd(() => tcp.close())
  return (tcp.address() as AddressInfo).port
}

describe('CONNECT', () => {
  it.each(['permitted.example', 'PERMITTED.example.', '127.0.0.1'])('opens a tunnel to %s', async (host) => {
    const { port, denials } = await proxy()
    const socket = connect(port, '127.0.0.1')
    socket.write(`CONNECT ${host}:${await echo()} HTTP/1.1\r\n\r\nearly `)
    await once(socket, 'readable')
    expect(String(socket.read(39))).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.end('late') // half closed: the answer still comes
    expect(await text(socket)).toBe('early late')
    expect(denials).toEqual([])
  })

  it('puts nothing into a tunnel', async () => {
    const { port } = await proxy()
    const { port: far } = await server((req, res) => res.end(JSON.stringify(req.rawHeaders)))
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `CONNECT permitted.example:${far} HTTP/1.1\r\nproxy-authorization: x\r\n\r\nGET / HTTP/1.1\r\nx-api-key: ` +
        'dummy-ada\r\nhost: h\r\nconnection: close\r\n\r\n',
    )
    expect(await text(socket)).toContain('["x-api-key","dummy-ada","host","h","connection","close"]')
  })

  it.each([
    ['forbidden.example:443', 'forbidden.example', 443, 'not in this crew'],
    ['permitted.example.forbidden.example:443', 'permitted.example.forbidden.example', 443, 'not in this crew'],
    ['1.1.1.1:443', '1.1.1.1', 443, 'not in this crew'],
    ['private.example:80', 'private.example', 80, 'a private address'],
    ['metadata.example:80', 'metadata.example', 80, 'a metadata address'],
    ['user@permitted.example:443', 'user@permitted.example:443', 0, 'not written as host:port'],
    ['permitted.example', 'permitted.example', 0, 'not written as host:port'],
    ['0x7f.1:443', '0x7f.1:443', 0, 'not written as host:port'],
  ])('refuses %s with 403 and the reason, and reports it', async (authority, host, denied, reason) => {
    const { port, denials, asked } = await proxy()
    const answer = await tunnel(port, authority)
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\ncontent-type: text\/plain\r\n/)
    expect(answer).toContain(`Muster did not let this out: `)
    expect(answer).toContain(reason)
    expect(denials).toEqual([{ agentId: null, host, port: denied, reason: expect.stringContaining(reason) }])
    // No look-up for a name that is refused anyway.
    expect(asked).toEqual(['private.example', 'metadata.example'].filter((it) => it === host))
  })

  it('dials the address that it judged, whatever else the name leads to', async () => {
    const { port, asked } = await proxy()
    const socket = connect(port, '127.0.0.1')
    socket.end(`CONNECT mixed.example:${await echo()} HTTP/1.1\r\n\r\nhello`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*hello$/s)
    expect(asked).toEqual(['mixed.example'])
  })

  it('never follows allowPrivateEndpoints to metadata', async () => {
    const { port } = await proxy({ mode: 'free', allowPrivateEndpoints: true })
    for (const host of [
      'metadata.example',
      '169.254.169.254',
      '[fd00:ec2::254]',
      '[::ffff:169.254.169.254]',
      '[fe80::1]',
      '0.0.0.0',
      '[::]',
      '224.0.0.1',
      '255.255.255.255',
    ]) {
      expect(await tunnel(port, `${host}:80`)).toMatch(/^HTTP\/1\.1 403 /)
    }
  })

  it.each([
    ['ghost.example:443', /^HTTP\/1\.1 502 .*there is no host ghost\.example/s],
    ['unanswered.example:443', /^HTTP\/1\.1 504 .*no name server answers/s],
    ['permitted.example:1', /^HTTP\/1\.1 502 .*ECONNREFUSED/s],
  ])('tells a host that cannot be reached from one that is refused: %s', async (authority, answer) => {
    const { port, denials } = await proxy({ mode: 'free' })
    expect(await tunnel(port, authority)).toMatch(answer)
    expect(denials).toEqual([])
  })

  it('bounds the open connections of one agent', async () => {
    const { port } = await proxy({}, { each: 2 })
    const far = await echo()
    const open: Socket[] = []
    for (let i = 0; i < 2; i++) {
      const socket = connect(port, '127.0.0.1')
      socket.write(`CONNECT permitted.example:${far} HTTP/1.1\r\n\r\n`)
      await once(socket, 'data')
      open.push(socket)
    }
    expect(await tunnel(port, `permitted.example:${far}`)).toMatch(/^HTTP\/1\.1 503 .*too many connections/s)
    open[0]!.destroy()
    // Not 503: there is a place again.
    await expect.poll(async () => (await tunnel(port, 'ghost.example:443')).slice(9, 12)).toBe('502')
    open[1]!.destroy()
  })

  it('says so while there is no configuration', async () => {
    const { port } = await proxy(null)
    expect(await tunnel(port, 'permitted.example:443')).toMatch(/^HTTP\/1\.1 503 .*no configuration yet/s)
  })
})

/** Asks for a tunnel; the socket once it is open. */
async function opened(port: number, authority: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`)
  await once(socket, 'readable')
  expect(String(socket.read())).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
  return socket
}

/** A TCP server that says `greeting` first; all that it hears. */
async function listener(greeting = ''): Promise<{ port: number; heard: Buffer[] }> {
  const heard: Buffer[] = []
  const tcp = createTcp((socket) => {
    socket.on('error', () => {}).on('data', (it) => heard.push(it))
    if (greeting) socket.write(greeting)
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  onEnd(() => tcp.close())
  return { port: (tcp.address() as AddressInfo).port, heard }
}

/** Reads on until `whole` holds of all that came. */
async function readUntil(socket: Socket, whole: (all: Buffer) => boolean): Promise<Buffer> {
  let all = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    all = Buffer.concat([all, chunk])
    if (whole(all)) break
  }
  return all
}

const alert = Buffer.from([21, 3, 3, 0, 2, 2, 112]) // fatal, unrecognized_name

describe('TLS in a tunnel', () => {
  it.each([
    ['of its own host', 'permitted.example', hello('permitted.example')],
    ['of its own host in another case and with a final dot', 'permitted.example', hello('Permitted.EXAMPLE.')],
    ['of a real client', 'permitted.example', null],
    ['of no name, when the host is an address', '127.0.0.1', records(helloMessage())],
  ])('passes on the hello %s, however it arrives', async (_, host, given) => {
    const { port, denials } = await proxy()
    const bytes = given ?? (await realHello(host))
    const socket = (await opened(port, `${host}:${await echo()}`)).setNoDelay()
    for (const [from, to] of [
      [0, 1],
      [1, 7],
      [7, bytes.length],
    ]) {
      await new Promise((written) => socket.write(bytes.subarray(from, to), written))
    }
    expect(await readUntil(socket, (all) => all.length >= bytes.length)).toEqual(bytes)
    socket.destroy()
    expect(denials).toEqual([])
  })

  it.each([
    ['asks for another host', 'permitted.example', hello('forbidden.example'), 'asks for forbidden.example'],
    [
      'asks for another permitted host',
      'permitted.example',
      hello('deep.permitted.example'),
      'asks for deep.permitted.example',
    ],
    ['asks for a name at an address', '127.0.0.1', hello('permitted.example'), 'asks for permitted.example'],
    [
      'asks for no name at a host that has one',
      'permitted.example',
      records(helloMessage()),
      'asks for no server by name',
    ],
    [
      'cannot be read',
      'permitted.example',
      records(Buffer.from([2, 0, 0, 0])),
      'begins with a hello that cannot be read',
    ],
  ])('is refused when it %s, told to the client and reported', async (_, host, bytes, reason) => {
    const { port, denials } = await proxy()
    const { port: far, heard } = await listener()
    const socket = await opened(port, `${host}:${far}`)
    socket.write(bytes)
    expect(await readUntil(socket, () => false)).toEqual(alert)
    expect(denials).toEqual([
      { agentId: null, host, port: far, reason: `a TLS client in a tunnel to ${host} ${reason}` },
    ])
    expect(heard).toEqual([])
  })

  it('is refused as well when its hello came with the request for the tunnel', async () => {
    const { port, denials } = await proxy()
    const { port: far, heard } = await listener()
    const socket = connect(port, '127.0.0.1')
    socket.write(
      Buffer.concat([Buffer.from(`CONNECT permitted.example:${far} HTTP/1.1\r\n\r\n`), hello('forbidden.example')]),
    )
    expect((await readUntil(socket, () => false)).subarray(-alert.length)).toEqual(alert)
    expect([denials.length, heard]).toEqual([1, []])
  })

  it('may ask for whatever it likes in free mode', async () => {
    const { port, denials } = await proxy({ mode: 'free' })
    const socket = await opened(port, `permitted.example:${await echo()}`)
    const bytes = hello('forbidden.example')
    socket.end(bytes)
    expect(await readUntil(socket, () => false)).toEqual(bytes)
    expect(denials).toEqual([])
  })
})

describe('a tunnel', () => {
  it('serves protocols in which the server speaks first, however long the client listens', async () => {
    const { port } = await proxy({}, { helloMs: 50 })
    const { port: far, heard } = await listener('220 ready\r\n')
    const socket = connect(port, '127.0.0.1')
    socket.write(`CONNECT permitted.example:${far} HTTP/1.1\r\n\r\n`)
    await readUntil(socket, (all) => String(all).endsWith('220 ready\r\n'))
    await new Promise((resolve) => setTimeout(resolve, 150)) // three times its patience
    socket.write('EHLO here\r\n')
    await expect.poll(() => String(Buffer.concat(heard))).toBe('EHLO here\r\n')
    socket.destroy()
  })

  it('stays open when the time for its hello is over', async () => {
    const { port } = await proxy({}, { helloMs: 50 })
    const socket = await opened(port, `permitted.example:${await echo()}`)
    const bytes = hello('permitted.example')
    socket.write(bytes)
    expect(await readUntil(socket, (all) => all.length === bytes.length)).toEqual(bytes)
    const silent = await opened(port, `permitted.example:${(await listener()).port}`)
    await once(silent.resume(), 'close')
    socket.write('still here')
    expect(String(await readUntil(socket, (all) => all.length === 10))).toBe('still here')
    socket.destroy()
  })

  it.each([
    ['nobody says anything', Buffer.alloc(0)],
    ['its client stops in the middle of a hello', hello('permitted.example').subarray(0, 20)],
  ])('ends when %s', async (_, bytes) => {
    const { port } = await proxy({}, { helloMs: 50 })
    const { port: far, heard } = await listener()
    const socket = await opened(port, `permitted.example:${far}`)
    socket.write(bytes)
    await once(socket.resume(), 'close')
    expect(heard).toEqual([])
  })
})

describe('names below a wildcard', () => {
  const lookedUp = async (mode: 'restricted' | 'free', wanted: string[]) => {
    const { port, denials, asked } = await proxy({ mode, allowedDomains: ['*.example', 'exact.wide.example'] })
    const answers: string[] = []
    for (const it of wanted) answers.push((await tunnel(port, `${it}:443`)).slice(9, 12))
    return { answers, asked, denials }
  }
  const many = Array.from({ length: 31 }, (_, index) => `n${index}.example`)

  it('are looked up at a bounded rate', async () => {
    const { answers, asked, denials } = await lookedUp('restricted', [...many, 'n0.example', 'exact.wide.example'])
    expect(asked).toEqual([...many.slice(0, 30), 'n0.example', 'exact.wide.example'])
    expect(answers).toEqual([...Array(30).fill('504'), '403', '504', '504'])
    expect(denials).toEqual([
      {
        agentId: null,
        host: 'n30.example',
        port: 443,
        reason: expect.stringContaining('more than 30 new names below wildcards'),
      },
    ])
  })

  it('are not looked up when they are long enough to carry data', async () => {
    const long = `${'d'.repeat(60)}.${'d'.repeat(60)}.example`
    const { answers, asked, denials } = await lookedUp('restricted', [long])
    expect([answers, asked]).toEqual([['403'], []])
    expect(denials).toMatchObject([
      { host: long, reason: expect.stringContaining('more than 100 characters in front of .example') },
    ])
  })

  it('are not counted in free mode, where every name may be asked for', async () => {
    expect((await lookedUp('free', many)).asked).toEqual(many)
  })
})

describe('plain HTTP', () => {
  it('passes a request on to the target, under the target’s own name', async () => {
    const { port } = await proxy()
    const { port: far } = await server(async (req, res) => {
      res.writeHead(201, { 'x-own': '1', connection: 'x-hop', 'x-hop': '1' })
      res.end(JSON.stringify({ url: req.url, method: req.method, headers: req.headers, body: await text(req) }))
    })
    const out = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `http://Permitted.example:${far}/a/../b?c=http://x/#d`,
      headers: { host: 'fronted.example', 'proxy-authorization': 'x', 'x-mine': '2', 'proxy-connection': 'keep-alive' },
    })
    out.end('body')
    const [res] = await once(out, 'response')
    expect(res.statusCode).toBe(201)
    expect(res.headers).toMatchObject({ 'x-own': '1' })
    expect(res.headers).not.toHaveProperty('x-hop')
    const seen = JSON.parse(await text(res))
    expect(seen).toMatchObject({
      url: '/a/../b?c=http://x/',
      method: 'POST',
      body: 'body',
      headers: { host: `Permitted.example:${far}`, 'x-mine': '2' },
    })
    for (const name of ['proxy-authorization', 'proxy-connection']) expect(seen.headers).not.toHaveProperty(name)
  })

  it.each([
    ['?c=1', '/?c=1'],
    ['', '/'],
    ['/?c=1', '/?c=1'],
  ])('asks a target with %j after its name for %s', async (end, path) => {
    const { port } = await proxy()
    const { port: far } = await server((req, res) => void res.end(req.url))
    const out = request({ port, host: '127.0.0.1', path: `http://permitted.example:${far}${end}` }).end()
    const [res] = await once(out, 'response')
    expect(await text(res)).toBe(path)
  })

  it('keeps the bounds of a body, whatever the Connection header names', async () => {
    const { port } = await proxy()
    const seen: [url: string | undefined, body: string][] = []
    const { port: far } = await server(async (req, res) => {
      seen.push([req.url, await text(req)])
      res.end('ok')
    })
    const inner = 'GET /forged HTTP/1.1\r\nhost: fronted.example\r\n\r\n'
    const ask = (framing: string, body: string) =>
      say(
        port,
        `GET http://permitted.example:${far}/ HTTP/1.1\r\nhost: x\r\nconnection: close, content-length, ` +
          `transfer-encoding\r\n${framing}\r\n\r\n${body}`,
      )
    expect(await ask(`content-length: ${inner.length}`, inner)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await ask('transfer-encoding: chunked', `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    )
    expect(seen).toEqual([
      ['/', inner],
      ['/', inner],
    ])
  })

  it('does not follow a redirect', async () => {
    const { port } = await proxy()
    const { port: far } = await server((_, res) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end())
    expect(await get(port, `http://permitted.example:${far}/`)).toMatch(
      /^HTTP\/1\.1 302 .*location: http:\/\/169\.254\.169\.254\//s,
    )
  })

  it.each([
    ['http://forbidden.example/', 403, 'not in this crew'],
    ['http://permitted.example@forbidden.example/', 403, 'not written as host:port'],
    ['http://forbidden.example#@permitted.example/', 400, ''], // by Node's own parser
    ['http://forbidden.example?permitted.example', 403, 'not in this crew'],
    ['http://private.example/', 403, 'a private address'],
    ['http:///', 403, 'not written as host:port'],
    ['https://permitted.example/', 400, 'use CONNECT'],
    ['ftp://permitted.example/', 400, 'use CONNECT'],
    ['http://ghost.example/', 502, 'there is no host'],
    ['http://permitted.example:1/', 502, 'ECONNREFUSED'],
  ])('answers %s with %i: %s', async (url, status, reason) => {
    const { port, denials } = await proxy()
    const answer = await get(port, url)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toContain(reason)
    expect(denials).toHaveLength(status === 403 ? 1 : 0)
  })

  it('answers 502 when the far side breaks off, speaks nonsense or changes the protocol', async () => {
    const { port } = await proxy()
    for (const reply of [
      '',
      'nonsense\r\n\r\n',
      'HTTP/1.1 099 x\r\n\r\n',
      'HTTP/1.1 101 x\r\nupgrade: y\r\nconnection: upgrade\r\n\r\n',
    ]) {
      const { port: far } = await server((req) => void req.socket.end(reply))
      expect(await get(port, `http://permitted.example:${far}/`)).toMatch(/^HTTP\/1\.1 502 /)
    }
  })

  it('leaves the far side when the client leaves', async () => {
    const { port } = await proxy()
    const { port: far, http } = await server(() => undefined)
    const asked = once(http, 'request')
    const out = request({ port, host: '127.0.0.1', path: `http://permitted.example:${far}/` }).on('error', () => {})
    out.end()
    const [{ socket }] = (await asked) as [{ socket: Socket }]
    const gone = once(socket, 'close')
    out.destroy()
    await gone
  })

  it('lets the far side answer before the body has ended', async () => {
    const { port } = await proxy()
    const { port: far } = await server(
      (req, res) => void res.writeHead(413, { connection: 'close' }).end('too much', () => req.socket.destroySoon()),
    )
    const out = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `http://permitted.example:${far}/`,
      headers: { 'transfer-encoding': 'chunked' },
    })
    out.write('some')
    const [res] = await once(out, 'response')
    expect([res.statusCode, await text(res)]).toEqual([413, 'too much'])
    out.destroy()
  })
})
