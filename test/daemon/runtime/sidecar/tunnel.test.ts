import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Hello } from '#runtime/sidecar/client-hello'
import { joinTunnel } from '#runtime/sidecar/tunnel'
import { hello } from '../../../support/client-hello.ts'

/** One end of a tunnel: what was written to it, and the timeouts that were set on it. */
class End extends Duplex {
  readonly written: Buffer[] = []
  readonly idle: { ms: number; then: () => void }[] = []
  bytesRead = 0
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk)
    done()
  }
  setTimeout(ms: number, then: () => void): this {
    this.idle.push({ ms, then })
    return this
  }
  get said(): string {
    return Buffer.concat(this.written).toString('latin1')
  }
}

function setUp({
  head = '',
  admitted = true,
  helloMs,
}: {
  head?: string | Buffer
  admitted?: boolean
  helloMs?: number
} = {}) {
  const [client, far] = [new End({ allowHalfOpen: true }), new End()]
  const heard: Hello[] = []
  const admits = (it: Hello) => heard.push(it) > 0 && admitted
  const joined = joinTunnel(client as unknown as Socket, far as unknown as Socket, {
    head: Buffer.from(head),
    admits,
    ...(helloMs !== undefined && { helloMs }),
  })
  return { client, far, heard, joined }
}

afterEach(() => vi.useRealTimers())

const alert = Buffer.from([21, 3, 3, 0, 2, 2, 112]).toString('latin1')
/** Until all that follows from what happened has happened. */
const settled = () => new Promise((done) => setImmediate(done))

describe('a tunnel', () => {
  it('carries what the client said first, then both directions, and asks about it once', async () => {
    const { client, far, heard, joined } = setUp({ head: 'GET ' })
    await joined
    client.push('/')
    far.push('hello')
    await settled()
    expect([far.said, client.said, heard]).toEqual(['GET /', 'hello', ['not-tls']])
  })

  it('lets the far end speak first, and carries nothing that it has not judged', async () => {
    const { client, far, heard, joined } = setUp()
    const bytes = hello('permitted.example')
    far.push('220 ready')
    client.push(bytes.subarray(0, 20))
    await settled()
    expect([client.said, far.said, heard]).toEqual(['220 ready', '', []])
    client.push(bytes.subarray(20))
    await joined
    await settled()
    expect([Buffer.concat(far.written), heard]).toEqual([bytes, [{ serverName: 'permitted.example' }]])
  })

  it('that is refused ends with an alert, also while the far end speaks', async () => {
    const { client, far, joined } = setUp({ head: hello('other.example'), admitted: false })
    await joined
    far.push('late')
    await once(far, 'close')
    expect([client.said, far.said, client.errored]).toEqual([alert, '', null])
  })

  it('is idle for 15 minutes at most, on either side', async () => {
    const { client, far, joined } = setUp({ head: 'x' })
    await joined
    expect([client.idle.map(({ ms }) => ms), far.idle.map(({ ms }) => ms)]).toEqual([[900_000], [900_000]])
    client.idle[0]!.then()
    await once(far, 'close')
    expect([client.destroyed, far.destroyed]).toEqual([true, true])
  })

  it.each(['client', 'far'] as const)('ends with its %s, also by an error', async (side) => {
    const { joined, ...ends } = setUp({ head: 'x' })
    await joined
    const other = ends[side === 'client' ? 'far' : 'client']
    const closed = once(other, 'close')
    ends[side].destroy(new Error('reset'))
    await closed
    expect(other.errored).toBeNull()
  })

  it('half closed goes on, in either direction', async () => {
    const { client, far, joined } = setUp({ head: 'x' })
    await joined
    expect(far.allowHalfOpen).toBe(true)
    client.push(null)
    await once(far, 'finish')
    far.push('answer')
    await settled()
    expect([client.said, far.destroyed]).toEqual(['answer', false])
  })

  it.each([
    ['that says nothing, to a far end that says nothing', '', 0, true],
    ['that says nothing, to a far end that spoke', '', 5, false],
    ['that stops within its hello', hello('a').subarray(0, 9), 5, true],
  ])('of a client %s: after 30 s', async (_, head, bytesRead, closed) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { client, far, heard, joined } = setUp({ head })
    far.bytesRead = bytesRead
    vi.advanceTimersByTime(29_999)
    expect(client.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(client.destroyed).toBe(closed)
    client.destroy()
    await joined
    expect(heard).toEqual([])
  })

  it('has as long for its hello from the first byte of it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { client, far, joined } = setUp({ helloMs: 20 })
    far.bytesRead = 1
    const bytes = hello('a')
    vi.advanceTimersByTime(15)
    client.push(bytes.subarray(0, 1))
    await settled()
    vi.advanceTimersByTime(15)
    client.push(bytes.subarray(1, 2))
    await settled()
    expect(client.destroyed).toBe(false)
    vi.advanceTimersByTime(5)
    expect(client.destroyed).toBe(true)
    await joined
  })

  it('has all the time once its hello is read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { joined } = setUp({ head: hello('a') })
    await joined
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is judged by nobody once its client has gone', async () => {
    const { client, heard, joined } = setUp({ head: 'x' })
    client.destroy()
    await joined
    expect(heard).toEqual([])
  })
})
