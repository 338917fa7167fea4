import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fullPath, withQuery } from '../../../cli/raw/request.ts'
import { cli } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

async function echo() {
  const server = await fakeServer(({ method, url, body, headers }, reply) =>
    json(reply, { method, url, type: headers['content-type'] ?? null, body: body ? JSON.parse(body) : null }),
  )
  const it = cli({ SVC_SERVER: server.url })
  return { ...it, sent: async (...args: string[]) => JSON.parse((await it.run('api', ...args)).stdout) }
}

describe('muster api', () => {
  it('sends the method and the path', async () => {
    const { sent } = await echo()
    expect(await sent('GET', '/crews')).toMatchObject({ method: 'GET', url: '/api/v1/crews', body: null, type: null })
    expect(await sent('crews')).toMatchObject({ method: 'GET', url: '/api/v1/crews' })
    expect(await sent('delete', '/crews/c1')).toMatchObject({ method: 'DELETE', url: '/api/v1/crews/c1' })
    expect(await sent('GET', '/api/health')).toMatchObject({ url: '/api/health' })
  })

  it('puts fields into the query of a GET and into the body of others', async () => {
    const { sent } = await echo()
    expect(await sent('GET', '/crews?limit=1', '-d', 'limit=2', '-F', 'x=true')).toMatchObject({
      url: '/api/v1/crews?limit=2&x=true',
    })
    expect(
      await sent(
        'crews',
        '-d',
        'name=5',
        '-F',
        'n=5',
        '-F',
        'list=[1,2]',
        '-F',
        'none=null',
        '-F',
        'text=plain',
        '-d',
        'a=b=c',
      ),
    ).toEqual({
      method: 'POST',
      url: '/api/v1/crews',
      type: 'application/json',
      body: { name: '5', n: 5, list: [1, 2], none: null, text: 'plain', a: 'b=c' },
    })
  })

  it('takes text from files and the body from standard input', async () => {
    const { home, pipe, sent } = await echo()
    writeFileSync(join(home, 'prompt.txt'), 'Be kind.\n')
    writeFileSync(join(home, 'body.json'), '{"from":"file"}')
    expect((await sent('agents', '-F', `prompt=@${home}/prompt.txt`)).body).toEqual({ prompt: 'Be kind.\n' })
    expect(await sent('PUT', 'x', '--input', join(home, 'body.json'))).toMatchObject({
      method: 'PUT',
      body: { from: 'file' },
    })
    const piped = await pipe('{"from":"stdin"}', 'api', 'x', '--input', '-')
    expect(JSON.parse(piped.stdout)).toMatchObject({ method: 'POST', body: { from: 'stdin' } })
  })

  it.each([
    [['GET'], 'A path is missing'],
    [['FETCH', '/crews'], '"FETCH" is not a method'],
    [['crews', '-d', 'name'], 'write name=value'],
    [['crews', '-d', '=x'], 'write name=value'],
    [['crews', '--input', '/no/such/file'], 'cannot be read'],
    [['crews', '-d', 'a=b', '--input', '-'], '--input is the whole body'],
    [['GET', 'https://evil.example/crews'], 'Give a path'],
  ])('refuses %j', async (args, reason) => {
    expect(await (await echo()).run('api', ...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(reason),
    })
  })

  it('shows status and headers with -i', async () => {
    const server = await fakeServer(({ url }, reply) =>
      url.endsWith('/no') ? json(reply, { title: 'No' }, 404) : json(reply, { a: 1 }, 201, { 'x-total-count': '7' }),
    )
    const { run } = cli({ SVC_SERVER: server.url })
    expect((await run('api', 'x', '-i')).stdout).toMatch(
      /^HTTP 201\n(.+\n)*x-total-count: 7\n(.+\n)*\n\{\n {2}"a": 1\n\}\n$/,
    )
    expect(await run('api', 'no', '-i')).toMatchObject({ code: 3, stdout: 'HTTP 404\n\n' })
  })

  it('passes streams on as they come', async () => {
    const server = await fakeServer((_, reply) =>
      reply.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
    )
    const { terminal } = cli({ SVC_SERVER: server.url })
    const shown = terminal(['api', 'journal/stream'])
    await shown.until(/data: 1/)
    shown.type('\u0003')
    expect(await shown.ended).toBe(130)
  })

  it('joins the pages of a list by limit and offset', async () => {
    const all = Array.from({ length: 250 }, (_, n) => n)
    const server = await fakeServer(({ url }, reply) => {
      const query = new URL(url, 'http://x').searchParams
      const offset = Number(query.get('offset') ?? 0)
      json(reply, all.slice(offset, offset + Number(query.get('limit'))))
    })
    const { run } = cli({ SVC_SERVER: server.url })
    expect(JSON.parse((await run('api', 'crews', '--paginate')).stdout)).toEqual(all)
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/v1/crews?limit=100',
      '/api/v1/crews?limit=100&offset=100',
      '/api/v1/crews?limit=100&offset=200',
    ])
    expect((await run('api', 'crews?limit=125', '--paginate', '-o', 'ndjson')).stdout.split('\n')).toHaveLength(251)
  })

  it('joins the pages of a list by its cursor', async () => {
    const server = await fakeServer(({ url }, reply) => {
      const at = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0)
      json(reply, { data: [at, at], next_cursor: at < 3 ? String(at + 1) : null })
    })
    const { run } = cli({ SVC_SERVER: server.url })
    expect((await run('api', 'journal', '--paginate', '--jq', '.[]')).stdout).toBe('0\n0\n1\n1\n2\n2\n3\n3\n')
  })
})

it.each([
  ['/crews', '/api/v1/crews'],
  ['crews', '/api/v1/crews'],
  ['/api/auth/session', '/api/auth/session'],
  ['/healthz', '/healthz'],
  ['/exposed/abc', '/exposed/abc'],
  ['/wsx', '/api/v1/wsx'],
  ['ws-token', '/api/v1/ws-token'],
])('%s is %s', (path, full) => expect(fullPath(path)).toBe(full))

it('replaces what the query had', () => expect(withQuery('/x?a=1&b=2', { a: 3 })).toBe('/x?a=3&b=2'))
