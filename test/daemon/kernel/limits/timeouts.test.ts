import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { closing, daemon } from '#test'
import { serverTimeouts } from '../../../../daemon/kernel/limits/timeouts.ts'

async function place() {
  const it = await daemon({ config: { headerTimeout: 1 } })
  const url = new URL(await it.http.listen({ port: 0, host: '127.0.0.1' }))
  /** A connection that is never closed from this side. */
  const dial = (bytes: string): Socket => {
    const socket = connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true })
    closing({ close: () => socket.destroy() })
    socket.on('error', () => undefined)
    socket.write(bytes)
    return socket
  }
  const open = () => new Promise<number>((resolve) => it.http.server.getConnections((_, count) => resolve(count)))
  return { dial, open }
}

describe('a connection without a request', () => {
  it.each([
    ['nothing', ''],
    ['half a head', 'GET / HTTP/1.1\r\nHost: localhost\r\n'],
  ])('that says %s hears 408 and is gone, though the client keeps it', async (_, bytes) => {
    const { dial, open } = await place()
    const socket = dial(bytes)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 408 /)
    await expect.poll(open, { timeout: 10_000 }).toBe(0)
  })

  it('that speaks nonsense hears 400 and is gone, though the client keeps it', async () => {
    const { dial, open } = await place()
    const socket = dial('nonsense\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 400 /)
    await expect.poll(open, { timeout: 10_000 }).toBe(0)
  })

  it('may take no longer than the setting says, looks in between included', () => {
    for (const headerTimeout of [1, 2, 20, 300]) {
      const { headersTimeout, connectionsCheckingInterval, handshakeTimeout } = serverTimeouts({ headerTimeout })
      expect(headersTimeout! + connectionsCheckingInterval!).toBe(headerTimeout * 1000)
      expect(handshakeTimeout).toBe(headerTimeout * 1000)
      // Looking more often than once a second would cost, and less often would leave short settings no time.
      expect(connectionsCheckingInterval).toBe(headerTimeout < 4 ? headerTimeout * 250 : 1000)
    }
  })
})
