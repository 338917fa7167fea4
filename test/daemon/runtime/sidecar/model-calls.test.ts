import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { cooldownMs } from '#runtime/sidecar/credentials'
import { call, config, credential, server, sidecar, text, vendor } from './support.ts'

const real = 'sk-real-key'
const limit = 10 * 1024 * 1024

const failover = (credentialId: string, nextId: string, reason: string, status: number) => ({
  type: 'credential_failover',
  agentId: expect.any(String),
  credentialId,
  nextId,
  reason,
  status,
})

const shapes: {
  provider: string
  path: string
  arrives: string
  shows: Record<string, string>
  carries: Record<string, string>
}[] = [
  {
    provider: 'ANTHROPIC',
    path: '/v1/messages',
    arrives: '/v1/messages',
    shows: { 'x-api-key': 'dummy-ada' },
    carries: { 'x-api-key': real, 'anthropic-version': '2023-06-01' },
  },
  {
    provider: 'ANTHROPIC',
    path: '/v1/messages',
    arrives: '/v1/messages',
    shows: { authorization: 'Bearer dummy-ada' },
    carries: { 'x-api-key': real },
  },
  {
    provider: 'OPENAI',
    path: '/openai/v1/responses',
    arrives: '/v1/responses',
    shows: { authorization: 'bearer  dummy-ada' },
    carries: { authorization: `Bearer ${real}` },
  },
  {
    provider: 'GOOGLE',
    path: '/gemini/v1beta/models/m:generateContent',
    arrives: '/v1beta/models/m:generateContent',
    shows: { 'x-goog-api-key': 'dummy-ada' },
    carries: { 'x-goog-api-key': real },
  },
  {
    provider: 'GOOGLE',
    path: '/gemini/v1/models/m:streamGenerateContent?key=dummy-ada&alt=sse&alt=json&Access_Token=dummy-ada',
    arrives: '/v1/models/m:streamGenerateContent?alt=sse',
    shows: {},
    carries: { 'x-goog-api-key': real },
  },
]

