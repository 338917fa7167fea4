import { once } from 'node:events'
import { Agent, request as sendRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Type } from 'typebox'
import { describe, expect, it, vi } from 'vitest'
import { del, get, post } from '#contract/define'
import { feature, gated } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { closing, daemon, type TestDaemon } from '#test'

const endpoints = {
  list: get('/things', {
    summary: 'List',
    access: 'VIEWER',
    query: Type.Object({
      name: Type.Optional(Type.String()),
      count: Type.Optional(Type.Integer()),
      on: Type.Optional(Type.Boolean()),
      tags: Type.Optional(Type.Array(Type.String())),
    }),
    reply: Type.Object({ query: Type.Unknown() }),
  }),
  count: get('/things/count', { summary: 'Count', access: 'public', reply: Type.Object({ count: Type.Integer() }) }),
  show: get('/things/:thingId', {
    summary: 'Show',
    access: 'public',
    reply: Type.Object({ id: Type.String() }),
    throws: ['not_found'],
  }),
  remove: del('/things/:thingId', { summary: 'Remove', access: 'public', journal: false }),
  part: get('/things/:thingId/parts/:part', {
    summary: 'Part',
    access: 'public',
    reply: Type.Object({ part: Type.String() }),
  }),
  stream: get('/stream', { kind: 'stream', summary: 'Stream', access: 'public' }),
  echo: post('/echo', {
    summary: 'Echo',
    access: 'public',
    bodyLimit: 1000,
    body: Type.Object({
      name: Type.String({ maxLength: 10 }),
      note: Type.Optional(Type.Object({ text: Type.String() })),
    }),
    reply: Type.Object({ name: Type.String(), polluted: Type.Boolean() }),
    journal: false,
  }),
  lax: post('/lax', {
    summary: 'Lax',
    access: 'public',
    status: 200,
    body: Type.Object({ name: Type.String() }),
    bodyOptional: true,
    malformed: 'ignore',
    reply: Type.Object({ given: Type.Boolean() }),
    journal: false,
  }),
  terse: post('/terse', {
    summary: 'Terse',
    access: 'public',
    body: Type.Object({ code: Type.String() }),
    malformed: 'invalid_code',
    journal: false,
    throws: ['invalid_code'],
  }),
  closed: post('/closed', {
    summary: 'Closed',
    access: 'public',
    body: Type.Object({}),
    journal: false,
    throws: ['bootstrap_closed'],
  }),
  change: post('/change', {
    summary: 'Change',
    access: 'MEMBER',
    scope: 'crews:write',
    body: Type.Object({ name: Type.String() }),
    journal: false,
  }),
  boom: get('/boom', { summary: 'Fail', access: 'public' }),
  whitelist: get('/whitelist', { summary: 'Row', access: 'public', reply: Type.Object({ seen: Type.String() }) }),
}

const things = feature(endpoints, () => ({
  list: ({ query }) => ({ query }),
  count: () => ({ count: 1 }),
  show: ({ thingId }) => ({ id: thingId }),
  remove: () => undefined,
  part: ({ part }) => ({ part }),
  stream: ({ web }) => void web.reply.hijack().raw.end('x'),
  echo: ({ body }) => ({ name: body.name, polluted: 'polluted' in {} || 'polluted' in body }),
  lax: ({ body }) => ({ given: body !== undefined }),
  terse: () => undefined,
  closed: gated(
    () => {
      throw problem('bootstrap_closed')
    },
    () => undefined,
  ),
  change: () => undefined,
  boom: () => {
    throw new Error('secret detail')
  },
  whitelist: () => ({ seen: 'yes', password_hash: 'no' }) as { seen: string },
}))

const probe = (options: Parameters<typeof daemon>[0] = {}) => daemon({ features: { things }, ...options })

/** Sends exact bytes over a real connection. */
async function raw({ http }: TestDaemon, text: string): Promise<{ status: number; head: string; body: unknown }> {
  if (!http.server.listening) await http.listen({ port: 0, host: '127.0.0.1' })
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.setEncoding('utf8').on('data', (data) => (received += data))
    socket.on('close', () => resolve(received)).on('error', reject)
  })
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return {
    status: Number(head.split(' ')[1]),
    head: head.toLowerCase(),
    body: body.startsWith('{') ? JSON.parse(body) : body,
  }
}
const request = (line: string, ...headers: string[]) =>
  `${[line, 'host: localhost', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`

const fixed = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-svc-server-version': expect.any(String),
}

