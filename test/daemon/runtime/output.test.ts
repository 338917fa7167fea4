import { describe, expect, it } from 'vitest'
import { type KeptParts, keepParts, type Part } from '../../../daemon/runtime/runs/kept-parts.ts'
import { LiveStream } from '../../../daemon/runtime/runs/live-stream.ts'
import { OutputReader } from '../../../daemon/runtime/runs/output.ts'
import { Slots } from '../../../daemon/runtime/runs/slots.ts'
import { createTranscript } from '../../../daemon/runtime/runs/transcript.ts'
import type { FollowSink } from '../../../daemon/runtime/types.ts'

const exit = { kind: 'exit', code: 0, timedOut: false } as const

/** A source whose connections are the test's. */
function source({ mend = async () => null as string | null } = {}) {
  const links: { offset: number; sink: FollowSink; open: boolean }[] = []
  let read = ''
  const take = (text: string) => [
    () => {
      read += text
    },
  ]
  const reader = new OutputReader({
    follow(offset, sink) {
      const link = { offset, sink, open: true }
      links.push(link)
      return {
        close() {
          link.open = false
        },
      }
    },
    mend,
    read: (chunk) => take(String(chunk)),
    flush: () => take('|'),
  })
  return { reader, links, read: () => read }
}

describe('OutputReader', () => {
  it('reads every byte once, whatever comes twice', async () => {
    const { reader, links, read } = source()
    const { sink } = links[0]!
    sink.data(Buffer.from('abc'), 0)
    sink.data(Buffer.from('bcd'), 1)
    sink.data(Buffer.from('ab'), 0)
    sink.data(Buffer.from('ef'), 4)
    sink.end(exit, 'err')
    expect(await reader.done).toEqual({ end: exit, stderr: 'err' })
    expect(read()).toBe('abcdef|')
  })

  it('keeps what it was given when the sender uses its buffer again', async () => {
    const { reader, links, read } = source()
    const buffer = Buffer.from('abc')
    links[0]!.sink.data(buffer, 0)
    buffer.write('xyz')
    links[0]!.sink.data(buffer, 3)
    links[0]!.sink.end(exit, '')
    await reader.done
    expect(read()).toBe('abcxyz|')
  })

  it('ends with the reason when its bytes cannot be read', async () => {
    const links: FollowSink[] = []
    const reader = new OutputReader({
      follow(_offset, sink) {
        links.push(sink)
        return { close: () => undefined }
      },
      mend: async () => null,
      read() {
        throw new Error('too odd')
      },
      flush: () => [],
    })
    links[0]!.data(Buffer.from('abc'), 0)
    expect(await reader.done).toEqual({
      end: { kind: 'lost', reason: 'its output cannot be read: too odd' },
      stderr: '',
    })
  })

  it('asks again for bytes that are missing', async () => {
    const { reader, links, read } = source()
    links[0]!.sink.data(Buffer.from('ab'), 0)
    links[0]!.sink.data(Buffer.from('ef'), 4)
    expect(links).toMatchObject([{ open: false }, { offset: 2, open: true }])
    links[0]!.sink.data(Buffer.from('zz'), 2)
    links[1]!.sink.data(Buffer.from('cdef'), 2)
    links[1]!.sink.end(exit, '')
    await reader.done
    expect(read()).toBe('abcdef|')
  })

  it('goes on after a break, and after a mending that fails', async () => {
    let tries = 0
    const { reader, links, read } = source({
      mend: async () => {
        if (++tries === 1) throw new Error('not yet')
        return null
      },
    })
    links[0]!.sink.data(Buffer.from('ab'), 0)
    links[0]!.sink.broken(new Error('gone'))
    links[0]!.sink.data(Buffer.from('xx'), 2)
    await expect.poll(() => links.length).toBe(2)
    expect(links[1]!.offset).toBe(2)
    links[1]!.sink.data(Buffer.from('cd'), 2)
    links[1]!.sink.end(exit, '')
    await reader.done
    expect(read()).toBe('abcd|')
    expect(tries).toBe(2)
  })

  it('ends as lost when it can never be mended', async () => {
    const { reader, links, read } = source({ mend: async () => 'the crew was deleted' })
    links[0]!.sink.data(Buffer.from('ab'), 0)
    links[0]!.sink.broken(new Error('gone'))
    expect(await reader.done).toEqual({ end: { kind: 'lost', reason: 'the crew was deleted' }, stderr: '' })
    expect(read()).toBe('ab|')
  })

  it('holds back a sender that is faster than it', async () => {
    const { reader, links, read } = source()
    const block = Buffer.alloc(1024 * 1024, 'x')
    for (let n = 0; n < 17; n++) links[0]!.sink.data(block, n * block.length)
    expect(links[0]!.open).toBe(false)
    await expect.poll(() => links.length).toBe(2)
    expect(links[1]!.offset).toBe(17 * block.length)
    links[1]!.sink.end(exit, '')
    await reader.done
    expect(read()).toHaveLength(17 * block.length + 1)
  })

  it('says nothing more once it is closed', async () => {
    const { reader, links, read } = source()
    reader.close()
    links[0]!.sink.data(Buffer.from('ab'), 0)
    links[0]!.sink.end(exit, '')
    expect(await reader.done).toBeNull()
    expect(read()).toBe('')
  })
})

