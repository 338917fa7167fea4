import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Connections, createConnections } from '#runtime/bridge/connections'
import { relayWindow } from '#runtime/bridge/relay-sockets'
import type { Container } from '#runtime/docker/engine'
import { Relays } from '#runtime/docker/relays'
import { ending } from '../../../support/endings.ts'

/** The relay's program, and the daemon's end of its standard streams. */
interface Program {
  argv: string[]
  user: string
  stream: Duplex
  carried: Connections
}

/** A sidecar's container whose programs run in this process. */
function sidecar({ fails = (): boolean => false, reads = true } = {}) {
  const programs: Program[] = []
  const container = {
    exec: async ({ Cmd, User }: { Cmd: string[]; User: string }) => {
      if (fails()) throw Object.assign(new Error('it is not running'), { statusCode: 409 })
      return { start: async () => begin(Cmd, User) }
    },
  } as unknown as Container
  function begin(argv: string[], user: string): Duplex {
    const stream = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        if (!reads) return
        carried.receive(chunk)
        done()
      },
    })
    const say = (bytes: Buffer, done: () => void) => {
      const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
      head.writeUInt32BE(bytes.length, 4)
      if (!stream.destroyed) stream.push(Buffer.concat([head, bytes]))
      done()
    }
    const carried = createConnections({ write: say, broken: (error) => stream.destroy(error), window: relayWindow })
    programs.push({ argv, user, stream, carried })
    carried.alive()
    return stream
  }
  return { container, programs }
}

async function upstream(): Promise<{ port: number; ended: Promise<unknown> }> {
  const server = createServer((socket) => void socket.on('error', () => {}).write('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ended = once(server, 'connection').then(
    ([socket]) => new Promise((resolve) => (socket as Socket).once('close', resolve)),
  )
  ending(() => server.close())
  return { port: (server.address() as AddressInfo).port, ended }
}

const relaysTo = (port: number, failed?: (crewId: string, error: unknown) => void) => {
  const relays = new Relays([{ provider: 'OPENAI', host: '127.0.0.1', port }], failed)
  ending(() => relays.drop('c1'))
  return relays
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

it('run a program in the sidecar, with the providers and without the right to leave the network', async () => {
  const { container, programs } = sidecar()
  await relaysTo((await upstream()).port).open('c1', container)
  expect(programs.map(({ argv, user }) => ({ argv, user }))).toEqual([
    { argv: ['node', '/opt/muster/relay.cjs', 'OPENAI'], user: '1002:65534' },
  ])
  const connection = await programs[0]!.carried.open(0)
  expect(String((await once(connection, 'data'))[0])).toBe('hello')
})

it('run none where no upstream is on loopback', async () => {
  const { container, programs } = sidecar()
  await new Relays([]).open('c1', container)
  expect(programs).toEqual([])
})

it('run a new program two seconds after one has ended', async () => {
  const { container, programs } = sidecar()
  await relaysTo((await upstream()).port).open('c1', container)
  const connection = await programs[0]!.carried.open(0)
  programs[0]!.stream.destroy()
  await once(programs[0]!.stream, 'close')
  await vi.advanceTimersByTimeAsync(1999)
  expect(programs).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(programs).toHaveLength(2)
  connection.destroy()
  expect(String((await once(await programs[1]!.carried.open(0), 'data'))[0])).toBe('hello')
})

it('try again while the program does not start, and tell of it once', async () => {
  let failures = 2
  const told: [string, string][] = []
  const { container, programs } = sidecar({ fails: () => failures-- > 0 })
  const failed = (crewId: string, error: unknown) => told.push([crewId, (error as Error).message])
  await relaysTo((await upstream()).port, failed).open('c1', container)
  await vi.advanceTimersByTimeAsync(4000)
  expect(programs).toHaveLength(1)
  expect(told).toEqual([['c1', "The crew's container is not running"]])
})

it('close what is open when the sidecar goes, and start nothing any more', async () => {
  const { container, programs } = sidecar()
  const { port, ended } = await upstream()
  const relays = relaysTo(port)
  await relays.open('c1', container)
  await programs[0]!.carried.open(0)
  relays.drop('c1')
  await ended
  expect(programs[0]!.stream.destroyed).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(programs).toHaveLength(1)
})

it('have one program for each sidecar: another container of the crew replaces it', async () => {
  const [one, two] = [sidecar(), sidecar()]
  const relays = relaysTo((await upstream()).port)
  await relays.open('c1', one.container)
  await relays.open('c1', two.container)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([one.programs[0]!.stream.destroyed, one.programs.length, two.programs.length]).toEqual([true, 1, 1])
})

it('replace a program that asks without end and reads no answer', async () => {
  const hostile = sidecar({ reads: false })
  await relaysTo((await upstream()).port).open('c1', hostile.container)
  const [program] = hostile.programs
  while (!program!.stream.destroyed) {
    for (let n = 0; n < 100; n++) program!.carried.open(0).catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
  }
  await vi.advanceTimersByTimeAsync(2000)
  expect(hostile.programs).toHaveLength(2)
})
