import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { browser } from '../support/browser.ts'
import { cli } from '../support/cli.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { pictures } from '../support/pictures.ts'
import {
  type Asked,
  elsewhere,
  proxyMissing,
  site,
  startCaddy,
  startNginx,
  type TlsProxy,
  through,
  withoutTls,
} from '../support/proxy.ts'

const noNginx = proxyMissing('nginx')
const noCaddy = proxyMissing('caddy')
leaveOut(noNginx)
leaveOut(noCaddy)

const settings = {
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_CLAUDE_COMMAND: new URL('../../templates/demo/claude-stand-in/claude', import.meta.url).pathname,
  SVC_PUBLIC_URL: `https://${site}`,
  // Exactly the proxy, so that clients of these tests, on other addresses of loopback, are strangers.
  SVC_TRUSTED_PROXY_CIDRS: '127.0.0.1',
  SVC_ADMIN_TOKEN_HMAC_KEY: randomBytes(32).toString('hex'),
  SVC_RATELIMIT_AUTH_PER_MIN: '5',
}

let muster: Installation | undefined
let backend = ''
let token = ''
/** Each use of it is on record, with the address that it came from. */
let adminToken = ''

beforeAll(async () => {
  if (noNginx && noCaddy) return
  muster = await install(settings)
  const { url } = JSON.parse(readFileSync(join(muster.dataDir, 'musterd.json'), 'utf8')) as { url: string }
  backend = new URL(url).host
  token = muster.connection.headers()['authorization']!.replace('Bearer ', '')
  adminToken = (await muster.client.tokens.create({ body: { tier: 'ADMIN' } })).token
})
afterAll(() => muster?.remove())

const signedIn = () => ({ authorization: `Bearer ${token}` })
const inWorkspace = () => ({ ...signedIn(), 'x-workspace-id': muster!.connection.headers()['x-workspace-id']! })

/** The address that the daemon takes a request to come from. */
async function addressOf(proxy: TlsProxy, asked: Asked): Promise<string | null> {
  const { status } = await through(proxy, '/api/v1/users/me', {
    ...asked,
    headers: { authorization: `Bearer ${adminToken}`, ...asked.headers },
  })
  expect(status).toBe(200)
  const db = new Database(join(muster!.dataDir, 'muster.db'), { readonly: true })
  try {
    return (
      db.prepare<[], string>('SELECT remote_addr FROM cli_token_uses ORDER BY rowid DESC LIMIT 1').pluck().get() ?? null
    )
  } finally {
    db.close()
  }
}

const forged: [string, Record<string, string | string[]>][] = [
  ['nothing', {}],
  ['one value', { 'x-forwarded-for': '198.51.100.1' }],
  ['several values', { 'x-forwarded-for': '198.51.100.1, 127.0.0.1' }],
  ['several lines', { 'x-forwarded-for': ['198.51.100.1', '127.0.0.1', '127.0.0.1, 127.0.0.1'] }],
  ['an empty value', { 'x-forwarded-for': '' }],
  ['what cannot be read', { 'x-forwarded-for': 'unknown, 127.0.0.1:99999' }],
  ['a spelling of its own', { 'X-FORWARDED-FOR': '127.0.0.1', x_forwarded_for: '127.0.0.1' }],
  ['X-Real-IP', { 'x-real-ip': '127.0.0.1' }],
  [
    'all there are',
    {
      forwarded: 'for=127.0.0.1;proto=http',
      'x-real-ip': '127.0.0.1',
      'x-client-ip': '127.0.0.1',
      'true-client-ip': '127.0.0.1',
    },
  ],
]