describe('LiveStream', () => {
  const text = (content: string) => ({ type: 'text', content }) as const
  const numbers = (stream: LiveStream, after: number) => {
    const seen: number[] = []
    const watch = stream.watch(after, { frame: ({ seq }) => void seen.push(seq), closed: () => undefined })
    return { ...watch, replay: watch.replay.map(({ seq }) => seq), seen }
  }

  it('keeps the last 5000 frames of a run', () => {
    const stream = new LiveStream(0)
    stream.begin(1)
    for (let n = 0; n < 5_000; n++) stream.push(text('x'))
    expect(numbers(stream, 0)).toMatchObject({ truncated: true, lastSeq: 5001 })
    expect(numbers(stream, 0).replay).toHaveLength(5_000)
    expect(numbers(stream, 1).truncated).toBe(false)
  })

  it('keeps 8 MiB at most', () => {
    const stream = new LiveStream(0)
    stream.begin(1)
    for (let n = 0; n < 9; n++) stream.push(text('x'.repeat(1024 * 1024)))
    expect(numbers(stream, 0)).toMatchObject({ truncated: true, replay: [4, 5, 6, 7, 8, 9, 10] })
    stream.push(text('x'.repeat(9 * 1024 * 1024)))
    expect(numbers(stream, 0).replay).toEqual([])
  })

  it('lets go of the last run when the next one begins, and numbers on', () => {
    const stream = new LiveStream(7)
    stream.begin(8)
    stream.push(text('a'))
    stream.end()
    stream.begin(10)
    expect(numbers(stream, 0)).toMatchObject({ truncated: false, replay: [10], lastSeq: 10 })
    stream.skipTo(100)
    stream.push(text('b'))
    expect(stream.lastSeq).toBe(100)
    stream.skipTo(50)
    stream.push(text('c'))
    expect(stream.lastSeq).toBe(101)
  })

  it('says whether a run goes on, and who looks on until they leave or it closes', () => {
    const stream = new LiveStream(3)
    const closed: string[] = []
    const look = (user: string) =>
      stream.watch(0, { user, frame: () => undefined, closed: () => void closed.push(user) })
    expect([stream.active, stream.watched, stream.lastSeq]).toEqual([false, false, 3])
    const ada = look('ada')
    expect(ada).toMatchObject({ active: false, lastSeq: 3, replay: [], truncated: false })
    stream.begin(1)
    expect(look('bob')).toMatchObject({ active: true, lastSeq: 4, truncated: false })
    expect(['ada', 'bob', 'eve'].map((user) => stream.isWatchedBy(user))).toEqual([true, true, false])
    ada.close()
    expect([stream.isWatchedBy('ada'), stream.watched]).toEqual([false, true])
    stream.end()
    expect([stream.active, numbers(stream, 0).replay]).toEqual([false, [4]])
    stream.close()
    expect([closed, stream.watched, numbers(stream, 0).replay]).toEqual([['bob'], false, []])
  })

  it('tells all of the next run to who names a number that is still to come', () => {
    const stream = new LiveStream(5)
    const early = numbers(stream, 50)
    stream.begin(6)
    stream.push(text('x'))
    expect(early.seen).toEqual([6, 7])
  })

  it('passes over who has seen what is said again', () => {
    const stream = new LiveStream(0)
    stream.begin(1)
    const late = numbers(stream, 3)
    for (let n = 0; n < 4; n++) stream.push(text('x'))
    expect(late.seen).toEqual([4, 5])
  })
})

