import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { attempt, sh, who } from '../e2e/egress/street.ts'
import { engineMissing } from '../support/engine.ts'
import { type EngineCrew, type EngineCrews, engineCrews } from '../support/engine-crews.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

const program = readFileSync(new URL('syscalls.pl', import.meta.url), 'utf8')
const [unix, inet, inet6, netlink] = [1, 2, 10, 16]
const [stream, datagram, raw, sequenced, packet] = [1, 2, 3, 5, 10]
const flags = 0x80800 // SOCK_NONBLOCK and SOCK_CLOEXEC
const high = 2 ** 32 // beyond what the kernel reads of an int

/** Numbers of system calls, by architecture. */
const calls = {
  x64: { socket: 41, socketpair: 53, ioUringSetup: 425 },
  arm64: { socket: 198, socketpair: 199, ioUringSetup: 425 },
}[process.arch as 'x64' | 'arm64']

let crews: EngineCrews
let own: EngineCrew

beforeAll(async () => {
  crews = await engineCrews('muster-sockets')
  own = await crews.open()
})
afterAll(() => crews?.close())

/** How each call ends for somebody in the crew's container, by the name it is given. */
async function make(user: string, wanted: Record<string, number[]>): Promise<Record<string, string>> {
  const { stdout, stderr } = await run(own.crew, {
    user,
    argv: ['perl', '-e', program, ...Object.values(wanted).map((it) => it.join(' '))],
  })
  const lines = stdout.trim().split('\n')
  expect(lines, stderr).toHaveLength(Object.keys(wanted).length)
  return Object.fromEntries(Object.keys(wanted).map((name, index) => [name, lines[index]!]))
}

const all = (wanted: object, how: string) => Object.fromEntries(Object.keys(wanted).map((name) => [name, how]))
const sockets = (wanted: Record<string, number[]>) =>
  Object.fromEntries(Object.entries(wanted).map(([name, it]) => [name, [calls.socket, ...it]]))

describe.skipIf(engineMissing)('the sockets of agents', () => {
  const needed = sockets({
    tcp: [inet, stream, 0],
    'tcp by number': [inet, stream | flags, 6],
    tcp6: [inet6, stream | flags, 0],
    udp: [inet, datagram, 0],
    'udp by number': [inet, datagram | flags, 17],
    udp6: [inet6, datagram, 17],
    'local stream': [unix, stream | flags, 0],
    'local datagram': [unix, datagram, 0],
    'local sequenced': [unix, sequenced, 0],
    'netlink for interfaces': [netlink, raw | flags, 0],
    'the same as datagrams': [netlink, datagram, 0],
  })

  const refused = sockets({
    ping: [inet, datagram, 1],
    'ping with flags': [inet, datagram | flags, 1],
    ping6: [inet6, datagram, 58],
    udplite: [inet, datagram, 136],
    udplite6: [inet6, datagram, 136],
    mptcp: [inet, stream, 262],
    mptcp6: [inet6, stream, 262],
    smc: [inet, stream, 256],
    sctp: [inet, stream, 132],
    'sctp sequenced': [inet, sequenced, 132],
    dccp: [inet, 6, 33],
    l2tp: [inet, datagram, 115],
    'tcp as datagrams': [inet, datagram, 6],
    raw: [inet, raw, 255],
    'raw icmp': [inet, raw, 1],
    raw6: [inet6, raw, 58],
    'the old packet type': [inet, packet, 3],
    packets: [17, raw, 0x0300],
    vsock: [40, stream, 0],
    crypto: [38, sequenced, 0],
    bluetooth: [31, raw, 1],
    'can bus': [29, raw, 1],
    tipc: [30, sequenced, 0],
    xdp: [44, raw, 0],
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21].map((it) => [
        `netlink ${it}`,
        [netlink, raw, it],
      ]),
    ),
  })

  it.each(['ada', 'root', 'watcher'] as const)(
    'are TCP, UDP, local ones and the list of interfaces for %s, and no others',
    async (name) => {
      expect(await make(who[name], needed)).toEqual(all(needed, 'open'))
      expect(await make(who[name], refused)).toEqual(all(refused, 'EPERM'))
    },
  )

  it('are judged by what the kernel reads of the arguments', async () => {
    const wide = sockets({
      tcp: [inet + high, stream + high, 6 + high],
      ping: [inet + high, datagram + high, 1 + high],
      mptcp: [inet, stream, 262 + high],
    })
    expect(await make(who.ada, wide)).toEqual({ tcp: 'open', ping: 'EPERM', mptcp: 'EPERM' })
  })

  it('come by no other door', async () => {
    const doors = {
      'io_uring, which opens sockets by itself': [calls.ioUringSetup, 8, 0],
      'a pair of another family': [calls.socketpair, inet, stream, 0, 0],
    }
    expect(await make(who.ada, doors)).toEqual(all(doors, 'EPERM'))
  })

  it.runIf(process.arch === 'x64')('end a program that asks by the x32 numbers', async () => {
    const argv = ['perl', '-e', program, `${0x40000000 + calls.socket} ${inet} ${datagram} 1`]
    expect(await run(own.crew, { user: who.ada, argv })).toMatchObject({
      code: 128 + constants.signals.SIGSYS,
      stdout: '',
    })
  })

  it('are enough for the programs that they work with', async () => {
    const { stdout, stderr } = await sh(
      own.crew,
      who.ada,
      `set -e; cd "$(mktemp -d /output/ada/XXXXXX)"; export HOME=$PWD
       node -e 'console.log(Object.keys(os.networkInterfaces()).includes("lo"))'
       python3 -c 'import socket
names = [name for _, name in socket.if_nameindex()]
print(socket.getaddrinfo("localhost", 80)[0][4][1], "lo" in names)'
       git init -q . && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m first &&
       git log --format=%s
       curl -s http://localhost:9119/health
       printf 'needle\\n' > hay && rg needle hay
       claude --version`,
    )
    expect(stdout, stderr).toMatch(
      /^true\n80 True\nfirst\n\{"ok":true,"configured":(true|false)\}needle\n\d+\.\d+\.\d+ \(Claude Code\)\n$/,
    )
  })

  it('would be stopped by the rules of the network as well', async () => {
    const { Gateway } = Object.values((await own.sidecar.inspect()).NetworkSettings.Networks)[0]!
    const attempts = [`ping ${Gateway}`, `udplite ${Gateway} 9`, `mptcp ${Gateway} 9`]
    // The sidecar's own container may open them: there, a stranger's uid meets the rules alone.
    expect(await attempt(own.sidecar, who.sidecar, attempts)).toMatchObject({
      [`ping ${Gateway}`]: 'answered',
      [`udplite ${Gateway} 9`]: 'sent',
    })
    const out = await attempt(own.sidecar, who.ada, attempts)
    expect(Object.values(out).filter((how) => /connected|answered|sent|opened/.test(how))).toEqual([])
  })
})
