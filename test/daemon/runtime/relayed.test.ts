import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '#kernel/config'
import { connectUpstream, relayedUpstreams } from '#runtime/relayed'
import { vendorSettings } from '../../../daemon/vendor-settings.ts'
import { ending } from '../../support/endings.ts'

const relayed = (env: NodeJS.ProcessEnv) =>
  relayedUpstreams(loadConfig({ env, file: '/dev/null', vendor: vendorSettings }).config)

describe('an upstream', () => {
  it.each([
    ['http://localhost:11434', 'localhost', 11_434],
    ['http://LOCALHOST:11434/v1', 'localhost', 11_434],
    ['http://models.localhost', 'models.localhost', 80],
    ['https://127.8.8.8', '127.8.8.8', 443],
    ['http://[::1]:4000', '[::1]', 4000],
    ['http://[::ffff:127.0.0.1]:4000', '[::ffff:7f00:1]', 4000],
    ['http://2130706433:4000', '127.0.0.1', 4000],
    ['http://0.0.0.0:4000', '0.0.0.0', 4000],
    ['http://[::]:4000', '[::]', 4000],
  ])('at %s is the daemon’s to connect to', (url, host, port) =>
    expect(relayed({ SVC_OPENAI_URL: url })).toEqual([{ provider: 'OPENAI', host, port }]),
  )

  it.each([
    'http://host.docker.internal:4000',
    'http://10.0.0.2',
    'https://api.anthropic.com',
    'http://localhost.example',
  ])('at %s is not', (url) => expect(relayed({ SVC_ANTHROPIC_URL: url })).toEqual([]))

  it('has its place in the order of the providers', () =>
    expect(
      relayed({ SVC_OPENAI_URL: 'http://127.0.0.1:4000', SVC_ANTHROPIC_URL: 'http://127.0.0.1:4001' }).map(
        ({ provider, port }) => [provider, port],
      ),
    ).toEqual([
      ['ANTHROPIC', 4001],
      ['OPENAI', 4000],
    ]))

  it('is none that only the daemon itself asks', () =>
    expect(relayed({ SVC_LOCAL_MODELS_URL: 'http://127.0.0.1:11434' })).toEqual([]))
})

describe('a connection to an upstream', () => {
  const listening = async (host: string) => {
    const server = createServer((socket) => socket.end()).listen(0, host)
    await once(server, 'listening')
    ending(() => server.close())
    return (server.address() as AddressInfo).port
  }
  const reached = async (host: string, port: number) => {
    const socket = await connectUpstream({ provider: 'OPENAI', host, port })
    ending(() => socket.destroy())
    return socket.remoteAddress
  }

  it.each(['127.0.0.1', 'localhost', 'models.localhost', '0.0.0.0', '[::]'])('at %s goes to loopback', async (host) =>
    expect(await reached(host, await listening('127.0.0.1'))).toBe('127.0.0.1'),
  )

  it.each(['[::1]', 'localhost', '[::]'])('at %s finds who listens on IPv6 alone', async (host) =>
    expect(await reached(host, await listening('::1'))).toBe('::1'),
  )

  it('goes to the named address and not to its neighbours', async () => {
    const port = await listening('127.0.0.2')
    expect(await reached('127.0.0.2', port)).toBe('127.0.0.2')
    await expect(reached('127.0.0.1', port)).rejects.toThrow(`nobody listens on port ${port}`)
    await expect(reached('[::1]', port)).rejects.toThrow(`nobody listens on port ${port}`)
  })
})
