import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launch, run } from '../../daemon/runtime/docker/exec.ts'
import type { SidecarConfig } from '../../daemon/runtime/types.ts'
import { engineMissing } from '../support/engine.ts'
import { type EngineCrew, type EngineCrews, engineCrews } from '../support/engine-crews.ts'
import { leaveOut } from '../support/leave-out.ts'
import { attempt, node, sh, who } from './egress/street.ts'

// What an agent makes of the daemon's connection to a model service on its machine's loopback.

leaveOut(engineMissing)

const through = /connected|answered|sent|opened/
const token = 'sk-real-d53b0a91'
const block = Buffer.alloc(64 * 1024, 'm')

let crews: EngineCrews
let one: EngineCrew
let two: EngineCrew
const servers: Server[] = []
/** Ports on the machine's loopback: two providers' upstreams, and a service that is nobody's. */
let anthropic: number
let openai: number
let neighbour: number
let gateway: string
const heard: { at: string; url: string; host: string; key: unknown }[] = []
const upstreamSockets = new Set<Socket>()
let disturbed = 0

const behave: RequestListener = (request, response) => {
  const { url = '', headers, socket } = request
  upstreamSockets.add(socket.on('close', () => upstreamSockets.delete(socket)))
  let body = ''
  request.on('data', (chunk: Buffer) => {
    if (body.length < 1000) body += chunk
  })
  request.on('end', () => {
    heard.push({
      at: String(socket.localPort),
      url,
      host: headers.host!,
      key: headers['x-api-key'] ?? headers.authorization,
    })
    if (body.includes('"hang"')) return
    if (body.includes('"die"')) return void response.write('half of it', () => socket.resetAndDestroy())
    if (body.includes('"endless"')) return endless(response)
    response.end(`from ${socket.localPort}`)
  })
}

function endless(response: Parameters<RequestListener>[1]): void {
  const more = (): void => {
    while (!response.destroyed) if (!response.write(block)) return void response.once('drain', more)
  }
  more()
}

async function onLoopback(server: Server, host = '127.0.0.1'): Promise<number> {
  servers.push(server.listen(0, host))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const configOf = (crew: 'one' | 'two', more: Partial<SidecarConfig['network']> = {}): SidecarConfig => ({
  network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false, ...more },
  agents: Object.fromEntries(
    ['ada', 'bob'].map((slug, index) => [
      `dummy-${slug}-${crew}`,
      {
        agentId: `agent-${slug}-${crew}`,
        slug,
        uid: 20001 + index,
        credentials: ['ANTHROPIC', 'OPENAI'].map((provider) => ({
          credentialId: `${slug}-${provider}`,
          provider,
          kind: 'api_key' as const,
          token: `${token}-${provider}`,
          priority: 1,
        })),
      },
    ]),
  ),
  upstreams: { ANTHROPIC: `http://127.0.0.1:${anthropic}`, OPENAI: `http://localhost:${openai}/gateway/` },
})