/** What must hold behind every proxy. */
function promises(start: () => Promise<TlsProxy>): void {
  let proxy: TlsProxy
  beforeAll(async () => {
    proxy = await start()
  })
  afterAll(() => proxy?.close())

  it('answers over TLS, and sends plain requests there', async () => {
    const { status, headers, text } = await through(proxy, '/api/health')
    expect([status, JSON.parse(text)]).toMatchObject([200, { status: 'ok' }])
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
    expect(await withoutTls(proxy, '/api/health?a=b')).toMatchObject({
      headers: { location: `https://${site}/api/health?a=b` },
    })
  })

  it('serves the command line, which trusts the private certificate', async () => {
    // Certificates are read when a program starts.
    const { program } = cli({
      SVC_SERVER: `https://localhost:${proxy.port}`,
      SVC_TOKEN: token,
      NODE_EXTRA_CA_CERTS: proxy.ca,
    })
    expect(await program.run('whoami', '--json=user_email')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ada@example.com'),
    })
    const unaware = cli({ SVC_SERVER: `https://localhost:${proxy.port}`, SVC_TOKEN: token })
    expect(await unaware.program.run('whoami')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('is not trusted'),
    })
  })

  it.each(forged)('takes the client’s address from the proxy, whatever the client says: %s', async (_, headers) => {
    expect(await addressOf(proxy, { headers })).toBe('127.0.0.2')
  })

  it.skipIf(!elsewhere)('does not take strangers for this machine', async () => {
    for (const [, headers] of forged)
      expect((await through(proxy, '/metrics', { headers, from: elsewhere! })).status).toBe(404)
  })

  it('counts a stranger’s tries as the stranger’s, by whatever names', async () => {
    const [stranger, another] = [1, 2].map((n) => `127.${n}.${proxy.port >> 8}.${proxy.port & 255}`)
    const sign = (from: string, headers = {}) =>
      through(proxy, '/api/v1/bootstrap', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', ...headers },
        from,
      })
    const statuses = []
    for (let n = 0; n < 10; n++)
      statuses.push(
        (await sign(stranger!, { 'x-forwarded-for': `198.51.100.${n}`, 'x-real-ip': `198.51.100.${n}` })).status,
      )
    expect([statuses[0], statuses.at(-1)]).toEqual([410, 429])
    expect((await sign(another!)).status).toBe(410)
  })

  it('compares origins as the browser sees them, and nobody talks it out of TLS', async () => {
    const change = (origin: string, more: Record<string, string> = {}) =>
      through(proxy, '/api/v1/crews', {
        method: 'POST',
        body: '{}',
        headers: { ...inWorkspace(), 'content-type': 'application/json', origin, ...more },
      })
    // It got as far as its body.
    expect(await change(`https://${site}`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('missing_field'),
    })
    expect((await change(`http://${site}`)).status).toBe(403)
    expect((await change(`http://${site}`, { 'x-forwarded-proto': 'http' })).status).toBe(403)
    expect((await change('https://evil.example.com', { 'x-forwarded-host': 'evil.example.com' })).status).toBe(403)
  })

  it('signs browsers in as on HTTPS, refreshes, and knows where they are', async () => {
    const from = `127.3.${proxy.port >> 8}.${proxy.port & 255}`
    // A client cannot say that it came in clear.
    const ada = browserThrough(proxy, {
      from,
      headers: { 'x-forwarded-proto': 'http', 'x-forwarded-for': '198.51.100.1' },
    })
    expect(await ada.signIn('ada@example.com', 'correct horse battery')).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect([...ada.jar.keys()]).toEqual([
      '__Host-authjs.csrf-token',
      '__Secure-authjs.session-token',
      '__Secure-authjs.refresh-token',
    ])
    for (const { attributes } of ada.jar.values()) expect(attributes).toContain('Secure')
    expect(await ada.call('GET', '/users/me')).toMatchObject({ status: 200, body: { email: 'ada@example.com' } })
    const before = ada.jar.get('__Secure-authjs.session-token')!.value
    expect((await ada.call('POST', '/api/auth/token/refresh', undefined, { origin: `https://${site}` })).status).toBe(
      200,
    )
    expect(ada.jar.get('__Secure-authjs.session-token')!.value).not.toBe(before)
    const { body: sessions } = await ada.call('GET', '/auth/sessions')
    expect(sessions.find(({ is_current }: { is_current: boolean }) => is_current)).toMatchObject({ ip: from })
    expect(
      (await ada.call('POST', '/api/auth/token/refresh', undefined, { origin: 'https://evil.example.com' })).status,
    ).toBe(403)
  })

  it('carries a picture of almost two megabytes, byte by byte', async () => {
    const file = picture(1_900_000)
    const boundary = 'a-line-that-no-picture-has'
    const head =
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="ada.png"\r\ncontent-type: ` +
      'image/png\r\n\r\n'
    const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
    const headers = { ...signedIn(), 'content-type': `multipart/form-data; boundary=${boundary}` }
    const set = await through(proxy, '/api/v1/users/me/avatar', { method: 'POST', body, headers })
    expect([set.status, set.text]).toEqual([200, expect.stringContaining('avatar_url')])
    const got = await through(proxy, JSON.parse(set.text).avatar_url, { headers: signedIn() })
    expect([got.status, got.bytes.equals(file)]).toEqual([200, true])
  })

  it('answers to its own name alone', async () => {
    expect((await through(proxy, '/api/health', { headers: { host: 'evil.example.com' } })).text).not.toContain(
      '"status":"ok"',
    )
  })

  it('hands events of the journal on at once', async () => {
    const abort = new AbortController()
    const reply = await streamed(
      proxy,
      '/api/v1/journal/stream',
      { ...inWorkspace(), accept: 'text/event-stream' },
      abort.signal,
    )
    expect(reply.headers['content-type']).toContain('text/event-stream')
    await reply.until('data: ')
    const crew = await muster!.client.crews.create({ body: { name: 'Events', slug: `events-${proxy.port}` } })
    // Nothing else is written: an answer that waits in a buffer would wait for ever.
    await reply.until(crew.id)
    abort.abort()
  })

  it('hands the lines of a run on at once', async () => {
    const agentId = await anAgent()
    const chatId = await muster!.openChat(agentId)
    const abort = new AbortController()
    const reply = await streamed(proxy, `/api/v1/chats/${chatId}/stream?follow=true`, inWorkspace(), abort.signal)
    await reply.until('stream.open')
    const run = await muster!.say(chatId, 'count to 3')
    await reply.until(run)
    await reply.until('"done"')
    abort.abort()
  })

  it('carries live connections, and asks for their origin', async () => {
    const url = `wss://127.0.0.1:${proxy.port}/ws`
    const dial = (origin: string) =>
      new WebSocket(url, {
        agent: new Agent({ ca: readFileSync(proxy.ca), servername: site }),
        headers: { host: site, origin },
      })
    const socket = dial(`https://${site}`)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const answered = new Promise<string>((resolve) =>
      socket.on('message', (data) => String(data).includes('pong') && resolve(String(data))),
    )
    const { text } = await through(proxy, '/api/v1/ws-token', { headers: inWorkspace() })
    socket.send(JSON.stringify({ type: 'auth', token: JSON.parse(text).token }))
    socket.send(JSON.stringify({ type: 'ping' }))
    expect(JSON.parse(await answered)).toMatchObject({ type: 'pong' })
    socket.terminate()
    const foreign = dial('https://evil.example.com')
    expect(await new Promise((resolve) => foreign.once('error', (error) => resolve(error.message)))).toBe(
      'Unexpected server response: 403',
    )
  })

  it('carries large bodies up to the server’s own limits', async () => {
    const large = (bytes: number) =>
      through(proxy, '/api/v1/crews', {
        method: 'POST',
        body: ' '.repeat(bytes),
        headers: { ...inWorkspace(), 'content-type': 'application/json' },
      })
    const description = 'x'.repeat(900_000)
    const body = JSON.stringify({ name: 'Large', slug: 'large', description })
    const answer = await through(proxy, '/api/v1/crews', {
      method: 'POST',
      body,
      headers: { ...inWorkspace(), 'content-type': 'application/json' },
    })
    // It was read to its end: what is refused is a member, by the daemon.
    expect([answer.status, JSON.parse(answer.text).field]).toEqual([400, 'description'])
    // Answered before it is read: a connection that were closed upon it would now and then be a bad gateway.
    for (let n = 0; n < 10; n++)
      expect(await large(2 * 1024 * 1024)).toMatchObject({
        status: 400,
        text: expect.stringContaining('body_over_limit'),
      })
    // Refused by the proxy, and little more than it may be: Caddy reads on for 256 KB, then it resets the connection.
    expect((await large(16 * 1024 * 1024 + 64 * 1024)).status).toBe(413)
  })
}

