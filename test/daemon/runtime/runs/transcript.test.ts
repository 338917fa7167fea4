import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import { beginning, ending, keepParts } from '../../../../daemon/runtime/runs/kept-parts.ts'
import { createTranscript } from '../../../../daemon/runtime/runs/transcript.ts'

function told(...frames: AgentFrame[]) {
  const transcript = createTranscript()
  for (const frame of frames) transcript.add(frame)
  return transcript.finish()
}
const calls = (tool_name: string, input: Record<string, unknown> = {}): AgentFrame => ({
  type: 'tool_call',
  content: tool_name,
  metadata: { tool_name, tool_id: 't1', input },
})

describe('a transcript', () => {
  it('counts the calls of each tool, in the order in which they came first', () => {
    const frames = ['Write', 'Bash', 'Write', 'Read', 'Bash', 'Bash'].map((name) => calls(name))
    expect(told(...frames).toolSummary).toBe('Write x2, Bash x3, Read')
  })

  it('keeps thoughts apart from words, words of helpers out of the answer, and no empty ones', () =>
    expect(
      told(
        { type: 'thinking', content: 'hm', metadata: { streaming: true } },
        { type: 'text', content: '' },
        { type: 'text', content: 'One' },
        { type: 'text', content: 'Two', metadata: { parent_tool_use_id: 't1', subagent: true } },
        { type: 'text', content: 'Three', metadata: { parent_tool_use_id: 't2', subagent: true } },
        { type: 'error', content: 'Slow', metadata: { reason: 'overloaded', code: 'capacity' } },
      ),
    ).toEqual({
      content: 'One',
      toolSummary: null,
      parts: [
        { type: 'thinking', content: 'hm' },
        { type: 'text', content: 'One' },
        { type: 'text', content: 'Two', metadata: { parent_tool_use_id: 't1', subagent: true } },
        { type: 'text', content: 'Three', metadata: { parent_tool_use_id: 't2', subagent: true } },
        { type: 'error', content: 'Slow', metadata: { reason: 'overloaded', code: 'capacity' } },
      ],
    }))

  it('keeps the input of a tool of up to 64 KiB, and what else a call says', () => {
    // {"a":"…"} has eight characters beside the text.
    const [fits, over] = told(calls('A', { a: 'x'.repeat(65_528) }), calls('B', { a: 'x'.repeat(65_529) })).parts
    expect(fits!.metadata!['input']).toHaveProperty('a.length', 65_528)
    expect(fits!.metadata).not.toHaveProperty('truncated')
    expect(over!.metadata).toEqual({ truncated: true })
    const more = { type: 'tool_call', content: 'C', metadata: { tool_name: 'C', tool_id: 't3', subagent: true } }
    expect(told(more as AgentFrame).parts[0]).toMatchObject({ tool_name: 'C', metadata: { subagent: true } })
  })

  it('keeps the output of a tool of up to 64 KiB, of longer ones 32 KiB from both ends', () => {
    const gets = (content: string): AgentFrame => ({
      type: 'tool_result',
      content,
      metadata: { tool_use_id: 't1', tool_id: 't1', is_error: true },
    })
    const [fits, over] = told(gets('x'.repeat(65_536)), gets(`${'a'.repeat(32_769)}${'b'.repeat(32_768)}`)).parts
    expect(fits).toEqual({
      type: 'tool_result',
      tool_id: 't1',
      content: 'x'.repeat(65_536),
      metadata: { is_error: true },
    })
    expect(over!.content).toBe(`${'a'.repeat(32_768)}\n[1 characters were left out here]\n${'b'.repeat(32_768)}`)
    expect(over!.metadata).toEqual({ is_error: true, truncated: true, length_chars: 65_537 })
  })

  it('keeps a picture of up to 2 MiB', () => {
    const shows = (length: number): AgentFrame => ({
      type: 'image',
      content: 'x'.repeat(length),
      metadata: { media_type: 'image/png' },
    })
    const lengthOf = (length: number) => {
      const [part] = told(shows(length)).parts
      return [part!.content!.length, part!.metadata]
    }
    const size = 2 * 1024 * 1024
    expect(lengthOf(size)).toEqual([size, { media_type: 'image/png' }])
    expect(lengthOf(size + 1)).toEqual([0, { media_type: 'image/png', truncated: true }])
  })

  it('keeps 4 MiB to the last character', () => {
    const gets = (length: number): AgentFrame => ({
      type: 'tool_result',
      content: 'x'.repeat(length),
      metadata: { tool_use_id: 't1', tool_id: 't1' },
    })
    const whole = Array.from({ length: 63 }, () => gets(65_536))
    const call = calls('Write', { a: 'x'.repeat(70_000) })
    const { parts } = told(call, ...whole, gets(65_531))
    expect(parts.map(({ type }) => type)).toEqual(['tool_call', ...Array.from({ length: 64 }, () => 'tool_result')])
    expect(parts[1]!.metadata).toBeUndefined()
    expect(told(call, ...whole, gets(65_532)).parts.some(({ type }) => type === 'text')).toBe(true)
  })

  it('counts the input of tools as part of its 4 MiB', () => {
    const frames = Array.from({ length: 80 }, () => calls('A', { a: 'x'.repeat(60_000) }))
    const { parts } = told(...frames)
    expect(parts.length).toBeLessThan(75)
    expect(parts.find(({ type }) => type === 'text')!.metadata).toMatchObject({ truncated: true })
  })
})

