import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createOutbound, type Outbound } from '#kernel/outbound/outbound'
import { closing } from '#test'
import { server } from '../../../support/server.ts'

const outbound = (parts?: Parameters<typeof createOutbound>[0]): Outbound => closing(createOutbound(parts))
const ok: RequestListener = (_request, response) => response.end('hello')
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: { reason?: string }) => error.reason ?? String(error),
  )

describe('an address of the configuration', () => {
  it('may be private and plain, and carries what it was given', async () => {
    const { url, seen } = await server(ok)
    const reply = await outbound().send(`${url}/v1/models?x=1`, {
      operator: true,
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: '{}',
    })
    expect(reply).toMatchObject({ status: 200, text: 'hello', url: `${url}/v1/models?x=1` })
    expect(seen).toMatchObject([
      { method: 'POST', url: '/v1/models?x=1', headers: { 'x-api-key': 'k', 'user-agent': 'muster' }, body: '{}' },
    ])
  })

  it('loses that freedom when it redirects elsewhere', async () => {
    const inner = await server(ok)
    const outer = await server((_request, response) =>
      response.writeHead(302, { location: `${inner.url}/secret` }).end(),
    )
    expect(await reasonOf(outbound().send(outer.url, { operator: true, redirects: 3 }))).toBe('refused')
    expect(inner.connections()).toBe(0)
  })

  it('is left at once when the client is closed', async () => {
    let asked: () => void = () => undefined
    const reached = new Promise<void>((resolve) => (asked = resolve))
    const { url } = await server(() => asked())
    const client = outbound()
    const sent = reasonOf(client.send(url, { operator: true, timeoutMs: 5000 }))
    await reached
    await client.close()
    expect(await sent).toBe('unreachable')
  })

  it('answers with its redirect when none is to be followed', async () => {
    const { url } = await server((_request, response) => response.writeHead(302, { location: '/other' }).end())
    expect((await outbound().send(url, { operator: true })).status).toBe(302)
  })
})

describe('any other address', () => {
  it.each([
    'https://127.0.0.1:PORT',
    'https://localhost:PORT',
    'https://127.1:PORT',
    'https://0x7f000001:PORT',
    'https://2130706433:PORT',
    'https://[::1]:PORT',
    'https://[::ffff:127.0.0.1]:PORT',
    'https://[::ffff:7f00:1]:PORT',
    'https://0.0.0.0:PORT',
  ])('is refused when it is this machine: %s', async (address) => {
    const { port, connections } = await server(ok)
    expect(await reasonOf(outbound().send(address.replace('PORT', String(port))))).toBe('refused')
    expect(connections()).toBe(0)
  })

  it.each([
    'https://10.0.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]',
    'https://100.64.0.1',
    'https://[fe80::1]',
  ])('is refused when it is private or for metadata: %s', async (address) =>
    expect(await reasonOf(outbound().send(address))).toBe('refused'),
  )

  it('is judged by what its name resolves to at the moment of the call', async () => {
    const { port, connections } = await server(ok)
    const answers = [['10.1.2.3'], ['127.0.0.1', '169.254.169.254'], ['::1']]
    const client = outbound({ resolve: async () => answers.shift()! })
    for (let round = 0; round < 3; round++)
      expect(await reasonOf(client.send(`https://rebind.example:${port}`))).toBe('refused')
    expect(connections()).toBe(0)
  })

  it('is dialled at the judged address under its own name', async () => {
    const hello = new Promise<Buffer>((resolve) => {
      const tcp = createTcpServer((socket) =>
        socket.once('data', (chunk) => resolve(chunk)).once('data', () => socket.destroy()),
      )
      closing(tcp.listen(0, '127.0.0.1', () => listening((tcp.address() as AddressInfo).port)))
    })
    let listening: (port: number) => void = () => undefined
    const port = await new Promise<number>((resolve) => (listening = resolve))
    const client = outbound({ resolve: async () => ['10.0.0.1', '127.0.0.1'], permits: (is) => is === 'loopback' })
    expect(await reasonOf(client.send(`https://named.example:${port}/`))).toBe('unreachable')
    expect((await hello).includes('named.example'), 'the server name of the TLS greeting').toBe(true)
  })

  it.each(['http://example.com', 'file:///etc/passwd', 'ftp://example.com', 'data:text/plain,x', 'no url', ''])(
    'is refused by its scheme: %s',
    async (url) => expect(await reasonOf(outbound().send(url))).toBe('refused'),
  )

  it.each(['file:///etc/passwd', 'ftp://example.com'])(
    'is refused by its scheme even when configured: %s',
    async (url) => expect(await reasonOf(outbound().send(url, { operator: true }))).toBe('refused'),
  )

  it('is refused with a name and password in it', async () =>
    expect(await reasonOf(outbound().send('https://user:secret@example.com'))).toBe('refused'))
})

