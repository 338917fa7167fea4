import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { type Config, loadConfig } from '#kernel/config'
import { createLog } from '#kernel/log'
import type { Letter } from '#kernel/mail/letter'
import { createMailer } from '#kernel/mail/mailer'
import { createOutbound } from '#kernel/outbound/outbound'
import { closing } from '#test'
import { deferred } from '../../../support/deferred.ts'
import { certificate, fakeServer, json } from '../../../support/fake-server.ts'
import { mailServer } from '../../../support/mail-server.ts'

const base = loadConfig({ env: { XDG_CONFIG_HOME: '/nonexistent', SVC_DATA_DIR: '/nonexistent' } }).config
const letter: Letter = { to: 'ada@example.com', kind: 'test', subject: 'Grüße', name: 'Ada', blocks: ['How are you?'] }

/** A mailer whose waits are over at once; `waited` tells how long they would have been. */
function mailer(config: Partial<Config>, wait?: (ms: number, signal: AbortSignal) => Promise<void>) {
  const lines: Record<string, unknown>[] = []
  const log = createLog(
    { level: 'trace', format: 'json' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  const waited: number[] = []
  const outbound = createOutbound()
  const made = createMailer({
    config: { ...base, mailerFrom: 'Muster <muster@example.com>', publicUrl: 'https://muster.example.com', ...config },
    log,
    outbound,
    vault: null,
    wait: wait ?? (async (ms) => void waited.push(ms)),
  })
  closing({ close: () => outbound.close() })
  return { ...made, lines, waited, logged: () => lines.map(({ msg }) => msg) }
}

describe('without a way to send', () => {
  it('drops what it is given', async () => {
    const it = mailer({ mailerFrom: '' })
    expect(it.configured).toBe(false)
    it.send(letter)
    it.send(() => Promise.reject(new Error('not even asked')))
    await it.idle()
    expect(it.lines).toEqual([])
  })
})

describe('over HTTP', () => {
  const over = async (answer: Parameters<typeof fakeServer>[0], more: Partial<Config> = {}) => {
    const server = await fakeServer(answer)
    return { server, ...mailer({ mailerApiKey: 'key-1', mailerApiUrl: `${server.url}/emails`, ...more }) }
  }

  it('makes the call of the contract, once', async () => {
    const { server, send, idle, logged } = await over((_, reply) => json(reply, { id: '1' }))
    send(letter)
    await idle()
    expect(server.seen).toHaveLength(1)
    const [{ method, url, headers, body }] = server.seen as [(typeof server.seen)[0]]
    expect([method, url, headers.authorization, headers['content-type']]).toEqual([
      'POST',
      '/emails',
      'Bearer key-1',
      'application/json',
    ])
    expect(JSON.parse(body)).toEqual({
      from: '"Muster" <muster@example.com>',
      to: ['ada@example.com'],
      subject: 'Grüße',
      html: expect.stringContaining('<p style="margin:0 0 16px">How are you?</p>'),
      text: 'Hello Ada,\n\nHow are you?\n\n-- \nSent by the Muster server muster.example.com.\n',
    })
    expect(logged()).toEqual(['Mail sent'])
  })

  it('tries three times, with growing waits and the same key, when the failure may pass', async () => {
    const { server, send, idle, waited, logged } = await over((_, reply) =>
      json(reply, { name: 'internal_server_error' }, 503),
    )
    send(letter)
    await idle()
    expect(server.seen).toHaveLength(3)
    expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(waited).toEqual([5000, 30_000])
    expect(logged()).toEqual([
      'Mail not sent, will be tried again',
      'Mail not sent, will be tried again',
      'Mail not sent',
    ])
  })

  it.each([429, 500])('gets through after a %i', async (status) => {
    let left = 2
    const { server, send, idle, logged } = await over((_, reply) => json(reply, {}, left-- > 0 ? status : 200))
    send(letter)
    await idle()
    expect(server.seen).toHaveLength(3)
    expect(logged().at(-1)).toBe('Mail sent')
  })

  it.each([400, 401, 403, 422])('gives up at once after a %i', async (status) => {
    const { server, send, idle, lines } = await over((_, reply) =>
      json(reply, { name: 'validation_error', message: 'ada@example.com is wrong' }, status),
    )
    send(letter)
    await idle()
    expect(server.seen).toHaveLength(1)
    expect(lines).toMatchObject([
      { msg: 'Mail not sent', mail: 'test', reason: `The mail service answered ${status} (validation_error)` },
    ])
  })

  it('takes a redirect for a failure: the key goes nowhere else', async () => {
    const { server, send, idle, logged } = await over((_, reply) =>
      reply.writeHead(307, { location: '/elsewhere' }).end(),
    )
    send(letter)
    await idle()
    expect(server.seen.map(({ url }) => url)).toEqual(['/emails'])
    expect(logged()).toEqual(['Mail not sent'])
  })

  it('tells operators of the last mail alone', async () => {
    let left = 1
    const { server, send, idle, condition } = await over((_, reply) => json(reply, {}, left-- > 0 ? 422 : 200))
    const way = new URL(server.url).host
    expect(condition()).toEqual({ way, failure: null })
    send(letter)
    await idle()
    expect(condition()).toEqual({ way, failure: 'The mail service answered 422' })
    send(letter)
    await idle()
    expect(condition()).toEqual({ way, failure: null })
  })

  it('never logs address, content or key', async () => {
    const { send, idle, lines, mark } = await over((_, reply) => json(reply, {}, 500))
    send({ ...letter, blocks: ['token-4711'] })
    send({ ...letter, to: 'ADA@example.com' })
    await idle()
    const text = JSON.stringify(lines)
    for (const secret of ['ada@', 'ADA@', 'Grüße', 'token-4711', 'key-1']) expect(text).not.toContain(secret)
    expect(new Set(lines.map(({ to }) => to))).toEqual(new Set([mark('ada@example.com')]))
    expect(mark('eve@example.com')).not.toBe(mark('ada@example.com'))
  })

  it('sends at most three at once and drops what a full queue cannot hold', async () => {
    let open = 0
    let most = 0
    const three = deferred()
    const { server, send, idle, lines } = await over(async (_, reply) => {
      open += 1
      most = Math.max(most, open)
      if (open === 3) three.resolve()
      await three.promise
      open -= 1
      json(reply, {})
    })
    for (let index = 0; index < 510; index += 1) send(letter)
    await idle()
    expect(most).toBe(3)
    expect(server.seen).toHaveLength(503)
    expect(lines.filter(({ msg }) => msg === 'Mail not sent: too many wait')).toHaveLength(7)
  })

  it('starts nothing before the caller is done', async () => {
    const { send, idle } = await over((_, reply) => json(reply, {}))
    const order: string[] = []
    send(async () => {
      order.push('work')
      return null
    })
    await Promise.resolve().then(() => order.push('answer'))
    await idle()
    expect(order).toEqual(['answer', 'work'])
  })

  it('survives a letter that cannot be written, and addresses that are none', async () => {
    const { server, send, idle, logged } = await over((_, reply) => json(reply, {}))
    send(() => Promise.reject(new Error('no such table')))
    for (const to of ['ada', 'a@b, c@d', 'a@b\r\nBcc: c@d', '<a@b>', '']) send({ ...letter, to })
    send(letter)
    await idle()
    expect(logged().sort()).toEqual([
      'A mail could not be written',
      ...Array<string>(5).fill('Mail not sent: no usable address'),
      'Mail sent',
    ])
    expect(server.seen).toHaveLength(1)
  })
})

describe('when the daemon stops', () => {
  it('sends what is queued and tries once more what waits', async () => {
    let left = 1
    const server = await fakeServer((_, reply) => json(reply, {}, left-- > 0 ? 500 : 200))
    const waiting = deferred()
    const { send, close, logged } = mailer({ mailerApiKey: 'k', mailerApiUrl: server.url }, (_, signal) => {
      waiting.resolve()
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
    })
    send(letter)
    await waiting.promise
    send(letter)
    await close(5000)
    expect(logged()).toEqual(['Mail not sent, will be tried again', 'Mail sent', 'Mail sent'])
  })

  it.each(['http', 'smtp'])('gives up in the end on a server that says nothing (%s)', async (kind) => {
    const asked = deferred()
    const server = await fakeServer(() => asked.resolve())
    const mute = await mailServer({ onConnect: () => asked.resolve() })
    const { send, close, logged } = mailer(
      kind === 'http' ? { mailerApiKey: 'k', mailerApiUrl: server.url } : { smtpUrl: `smtp://127.0.0.1:${mute.port}` },
    )
    send(letter)
    await asked.promise
    await close(50)
    expect(logged()).toEqual(['Mail dropped: the daemon stops', 'Mail not sent'])
  })
})

describe('over SMTP', () => {
  it('delivers both forms, with the subject as it was', async () => {
    const server = await mailServer()
    const { send, idle, logged } = mailer({ smtpUrl: `smtp://127.0.0.1:${server.port}` })
    send({ ...letter, subject: 'Hello' })
    send(letter)
    await idle()
    expect(logged()).toEqual(['Mail sent', 'Mail sent'])
    const [mail, other] = server.arrived.sort((a, b) => b.headers['subject']!.localeCompare(a.headers['subject']!))
    expect(mail).toMatchObject({ from: 'muster@example.com', to: ['ada@example.com'], secure: false, user: null })
    expect(mail!.headers).toMatchObject({
      from: 'Muster <muster@example.com>',
      to: 'ada@example.com',
      subject: 'Hello',
      'auto-submitted': 'auto-generated',
      'message-id': expect.stringMatching(/^<c[a-z0-9]{24}@example\.com>$/),
    })
    expect(mail!.text).toContain('Hello Ada,\n\nHow are you?\n\n-- \nSent by')
    expect(mail!.html).toContain('<title>Hello</title>')
    expect(other!.headers['subject']).toBe('=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
  })

  it('lets nobody begin another header', async () => {
    const server = await mailServer()
    const { send, idle } = mailer({ smtpUrl: `smtp://127.0.0.1:${server.port}` })
    send({
      ...letter,
      subject: 'Hi\r\nBcc: eve@example.com\r\n\r\nbody',
      name: 'Ada\r\n.\r\nMAIL FROM:<eve@example.com>',
    })
    await idle()
    expect(server.arrived).toHaveLength(1)
    expect(server.arrived[0]).toMatchObject({
      to: ['ada@example.com'],
      headers: { subject: 'Hi Bcc: eve@example.com body' },
    })
    expect(server.arrived[0]!.headers['bcc']).toBeUndefined()
    expect(server.arrived[0]!.text).toContain('Hello Ada . MAIL FROM:<eve@example.com>,')
  })

  it('gives user and password as they are', async () => {
    const server = await mailServer()
    const { send, idle } = mailer({ smtpUrl: `smtp://mus%40ter:pa%25ss%3Aword@127.0.0.1:${server.port}` })
    send(letter)
    await idle()
    expect(server.arrived[0]!.user).toBe('mus@ter')
  })

  it('gives up at once when the password is refused, and never tells it', async () => {
    const server = await mailServer()
    const { send, idle, lines } = mailer({ smtpUrl: `smtp://muster:wrong-one@127.0.0.1:${server.port}` })
    send(letter)
    await idle()
    expect(lines).toMatchObject([{ msg: 'Mail not sent', reason: '127.0.0.1 answered 535 (EAUTH)', attempt: 1 }])
    expect(JSON.stringify(lines)).not.toContain('wrong-one')
  })

  it('tries again after a 4xx and not after a 5xx', async () => {
    const passing = await mailServer({ refuse: (attempt) => (attempt < 3 ? 451 : undefined) })
    const first = mailer({ smtpUrl: `smtp://127.0.0.1:${passing.port}` })
    first.send(letter)
    await first.idle()
    expect([passing.arrived.length, passing.connections()]).toEqual([1, 3])
    const final = await mailServer({ refuse: () => 550 })
    const second = mailer({ smtpUrl: `smtp://127.0.0.1:${final.port}` })
    second.send(letter)
    await second.idle()
    expect(final.connections()).toBe(1)
    expect(JSON.stringify([first.lines, second.lines])).not.toContain('ada@')
  })

  it('tries again when nobody listens', async () => {
    const { send, idle, waited } = mailer({ smtpUrl: 'smtp://127.0.0.1:1' })
    send(letter)
    await idle()
    expect(waited).toHaveLength(2)
  })

  it('refuses to go on in clear where encryption is required', async () => {
    const server = await mailServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
    const { send, idle, logged } = mailer({
      smtpUrl: `smtp://muster:pa%25ss%3Aword@127.0.0.1:${server.port}?tls=required`,
    })
    send(letter)
    await idle()
    expect(server.arrived).toEqual([])
    expect(logged().at(-1)).toBe('Mail not sent')
  })

  it.each(['smtp', 'smtps'])('trusts no certificate that nobody signed (%s)', async (protocol) => {
    expect(rootCertificates).not.toContain(readFileSync(certificate, 'utf8').trim())
    const server = await mailServer({ secure: protocol === 'smtps' })
    const { send, idle, logged } = mailer({
      smtpUrl: `${protocol}://127.0.0.1:${server.port}${protocol === 'smtp' ? '?tls=required' : ''}`,
    })
    send(letter)
    await idle()
    expect(server.arrived).toEqual([])
    expect(logged().at(-1)).toBe('Mail not sent')
  })
})
