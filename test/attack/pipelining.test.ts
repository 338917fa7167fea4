import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const request = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'

let home: string
let daemon: Musterd
let exposedPort = 0
const open = new Set<Socket>()

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'muster-pipelining-'))
  let heard: (text: string) => void
  const exposed = new Promise<number>((resolve) => {
    let said = ''
    heard = (text) => {
      said += text
      const port = /"url":"[^"]+:(\d+)","msg":"Exposed/.exec(said)?.[1]
      if (port) resolve(Number(port))
    }
  })
  const settings = {
    SVC_PORT: '0',
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_LOG_LEVEL: 'info',
    SVC_EXPOSED_HOST: '127.0.0.1',
    SVC_EXPOSED_PORT: '0',
  }
  daemon = await startMusterd({ HOME: home, SVC_DATA_DIR: join(home, 'data'), ...settings }, (text) => heard(text))
  exposedPort = await exposed
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await daemon?.kill()
  rmSync(home, { recursive: true, force: true })
})

function dial(where: NetConnectOpts): Socket {
  const socket = connect(where)
  open.add(socket)
  socket.on('error', () => undefined).on('close', () => open.delete(socket))
  // A server that does not cut it leaves it open.
  socket.setTimeout(3000, () => socket.destroy())
  return socket
}

/** What is answered until the connection ends. */
function answers(where: NetConnectOpts, sent: string): Promise<string> {
  const socket = dial(where)
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write(sent)
  return new Promise((resolve) => socket.on('close', () => resolve(text)))
}

const main = (): NetConnectOpts => ({ host: '127.0.0.1', port: Number(new URL(daemon.url).port) })

describe('requests that do not wait for answers', () => {
  it('are answered in order when they are few', async () => {
    const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    expect((await answers(main(), request.repeat(9) + last)).match(/HTTP\/1.1 200 /g)).toHaveLength(10)
  })

  const places: [string, () => NetConnectOpts][] = [
    ['the server', main],
    ['the local socket', () => ({ path: join(home, 'data', 'musterd.sock') })],
    ['the listener of exposed ports', () => ({ host: '127.0.0.1', port: exposedPort })],
  ]
  it.each(places)('end the connection when they are many: %s', async (_, where) => {
    const got = await answers(where(), request.repeat(2000))
    expect(got.match(/HTTP\/1.1 /g)?.length ?? 0).toBeLessThanOrEqual(16)
  })

  it('end it too when they expect what nobody does', async () => {
    const got = await answers(main(), request.replace('\r\n\r\n', '\r\nExpect: more\r\n\r\n').repeat(2000))
    expect(got.match(/HTTP\/1.1 417 /g)?.length ?? 0).toBeLessThanOrEqual(16)
  })
})