describe('Slots', () => {
  it('are given in turn, and given back once', async () => {
    const slots = new Slots(1)
    const stay = new AbortController().signal
    const first = await slots.take(stay)
    const order: string[] = []
    const second = slots.take(stay).then((leave) => {
      order.push('second')
      return leave
    })
    const gone = new AbortController()
    const third = slots.take(gone.signal)
    const fourth = slots.take(stay).then((leave) => {
      order.push('fourth')
      return leave
    })
    expect([slots.line, slots.free]).toEqual([3, false])
    gone.abort()
    expect(await third).toBeNull()
    first!()
    first!()
    const leave = await second
    expect(order).toEqual(['second'])
    leave!()
    ;(await fourth)!()
    expect([slots.line, slots.free]).toEqual([0, true])
  })
})

describe('createTranscript', () => {
  it('joins what was said in pieces, each speaker’s own', () => {
    const transcript = createTranscript()
    const sub = { parent_tool_use_id: 't1', subagent: true } as const
    transcript.add({ type: 'text', content: 'One ' })
    transcript.add({ type: 'text', content: 'two.' })
    transcript.add({ type: 'text', content: 'Sub', metadata: sub })
    transcript.add({ type: 'text', content: 'ordinate', metadata: sub })
    transcript.add({ type: 'text', content: 'Three.' })
    expect(transcript.finish()).toEqual({
      content: 'One two.\n\nThree.',
      toolSummary: null,
      parts: [
        { type: 'text', content: 'One two.' },
        { type: 'text', content: 'Subordinate', metadata: sub },
        { type: 'text', content: 'Three.' },
      ],
    })
  })

  it('keeps the beginning and the end of what is too long, and says so', () => {
    const transcript = createTranscript()
    const long = `begin${'x'.repeat(99_992)}end`
    transcript.add({
      type: 'tool_call',
      content: 'Write',
      metadata: { tool_name: 'Write', tool_id: 't1', input: { content: long } },
    })
    transcript.add({ type: 'tool_result', content: long, metadata: { tool_use_id: 't1', tool_id: 't1' } })
    for (let n = 0; n < 50; n++) transcript.add({ type: 'text', content: `<${n}>${'y'.repeat(99_990)}` })
    const { parts, content } = transcript.finish()
    expect(parts.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'text', 'text', 'text'])
    expect(parts[0]).toEqual({
      type: 'tool_call',
      content: 'Write',
      tool_name: 'Write',
      tool_id: 't1',
      metadata: { truncated: true },
    })
    expect(parts[1]).toMatchObject({ tool_id: 't1', metadata: { truncated: true, length_chars: 100_000 } })
    expect(parts[1]!.content).toMatch(/^beginx+\n\[34464 characters were left out here\]\nx+end$/)
    const [, , first, gap, last] = parts
    expect(first!.content).toMatch(/^<0>y/)
    expect(last!.content).toMatch(/<49>y+$/)
    expect(gap!.content).toMatch(/^\[\d+ characters were left out here\]$/)
    const leftOut = Number(gap!.metadata!['left_out_chars'])
    expect(gap!.metadata).toEqual({ truncated: true, left_out_chars: leftOut })
    expect(first!.content!.length + leftOut + last!.content!.length).toBe(10 * 99_993 + 40 * 99_994)
    expect(content).toBe([first!.content, gap!.content, last!.content].join('\n\n'))
    expect(JSON.stringify(parts).length).toBeLessThan(4 * 1024 * 1024 + 1000)
  })

  it('keeps a picture whole or not at all', () => {
    const transcript = createTranscript()
    const metadata = { media_type: 'image/png' }
    transcript.add({ type: 'image', content: 'iVBORw0=', metadata })
    transcript.add({ type: 'image', content: 'x'.repeat(3 * 1024 * 1024), metadata })
    expect(transcript.finish().parts).toEqual([
      { type: 'image', content: 'iVBORw0=', metadata },
      { type: 'image', content: '', metadata: { ...metadata, truncated: true } },
    ])
  })

  it('marks the place of a line that was too long to be read', () => {
    const transcript = createTranscript()
    transcript.add({ type: 'text', content: 'Before' })
    const metadata = { subtype: 'line_too_long', bytes: 20_000_000 }
    transcript.add({ type: 'system', content: 'A line of 20000000 bytes was left out', metadata })
    transcript.add({ type: 'system', content: 'something else', metadata: { subtype: 'init' } })
    transcript.add({ type: 'text', content: 'After' })
    expect(transcript.finish()).toEqual({
      content: 'Before\n\n[A line of 20000000 bytes was left out]\n\nAfter',
      toolSummary: null,
      parts: [
        { type: 'text', content: 'Before' },
        { type: 'text', content: '[A line of 20000000 bytes was left out]', metadata },
        { type: 'text', content: 'After' },
      ],
    })
  })
})