describe('model calls', () => {
  it.each(shapes)(
    'carry the real $provider key and nothing of the dummy ($path)',
    async ({ provider, path, arrives, shows, carries }) => {
      const { url, seen } = await vendor()
      const at = await sidecar(config([credential(provider, real)], { [provider]: url }))
      const answer = await call(at.url + path, {
        headers: {
          ...shows,
          cookie: 'a=dummy-ada',
          'proxy-authorization': 'Basic dummy-ada',
          'x-own': 'dropped',
          'user-agent': 'ua',
        },
        body: '{"q":1}',
      })
      expect(answer).toMatchObject({ status: 200, body: '{}' })
      expect(seen).toHaveLength(1)
      expect(seen[0]).toMatchObject({
        method: 'POST',
        url: arrives,
        body: '{"q":1}',
        headers: { ...carries, 'user-agent': 'ua', host: new URL(url).host },
      })
      expect(seen[0]!.headers).not.toHaveProperty('x-own')
      expect(JSON.stringify(seen)).not.toContain('dummy-ada')
      expect(Object.keys(seen[0]!.headers).filter((it) => /auth|key|cookie/.test(it))).toEqual(
        Object.keys(carries).filter((it) => /auth|key/.test(it)),
      )
    },
  )

  it('send OAuth tokens as bearer tokens, with the beta that they need beside those asked for', async () => {
    const { url, seen } = await vendor()
    const at = await sidecar(config([credential('ANTHROPIC', 'sk-ant-oat01-x')], { ANTHROPIC: url }))
    await call(`${at.url}/v1/messages`, {
      headers: { 'x-api-key': 'dummy-ada', 'anthropic-beta': 'files-1, tools-2', 'anthropic-version': '2024-01-01' },
    })
    expect(seen[0]!.headers).toMatchObject({
      authorization: 'Bearer sk-ant-oat01-x',
      'anthropic-beta': 'files-1,tools-2,oauth-2025-04-20',
      'anthropic-version': '2024-01-01',
    })
    expect(seen[0]!.headers['x-api-key']).toBeUndefined()
    at.configure(config([credential('GOOGLE', 'ya29', { kind: 'oauth' })], { GOOGLE: url }))
    await call(`${at.url}/gemini/v1/models/m:countTokens`, { headers: { 'x-goog-api-key': 'dummy-ada' } })
    expect(seen[1]!.headers).toMatchObject({ authorization: 'Bearer ya29' })
    expect(seen[1]!.headers['x-goog-api-key']).toBeUndefined()
  })

  it('keep the path that an operator put before the upstream', async () => {
    const { url, seen } = await vendor()
    const at = await sidecar(config([credential('OPENAI', real)], { OPENAI: `${url}/proxy/openai/` }))
    await call(`${at.url}/openai/v1/models?client_version=1&limit=1`, {
      method: 'GET',
      headers: { authorization: 'Bearer dummy-ada' },
    })
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/proxy/openai/v1/models?client_version=1' })
  })

  it('stream answers and bodies as they come', async () => {
    let carryOn = () => {}
    const { url } = await server((req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      req.once('data', (first) => res.write(`data: got ${first}\n\n`)) // before the body is complete
      carryOn = () => res.end('data: end\n\n')
    })
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    const out = request(`${at.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': 'dummy-ada' } })
    out.write('one')
    const [res] = (await once(out, 'response')) as [IncomingMessage]
    const [chunk] = await once(res, 'data')
    expect({ type: res.headers['content-type'], chunk: String(chunk) }).toEqual({
      type: 'text/event-stream',
      chunk: 'data: got one\n\n',
    })
    out.end('two')
    carryOn()
    expect(await text(res)).toBe('data: end\n\n')
  })

  it('are answered as soon as the vendor says how, though not yet what', async () => {
    let go: () => void = () => undefined
    const { url } = await server((_, res) => {
      res.writeHead(207, { 'request-id': 'r1' }).flushHeaders()
      go = () => res.end('{}')
    })
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    const out = request(`${at.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': 'dummy-ada' } }).end()
    const [answer] = (await once(out, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(207)
    go()
    expect(await text(answer)).toBe('{}')
  })

  it.each([
    ['the agent', config([], {}, { agents: {} })],
    ['its credential', config([], {})],
  ])('end when %s is taken away, and the vendor hears of it', async (_, next) => {
    const { url, http } = await server(() => undefined)
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    const asked = once(http, 'request') as Promise<[IncomingMessage]>
    const answer = call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })
    const [{ socket }] = await asked
    const gone = once(socket, 'close')
    at.configure(next)
    expect(await answer).toMatchObject({ status: 403, body: expect.stringContaining('was taken away') })
    await gone
  })

  it('stop the vendor when the client leaves', async () => {
    let left: Promise<unknown> = Promise.resolve()
    const { url } = await server((_, res) => {
      left = once(res, 'close')
      res.writeHead(200).write('data: on and on\n\n')
    })
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    const out = request(`${at.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': 'dummy-ada' } }).end()
    const [res] = (await once(out, 'response')) as [IncomingMessage]
    await once(res, 'data')
    out.destroy()
    await left
  })

  it.each(['content-length', 'transfer-encoding'])('take bodies of 10 MB and refuse a byte more (%s)', async (how) => {
    const { url, seen } = await vendor()
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    const send = (size: number) => {
      const headers = {
        'x-api-key': 'dummy-ada',
        ...(how === 'content-length' ? { 'content-length': String(size) } : { 'transfer-encoding': 'chunked' }),
      }
      return call(`${at.url}/v1/messages`, { headers, body: Buffer.alloc(size, 'x') })
    }
    expect(await send(limit)).toMatchObject({ status: 200 })
    expect(seen[0]!.body).toHaveLength(limit)
    const over = await send(limit + 1)
    expect(over).toMatchObject({ status: 413, headers: { 'x-should-retry': 'false' } })
    expect(JSON.parse(over.body)).toMatchObject({
      type: 'error',
      error: { type: 'request_too_large', message: expect.stringContaining('10 MB') },
    })
  })

  it(
    'go to the next credential when one is limited, with the same body, ' + 'and come back after five minutes',
    async () => {
      const { url, seen } = await vendor(({ headers }) =>
        headers['x-api-key'] === 'first' ? { status: 429, body: '{"error":"slow down"}' } : {},
      )
      const credentials = [
        credential('ANTHROPIC', 'second', { priority: 2 }),
        credential('ANTHROPIC', 'first', { priority: 1 }),
      ]
      const at = await sidecar(config(credentials, { ANTHROPIC: url }))
      const send = () =>
        call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' }, body: 'hello '.repeat(50_000) })
      const used = () => seen.splice(0).map((it) => [it.headers['x-api-key'], it.body.length])
      expect(await send()).toMatchObject({ status: 200 })
      expect(used()).toEqual([
        ['first', 300_000],
        ['second', 300_000],
      ])
      expect(at.reports).toEqual([
        { type: 'credential_limited', credentialId: 'cred-first', retryAfterSeconds: 300 },
        failover('cred-first', 'cred-second', 'limited', 429),
      ])
      await send()
      expect(used()).toEqual([['second', 300_000]])
      at.configure(config(credentials, { ANTHROPIC: url })) // a new configuration forgets no limit
      at.clock.now += cooldownMs - 1
      await send()
      expect(used()).toEqual([['second', 300_000]])
      at.clock.now += 1
      await send()
      expect(used()).toEqual([
        ['first', 300_000],
        ['second', 300_000],
      ])
    },
  )

  it("hand on the vendor's 429 as it is when no credential is left", async () => {
    const { url, seen } = await vendor(() => ({ status: 429, headers: { 'retry-after': '7' }, body: '{"mine":true}' }))
    const at = await sidecar(config([credential('ANTHROPIC', 'a'), credential('ANTHROPIC', 'b')], { ANTHROPIC: url }))
    const answer = await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' }, body: '{"mine":true}' })
    expect(seen.map((it) => it.headers['x-api-key']).sort()).toEqual(['a', 'b'])
    expect(at.reports.map(({ type }) => type)).toEqual([
      'credential_limited',
      'credential_failover',
      'credential_limited',
    ])
    at.reports.length = 0
    await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })
    expect(at.reports.map(({ type }) => type)).toEqual(['credential_limited', 'credential_limited'])
  })

  const spent = '{"error":{"message":"Your credit balance is too low to access the API."}}'
  const invalid = '{"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}'
  it.each<[number, provider: string, kind: 'api_key' | 'oauth', body: string, reason: string]>([
    [401, 'ANTHROPIC', 'api_key', '{}', 'refused'],
    [401, 'ANTHROPIC', 'oauth', '{}', 'refused'],
    [403, 'ANTHROPIC', 'api_key', '{}', 'refused'],
    [402, 'ANTHROPIC', 'api_key', '{}', 'quota'],
    [429, 'ANTHROPIC', 'oauth', '{}', 'limited'],
    [400, 'ANTHROPIC', 'api_key', spent, 'quota'],
    [400, 'GOOGLE', 'api_key', invalid, 'refused'],
  ])('go to the next credential after a %i of %s to an %s: %s', async (status, provider, kind, body, reason) => {
    const { url, seen } = await vendor(({ headers }) =>
      JSON.stringify(headers).includes('first')
        ? { status, body, headers: { 'content-length': String(body.length) } }
        : {},
    )
    const credentials = [
      credential(provider, 'first', { priority: 1, kind }),
      credential(provider, 'second', { priority: 2, kind }),
    ]
    const at = await sidecar(config(credentials, { [provider]: url }))
    const path = provider === 'GOOGLE' ? '/gemini/v1beta/models/m:generateContent' : '/v1/messages'
    const send = () => call(`${at.url}${path}`, { headers: { 'x-api-key': 'dummy-ada' }, body: 'hello' })
    expect(await send()).toMatchObject({ status: 200 })
    expect(seen.map((it) => it.body)).toEqual(['hello', 'hello'])
    expect(at.reports.filter(({ type }) => type === 'credential_failover')).toEqual([
      failover('cred-first', 'cred-second', reason, status),
    ])
    expect(at.reports.some(({ type }) => type === 'credential_limited')).toBe(reason !== 'refused')
    await send()
    expect(seen).toHaveLength(3)
    expect(at.reports.filter(({ type }) => type === 'credential_failover')).toHaveLength(1)
  })

  it.each([spent, '{"error":{"message":"max_tokens is required"}}'])(
    'hand on a 400 whole when there is no other credential, or it is about the request: %s',
    async (body) => {
      const { url, seen } = await vendor(() => ({
        status: 400,
        body,
        headers: { 'content-length': String(body.length) },
      }))
      const both = [credential('ANTHROPIC', 'a', { priority: 1 }), credential('ANTHROPIC', 'b', { priority: 2 })]
      const at = await sidecar(config(body === spent ? both.slice(0, 1) : both, { ANTHROPIC: url }))
      const answer = await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })
      expect(answer).toMatchObject({ status: 400, body })
      expect(seen).toHaveLength(1)
    },
  )

  it('take equals in turn, over agents too', async () => {
    const { url, seen } = await vendor()
    const pair = [credential('OPENAI', 'a'), credential('OPENAI', 'b')]
    const agents = {
      'dummy-ada': { agentId: '1', slug: 'ada', credentials: pair },
      'dummy-bob': { agentId: '2', slug: 'bob', credentials: pair },
    }
    const at = await sidecar(config([], { OPENAI: url }, { agents }))
    for (const key of ['dummy-ada', 'dummy-bob', 'dummy-ada', 'dummy-bob'])
      await call(`${at.url}/openai/v1/responses`, { headers: { authorization: `Bearer ${key}` } })
    expect(seen.map((it) => it.headers.authorization)).toEqual(['Bearer a', 'Bearer b', 'Bearer a', 'Bearer b'])
  })

  it('pass on a redirect without following it, and the vendor’s own errors', async () => {
    const { url, seen } = await vendor((_, count) =>
      count === 1
        ? { status: 307, headers: { location: 'http://elsewhere.example/' } }
        : { status: 529, body: 'overloaded' },
    )
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    const headers = { 'x-api-key': 'dummy-ada' }
    expect(await call(`${at.url}/v1/messages`, { headers })).toMatchObject({
      status: 307,
      headers: { location: 'http://elsewhere.example/' },
    })
    expect(await call(`${at.url}/v1/messages`, { headers })).toMatchObject({ status: 529, body: 'overloaded' })
    expect(seen).toHaveLength(2)
  })

  it('are made once: what an upstream breaks off is told to the client, who may ask again', async () => {
    let requests = 0
    const { url } = await server((req) => void (++requests && req.socket.destroy()))
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    expect(await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' }, body: 'b' })).toMatchObject({
      status: 502,
    })
    expect(requests).toBe(1)
  })
})

describe('a model call that Muster refuses', () => {
  const refusals: {
    what: string
    method?: string
    at: string
    headers: Record<string, string>
    status: number
    body: object
  }[] = [
    {
      what: 'an unknown key',
      at: '/v1/messages',
      headers: { 'x-api-key': 'nobody' },
      status: 401,
      body: {
        type: 'error',
        error: { type: 'authentication_error', message: expect.stringContaining('does not know this key') },
      },
    },
    {
      what: 'no key',
      at: '/openai/v1/responses',
      headers: {},
      status: 401,
      body: {
        error: {
          code: 'invalid_api_key',
          type: 'invalid_request_error',
          message: expect.stringContaining('does not know this key'),
        },
      },
    },
    {
      what: 'an unknown key',
      at: '/gemini/v1beta/x',
      headers: { 'x-goog-api-key': 'nobody' },
      status: 401,
      body: {
        error: { code: 401, status: 'UNAUTHENTICATED', message: expect.stringContaining('does not know this key') },
      },
    },
    {
      what: 'an agent without a credential of that vendor',
      at: '/openai/v1/responses',
      headers: { authorization: 'Bearer dummy-ada' },
      status: 401,
      body: {
        error: {
          message: expect.stringContaining(
            'no OPENAI credential for the agent ada. Next: store one with `muster credentials create`',
          ),
        },
      },
    },
    {
      what: 'TRACE, which would repeat the key',
      method: 'TRACE',
      at: '/v1/messages',
      headers: { 'x-api-key': 'dummy-ada' },
      status: 405,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringMatching(
            /^Muster: This is not passed on. What goes to ANTHROPIC: POST \/v1\/messages, /,
          ),
        },
      },
    },
    ...[
      '/v1/../admin',
      '/v1/%2e%2e/admin',
      '/v1/..%2fadmin',
      '/v1/.%2E',
      '/v1/..',
      '/v1/a\\b',
      '/v1/a%5cb',
      '/openai/../x',
    ].map((at) => ({
      what: `the path ${at}`,
      at,
      headers: { 'x-api-key': 'dummy-ada' },
      status: 400,
      body: { error: { message: 'Muster: The path holds parts that are not passed on. (Muster)' } },
    })),
  ]

  it.each(refusals)(
    'answers $status in the vendor’s words: $what',
    async ({ method = 'POST', at: path, headers, status, body }) => {
      const { url, seen } = await vendor()
      const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url, OPENAI: url, GOOGLE: url }))
      const out = request({ host: '127.0.0.1', port: at.port, method, path, headers }).end()
      const [res] = (await once(out, 'response')) as [IncomingMessage]
      expect(res.statusCode).toBe(status)
      expect(res.headers['x-should-retry']).toBe('false')
      expect(JSON.parse(await text(res))).toMatchObject(body)
      expect(seen).toEqual([])
    },
  )

  it('says so while there is no configuration', async () => {
    const at = await sidecar(null)
    expect(await call(`${at.url}/v1/messages`)).toMatchObject({
      status: 503,
      body: expect.stringContaining('no configuration yet'),
    })
    expect(await call(`${at.url}/health`, { method: 'GET' })).toMatchObject({
      status: 200,
      body: '{"ok":true,"configured":false}',
    })
  })

  it('turns away a key in the hands of another uid', async () => {
    const { url, seen } = await vendor()
    const agents = (uid: number) => ({
      'dummy-ada': { agentId: '1', slug: 'ada', uid, credentials: [credential('ANTHROPIC', real)] },
    })
    const at = await sidecar(config([], { ANTHROPIC: url }, { agents: agents(process.getuid!() + 1) }), {
      isolated: true,
    })
    const send = (url: string) => call(`${url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })
    expect(await send(at.url)).toMatchObject({ status: 401, body: expect.stringContaining('belongs to another agent') })
    at.configure(config([], { ANTHROPIC: url }, { agents: agents(process.getuid!()) }))
    expect(await send(at.url)).toMatchObject({ status: 502 }) // admitted; the vendor of this test is on loopback
    expect(seen).toEqual([])
    const open = await sidecar(config([], { ANTHROPIC: url }, { agents: agents(process.getuid!() + 1) }))
    expect(await send(open.url)).toMatchObject({ status: 200 }) // where agents have no uid of their own
  })

  it('answers 502 when the upstream is down, and never names the key', async () => {
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: 'http://127.0.0.1:1' }))
    const answer = await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('ECONNREFUSED') })
    expect(JSON.stringify(answer)).not.toContain(real)
  })

  it('answers 502 when the upstream speaks nonsense or breaks off', async () => {
    const { url } = await server((req) => void req.socket.end('HTTP/1.1 099 x\r\n\r\n'))
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    expect(await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject({
      status: 502,
    })
    const other = await server(
      (req) => void req.socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    )
    at.configure(config([credential('ANTHROPIC', real)], { ANTHROPIC: other.url }))
    expect(await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject({
      status: 502,
    })
  })

  it('gives no key to what listens on the crew’s own loopback', async () => {
    const { url, port, seen } = await vendor()
    const at = await sidecar(null, { isolated: true })
    for (const upstream of [
      url,
      `http://localhost:${port}`,
      `http://0.0.0.0:${port}`,
      `http://[::ffff:127.0.0.1]:${port}`,
      `http://2130706433:${port}`,
      'http://169.254.169.254',
    ]) {
      at.configure(config([credential('ANTHROPIC', real)], { ANTHROPIC: upstream }))
      expect(await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject({
        status: 502,
        body: expect.stringContaining('cannot be reached: '),
      })
    }
    expect(seen).toEqual([])
  })

  it('keeps the old configuration when a new one is at fault', async () => {
    const { url } = await vendor()
    const at = await sidecar(config([credential('ANTHROPIC', real)], { ANTHROPIC: url }))
    expect(() => at.configure({ ...config([], {}), network: null })).toThrow('network')
    expect(await call(`${at.url}/v1/messages`, { headers: { 'x-api-key': 'dummy-ada' } })).toMatchObject({
      status: 200,
    })
  })
})

describe('the rest of the sidecar', () => {
  it('answers HEAD and GET / and /health, and 404 elsewhere', async () => {
    const at = await sidecar(config([], {}))
    expect(await call(`${at.url}/`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await call(`${at.url}/health`, { method: 'GET' })).toMatchObject({
      status: 200,
      body: '{"ok":true,"configured":true}',
    })
    for (const path of ['/v12', '/openaix', '/api/v1/crews', '/v1x/messages'])
      expect(await call(at.url + path)).toMatchObject({
        status: 404,
        body: expect.stringContaining('sidecar has nothing at'),
      })
  })

  it('listens on loopback alone', async () => {
    const at = await sidecar(null)
    const socket = connect({ host: '127.0.0.2', port: at.port })
    const [error] = await once(socket, 'error')
    expect(error.code).toBe('ECONNREFUSED')
  })
})