describe('every answer', () => {
  it.each([
    ['a success', 'GET', '/things/count', {}],
    ['a refusal', 'GET', '/things', {}],
    ['an unknown path', 'GET', '/nothing', {}],
    ['a wrong method', 'PATCH', '/things', {}],
    ['a fault', 'GET', '/boom', {}],
    ['a broken address', 'GET', '/things/%zz', {}],
    ['a foreign host', 'GET', '/things/count', { host: 'evil.example' }],
  ])('carries the fixed headers: %s', async (_, method, path, headers) => {
    const { call } = await probe({ quiet: true })
    expect((await call(null, method, path, undefined, headers)).headers).toMatchObject({
      ...fixed,
      'x-request-id': expect.stringMatching(/^c[a-z0-9]{24}$/),
    })
  })

  it.each([
    ['abc-DEF_123', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['with space', false],
    ['', false],
  ])('repeats the request id "%s": %s', async (id, repeated) => {
    const { call } = await probe()
    const { headers } = await call(null, 'GET', '/things/count', undefined, { 'x-request-id': id })
    expect(headers['x-request-id'] === id).toBe(repeated)
  })

  it('names problems as RFC 9457 does, and once more for older clients', async () => {
    const { call } = await probe()
    const { headers, body } = await call(null, 'POST', '/echo?secret=1', { name: 5 })
    expect(headers['content-type']).toBe('application/problem+json')
    expect(body).toEqual({
      type: '/problems/invalid_field',
      title: 'A member has an invalid value',
      status: 400,
      detail: 'name must be string',
      instance: '/api/v1/echo',
      code: 'invalid_field',
      field: 'name',
      error: 'name must be string',
    })
  })

  it('keeps the words of a fault to itself', async () => {
    const { call } = await probe({ quiet: true })
    const { status, text } = await call(null, 'GET', '/boom')
    expect(status).toBe(500)
    expect(text).not.toContain('secret')
  })

  it('has the members of its schema and no others', async () => {
    const { call } = await probe()
    expect((await call(null, 'GET', '/whitelist')).body).toEqual({ seen: 'yes' })
  })
})

describe('methods', () => {
  it.each([
    ['PATCH', '/things', 'GET, HEAD'],
    ['POST', '/things/count', 'GET, HEAD'],
    ['PATCH', '/things/%63ount', 'GET, HEAD'],
    ['OPTIONS', '/things', 'GET, HEAD'],
    ['PUT', '/things/t1', 'DELETE, GET, HEAD'],
    ['HEAD', '/stream', 'GET'],
    ['PROPFIND', '/things', 'GET, HEAD'],
  ])('%s %s is 405 and allows %s', async (method, path, allow) => {
    const { call } = await probe()
    const { status, headers } = await call(null, method, path)
    expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow })
  })

  it.each(['/things/count', '/things/%63ount'])('never takes %s for a thing', async (path) => {
    const { call } = await probe()
    expect((await call(null, 'DELETE', path)).body).toMatchObject({ status: 405, error: 'method_not_allowed' })
    expect((await call(null, 'DELETE', '/things/counts')).status).toBe(204)
  })

  it('answers HEAD with the headers of GET', async () => {
    const { call } = await probe()
    const { status, text, headers } = await call(null, 'HEAD', '/things/count')
    expect({ status, text, length: headers['content-length'] }).toEqual({ status: 200, text: '', length: '11' })
    expect((await call(null, 'HEAD', '/things')).status).toBe(401)
  })

  it.each(['/things/', '//things', '/things/t1/parts', '/Things', '/nothing'])('does not know %s', async (path) => {
    const { call } = await probe()
    expect((await call(null, 'GET', path)).body).toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('addresses', () => {
  it.each([
    ['%F0%9F%98%80', '😀'],
    ['a%2Fb', 'a/b'],
    ['a%00b', 'a\u0000b'],
    ['..%2f..%2fetc', '../../etc'],
    ['x'.repeat(200), 'x'.repeat(200)],
  ])('hands on %s as one parameter', async (given, id) => {
    const { call } = await probe()
    expect((await call(null, 'GET', `/things/${given}`)).body).toEqual({ id })
  })

  it.each(['%', '%zz', '%ff%fe'])('refuses the broken escape %s', async (text) => {
    const { call } = await probe()
    expect((await call(null, 'GET', `/things/${text}`)).body).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('does not know a parameter of more than 200 characters', async () => {
    const { call } = await probe()
    expect((await call(null, 'GET', `/things/${'x'.repeat(201)}`)).status).toBe(404)
  })
})

describe('queries', () => {
  it.each([
    ['count=5&on=true&name=x', { count: 5, on: true, name: 'x' }],
    ['count=-5&on=0&name=', { count: -5, on: false, name: '' }],
    ['tags=a&tags=b', { tags: ['a', 'b'] }],
    ['tags=a', { tags: ['a'] }],
    ['__proto__=1&constructor=2&other=3', { constructor: '2', other: '3' }],
  ])('reads %s', async (query, read) => {
    const { call } = await probe()
    expect((await call('VIEWER', 'GET', `/things?${query}`)).body.query).toMatchObject(read)
  })

  it.each([
    ['name=a&name=b', 'name'],
    ['count=', 'count'],
    ['count=1e3', 'count'],
    ['count=0x10', 'count'],
    ['count=1.5', 'count'],
    ['count=5&count=6', 'count'],
    ['on=maybe', 'on'],
    ['workspace_id=a&workspace_id=b', 'workspace_id'],
  ])('refuses %s', async (query, field) => {
    const { call } = await probe()
    expect((await call('VIEWER', 'GET', `/things?${query}`)).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field,
    })
  })
})

describe('bodies', () => {
  it.each([
    ['no JSON', '{"name":', 'invalid_json'],
    ['nothing', undefined, 'invalid_json'],
    ['a list', '[]', 'invalid_json'],
    ['null', 'null', 'invalid_json'],
    ['a missing member', '{}', 'missing_field'],
    ['a prototype', '{"name": "x", "__proto__": {"polluted": true}}', 'invalid_json'],
    ['a constructor with a prototype', '{"name": "x", "constructor": {"prototype": {"polluted": true}}}', null],
    ['a member nested deep', `{"name": "x", "deep": ${'['.repeat(99)}${']'.repeat(99)}}`, null],
    ['a member nested too deep', `{"name": "x", "deep": ${'['.repeat(400)}${']'.repeat(400)}}`, 'invalid_json'],
    ['11 letters', { name: 'x'.repeat(11) }, 'invalid_field'],
    ['10 letters with many marks', { name: `x${'\u0301'.repeat(50)}` }, 'invalid_field'],
    ['10 letters beyond the first plane', { name: '😀'.repeat(10) }, null],
    ['half a character', '{"name": "\\ud800"}', null],
    ['unknown members', { name: 'x', other: 1 }, null],
    ['a wrong member within', { name: 'x', note: { text: 5 } }, 'invalid_field'],
  ])('%s', async (_, body, code) => {
    const { call } = await probe()
    const answer = await call(null, 'POST', '/echo', body)
    expect(code ? answer.body : answer.body.polluted).toEqual(
      code ? expect.objectContaining({ status: 400, code }) : false,
    )
  })

  it('names the member at fault by its path', async () => {
    const { call } = await probe()
    expect((await call(null, 'POST', '/echo', { name: 'x', note: { text: 5 } })).body.field).toBe('note.text')
    expect((await call(null, 'POST', '/echo', { name: 'x', note: {} })).body.field).toBe('note.text')
  })

  it.each([
    ['over what the endpoint takes', { payload: 'x'.repeat(1001) }, { status: 400, code: 'body_over_limit' }],
    [
      'declared far over what anything takes',
      { 'content-length': String(16 * 1024 * 1024 + 1) },
      { status: 413, code: 'body_too_large' },
    ],
    ['in another type', { 'content-type': 'text/xml' }, { status: 415, code: 'unsupported_media_type' }],
    [
      'as a form',
      { 'content-type': 'application/x-www-form-urlencoded' },
      { status: 415, code: 'unsupported_media_type' },
    ],
  ])('refuses one %s', async (_, { payload = '{"name":"x"}', ...headers }: Record<string, string>, wanted) => {
    const { call } = await probe()
    expect((await call(null, 'POST', '/echo', payload, headers)).body).toMatchObject(wanted)
  })

  it('takes the ends of its limits', async () => {
    const { call } = await probe()
    const frame = JSON.stringify({ name: 'x', pad: '' }).length
    expect((await call(null, 'POST', '/echo', { name: 'x', pad: 'x'.repeat(1000 - frame) })).status).toBe(201)
  })

  it('reads a body over the limit to its end, so that the answer arrives and the connection goes on', async () => {
    const it = await probe()
    await it.http.listen({ port: 0, host: '127.0.0.1' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closing({ close: () => agent.destroy() })
    const send = (method: string, path: string, body = '') =>
      new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
        const { port } = it.http.server.address() as AddressInfo
        const sent = sendRequest({
          port,
          agent,
          method,
          path,
          headers: { 'content-type': 'application/json', 'content-length': body.length },
        })
        sent.on('response', (response) =>
          response.resume().on('end', () => resolve({ status: response.statusCode, reused: sent.reusedSocket })),
        )
        sent.on('error', reject).end(body)
      })
    expect(await send('POST', '/api/v1/echo', 'x'.repeat(900_000))).toEqual({ status: 400, reused: false })
    expect(await send('GET', '/api/v1/things/count')).toEqual({ status: 200, reused: true })
  })

  it('is taken to its end when it is refused, also where the client wants the connection closed then', async () => {
    const it = await probe()
    await it.http.listen({ port: 0, host: '127.0.0.1' })
    const size = 17 * 1024 * 1024
    const head = request('POST /api/v1/echo HTTP/1.1', 'content-type: application/json', `content-length: ${size}`)
    const answer = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect((it.http.server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write(head)
        socket.write(Buffer.alloc(size, 'x'), (error) => !error && socket.end())
      })
      socket.setEncoding('utf8').on('data', (data) => (received += data))
      socket.on('close', () => resolve(received)).on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  it('counts a body that comes in pieces without an announced length', async () => {
    const it = await probe()
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const head = request('POST /api/v1/echo HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked')
    expect((await raw(it, `${head}${chunk('{"name":')}${chunk('"x"}')}0\r\n\r\n`)).body).toMatchObject({ name: 'x' })
    expect((await raw(it, `${head}${chunk('x'.repeat(600)).repeat(2)}0\r\n\r\n`)).body).toMatchObject({
      code: 'body_over_limit',
    })
  })

  it('takes what cannot be used for nothing where the contract says so', async () => {
    const { call } = await probe()
    for (const body of ['{', '[]', '5', '{}', '{"name": 5}', undefined])
      expect((await call(null, 'POST', '/lax', body)).body).toEqual({ given: false })
    expect((await call(null, 'POST', '/lax', { name: 'x' })).body).toEqual({ given: true })
  })

  it('says the same of everything where the contract says so', async () => {
    const { call } = await probe()
    for (const body of ['{', '[]', '5', '{}', '{"code": 5}', undefined])
      expect((await call(null, 'POST', '/terse', body)).body).toMatchObject({ status: 400, code: 'invalid_code' })
  })
})

describe('the order of checks', () => {
  const limited = { config: { rateLimitDisabled: false, apiPerMinute: 1 } }
  it('is host, origin, rate, identity, workspace, role, scope, body', async () => {
    const { call, person, app } = await probe(limited)
    const member = person('MEMBER')
    const viewer = person('VIEWER')
    const narrow = app.db.prepare('UPDATE cli_tokens SET scopes_json = ? WHERE user_id = ?')
    const code = async (who: Parameters<typeof call>[0], headers: Record<string, string>, path = '/change') =>
      (await call(who, 'POST', path, '{', headers)).body.code
    const evil = { host: 'evil.example' }
    const foreign = { origin: 'https://evil.example' }
    expect(await code(null, { ...evil, ...foreign })).toBe('host_rejected')
    expect(await code(null, foreign)).toBe('origin_rejected')
    expect(await code(null, {})).toBe('no_credentials')
    expect(await code(null, foreign)).toBe('origin_rejected')
    expect(await code(null, {})).toBe('rate_limited')
    expect(await code(null, { authorization: 'Bearer nonsense' })).toBe('rate_limited')
    expect(await code({ ...viewer, workspace: '' }, {})).toBe('workspace_required')
    expect(await code({ ...viewer, workspace: 'cnone' }, {})).toBe('not_a_member')
    narrow.run('["agents:write"]', viewer.userId)
    narrow.run('["agents:write"]', member.userId)
    expect(await code(viewer, {})).toBe('insufficient_role')
    expect(await code(member, {})).toBe('insufficient_scope')
    narrow.run('["crews:*"]', member.userId)
    app.auth.forget(String(app.db.prepare('SELECT id FROM cli_tokens WHERE user_id = ?').pluck().get(member.userId)))
    expect(await code(member, {})).toBe('invalid_json')
  })

  it('asks the gate before the body', async () => {
    const { call } = await probe()
    expect((await call(null, 'POST', '/closed', '{')).body.code).toBe('bootstrap_closed')
  })

  it('challenges whoever may try again with other credentials', async () => {
    const { call } = await probe()
    const challenge = async (headers: Record<string, string>) =>
      (await call(null, 'POST', '/change', {}, headers)).headers['www-authenticate']
    expect(await challenge({})).toBe('Bearer error="no_credentials"')
    expect(await challenge({ authorization: 'Bearer x' })).toBe('Bearer error="session_invalid"')
    expect(await challenge({ authorization: 'Basic eDp5' })).toBe('Bearer error="session_invalid"')
    expect(await challenge({ origin: 'null' })).toBe('Bearer error="origin_rejected"')
    expect((await call('VIEWER', 'POST', '/change', {})).headers['www-authenticate']).toBeUndefined()
  })

  it('limits strangers who look for paths that do not exist', async () => {
    const { call } = await probe(limited)
    const statuses = [await call(null, 'GET', '/a'), await call(null, 'GET', '/b')].map(({ status }) => status)
    expect(statuses).toEqual([404, 429])
  })
})

describe('on the wire', () => {
  it('refuses what is no HTTP, in the words of every other refusal', async () => {
    const it = await probe()
    const { status, head, body } = await raw(it, 'HELO example\r\n\r\n')
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(head).toContain('content-type: application/problem+json')
    expect(head).toContain('x-content-type-options: nosniff')
  })

  it('refuses headers and addresses of more than 16 KiB', async () => {
    const it = await probe()
    for (const text of [
      request('GET /api/v1/things/count HTTP/1.1', `x-pad: ${'x'.repeat(17_000)}`),
      request(`GET /api/v1/things/${'x'.repeat(17_000)} HTTP/1.1`),
    ])
      expect(await raw(it, text)).toMatchObject({ status: 431, body: { code: 'headers_too_large' } })
  })

  it('refuses a request without a host, and one with two lengths', async () => {
    const it = await probe()
    expect((await raw(it, 'GET /api/v1/things/count HTTP/1.1\r\nconnection: close\r\n\r\n')).status).toBe(400)
    expect(
      (await raw(it, request('POST /api/v1/echo HTTP/1.1', 'content-length: 2', 'transfer-encoding: chunked'))).status,
    ).toBe(400)
  })

  it('answers only to names of its own, so that a rebound name gets nothing', async () => {
    const it = await probe({ config: { allowedHosts: ['muster.example'] } })
    const status = async (host: string) =>
      (await raw(it, `GET /api/v1/things/count HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)).status
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1', '[::1]:80', '192.168.1.5', 'muster.example:443'])
      expect(await status(host), host).toBe(200)
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      'evil@localhost',
      'localhost,evil.example',
      'localhost.',
    ])
      expect(await status(host), host).toBe(403)
  })
})

describe('a body', () => {
  it.each(['/api/v1/echo', '/api/v1/change'])('that has arrived at %s leaves the connection alone', async (path) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const it = await daemon({ features: { things } })
      const before = vi.getTimerCount()
      await it.http.listen({ port: 0, host: '127.0.0.1' })
      const socket = connect((it.http.server.address() as AddressInfo).port, '127.0.0.1')
      closing({ close: () => socket.destroy() })
      const ask = async () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ` +
            '12\r\n\r\n{"name":"x"}',
        )
        return String((await once(socket, 'data'))[0]).slice(9, 12)
      }
      const first = await ask()
      expect(['201', '401']).toContain(first)
      expect(vi.getTimerCount()).toBe(before)
      vi.advanceTimersByTime(120_000)
      expect(await ask()).toBe(first)
    } finally {
      vi.useRealTimers()
    }
  })

  it('that does not arrive within a minute is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const it = await daemon({ features: { things } })
      await it.http.listen({ port: 0, host: '127.0.0.1' })
      const socket = connect((it.http.server.address() as AddressInfo).port, '127.0.0.1')
      closing({ close: () => socket.destroy() })
      let text = ''
      socket.on('data', (chunk) => (text += chunk))
      const asked = once(it.http.server, 'request')
      socket.write(
        'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
          '20\r\n\r\n{"name":',
      )
      await asked
      vi.advanceTimersByTime(59_999)
      expect(text).toBe('')
      vi.advanceTimersByTime(1)
      await once(socket, 'close')
      expect(text).toMatch(/^HTTP\/1.1 408 /)
    } finally {
      vi.useRealTimers()
    }
  })
})
