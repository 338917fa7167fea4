import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { rawVendor, visit } from './raw.ts'
import { config, credential, onEnd, server, sidecar } from './support.ts'

const keys = { ada: 'sk-real-of-ada-1f', bob: 'sk-real-of-bob-2e' }

/** Two agents of one crew, each with a key of their own, and a vendor that hears every byte. */
async function scene(
  reply: Parameters<typeof rawVendor>[0] = () => ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
) {
  const vendor = await rawVendor(reply)
  onEnd(vendor.close)
  const agents = {
    'dummy-ada': { agentId: '1', slug: 'ada', credentials: [credential('ANTHROPIC', keys.ada)] },
    'dummy-bob': { agentId: '2', slug: 'bob', credentials: [credential('ANTHROPIC', keys.bob)] },
  }
  const given = config([], { ANTHROPIC: vendor.url, OPENAI: vendor.url }, { agents })
  const at = await sidecar(given)
  const say = (bytes: string) => visit(at.port, bytes)
  return { ...at, say, given, heard: vendor.heard }
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const ask = (body: string, key = 'dummy-ada', ...more: string[]) =>
  lines(
    'POST /v1/messages HTTP/1.1',
    'host: x',
    `x-api-key: ${key}`,
    `content-length: ${body.length}`,
    'connection: close',
    ...more,
  ) + body

describe('a body that wants to be a request', () => {
  const forged = lines('POST /v1/messages HTTP/1.1', 'host: x', 'x-api-key: sk-of-the-attacker', 'content-length: 500')

  it.each([
    [
      'a GET that disowns its length',
      ['GET /v1/models HTTP/1.1', 'connection: close, content-length', `content-length: ${forged.length}`],
      forged,
    ],
    [
      'a GET in chunks',
      ['GET /v1/models HTTP/1.1', 'connection: close', 'transfer-encoding: chunked'],
      `${forged.length.toString(16)}\r\n${forged}\r\n0\r\n\r\n`,
    ],
    ['a GET with a body', ['GET /v1/models HTTP/1.1', 'connection: close', `content-length: ${forged.length}`], forged],
  ])('goes nowhere: %s', async (_, head, body) => {
    const { say, heard } = await scene()
    const answer = await say(lines(...head, 'host: x', 'x-api-key: dummy-ada') + body)
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 .*"message":"Muster: The request is not passed on: a GET has no body\. \(Muster\)"/s,
    )
    for (const name of ['ada', 'bob'])
      expect(await say(ask(`secret of ${name}`, `dummy-${name}`))).toMatch(/^HTTP\/1\.1 200 /)
    expect(
      heard.map(({ requests, rest, fault }) => [
        requests.map((it) => [it.headers.get('x-api-key'), it.body]),
        rest,
        fault,
      ]),
    ).toEqual([
      [[[keys.ada, 'secret of ada']], '', null],
      [[[keys.bob, 'secret of bob']], '', null],
    ])
  })

  it.each(['content-length', 'Content-Length, host, x-api-key', 'transfer-encoding, close'])(
    'stays a body when Connection names %s',
    async (named) => {
      const { say, heard } = await scene()
      expect(await say(ask(forged).replace('connection: close', `connection: ${named}, close`))).toMatch(
        /^HTTP\/1\.1 200 /,
      )
      const chunks = `${forged.length.toString(16)};x=y\r\n${forged}\r\n0\r\nx-trailer: 1\r\n\r\n`
      const chunked = lines(
        'POST /v1/messages HTTP/1.1',
        'host: x',
        'x-api-key: dummy-bob',
        'transfer-encoding: Chunked',
        `connection: close, ${named}`,
      )
      expect(await say(chunked + chunks)).toMatch(/^HTTP\/1\.1 200 /)
      expect(
        heard.map(({ requests }) =>
          requests.map(({ headers, body }) => [headers.get('x-api-key'), headers.get('host') === 'x', body]),
        ),
      ).toEqual([[[keys.ada, false, forged]], [[keys.bob, false, forged]]])
    },
  )
})

