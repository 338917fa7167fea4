import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const flooder = new URL('../../bench/ws-flood.mjs', import.meta.url).pathname
const certificate = (name: string) => new URL(`../fixtures/tls/${name}`, import.meta.url).pathname
const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000))

let home: string
let plain: Musterd
let tls: Musterd
let exposedUrl = ''

const start = (name: string, more: Record<string, string>, heard?: (text: string) => void) =>
  startMusterd(
    {
      HOME: home,
      SVC_DATA_DIR: join(home, name),
      SVC_PORT: '0',
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_HEADER_TIMEOUT: '2s',
      ...more,
    },
    heard,
  )

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'muster-flood-'))
  let said = ''
  let exposedSaid: (text: string) => void
  const exposed = new Promise<string>((resolve) => {
    exposedSaid = (text) => {
      said += text
      const url = /"url":"([^"]+)","msg":"Exposed/.exec(said)?.[1]
      if (url) resolve(url)
    }
  })
  plain = await start('plain', { SVC_EXPOSED_HOST: '127.0.0.1', SVC_EXPOSED_PORT: '0' }, (text) => exposedSaid(text))
  exposedUrl = await exposed
  tls = await start('tls', { SVC_TLS_CERT: certificate('localhost.crt'), SVC_TLS_KEY: certificate('localhost.key') })
})
afterAll(async () => {
  await Promise.all([plain?.kill(), tls?.kill()])
  rmSync(home, { recursive: true, force: true })
})

/** Resident memory of the daemon, MB. */
const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${plain.process.pid}/status`, 'utf8'))![1]) / 1024

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${plain.url}/metrics`)).text()
  const line = text.split('\n').find((it) => it.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}
const timers = () => metric('nodejs_active_resources{type="Timeout"}')
const sockets = () => metric('muster_open_streams{kind="ws"}')

describe('a flood of sockets on which nobody signs in', () => {
  it.each([5, 20])('of %i keeps nobody waiting, holds no memory and leaves nothing behind', async (count) => {
    const [timersBefore, residentBefore] = [await timers(), resident()]
    const attacker = fork(flooder, ['flood', new URL(plain.url).port, String(count)])
    try {
      await once(attacker, 'message')
      const until = Date.now() + 3000
      for (let asked = 0; asked < 50 || Date.now() < until; asked++) {
        const answer = await fetch(`${plain.url}/api/health`, { signal: AbortSignal.timeout(5000) })
        expect(answer.status).toBe(200)
        await answer.arrayBuffer()
      }
      expect(await timers()).toBeLessThan(timersBefore + 3 * count + 20)
      expect(resident()).toBeLessThan(residentBefore + 200)
    } finally {
      attacker.kill('SIGKILL')
      await once(attacker, 'exit')
    }
    await expect.poll(sockets, { timeout: 15_000 }).toBe(0)
  })
})

/** However it ended. */
const closed = (socket: Socket) => new Promise((resolve) => socket.on('close', resolve))

/**
 * Resolves with what the listener said when it has ended a connection that sends its beginning and never more than a
 * little.
 */
async function ended(where: NetConnectOpts, beginning: string): Promise<string> {
  const socket = connect(where)
  socket.on('error', () => undefined)
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write(beginning)
  const drip = setInterval(() => socket.write('x'), 300)
  try {
    await closed(socket)
    return text
  } finally {
    clearInterval(drip)
  }
}

describe('a client that never comes to the point', () => {
  const portOf = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) })
  const places: [string, () => NetConnectOpts][] = [
    ['the server', () => portOf(plain.url)],
    ['the local socket', () => ({ path: join(home, 'plain', 'musterd.sock') })],
    ['the listener of exposed ports', () => portOf(exposedUrl)],
  ]

  it.each(places)('is told so and cut at %s within the header timeout', { timeout: 15_000 }, async (_, where) => {
    const answers = await Promise.all([
      ended(where(), 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
      ended(where(), 'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Slow: '),
    ])
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 /)
  })

  it('is cut in the middle of a TLS handshake, and when it says nothing after it', { timeout: 15_000 }, async () => {
    const hello = Buffer.from('16030100c8010000c40303', 'hex').toString('latin1')
    expect(await ended(portOf(tls.url), hello)).toBe('')
    const socket = connectTls({ ...portOf(tls.url), rejectUnauthorized: false })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n')
    socket.resume()
    await closed(socket)
  })

  it('does not keep others waiting when there are hundreds', { timeout: 30_000 }, async () => {
    const all = Array.from({ length: 300 }, () => ended(portOf(plain.url), 'GET / HTTP/1.1\r\nX-Slow: '))
    await seconds(1)
    expect((await fetch(`${plain.url}/api/health`, { signal: AbortSignal.timeout(5000) })).status).toBe(200)
    for (const answer of await Promise.all(all)) expect(answer).toMatch(/^HTTP\/1.1 408 /)
  })
})
