import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineMissing } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'
import { openNameServer, type Zone } from '../support/name-server.ts'
import { attempt, closeStreet, docker, node, openStreet, policy, type Street, sh, who } from './egress/street.ts'

leaveOut(engineMissing)

const through = /connected|answered|sent|opened/
const realKey = 'sk-real-1b9ec2b5a0f4'

let street: Street
/** A port on the machine itself, TCP and UDP, on every address. */
let port: number
const reached: string[] = []
const closing: (() => unknown)[] = []

beforeAll(async () => {
  const tcp = createTcp((socket) => {
    reached.push(`tcp ${socket.remoteAddress}`)
    socket.on('error', () => {}).end()
  }).listen(0, '::')
  await once(tcp, 'listening')
  port = (tcp.address() as AddressInfo).port
  const udp = createSocket('udp6', (data, { port, address }) => {
    reached.push(`udp ${address}`)
    udp.send(data, port, address)
  }).bind(port, '::')
  closing.push(
    () => tcp.close(),
    () => udp.close(),
  )
  street = await openStreet()
})

afterAll(async () => {
  for (const close of closing) close()
  await closeStreet(street)
})

/** The machine itself, as a crew's sidecar sees it. */
const gatewayOf = async (crew: Street['a']) =>
  Object.values((await crew.sidecar.inspect()).NetworkSettings.Networks)[0]!.Gateway

const addressesOf = async (crew: Street['a']) =>
  Object.values((await crew.sidecar.inspect()).NetworkSettings.Networks)
    .flatMap((it) => [it.IPAddress, it.GlobalIPv6Address])
    .filter(Boolean)

