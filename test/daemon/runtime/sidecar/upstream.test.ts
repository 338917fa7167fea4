import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createDial } from '#runtime/sidecar/dial'
import { createReach } from '#runtime/sidecar/upstream'
import { onEnd } from './support.ts'

const dial = createDial(async () => ['127.0.0.1'], { judgeOwn: false })

/** An upstream that does with a connection as told, once something was said on it. */
async function upstream(then: (socket: Socket) => void): Promise<string> {
  const open: Socket[] = []
  const server = createServer((socket) => {
    open.push(socket.on('error', () => {}))
    socket.once('data', () => then(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return `localhost:${(server.address() as AddressInfo).port}`
}

it.each<[what: string, then: (socket: Socket) => void, error: object]>([
  ['says nothing', () => {}, { timedOut: true, message: 'localhost did not complete the TLS handshake in time' }],
  [
    'closes',
    (socket) => socket.destroy(),
    { message: expect.stringMatching(/closed the connection in the TLS handshake|disconnected before secure/) },
  ],
  ['resets', (socket) => socket.resetAndDestroy(), { code: 'ECONNRESET' }],
  ['speaks no TLS', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), { code: expect.stringMatching(/SSL/) }],
])('an upstream over TLS that %s is given up', async (_, then, error) => {
  const reach = createReach(dial, { loopback: true, relay: '/nowhere', handshakeMs: 200 })
  await expect(reach(new URL(`https://${await upstream(then)}`), true, 'OPENAI')).rejects.toMatchObject(error)
})

it('an upstream is dialled at the port that its address means', async () => {
  const targets: unknown[] = []
  const reach = createReach(
    async (target) => {
      targets.push(target)
      throw new Error('seen')
    },
    { loopback: false, relay: '/nowhere' },
  )
  for (const url of ['http://a.example', 'https://a.example', 'http://A.example:81', 'http://[fd00::1]']) {
    await expect(reach(new URL(url), true, 'OPENAI')).rejects.toThrow('seen')
  }
  expect(targets).toEqual([
    { host: 'a.example', port: 80 },
    { host: 'a.example', port: 443 },
    { host: 'a.example', port: 81 },
    { host: 'fd00:0:0:0:0:0:0:1', port: 80 },
  ])
})
