import { afterEach, describe, expect, it, vi } from 'vitest'
import { noCollisions, noMonitor, noTripwires } from '#kernel/absent'
import type { App } from '#kernel/app'
import type { Adapter } from '#runtime/adapters/adapter'
import type { LineReader } from '#runtime/adapters/parser'
import type { FollowSink, Runtime } from '#runtime/types'
import { LiveStream } from '../../../../daemon/runtime/runs/live-stream.ts'
import type { LaunchFacts } from '../../../../daemon/runtime/runs/parts.ts'
import { deadlineOf, endProcesses, type Reading, readRun } from '../../../../daemon/runtime/runs/reading.ts'

afterEach(() => void vi.useRealTimers())
const timers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const facts = {
  adapter: 'plain',
  mcpServers: [],
  timeoutSeconds: 30,
  agent: { slug: 'ada' },
  command: { model: null },
} as unknown as LaunchFacts
const adapter = { can: { turn_cap: true }, reader: () => ({ read: () => [] }), stderrFailure: () => null }

/** A run whose runtime does what the test says. */
function place({ endRun = async () => undefined as unknown, gone = null as string | null } = {}) {
  const [cancelled, parked, detached] = [new AbortController(), new AbortController(), new AbortController()]
  const links: { sink: FollowSink; open: boolean }[] = []
  const asked = vi.fn(endRun)
  const runtime = {
    endRun: asked,
    endLeft: async () => undefined,
    places: () => ({ output: '/output/ada' }),
    follow(_: unknown, __: number, sink: FollowSink) {
      const link = { sink, open: true }
      links.push(link)
      return {
        close() {
          link.open = false
        },
      }
    },
  } as unknown as Runtime
  const watching = { collisions: noCollisions, monitor: noMonitor, tripwires: noTripwires }
  const given = { steady: () => 1000, log: { warn: () => undefined }, ...watching }
  const app = given as unknown as App
  const reading = {
    parts: { app, runtime, adapterOf: () => adapter, secretsOf: () => [], goneFor: () => gone },
    run: { id: 'r1', crew_id: 'k1', attempt: 0 },
    facts,
    stream: new LiveStream(0),
    cancelled: cancelled.signal,
    parked: parked.signal,
    detached: detached.signal,
  } as unknown as Reading
  return { reading, links, asked, cancelled, parked, detached }
}

it('a run has a minute more than its own time', () => expect(deadlineOf(500, facts)).toBe(90_500))