describe('a model call', () => {
  it('shares its connection with no other, and ends it', async () => {
    const { say, heard } = await scene()
    for (let i = 0; i < 3; i++) await say(ask('same'))
    expect(heard.map(({ requests }) => requests.length)).toEqual([1, 1, 1])
    await Promise.all(heard.map(({ closed }) => closed))
  })

  it('is written with nothing of the client’s but what the vendor’s clients send', async () => {
    const { say, heard } = await scene()
    const sent = [
      'anthropic-beta: one',
      'Anthropic-Beta: two',
      'X-Stainless-OS: Linux',
      'x-forwarded-for: 1.2.3.4',
      'anthropic-evil: 1',
      'x-http-method: PUT',
    ]
    await say(
      ask('{}', 'dummy-ada', ...sent, 'cookie: a=b', 'te: trailers', 'trailer: x', 'authorization: Bearer other'),
    )
    expect([...heard[0]!.requests[0]!.headers.keys()].sort()).toEqual(
      [
        'anthropic-beta',
        'anthropic-version',
        'connection',
        'content-length',
        'host',
        'x-api-key',
        'x-stainless-os',
      ].sort(),
    )
    expect(heard[0]!.requests[0]!.headers.get('anthropic-beta')).toBe('one, two')
  })

  it('has a length even without a body', async () => {
    const { say, heard } = await scene()
    await say(lines('POST /v1/messages HTTP/1.1', 'host: x', 'x-api-key: dummy-ada', 'connection: close'))
    await say(
      lines(
        'GET /v1/models?limit=2&key=dummy-ada&x=y HTTP/1.1',
        'host: x',
        'x-api-key: dummy-ada',
        'content-length: 0',
        'connection: close',
      ),
    )
    expect(heard.map(({ requests: [it] }) => [it!.target, it!.headers.get('content-length')])).toEqual([
      ['/v1/messages', '0'],
      ['/v1/models?limit=2', undefined],
    ])
  })

  it('in line behind another begins when that one is answered, and never when the client left', async () => {
    let told = () => {}
    const { say, heard, port } = await scene((it) => {
      if (it.body === 'first') told()
      return [it.body === 'first' ? '' : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']
    })
    const keepAlive = (body: string) => ask(body).replace('connection: close\r\n', '')
    for (let i = 0; i < 20; i++) {
      const when = new Promise<void>((resolve) => {
        told = resolve
      })
      await visit(port, keepAlive('first') + keepAlive('in line').repeat(9), { when })
    }
    // Had each of the 200 kept its place, the agent would have none left.
    expect(await say(ask('after'))).toMatch(/^HTTP\/1\.1 200 /)
    expect(heard.flatMap(({ requests }) => requests.map(({ body }) => body))).toEqual([
      ...Array(20).fill('first'),
      'after',
    ])
    expect(await say(keepAlive('one') + ask('two'))).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 200 /s)
  })

  it('ends when its agent or its credential is taken away, and only then', async () => {
    const { url } = await server((req, res) => void req.on('data', (chunk) => res.write(chunk)))
    const { configure, given, port } = await scene()
    const { 'dummy-ada': ada, 'dummy-bob': bob } = given.agents
    const upstreams = { ANTHROPIC: url }
    configure({ ...given, upstreams })
    const start = async (key: string) => {
      const out = request({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/v1/messages',
        headers: { 'x-api-key': key },
      })
      out.write('begun')
      const [answer] = (await once(out, 'response')) as [IncomingMessage]
      expect(String(await once(answer, 'data'))).toBe('begun')
      return { out, answer, broken: once(answer, 'error') }
    }
    const [adas, bobs] = [await start('dummy-ada'), await start('dummy-bob')]
    configure({ ...given, upstreams, agents: { 'dummy-ada': ada!, 'dummy-bob': { ...bob!, credentials: [] } } })
    await bobs.broken
    const rotated = credential('ANTHROPIC', 'sk-rotated', { credentialId: `cred-${keys.ada}` })
    configure({ ...given, upstreams, agents: { 'dummy-ada': { ...ada!, credentials: [rotated] } } })
    adas.out.write('goes on')
    expect(String(await once(adas.answer, 'data'))).toBe('goes on')
    configure({ ...given, upstreams, agents: {} })
    await adas.broken
  })
})

