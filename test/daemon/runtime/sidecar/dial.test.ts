import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDial, Refused, Unreachable } from '#runtime/sidecar/dial'
import { onEnd } from './support.ts'

afterEach(() => vi.restoreAllMocks())

/** The port of a server that takes connections on these addresses alone. */
async function listening(host = '127.0.0.1'): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, host)
  await once(server, 'listening')
  onEnd(() => server.close())
  return (server.address() as AddressInfo).port
}

const to = (port: number, host = 'some.example') => ({ host, port })
const leadingTo = (...addresses: string[]) => createDial(async () => addresses, { judgeOwn: false })

describe('dial', () => {
  it('asks the policy about each address, and connects to the first that it permits', async () => {
    const judged: string[] = []
    const port = await listening()
    const socket = await leadingTo(
      '10.0.0.1',
      '169.254.169.254',
      '127.0.0.1',
      '8.8.8.8',
    )(to(port), (is) => {
      judged.push(is)
      return is === 'loopback' || is === 'public'
    })
    expect(judged).toEqual(['private', 'metadata', 'loopback', 'public'])
    expect([socket.remoteAddress, socket.remotePort]).toEqual(['127.0.0.1', port])
    socket.destroy()
  })

  it.each([
    [['10.0.0.1', '192.168.0.1'], 'some.example is a private address'],
    [['10.0.0.1', '169.254.169.254'], 'some.example is not a public address'],
  ])('says of %j why they are refused', async (addresses, message) => {
    const refused = leadingTo(...addresses)(to(1), () => false)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toBeInstanceOf(Refused)
  })

  it('looks up no address', async () => {
    const dial = createDial(() => Promise.reject(new Error('asked')), { judgeOwn: false })
    await expect(dial(to(1, '10.0.0.1'), () => false)).rejects.toThrow('10.0.0.1 is a private address')
  })

  it.each([
    [async () => [], 'there is no host some.example', false],
    [() => Promise.reject(new Error('SERVFAIL')), 'no name server answers for some.example', true],
  ])('says when a name leads nowhere: %#', async (resolve, message, timedOut) => {
    const error = await createDial(resolve)(to(1), () => true).catch((it: unknown) => it)
    expect(error).toBeInstanceOf(Unreachable)
    expect(error).toMatchObject({ message, timedOut })
  })

  it('tries the next address after one that does not answer, at most four', async () => {
    const port = await listening('127.0.0.5')
    const tried = vi.spyOn(Socket.prototype, 'connect')
    const dial = (count: number) =>
      leadingTo(...Array.from({ length: count }, (_, n) => `127.0.0.${n + 6 - count}`))(to(port), () => true)
    const socket = await dial(4)
    expect(socket.remoteAddress).toBe('127.0.0.5')
    expect(tried).toHaveBeenCalledTimes(4)
    socket.destroy()
    await expect(dial(5)).rejects.toMatchObject({ message: 'the connection failed (ECONNREFUSED)', timedOut: false })
    expect(tried).toHaveBeenCalledTimes(8)
  })

  it('waits eight seconds for a connection, and for nothing once it is there', async () => {
    const limits = vi.spyOn(Socket.prototype, 'setTimeout')
    const socket = await leadingTo('127.0.0.1')(to(await listening()), () => true)
    expect(limits.mock.calls.filter(([ms]) => ms !== undefined).map(([ms]) => ms)).toEqual([8000, 0])
    expect([socket.listenerCount('timeout'), socket.listenerCount('error')]).toEqual([0, 0])
    socket.destroy()
  })

  it('gives up a connection that is not answered in time', async () => {
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
      queueMicrotask(() => this.emit('timeout'))
      return this
    })
    await expect(leadingTo('127.0.0.1')(to(1), () => true)).rejects.toMatchObject({
      message: 'the connection was not answered in time',
      timedOut: true,
    })
  })

  it('takes every address of its own network for loopback, unless told otherwise', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .map(({ address }) => address)
    expect(own).not.toEqual([])
    for (const address of own) {
      const judged: string[] = []
      const refuse = (is: string) => judged.push(is) < 0
      await expect(createDial(async () => [address])(to(1), refuse)).rejects.toThrow('a loopback address')
      expect(judged).toEqual(['loopback'])
    }
    const judged: string[] = []
    await expect(createDial(async () => ['8.8.8.8'])(to(1), (is) => judged.push(is) < 0)).rejects.toThrow('a public')
  })
})