describe('kept parts', () => {
  const shown = (limit: number, ...texts: string[]) => {
    const kept = keepParts(limit)
    for (const text of texts) kept.say({ type: 'text' }, text)
    return kept.finish().map(({ content }) => content)
  }
  const gap = (count: number) => `[${count} characters were left out here]`

  it.each<[string[], string[]]>([
    [['01234'], ['01234']],
    [['01234', '56789'], ['0123456789']],
    [['0123456789'], ['0123456789']],
    [['0123456789a'], ['01234', gap(1), '6789a']],
    [
      ['01234', '56789', 'a'],
      ['01234', gap(1), '6789a'],
    ],
    [
      ['0123', '4', '56789abcdefghijklmnopqrstuvwxyz'],
      ['01234', gap(26), 'vwxyz'],
    ],
  ])('of %j within ten characters are %j', (texts, parts) => expect(shown(10, ...texts)).toEqual(parts))

  it('are joined only with what the same speaker said in the same way', () => {
    const kept = keepParts(100)
    const by = (parent_tool_use_id: string) => ({ type: 'text' as const, metadata: { parent_tool_use_id } })
    kept.say({ type: 'text' }, 'a')
    kept.say({ type: 'thinking' }, 'b')
    kept.say(by('t1'), 'c')
    kept.say(by('t1'), 'd')
    kept.say(by('t2'), 'e')
    kept.put({ type: 'text' }, 'f')
    kept.say({ type: 'text' }, 'g')
    kept.say({ type: 'text' }, 'h')
    expect(kept.finish().map(({ content }) => content)).toEqual(['a', 'b', 'cd', 'e', 'f', 'gh'])
  })

  it('that are no text count with their weight, and are left out whole', () => {
    const kept = keepParts(10)
    kept.put({ type: 'tool_call' }, 'ab', 3)
    kept.put({ type: 'tool_call' }, 'cd', 4)
    kept.put({ type: 'tool_call' }, 'ef', 3)
    expect(kept.finish()).toEqual([
      { type: 'tool_call', content: 'ab' },
      { type: 'text', content: gap(6), metadata: { truncated: true, left_out_chars: 6 } },
      { type: 'tool_call', content: 'ef' },
    ])
    const all = keepParts(10)
    all.put({ type: 'tool_call' }, 'ab', 3)
    all.put({ type: 'tool_call' }, 'cd', 3)
    expect(all.finish().map(({ content }) => content)).toEqual(['ab', 'cd'])
  })
})

describe('kept parts of several speakers', () => {
  const contents = (fill: (kept: ReturnType<typeof keepParts>) => void) => {
    const kept = keepParts(10)
    fill(kept)
    return kept.finish().map(({ content }) => content)
  }

  it('fill the beginning as far as it goes', () =>
    expect(
      contents((kept) => {
        kept.say({ type: 'text' }, 'abc')
        kept.say({ type: 'thinking' }, 'defghijk')
      }),
    ).toEqual(['abc', 'de', '[1 characters were left out here]', 'ghijk']))

  it('are not parted behind the beginning', () =>
    expect(
      contents((kept) => {
        kept.put({ type: 'tool_call' }, 'x', 6)
        kept.say({ type: 'text' }, 'abcdefg')
      }),
    ).toEqual(['[7 characters were left out here]', 'abcdefg']))
})

describe('the ends of a text', () => {
  it.each([
    ['abc', 2, 'ab', 'bc'],
    ['abc', 3, 'abc', 'abc'],
    ['abc', 1, 'a', 'c'],
    ['abc', 0, '', ''],
    ['👍👍', 3, '👍', '👍'],
    ['👍👍', 2, '👍', '👍'],
    ['👍a👍', 4, '👍a', 'a👍'],
    ['\udc4da\ud83d', 3, '\udc4da\ud83d', '\udc4da\ud83d'],
  ])('of %j are, %d characters long, %j and %j', (text, most, first, last) =>
    expect([beginning(text, most), ending(text, most)]).toEqual([first, last]),
  )
})