describe('a request that has more than one reading', () => {
  const post = (...more: string[]) =>
    lines('POST /v1/messages HTTP/1.1', 'x-api-key: dummy-ada', 'connection: close', ...more)
  it.each([
    [
      'a body on GET',
      lines('GET /v1/models HTTP/1.1', 'host: x', 'x-api-key: dummy-ada', 'connection: close', 'content-length: 1') +
        'a',
      'a GET has no body',
    ],
    ['two hosts', post('host: x', 'host: y'), 'it needs one Host header'],
    ['no host', post(), ''],
    [
      'two lengths',
      `${post('host: x', 'content-length: 1', 'content-length: 1')}a`,
      'not well-formed HTTP/1.1 (HPE_UNEXPECTED_CONTENT_LENGTH)',
    ],
    ['a list of lengths', `${post('host: x', 'content-length: 1, 1')}a`, 'not well-formed'],
    ['a signed length', `${post('host: x', 'content-length: +1')}a`, 'not well-formed'],
    [
      'both framings',
      `${post('host: x', 'content-length: 1', 'transfer-encoding: chunked')}0\r\n\r\n`,
      'not well-formed',
    ],
    [
      'two codings',
      `${post('host: x', 'transfer-encoding: gzip, chunked')}0\r\n\r\n`,
      'of transfer encodings only \\"chunked\\" is taken',
    ],
    [
      'chunked twice',
      `${post('host: x', 'transfer-encoding: chunked', 'transfer-encoding: chunked')}0\r\n\r\n`,
      'not well-formed',
    ],
    ['another coding', post('host: x', 'transfer-encoding: xchunked'), 'not well-formed'],
    ['a space before the colon', `${post('host: x', 'content-length : 1')}a`, 'not well-formed'],
    ['a folded header', post('host: x', 'user-agent: a', ' b'), 'not well-formed'],
    ['a bare line feed', post('host: x', 'user-agent: a\nb: c'), 'not well-formed'],
    ['a control byte', post('host: x', 'user-agent: a\x01b'), 'not well-formed'],
    ['HTTP/1.0', post('host: x').replace('1.1', '1.0'), 'it is not HTTP/1.1'],
    ['Expect', post('host: x', 'expect: 100-continue'), 'its expect header is not taken'],
    ['Upgrade', post('host: x', 'upgrade: h2c'), 'its upgrade header is not taken'],
    [
      'headers past counting',
      post('host: x', ...Array(2100).fill('a: b'), 'transfer-encoding: chunked') + '1\r\na\r\n0\r\n\r\n',
      'it has more than 100 headers',
    ],
    ['a fragment', post('host: x').replace('messages', 'messages#a'), 'The path holds parts'],
    ['an empty part', post('host: x').replace('messages', '/messages'), 'The path holds parts'],
  ])('is refused before anything is dialled: %s', async (_, bytes, why) => {
    const { say, heard } = await scene()
    const answer = (await say(bytes)).replace('HTTP/1.1 100 Continue\r\n\r\n', '')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain(why)
    if (why) expect(answer).toContain('"type":"error"')
    expect(heard).toEqual([])
  })

  it.each([
    ['POST', '/v1/organizations/api_keys'],
    ['POST', '/v1/files'],
    ['GET', '/v1/messages/batches'],
    ['GET', '/v1/models/a%2fb'],
    ['GET', '/v1/models/a/b'],
    ['POST', '/v1/messages%2fbatches'],
    ['POST', '/v1/messages;x'],
    ['POST', '/V1/messages'],
    ['PUT', '/v1/messages'],
    ['HEAD', '/v1/models'],
    ['DELETE', '/v1/models/m'],
    ['GET', '/openai/v1/files'],
    ['POST', '/openai/v1/organization/admin_api_keys'],
    ['GET', '/openai/v1/responses'],
  ])('is not passed on: %s %s', async (method, path) => {
    const { say, heard } = await scene()
    expect(
      await say(lines(`${method} ${path} HTTP/1.1`, 'host: x', 'x-api-key: dummy-ada', 'connection: close')),
    ).toMatch(/^HTTP\/1\.1 40[045] /)
    expect(heard).toEqual([])
  })
})

describe('an answer', () => {
  const body = (text: string) => `content-length: ${text.length}\r\n\r\n${text}`

  it('loses its surplus, which reaches nobody', async () => {
    const { say } = await scene((it) => [
      `HTTP/1.1 200 OK\r\n${body(`to ${it.body}`)}HTTP/1.1 200 OK\r\n${body('surplus')}`,
    ])
    const answers = [await say(ask('one')), await say(ask('two', 'dummy-bob')), await say(ask('three'))]
    expect(answers.map((it) => /to \w+/.exec(it)?.[0])).toEqual(['to one', 'to two', 'to three'])
    expect(answers.join()).not.toContain('surplus')
  })

  it('comes without key, cookies, connection headers and what came before it', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
    const hop = ['connection: x-hop', 'x-hop: 1', 'set-cookie: a=b', 'alt-svc: h3=":443"', 'request-id: req_1']
    const { say } = await scene((it) => [
      `${early}HTTP/1.1 200 Fine\r\n${hop.join('\r\n')}\r\nx-debug: got ` +
        `${it.headers.get('x-api-key')}\r\n${body('ok')}`,
    ])
    const answer = await say(ask('{}'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain('request-id: req_1\r\nx-debug: got [redacted]\r\n')
    for (const gone of ['x-hop', 'set-cookie', 'alt-svc', 'link', keys.ada]) expect(answer).not.toContain(gone)
  })

  it('that breaks off reads as broken off', async () => {
    const { say } = await scene(() => ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', true])
    const answer = await say(ask('{}'))
    expect(answer).toContain('half')
    expect(answer).not.toMatch(/\r\n0\r\n\r\n$/)
  })
})