describe('redirects', () => {
  it('keep the headers on the same server, and the method when the status says so', async () => {
    const { url, seen } = await server((request, response) =>
      request.url === '/old' ? response.writeHead(307, { location: '/new' }).end() : ok(request, response),
    )
    const reply = await outbound().send(`${url}/old`, {
      operator: true,
      redirects: 1,
      method: 'POST',
      body: 'x',
      headers: { authorization: 'Bearer t' },
    })
    expect(reply).toMatchObject({ text: 'hello', url: `${url}/new` })
    expect(seen[1]).toMatchObject({ method: 'POST', url: '/new', body: 'x', headers: { authorization: 'Bearer t' } })
  })

  it('turn a POST into a GET without its body otherwise', async () => {
    const { url, seen } = await server((request, response) =>
      request.url === '/old' ? response.writeHead(303, { location: '/new' }).end() : ok(request, response),
    )
    await outbound().send(`${url}/old`, { operator: true, redirects: 1, method: 'POST', body: 'x' })
    expect(seen[1]).toMatchObject({ method: 'GET', body: '' })
  })

  it('end after the number that was allowed', async () => {
    const { url, seen } = await server((_request, response) => response.writeHead(302, { location: '/again' }).end())
    expect((await outbound().send(url, { operator: true, redirects: 3 })).status).toBe(302)
    expect(seen).toHaveLength(4)
  })
})

describe('limits', () => {
  it('end an exchange that takes too long', async () => {
    const { url } = await server(() => undefined)
    expect(await reasonOf(outbound().send(url, { operator: true, timeoutMs: 100 }))).toBe('timeout')
  })

  it('end an answer that is too large', async () => {
    const { url } = await server((_request, response) => response.end('x'.repeat(5000)))
    expect(await reasonOf(outbound().send(url, { operator: true, maxBytes: 4999 }))).toBe('too_large')
    expect((await outbound().send(url, { operator: true, maxBytes: 5000 })).text).toHaveLength(5000)
  })

  it('say why nothing answers, without what was sent', async () => {
    const failure = await outbound()
      .send('http://127.0.0.1:1', { operator: true, headers: { 'x-api-key': 'hush-hush' } })
      .catch((error: Error & { reason: string }) => error)
    expect(failure).toMatchObject({ reason: 'unreachable', message: '127.0.0.1:1 cannot be reached: ECONNREFUSED' })
  })
})

describe('a redirect', () => {
  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'said'],
    [308, 'POST', 'said'],
  ])('by %i is followed with %s', async (status, method, body) => {
    const { url, seen } = await server((request, response) =>
      request.url === '/old' ? response.writeHead(status, { location: '/new' }).end() : ok(request, response),
    )
    const asked = { operator: true, method: 'POST', body: 'said', redirects: 1 } as const
    expect(await outbound().send(`${url}/old`, asked)).toMatchObject({ status: 200, url: `${url}/new` })
    expect(seen[1]).toMatchObject({ url: '/new', method, body })
  })

  it.each([300, 304, 305])('is none by %i', async (status) => {
    const { url } = await server((_, response) => response.writeHead(status, { location: '/new' }).end())
    expect(await outbound().send(url, { operator: true, redirects: 1 })).toMatchObject({ status })
  })
})

it('a name with many addresses is tried at four of them', async () => {
  const { port, connections } = await server(ok)
  const leading = (...addresses: string[]) =>
    outbound({ resolve: async () => addresses }).send(`http://many.example:${port}`, { operator: true })
  const [one, two, three, four] = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'] as const
  expect(await reasonOf(leading(one, two, three, four, '127.0.0.1'))).toBe('unreachable')
  expect(connections()).toBe(0)
  expect(await leading(one, two, three, '127.0.0.1')).toMatchObject({ status: 200, text: 'hello' })
})

it('a literal IPv6 address is dialled without its brackets', async () => {
  const dialled = outbound({ resolve: () => Promise.reject(new Error('asked')) }).send('https://[2001:db8::1]')
  await expect(dialled).rejects.toMatchObject({ message: '2001:db8::1 does not lead to a public address' })
})