/** A browser somewhere, at the site. */
const browserThrough = (proxy: TlsProxy, { headers: fixed, from }: { headers: Record<string, string>; from: string }) =>
  browser(
    {
      async call(_who, method, path, body, headers = {}) {
        const given = body === undefined ? {} : { body: JSON.stringify(body) }
        const type = body === undefined ? {} : { 'content-type': 'application/json' }
        const at = path.startsWith('/api/') ? path : `/api/v1${path}`
        const answer = await through(proxy, at, { method, ...given, headers: { ...type, ...headers }, from })
        return {
          status: answer.status,
          headers: answer.headers,
          text: answer.text,
          body: answer.text ? JSON.parse(answer.text) : undefined,
        }
      },
    },
    fixed,
  )

/** A real picture with so many bytes of remarks in it. */
function picture(size: number): Buffer {
  const data = Buffer.concat([Buffer.from('tEXtComment\0'), randomBytes(size)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length - 4)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(data))
  // After the signature and the header.
  return Buffer.concat([pictures.png.subarray(0, 33), length, data, check, pictures.png.subarray(33)])
}

async function anAgent(): Promise<string> {
  const known = (await muster!.client.agents.list({ query: {} }))[0]
  if (known) return known.id
  const crew = await muster!.client.crews.create({ body: { name: 'Behind', slug: 'behind' } })
  return (await muster!.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crew.id } })).id
}