describe.skipIf(engineMissing)('the way out of a crew', () => {
  it('is there for the sidecar: every place that the other tests find closed answers it', async () => {
    const { peer, host, a } = street
    const places = [
      ...host.flatMap((it) => [`tcp ${it} ${port}`, `udp ${it} ${port}`]),
      ...[peer.ipv4, peer.ipv6].flatMap((it) => [
        `tcp ${it} 8000`,
        `udp ${it} 8000`,
        `ping ${it}`,
        `dns ${it} 53`,
        `dnstcp ${it} 53`,
      ]),
      'dns 127.0.0.11 53',
      'dnstcp 127.0.0.11 53',
    ]
    const out = await attempt(a.sidecar, who.sidecar, places)
    // The machine may answer from another address of its own, which is no answer; what it heard is told by itself.
    const unheard = ([place, how]: [string, string]) =>
      how !== 'connected' && how !== 'answered' && !(how === 'sent' && place.endsWith(`${port}`))
    expect(Object.entries(out).filter(unheard)).toEqual([])
    expect(reached.filter((it) => it.startsWith('udp'))).toHaveLength(host.length)
    expect(await attempt(street.stranger, who.root, [`tcp ${peer.metadata} 80`])).toEqual({
      [`tcp ${peer.metadata} 80`]: 'connected',
    })
  })

  describe.each(['ada', 'root', 'watcher'] as const)('is closed to %s', (name) => {
    const closed = async (attempts: string[]) => {
      const before = [reached.length, await street.peer.heard()]
      const out = await attempt(street.a.crew, who[name], attempts)
      // A ping over IPv6 is told of no error; that the peer did not hear it, its own counters say.
      const got = ([what, how]: [string, string]) => through.test(how) && !(how === 'sent' && /^ping .*:/.test(what))
      expect(Object.entries(out).filter(got)).toEqual([])
      // Nor did anything arrive that was thought lost.
      expect([reached.length, await street.peer.heard()]).toEqual(before)
      return out
    }

    it('towards the machine, by every address that it has', async () => {
      await closed(
        street.host.flatMap((it) => [
          `tcp ${it} ${port}`,
          `udp ${it} ${port}`,
          `ping ${it}`,
          `mptcp ${it} ${port}`,
          `udplite ${it} ${port}`,
        ]),
      )
    })

    it('towards others on the same network, over IPv4 and IPv6, and at once', async () => {
      const { ipv4, ipv6 } = street.peer
      const out = await closed(
        [ipv4, ipv6].flatMap((it) => [
          `tcp ${it} 8000`,
          `udp ${it} 8000`,
          `ping ${it}`,
          `tcp ${it} 80`,
          `mptcp ${it} 8000`,
          `udplite ${it} 8000`,
        ]),
      )
      expect(Object.keys(out).filter((it) => it.startsWith('tcp ') && out[it] === 'silence')).toEqual([])
    })

    it('towards another crew', async () => {
      await closed(
        (await addressesOf(street.b)).flatMap((it) => [
          `tcp ${it} 8000`,
          `udp ${it} 8000`,
          `ping ${it}`,
          `tcp ${it} 9119`,
        ]),
      )
    })

    it('towards the metadata address and other link-local ones', async () => {
      await closed([
        'tcp 169.254.169.254 80',
        'udp 169.254.169.254 53',
        'ping 169.254.169.254',
        'tcp 169.254.170.2 80',
        'tcp fd00:ec2::254 80',
        'udp fe80::1%eth1 9',
        'tcp fe80::1%eth1 80',
      ])
    })

    it('towards addresses of the outside world', async () => {
      await closed([
        'tcp 1.1.1.1 443',
        'udp 1.1.1.1 443',
        'tcp 8.8.8.8 53',
        'ping 9.9.9.9',
        'tcp 2606:4700:4700::1111 443',
        'udp 2606:4700:4700::1111 443',
      ])
    })

    it('towards name servers: the engine’s, the street’s, and any other', async () => {
      const servers = ['127.0.0.11', street.peer.ipv4, street.peer.ipv6, '8.8.8.8', '1.1.1.1', '2001:4860:4860::8888']
      await closed(servers.flatMap((it) => [`dns ${it} 53`, `dnstcp ${it} 53`]))
      const listening = await sh(
        street.a.crew,
        who.root,
        "grep -l 0B00007F /proc/net/udp /proc/net/tcp; awk '$2 ~ /0B00007F/ { print $2 }' /proc/net/udp /proc/net/tcp",
      )
      const ports = [...listening.stdout.matchAll(/0B00007F:([0-9A-F]{4})/g)].map(([, hex]) =>
        Number.parseInt(hex!, 16),
      )
      expect(ports.length).toBeGreaterThan(0) // where the engine's resolver really listens
      await closed(ports.flatMap((it) => [`dns 127.0.0.11 ${it}`, `dnstcp 127.0.0.11 ${it}`]))
    })

    it('by multicast, broadcast, or an interface of its own choice', async () => {
      const { ipv4, ipv6 } = street.peer
      await closed([
        'udp 224.0.0.1 9',
        'udp 239.255.255.250 1900',
        'broadcast 255.255.255.255 9',
        'udp ff02::1%eth1 9',
        'udp ff05::1%eth1 9',
      ])
      await closed(
        [ipv4, ipv6, '1.1.1.1']
          .flatMap((it) => [`tcp-by-lo ${it} 8000`, `udp-by-lo ${it} 8000`])
          .concat(`tcp-by-lo 169.254.169.254 80`),
      )
    })

    it('by sockets that go around the rules', async () => {
      await closed(['raw', 'raw-icmp', 'raw6', 'packet', 'vsock 2 1024', 'vsock 1 1024', 'alg'])
    })
  })

  it('is not opened by a flow that the sidecar had from the same port', async () => {
    const { ipv4, ipv6 } = street.peer
    for (const flow of [ipv4, ipv6].flatMap((it) => [`udp-from-4444 ${it} 8000`, `tcp-from-4444 ${it} 8000`])) {
      expect(Object.values(await attempt(street.a.sidecar, who.sidecar, [flow]))[0]).toMatch(through)
      expect(Object.values(await attempt(street.a.crew, who.ada, [flow]))[0]).not.toMatch(through)
    }
  })

  it('still carries what the sidecar wrote before it closed a connection', async () => {
    const tcp = createTcp({ pauseOnConnect: true }).listen(0, '0.0.0.0')
    closing.push(() => tcp.close())
    await once(tcp, 'listening')
    const connected = once(tcp, 'connection') as Promise<[Socket]>
    const sent = Object.values(
      await attempt(street.a.sidecar, who.sidecar, [
        `fill ${await gatewayOf(street.a)} ${(tcp.address() as AddressInfo).port}`,
      ]),
    )
    const [socket] = await connected
    let heard = 0
    socket.on('data', (chunk) => {
      heard += chunk.length
    })
    socket.resume()
    await once(socket, 'end')
    expect([String(heard)]).toEqual(sent)
    expect(heard).toBeGreaterThan(65536)
  })

  it('is no way in: nobody outside reaches what an agent serves', async () => {
    const inside = await addressesOf(street.a)
    expect(inside.length).toBeGreaterThan(3)
    const attempts = inside
      .flatMap((it) => [`tcp ${it} 8000`, `udp ${it} 8000`, `tcp ${it} 9119`])
      .filter((it) => !it.startsWith('udp'))
    const from = {
      stranger: await attempt(street.stranger, who.root, attempts),
      neighbour: await attempt(street.b.sidecar, who.sidecar, attempts),
    }
    expect(Object.values(from).flatMap((it) => Object.entries(it).filter(([, how]) => through.test(how)))).toEqual([])
    const pings = inside.map((it) => `ping ${it}`)
    expect(Object.values(await attempt(street.stranger, who.root, pings)).filter((it) => it === 'answered')).toEqual([])
    expect(
      Object.values(
        await attempt(
          street.stranger,
          who.root,
          inside.map((it) => `udp ${it} 8000`),
        ),
      ).filter((it) => it === 'answered'),
    ).toEqual([])
  })

  it('leaves loopback to the crew', async () => {
    const own = await addressesOf(street.a)
    const out = await attempt(
      street.a.crew,
      who.ada,
      ['127.0.0.1', '127.1.2.3', '::1', ...own]
        .flatMap((it) => [`tcp ${it} 8000`, `udp ${it} 8000`])
        .concat('tcp 127.0.0.1 9119'),
    )
    expect(Object.entries(out).filter(([, how]) => how !== 'connected' && how !== 'answered')).toEqual([])
  })
})