describe('keepParts', () => {
  const shown = (parts: Part[]) => parts.map(({ type, content }) => `${type} ${content}`)
  const text = (kept: KeptParts, ...pieces: string[]) => {
    for (const piece of pieces) kept.say({ type: 'text' }, piece)
  }

  it.each<[string, string[], string[]]>([
    ['all that fits', ['0123', '4567', '89'], ['text 0123456789']],
    [
      'the ends of one long piece',
      ['0123456789ab'],
      ['text 01234', 'text [2 characters were left out here]', 'text 789ab'],
    ],
    [
      'the ends of many pieces',
      ['012', '345', '6', '7', '89a', 'b'],
      ['text 01234', 'text [2 characters were left out here]', 'text 789ab'],
    ],
    ['whole characters', ['0123👍', '56789👍'], ['text 0123', 'text [3 characters were left out here]', 'text 6789👍']],
  ])('keeps %s', (_, pieces, parts) => {
    const kept = keepParts(10)
    text(kept, ...pieces)
    expect(shown(kept.finish())).toEqual(parts)
  })

  it('leaves out parts that are no text as a whole, with what they weigh', () => {
    const kept = keepParts(10)
    kept.put({ type: 'image' }, '', 5)
    kept.put({ type: 'tool_call' }, 'Read', 2)
    text(kept, 'abc')
    expect(shown(kept.finish())).toEqual(['image ', 'text [6 characters were left out here]', 'text abc'])
  })

  it('holds no more than a few times its limit while it grows', () => {
    const kept = keepParts(100)
    for (let n = 0; n < 10_000; n++) text(kept, '0123456789')
    for (let n = 0; n < 10_000; n++) kept.put({ type: 'error' }, '0123456789')
    const parts = kept.finish()
    expect(parts).toHaveLength(7)
    expect(parts[1]!.content).toBe('[199900 characters were left out here]')
  })
})