/** A reply as it arrives. */
async function streamed(proxy: TlsProxy, path: string, headers: Record<string, string>, signal: AbortSignal) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: proxy.port,
      servername: site,
      ca: readFileSync(proxy.ca),
      agent: false,
      path,
      headers: { host: site, ...headers },
      signal,
    }
    request(options, resolve).on('error', reject).end()
  })
  response.setEncoding('utf8').on('error', () => {})
  let text = ''
  const waiting = new Set<() => void>()
  response.on('data', (chunk: string) => {
    text += chunk
    for (const check of waiting) check()
  })
  return {
    headers: response.headers,
    until: (words: string) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!text.includes(words)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}

describe.skipIf(noNginx)('behind nginx', () => promises(() => startNginx(backend)))

describe.skipIf(noNginx)('behind nginx that adds to X-Forwarded-For', () => {
  let proxy: TlsProxy
  beforeAll(async () => {
    proxy = await startNginx(backend, [/X-Forwarded-For +\$remote_addr/, 'X-Forwarded-For $proxy_add_x_forwarded_for'])
  })
  afterAll(() => proxy?.close())

  it.each(forged)('takes the client’s address from the proxy, whatever the client says: %s', async (_, headers) => {
    expect(await addressOf(proxy, { headers })).toBe('127.0.0.2')
  })

  it('lets a client within the trusted networks name another address, as the page warns', async () => {
    expect(await addressOf(proxy, { headers: { 'x-forwarded-for': '198.51.100.1' }, from: '127.0.0.1' })).toBe(
      '198.51.100.1',
    )
  })
})

describe.skipIf(noCaddy)('behind Caddy', () => promises(() => startCaddy(backend)))