/** Asks the proxy for a tunnel and says something through it; the status line and the answer. */
const tunnel = (crew: Street['a'], user: string, authority: string) =>
  node(
    crew.crew,
    user,
    `const s = require('net').connect(9119, '127.0.0.1'); s.write('CONNECT ${authority} HTTP/1.1\\r\\n\\r\\n');
      let got = ''
     s.on('data', (d) => { got += d; if (/^HTTP.1.1 200 .*\\r\\n\\r\\n$/s.test(got)) s.end('hello') });
       s.on('end', () => process.stdout.write(got))`,
  )

describe.skipIf(engineMissing)('the proxy', () => {
  it('passes to a permitted host by its name, and no further', async () => {
    const { runtime, a, peer } = street
    await runtime.configureSidecar(a.spec.crewId, policy(['permitted-peer'], true))
    expect(await tunnel(a, who.ada, 'permitted-peer:8000')).toMatch(/^HTTP\/1\.1 200 .*hello$/s)
    expect(await tunnel(a, who.ada, 'forbidden-peer:8000')).toMatch(
      /^HTTP\/1\.1 403 .*not in this crew's allowed domains/s,
    )
    expect(await tunnel(a, who.bob, `${peer.ipv4}:8000`)).toMatch(/^HTTP\/1\.1 403 /)
    await expect
      .poll(() => a.reports)
      .toEqual([
        {
          type: 'egress_denied',
          agentId: 'agent-ada',
          host: 'forbidden-peer',
          port: 8000,
          reason: expect.any(String),
          unreported: 0,
        },
        {
          type: 'egress_denied',
          agentId: 'agent-bob',
          host: peer.ipv4,
          port: 8000,
          reason: expect.any(String),
          unreported: 0,
        },
      ])
    expect(
      await node(
        a.crew,
        who.ada,
        "require('http').get({ host: '127.0.0.1', port: 9119, path: 'http://permitted-peer/' }, (r) => " +
          'r.pipe(process.stdout))',
      ),
    ).toBe('peer\n')
    expect(await peer.heard()).toContain('tcp 80 ')
  })

  it('obeys a new policy at once', async () => {
    const { runtime, a } = street
    await runtime.configureSidecar(a.spec.crewId, policy(['permitted-peer', 'forbidden-peer'], false))
    expect(await tunnel(a, who.ada, 'permitted-peer:8000')).toMatch(
      /^HTTP\/1\.1 403 .*permitted-peer is a private address/s,
    )
    await runtime.configureSidecar(a.spec.crewId, policy(['forbidden-peer'], true))
    expect(await tunnel(a, who.ada, 'forbidden-peer:8000')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await tunnel(a, who.ada, 'permitted-peer:8000')).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('asks the name servers it was given, and is not fooled by one that changes its mind', async () => {
    const { runtime, a, peer } = street
    const zone: Zone = { 'outside.example': { a: peer.ipv4 } }
    const { port, close } = await openNameServer('0.0.0.0', zone)
    closing.push(close)
    await runtime.configureSidecar(
      a.spec.crewId,
      policy(['outside.example'], true, { resolvers: [`${await gatewayOf(a)}:${port}`] }),
    )
    expect(await tunnel(a, who.ada, 'outside.example:8000')).toMatch(/^HTTP\/1\.1 200 .*hello$/s)
    zone['outside.example'] = { a: peer.metadata }
    expect(await tunnel(a, who.ada, 'outside.example:80')).toMatch(/^HTTP\/1\.1 403 .*a metadata address/s)
    expect(await tunnel(a, who.ada, 'gone.outside.example:80')).toMatch(/^HTTP\/1\.1 403 .*not in this crew/s)
    delete zone['outside.example']
    expect(await tunnel(a, who.ada, 'outside.example:80')).toMatch(/^HTTP\/1\.1 502 .*there is no host/s)
  })

  it('never leads to metadata, to the crew’s own addresses or to another crew', async () => {
    const { runtime, a, b, peer } = street
    await runtime.configureSidecar(a.spec.crewId, {
      ...policy([], true),
      network: { mode: 'free', allowedDomains: [], allowPrivateEndpoints: true },
    })
    expect(await tunnel(a, who.ada, `${peer.ipv4}:8000`)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await tunnel(a, who.ada, `[${peer.ipv6}]:8000`)).toMatch(/^HTTP\/1\.1 200 /)
    const own = (await addressesOf(a)).map((it) => (it.includes(':') ? `[${it}]` : it))
    const refused = [
      peer.metadata,
      `[::ffff:${peer.metadata}]`,
      '127.0.0.1',
      '[::1]',
      'localhost',
      '0.0.0.0',
      ...own,
    ].map((host) => `${host}:9119`)
    const away = (await addressesOf(b))
      .filter((it) => !it.startsWith('169.254.'))
      .map((it) => (it.includes(':') ? `[${it}]:8000` : `${it}:8000`))
    const status = async (authority: string) => [authority, (await tunnel(a, who.ada, authority)).slice(0, 12)]
    expect(await Promise.all(refused.map(status))).toEqual(refused.map((it) => [it, 'HTTP/1.1 403']))
    expect(await Promise.all(away.map(status))).toEqual(away.map((it) => [it, 'HTTP/1.1 504']))
  })
})

describe.skipIf(engineMissing)('the real key', () => {
  const seen: { headers: Record<string, unknown>; body: string }[] = []
  let upstream: string

  beforeAll(async () => {
    const vendor = createServer(async (req, res) => {
      let body = ''
      for await (const chunk of req) body += chunk
      seen.push({ headers: req.headers, body })
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: hi\n\n')
    }).listen(0, '0.0.0.0')
    await once(vendor, 'listening')
    closing.push(() => vendor.close())
    upstream = `http://host.docker.internal:${(vendor.address() as AddressInfo).port}`
    const config = policy([], false, { upstreams: { ANTHROPIC: upstream } })
    config.agents['dummy-ada']!.credentials.push({
      credentialId: 'c1',
      provider: 'ANTHROPIC',
      kind: 'api_key',
      token: realKey,
      priority: 1,
    })
    await street.runtime.configureSidecar(street.a.spec.crewId, config)
  })

  const ask = (user: string, key: string) =>
    node(
      street.a.crew,
      user,
      `fetch(url + '/v1/messages', { method: 'POST', headers: { 'x-api-key': '${key}' }, body: 'question' ` +
        '}).then(async (r) => console.log(r.status, await r.text()))',
    )

  it('arrives at the vendor with a call that was made without it', async () => {
    expect(await ask(who.ada, 'dummy-ada')).toBe('200 data: hi\n\n\n')
    expect(seen).toMatchObject([{ headers: { 'x-api-key': realKey }, body: 'question' }])
    expect(JSON.stringify(seen)).not.toContain('dummy-ada')
  })

  it('is at nobody’s service but the agent’s own', async () => {
    seen.length = 0
    expect(await ask(who.bob, 'dummy-ada')).toMatch(/^401 .*belongs to another agent/)
    expect(await ask(who.root, 'dummy-ada')).toMatch(/^401 .*belongs to another agent/)
    expect(await ask(who.bob, 'dummy-bob')).toMatch(/^401 .*There is no ANTHROPIC credential for the agent bob/)
    expect(await ask(who.ada, realKey)).toMatch(/^401 .*does not know this key/)
    expect(seen).toEqual([])
  })

  it('is nowhere in the crew: no file, no process, no environment, not even for root', async () => {
    const pattern = `${realKey.slice(0, -1)}[${realKey.at(-1)}]` // which does not find itself
    const look =
      `grep -rls --exclude-dir=proc --exclude-dir=sys '${pattern}' /; cat /proc/[0-9]*/environ ` +
      `/proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c '${pattern}'`
    for (const user of [who.root, who.ada, who.watcher])
      expect((await sh(street.a.crew, user, look)).stdout).toBe('0\n')
    for (const it of [street.a.crew, street.a.sidecar])
      expect(JSON.stringify(await it.inspect())).not.toContain(realKey)
    expect(String(await street.a.sidecar.logs({ stdout: true, stderr: true }))).not.toContain(realKey)
  })

  it('lies in a program that no agent can see, signal or look into', async () => {
    const { a } = street
    const pid = (await a.sidecar.inspect()).State.Pid
    for (const user of [who.root, who.ada, who.watcher]) {
      const processes = await sh(a.crew, user, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls /proc | grep -x '[0-9]*'")
      expect(processes.stdout).toContain('channel.cjs')
      expect(processes.stdout).not.toMatch(/sidecar\.cjs/)
      const reach = await sh(
        a.crew,
        user,
        `kill -0 ${pid}; cat /proc/${pid}/environ; for p in $(ls /proc | grep -x '[0-9]*'); do grep -l NET_ADMIN ` +
          '/proc/$p/status; done; ls /opt/muster',
      )
      expect(reach.stdout).not.toContain('sidecar')
    }
    const status = await sh(a.sidecar, who.sidecar, 'cat /proc/[0-9]*/status')
    const nodes = status.stdout.split(/^Name:/m).filter((it) => it.startsWith('\tnode'))
    expect(nodes).toHaveLength(1)
    expect(nodes[0]).toMatch(
      /Uid:\t1002\t1002\t1002\t1002.*Gid:\t1003.*CapInh:\t0+\nCapPrm:\t0+\nCapEff:\t0+\n.*CapAmb:\t0+\nNoNewPrivs:\t1/s,
    )
  })
})

describe.skipIf(engineMissing)('the sidecar’s port', () => {
  it('cannot be taken while the sidecar has it', async () => {
    const places = ['listen 127.0.0.1 9119', 'listen 0.0.0.0 9119', 'listen :: 9119']
    expect(Object.values(await attempt(street.a.crew, who.ada, places))).toEqual(Array(3).fill('EADDRINUSE'))
  })

  it('leads to nobody else, on whatever address an agent listens', async () => {
    const [own] = await addressesOf(street.a)
    const places = [`${own}`, '127.0.0.9', '::1']
    const out = await attempt(
      street.a.crew,
      who.bob,
      places.flatMap((it) => [`listen ${it} 9119`, `tcp-late ${it} 9119`]),
    )
    expect(places.map((it) => [out[`listen ${it} 9119`], out[`tcp-late ${it} 9119`]])).toEqual(
      places.map(() => ['opened', 'silence']),
    )
    expect(await attempt(street.a.crew, who.bob, ['tcp-from-9119 127.0.0.1 8000'])).toEqual({
      'tcp-from-9119 127.0.0.1 8000': expect.not.stringMatching(through),
    })
  })

  it('is of no use to an agent that takes it after a crash: nobody can connect to it there', async () => {
    const { b } = street
    const impostor = `import socket,time
s=socket.socket();s.setsockopt(1,2,1)
while True:
    try: s.bind(("127.0.0.1",9119));break
    except OSError: time.sleep(0.001)
s.listen();print("taken",flush=True);s.settimeout(20)
try: s.accept();print("connected",flush=True)
except TimeoutError: pass`
    const exec = await b.crew.exec({ User: who.bob, AttachStdout: true, Cmd: ['python3', '-c', impostor] })
    const stream = await exec.start({})
    let said = ''
    stream.on('data', (chunk) => {
      said += chunk
    })
    await sh(b.sidecar, who.sidecar, 'kill -9 $(pgrep -x node)')
    await expect.poll(() => said).toContain('taken')
    expect(await attempt(b.crew, who.ada, ['tcp 127.0.0.1 9119'])).toEqual({
      'tcp 127.0.0.1 9119': expect.not.stringMatching(through),
    })
    expect(said).not.toContain('connected')
    await docker.getContainer(b.sidecar.id).wait() // refuses to go on, so that the crew is brought up anew
    expect((await b.sidecar.inspect()).State.ExitCode).toBe(78)
  })
})