const message = (model: string) => JSON.stringify({ model })
const post = (target: string, { host = 'x', key = 'dummy-ada-one', body = message('m') } = {}) =>
  [
    `POST ${target} HTTP/1.1`,
    `Host: ${host}`,
    `x-api-key: ${key}`,
    'Connection: close',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')

/** Within a container: connects to the sidecar; `head` begins Ada's call, and `whole` is one with this body. */
const withCalls = (code: string) => `
  const open = () => require('net').connect(9119, '127.0.0.1').on('error', () => {})
  const head = 'POST /v1/messages HTTP/1.1\\r\\nHost: x\\r\\nx-api-key: dummy-ada-one\\r\\n'
  const whole = (body) => head + 'Content-Length: ' + body.length + '\\r\\n\\r\\n' + body
  ${code}`

/** The first line of what each of these bytes gets from the sidecar, and the end of the rest. */
async function say(crew: EngineCrew, all: string[], user: string = who.ada): Promise<string[]> {
  const code = `const bodyOf = (said) => said.slice(said.indexOf('\\r\\n\\r\\n') + 4).slice(0, 300)
      .replace(/^[0-9a-f]+\\r\\n/, '').replace(/\\r\\n(0\\r\\n\\r\\n)?$/, '')
    const ask = (bytes) => new Promise((done) => {
      let said = ''
      const s = require('net').connect(9119, '127.0.0.1').setTimeout(15000, () => s.destroy())
      s.on('data', (d) => { said += d; if (/^HTTP.1.1 200 OK\\r\\n\\r\\n$/.test(said)) s.destroy() })
      s.on('error', () => {}).on('close', () => done(said.slice(9, 12) + ' ' + bodyOf(said)))
      s.write(bytes) })
    ;(async () => { const out = []; for (const it of ${JSON.stringify(all)}) out.push(await ask(it));
      console.log(JSON.stringify(out)) })()`
  return JSON.parse(await node(crew.crew, user, code))
}

const answers = async (key = 'dummy-ada-one', user: string = who.ada) =>
  (await say(one, [post('/v1/messages', { key })], user))[0]

beforeAll(async () => {
  if (engineMissing) return
  anthropic = await onLoopback(createHttp(behave))
  openai = await onLoopback(createHttp(behave))
  neighbour = await onLoopback(
    createServer((socket) => {
      disturbed++
      socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    }),
  )
  crews = await engineCrews('muster-relay-attack', [
    { provider: 'ANTHROPIC', host: '127.0.0.1', port: anthropic },
    { provider: 'OPENAI', host: 'localhost', port: openai },
  ])
  one = await crews.open({ slug: 'one' })
  two = await crews.open({ slug: 'two' })
  await crews.runtime.configureSidecar(one.spec.crewId, configOf('one'))
  await crews.runtime.configureSidecar(two.spec.crewId, configOf('two'))
  gateway = Object.values((await one.sidecar.inspect()).NetworkSettings.Networks)[0]!.Gateway
})
afterAll(async () => {
  await crews?.close()
  for (const it of upstreamSockets) it.destroy()
  for (const it of servers) it.close()
})
beforeEach(() => void heard.splice(0))

describe.skipIf(engineMissing)('upstreams on the loopback of the daemon’s machine', { timeout: 300_000 }, () => {
  it('are each asked for what is theirs, with the real key and their own name', async () => {
    expect(await say(one, [post('/v1/messages'), post('/openai/v1/responses')])).toEqual([
      `200 from ${anthropic}`,
      `200 from ${openai}`,
    ])
    expect(heard).toEqual([
      { at: `${anthropic}`, url: '/v1/messages', host: `127.0.0.1:${anthropic}`, key: `${token}-ANTHROPIC` },
      { at: `${openai}`, url: '/gateway/v1/responses', host: `localhost:${openai}`, key: `Bearer ${token}-OPENAI` },
    ])
  })

  it.each([
    ['restricted', {}],
    ['free, with private addresses allowed', { mode: 'free' as const, allowPrivateEndpoints: true }],
  ])('are all that an agent reaches there: %s', async (_, network) => {
    await crews.runtime.configureSidecar(one.spec.crewId, configOf('one', network))
    const places = [neighbour, anthropic].flatMap((port) =>
      [
        '127.0.0.1',
        'localhost',
        '127.1',
        '[::1]',
        '0.0.0.0',
        '[::ffff:127.0.0.1]',
        'host.docker.internal',
        gateway,
      ].map((host) => `${host}:${port}`),
    )
    const attacks = places.flatMap((it) => [
      `CONNECT ${it} HTTP/1.1\r\nHost: ${it}\r\n\r\n`,
      post(`http://${it}/v1/messages`, { host: it }),
    ])
    expect((await say(one, attacks)).filter((it) => it.startsWith('2'))).toEqual([])
    expect([disturbed, heard]).toEqual([0, []])
    await crews.runtime.configureSidecar(one.spec.crewId, configOf('one'))
  })

  it('are not chosen by Host, path, query or header', async () => {
    const there = `127.0.0.1:${neighbour}`
    const named = `\r\nX-Forwarded-Host: ${there}\r\nForwarded: host=${there}\r\nAlt-Used: ${there}\r\n`
    const asked = {
      [post('/v1/messages', { host: there })]: '200',
      [post(`/v1/messages?url=http://${there}`)]: '200',
      [post('/v1/messages').replace('\r\n', named)]: '200',
      [post(`//${there}/v1/messages`)]: '404',
      [post(`/v1@${there}/messages`)]: '404',
      [post('/v1/messages/../../..')]: '400',
      [post('/v1/..%2f..%2fapi/tags')]: '400',
      [post(`/v1/models/http://${there}`)]: '400',
      [post('/v1\\messages')]: '404',
      [post('/api/tags')]: '404',
      [post('/run/relay/OPENAI.sock')]: '404',
    }
    const said = await say(one, Object.keys(asked))
    expect(said.map((it) => it.slice(0, 3))).toEqual(Object.values(asked))
    expect([...new Set(heard.map(({ at, url, host }) => `${at} ${url} ${host}`))]).toEqual([
      `${anthropic} /v1/messages 127.0.0.1:${anthropic}`,
    ])
    expect(disturbed).toBe(0)
  })

  it('are not there for a plain client: not on the crew’s loopback, not at the machine’s addresses', async () => {
    const places = ['127.0.0.1', '::1', gateway].flatMap((it) =>
      [anthropic, openai, neighbour].map((port) => `tcp ${it} ${port}`),
    )
    for (const user of [who.ada, who.watcher, who.root]) {
      const out = await attempt(one.crew, user, places)
      expect(Object.entries(out).filter(([, how]) => through.test(how))).toEqual([])
    }
    expect(disturbed).toBe(0)
  })

  it('are behind sockets that nobody in the crew’s container has', async () => {
    const code = `(async () => { for (const path of ['/run/relay/OPENAI.sock', '\\0/run/relay/OPENAI.sock']) {
      await new Promise((done) => require('net').connect(path)
        .on('error', (e) => { console.log(e.code); done() })
        .on('connect', () => { console.log('connected'); done() })) }
      process.exit() })()`
    for (const user of [who.ada, who.watcher, who.root, who.sidecar])
      expect(await node(one.crew, user, code)).toBe('ENOENT\nECONNREFUSED\n')
    const { stdout } = await sh(one.crew, who.root, 'cat /proc/net/unix; ls -d /run/relay')
    expect(stdout).not.toContain('@/run/relay')
  })

  it('are not posed for by who listens at their port in the crew', async () => {
    const thief = `require('http').createServer((_, answer) => answer.end('thief'))
      .listen(${anthropic}, '127.0.0.1', () => console.log('listening'))`
    await launch(one.crew, { user: who.bob, argv: ['node', '-e', thief] }, 'listening')
    expect(await answers()).toBe(`200 from ${anthropic}`)
  })

  it('are not reached through another crew’s sidecar, nor with another crew’s or agent’s key', async () => {
    const { IPAddress } = Object.values((await two.sidecar.inspect()).NetworkSettings.Networks)[0]!
    expect(Object.values(await attempt(one.crew, who.ada, [`tcp ${IPAddress} 9119`]))[0]).not.toMatch(through)
    for (const key of ['dummy-ada-two', 'dummy-bob-one', token]) expect(await answers(key)).toMatch(/^40[13] /)
    expect(heard).toEqual([])
  })

  it('are not asked with a body that is too large', async () => {
    const code = withCalls(`const s = open()
      s.on('data', (d) => { console.log(String(d).slice(9, 12)); process.exit() })
      s.write(head + 'Transfer-Encoding: chunked\\r\\n\\r\\n')
      const more = () => { while (!s.destroyed && s.write('10000\\r\\n' + 'x'.repeat(65536) + '\\r\\n')); }
      s.on('drain', more); more()`)
    expect(await node(one.crew, who.ada, code)).toBe('413\n')
    expect(heard).toEqual([])
    await expect.poll(() => upstreamSockets.size).toBe(0)
  })

  it('see the end of a call whose agent hangs up: in the middle of its body, or of an endless answer', async () => {
    const code = withCalls(`let size = 0
      const enough = () => { console.log('enough'); process.exit() }
      open().on('data', (d) => { size += d.length; if (size > 3e7) enough() }).write(whole('{"model":"endless"}'))`)
    expect(await node(one.crew, who.ada, code)).toBe('enough\n')
    await expect.poll(() => upstreamSockets.size).toBe(0)
    const half = withCalls(`open().on('close', () => console.log('closed')).resume()
      .end(head + 'Content-Length: 100\\r\\n\\r\\nhalf')`)
    expect(await node(one.crew, who.ada, half)).toBe('closed\n')
    await expect.poll(() => upstreamSockets.size).toBe(0)
    expect(heard.map(({ url }) => url)).toEqual(['/v1/messages'])
  })

  it.each(['hang', 'endless'])(
    'are shared fairly when one agent opens 200 calls (%s) and reads nothing',
    async (how) => {
      const code = withCalls(`let refused = 0
        for (let n = 0; n < 200; n++) { const s = open()
          s.once('readable', () => { if (/503/.test(s.read(12)) && ++refused === 136) console.log('listening') })
          s.write(whole('{"model":"${how}"}')) }
        setTimeout(() => process.exit(), 60000)`)
      await launch(one.crew, { user: who.ada, argv: ['node', '-e', code] }, 'listening')
      await expect.poll(() => upstreamSockets.size).toBe(64)
      expect(await answers('dummy-bob-one', who.bob)).toBe(`200 from ${anthropic}`)
      await run(one.crew, { user: who.ada, argv: ['sh', '-c', 'kill -9 -1'] })
      await expect.poll(() => upstreamSockets.size).toBe(0)
      expect((await one.sidecar.inspect()).State).toMatchObject({ Running: true, OOMKilled: false })
      expect(await answers()).toBe(`200 from ${anthropic}`)
    },
  )

  it('may die in the middle of an answer: that call is over, and the next one is answered', async () => {
    const [died, next] = await say(one, [post('/v1/messages', { body: message('die') }), post('/v1/messages')])
    expect(died).toMatch(/^200 .*half of it/s)
    expect(next).toBe(`200 from ${anthropic}`)
  })

  it('are reached again after the relay was killed in its container', async () => {
    await run(one.sidecar, {
      user: '1002:65534',
      argv: [
        'sh',
        '-c',
        'for it in /proc/[0-9]*; do grep -qa [r]elay.cjs $it/cmdline && kill -9 $(basename $it); done',
      ],
    })
    await expect.poll(() => answers(), { timeout: 30_000 }).toBe(`200 from ${anthropic}`)
  })

  it('are the daemon’s alone to reach: without it a call is refused, and nothing else is tried', async () => {
    await crews.runtime.close()
    expect(await answers()).toMatch(
      /^502 .*The upstream 127\.0\.0\.1:\d+ cannot be reached: the daemon does not relay to it now\./,
    )
    expect([disturbed, heard]).toEqual([0, []])
  })
})
