import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FollowSink, RunEnd } from '#runtime/types'
import { OutputReader } from '../../../../daemon/runtime/runs/output.ts'

const mebibyte = 1024 * 1024
const exit = { kind: 'exit', code: 0, timedOut: false } as const
const lost: RunEnd = { kind: 'lost', reason: 'gone' }

/** A reader, its connections, and how much it had read when each was made; the end counts as one more byte. */
function source(mend = async () => null as string | null) {
  const links: { offset: number; sink: FollowSink; open: boolean; read: number }[] = []
  let read = 0
  const add = (count: number) => [
    () => {
      read += count
    },
  ]
  const reader = new OutputReader({
    follow(offset, sink) {
      const link = { offset, sink, open: true, read }
      links.push(link)
      return {
        close() {
          link.open = false
        },
      }
    },
    mend,
    read: (chunk) => add(chunk.length),
    flush: () => add(1),
  })
  return { reader, links, read: () => read }
}

it('a sender is held back past 16 MiB, and goes on when less than 4 MiB wait', async () => {
  const { reader, links } = source()
  const block = Buffer.alloc(mebibyte)
  for (let n = 0; n < 16; n++) links[0]!.sink.data(block, n * mebibyte)
  expect(links[0]!.open).toBe(true)
  links[0]!.sink.data(block.subarray(0, 1), 16 * mebibyte)
  expect(links[0]!.open).toBe(false)
  await expect.poll(() => links).toHaveLength(2)
  // With one byte over 4 MiB and with 3 MiB and a byte waiting.
  expect(links[1]!.read).toBe(13 * mebibyte)
  links[1]!.sink.end(exit, '')
  await reader.done
})

it('the end that came first counts, and what was received before is read', async () => {
  const { reader, links, read } = source()
  links[0]!.sink.data(Buffer.from('abc'), 0)
  reader.giveUp({ end: lost, stderr: '' })
  expect(links[0]!.open).toBe(false)
  links[0]!.sink.end(exit, 'late')
  reader.giveUp({ end: exit, stderr: '' })
  expect(await reader.done).toEqual({ end: lost, stderr: '' })
  expect(read()).toBe(4)
})

it('a reader that is closed hangs up and reads nothing of what waits', async () => {
  const { reader, links, read } = source()
  links[0]!.sink.data(Buffer.from('abc'), 0)
  reader.close()
  expect(links[0]!.open).toBe(false)
  expect(await reader.done).toBeNull()
  await new Promise(setImmediate)
  expect(read()).toBe(0)
})

it('a line that was hung up says nothing more', async () => {
  const { reader, links, read } = source()
  const first = links[0]!.sink
  first.data(Buffer.from('ef'), 4)
  expect(links).toHaveLength(2)
  first.broken(new Error('late'))
  first.end(lost, '')
  first.data(Buffer.from('abcd'), 0)
  links[1]!.sink.data(Buffer.from('ab'), 0)
  links[1]!.sink.end(exit, '')
  expect(await reader.done).toEqual({ end: exit, stderr: '' })
  expect(read()).toBe(3)
})

it('what is read meanwhile does not stop the reading of what comes later', async () => {
  const { reader, links, read } = source()
  links[0]!.sink.data(Buffer.from('ab'), 0)
  await expect.poll(read).toBe(2)
  await new Promise(setImmediate)
  links[0]!.sink.data(Buffer.from('cd'), 2)
  await expect.poll(read).toBe(4)
  links[0]!.sink.end(exit, '')
  await reader.done
})

it('what fails to be read hangs up, and is the end', async () => {
  let open = true
  const sinks: FollowSink[] = []
  const reader = new OutputReader({
    follow(_, sink) {
      sinks.push(sink)
      return {
        close() {
          open = false
        },
      }
    },
    mend: async () => null,
    read() {
      throw new Error('odd')
    },
    flush: () => [],
  })
  sinks[0]!.data(Buffer.from('abc'), 0)
  await reader.done
  expect(open).toBe(false)
  sinks[0]!.broken(new Error('late'))
  await new Promise(setImmediate)
  expect(sinks).toHaveLength(1)
})

const broken = new Error('broken')

/** Breaks the newest connection; how long it takes until there is another, in tenths of a second. */
async function tenthsOf(links: { sink: FollowSink }[]): Promise<number> {
  const count = links.length
  links.at(-1)!.sink.broken(broken)
  for (let tenths = 0; ; tenths++) {
    if (links.length > count) return tenths
    await vi.advanceTimersByTimeAsync(100)
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

it('a connection that breaks again and again is tried less and less often, until bytes come', async () => {
  const { reader, links } = source()
  const waits: number[] = []
  for (let n = 0; n < 8; n++) waits.push(await tenthsOf(links))
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 50, 50])
  links.at(-1)!.sink.data(Buffer.from('a'), 0)
  expect(await tenthsOf(links)).toBe(1)
  expect(links.at(-1)!.offset).toBe(1)
  reader.close()
})

it('nothing is mended for a reader that has its end', async () => {
  const mend = vi.fn(async () => null)
  const { reader, links } = source(mend)
  links[0]!.sink.broken(broken)
  reader.giveUp({ end: lost, stderr: '' })
  await vi.advanceTimersByTimeAsync(100)
  const closed = source(mend)
  closed.links[0]!.sink.broken(broken)
  closed.reader.close()
  await vi.advanceTimersByTimeAsync(100)
  expect(mend).not.toHaveBeenCalled()
  expect([links.length, closed.links.length]).toEqual([1, 1])
})