describe('reading a run', () => {
  it('is left to a later daemon, also before it began', async () => {
    const early = place()
    early.detached.abort()
    expect(await readRun(early.reading, 0)).toBeNull()
    expect([early.links[0]!.open, early.asked.mock.calls.length]).toEqual([false, 0])
    const { reading, links, detached } = place()
    const read = readRun(reading, 0)
    detached.abort()
    expect(await read).toBeNull()
    expect(links[0]!.open).toBe(false)
  })

  it('leaves no clock behind', async () => {
    timers()
    const { reading, links } = place()
    const read = readRun(reading, 0)
    links[0]!.sink.end({ kind: 'exit', code: 124, timedOut: true }, '')
    expect(await read).toMatchObject({ verdict: { status: 'timeout' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends the program when its time is over, and gives up two minutes later', async () => {
    timers()
    const { reading, asked } = place({ endRun: () => Promise.reject(new Error('no engine')) })
    const over = vi.fn()
    // The run has worked for a second.
    const read = readRun(reading, 0)
    void read.then(over)
    await vi.advanceTimersByTimeAsync(88_999)
    expect(asked).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(asked).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(119_999)
    expect(over).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(await read).toMatchObject({
      verdict: { status: 'timeout', exit_code: 124 },
      lost: { kind: 'lost', reason: 'the container engine does not answer' },
    })
  })

  it('ends what waits for a person once its client has named its session, or after five seconds', async () => {
    timers()
    const naming = {
      ...adapter,
      namesSessions: /./,
      reader:
        (): LineReader =>
        (_, { frame }) =>
          frame({ type: 'system', metadata: { subtype: 'init' } }),
    } as unknown as Adapter
    const parked = () => {
      const it = place()
      it.reading.parts.adapterOf = () => naming
      const read = readRun(it.reading, 0)
      it.parked.abort()
      const leave = () => {
        it.links[0]!.sink.end({ kind: 'exit', code: 124, timedOut: true }, '')
        return read
      }
      return { ...it, leave }
    }
    const named = parked()
    await vi.advanceTimersByTimeAsync(4999)
    expect(named.asked).not.toHaveBeenCalled()
    named.links[0]!.sink.data(Buffer.from('{"type":"init"}\n'), 0)
    await vi.waitFor(() => expect(named.asked).toHaveBeenCalledTimes(1))
    await named.leave()

    const silent = parked()
    await vi.advanceTimersByTimeAsync(4999)
    expect(silent.asked).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(silent.asked).toHaveBeenCalledTimes(1)
    await silent.leave()

    const cancelled = parked()
    cancelled.cancelled.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(cancelled.asked).toHaveBeenCalledTimes(1)
    await cancelled.leave()

    const gone = parked()
    await gone.leave()
    await vi.advanceTimersByTimeAsync(5000)
    expect(gone.asked).not.toHaveBeenCalled()
  })

  it.each([
    ['as many as were asked for', 2, 'USER', 2],
    ['fifty', 0, 'USER', 50],
    ['twenty when nobody is watching', 0, 'CRON', 20],
  ])('is ended after its turns where the client does not end it: %s', async (_, max_turns, trigger_type, most) => {
    const { reading, links, asked } = place()
    Object.assign(reading.run, { max_turns, trigger_type })
    const reader =
      (): LineReader =>
      (_, { turn }) =>
        turn()
    reading.parts.adapterOf = () => ({ ...adapter, can: { turn_cap: false }, reader }) as unknown as Adapter
    const read = readRun(reading, 0)
    const line = '{"type":"turn"}\n'
    links[0]!.sink.data(Buffer.from(line.repeat(most)), 0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).not.toHaveBeenCalled()
    links[0]!.sink.data(Buffer.from(line), line.length * most)
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1))
    links[0]!.sink.end({ kind: 'exit', code: 143, timedOut: false }, '')
    expect(await read).toMatchObject({
      verdict: { status: 'failed', kind: 'turn_cap', reason: `The agent used up its turns: a run may take ${most}` },
    })
  })

  it('of a client that nobody knows fails', () => {
    const { reading } = place()
    reading.parts.adapterOf = () => undefined
    return expect(readRun(reading, 0)).rejects.toThrow('There is no adapter plain')
  })
})

describe('the end of a program', () => {
  it('is asked for every two seconds until the engine obeys', async () => {
    timers()
    let refused = 3
    const { reading, asked } = place({ endRun: async () => refused-- > 0 && Promise.reject(new Error('no')) })
    const over = vi.fn()
    void endProcesses(reading).then(over)
    for (const [ms, count] of [
      [0, 1],
      [1999, 1],
      [1, 2],
      [2000, 3],
      [2000, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms)
      expect(asked).toHaveBeenCalledTimes(count)
    }
    expect([over.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
    expect(asked).toHaveBeenCalledWith({ crewId: 'k1', runId: 'r1', agent: { slug: 'ada' } })
  })

  it.each<[string, (it: ReturnType<typeof place>, enough: AbortController) => void]>([
    ['the daemon stops', (it) => it.detached.abort()],
    ['its output has ended', (_, enough) => enough.abort()],
  ])('is asked for no more when %s', async (_, stop) => {
    timers()
    const it = place({ endRun: () => Promise.reject(new Error('no')) })
    const enough = new AbortController()
    const over = vi.fn()
    void endProcesses(it.reading, enough.signal).then(over)
    await vi.advanceTimersByTimeAsync(0)
    stop(it, enough)
    await vi.advanceTimersByTimeAsync(0)
    await vi.advanceTimersByTimeAsync(4000)
    expect(over).toHaveBeenCalledTimes(1)
    expect(it.asked.mock.calls.length).toBeLessThan(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is asked for once where the crew is gone, and never by a daemon that has stopped', async () => {
    const gone = place({ endRun: () => Promise.reject(new Error('no')), gone: 'its crew was deleted' })
    await endProcesses(gone.reading)
    expect(gone.asked).toHaveBeenCalledTimes(1)
    const stopped = place()
    stopped.detached.abort()
    await endProcesses(stopped.reading)
    expect(stopped.asked).not.toHaveBeenCalled()
  })
})
