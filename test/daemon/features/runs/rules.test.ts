import { describe, expect, it } from 'vitest'
import { framesOf } from '../../../../daemon/features/runs/logs/rules.ts'
import { addSpent, spentOf } from '../../../../daemon/features/runs/rules.ts'

describe('what the programs of a run spent', () => {
  it('is added up, each number by itself', () => {
    const before = {
      input_tokens: 1,
      output_tokens: 2,
      total_cost_usd: 0.5,
      duration_ms: 30,
      num_turns: 4,
      left_out_lines: 5,
      left_out_bytes: 600,
    }
    const metadata = {
      input_tokens: 10,
      output_tokens: 20,
      total_cost_usd: 0.25,
      duration_ms: 300,
      num_turns: 40,
      left_out_lines: 50,
      left_out_bytes: 6000,
    }
    expect(addSpent(before, metadata)).toEqual({
      input_tokens: 11,
      output_tokens: 22,
      total_cost_usd: 0.75,
      duration_ms: 330,
      num_turns: 44,
      left_out_lines: 55,
      left_out_bytes: 6600,
    })
  })

  it('counts what only one of them names, and keeps the rest of the last one', () =>
    expect(addSpent({ input_tokens: 3, model: 'm1' }, { num_turns: 2, output_tokens: 'many', model: 'm2' })).toEqual({
      input_tokens: 3,
      output_tokens: 0,
      num_turns: 2,
      model: 'm2',
    }))

  it('adds up the usage by its names, if there is any', () => {
    const usage = (cached: number, other?: object) => ({ usage: { cached, ...other } })
    expect(addSpent(usage(1, { read: 2 }), usage(10, { written: 5 }))).toEqual({
      usage: { cached: 11, read: 2, written: 5 },
    })
    expect([addSpent({}, usage(3)), addSpent(usage(3), {})]).toEqual([usage(3), usage(3)])
    expect(addSpent({}, { model: 'm1' })).toEqual({ model: 'm1' })
  })

  it.each<[string, before: object, metadata: object, expected: object]>([
    [
      'the client told both',
      { input_tokens: 1, total_cost_usd: 1, cost_source: 'client' },
      { input_tokens: 1, total_cost_usd: 2, cost_source: 'client' },
      { input_tokens: 2, total_cost_usd: 3, cost_source: 'client' },
    ],
    [
      'one is by the list',
      { input_tokens: 1, total_cost_usd: 1, cost_source: 'client' },
      { input_tokens: 1, total_cost_usd: 2, cost_source: 'prices', prices_as_of: '2026-01-01' },
      { input_tokens: 2, total_cost_usd: 3, cost_source: 'prices', prices_as_of: '2026-01-01' },
    ],
    [
      'one is unknown',
      { input_tokens: 1, total_cost_usd: 1, cost_source: 'client' },
      { input_tokens: 1 },
      { input_tokens: 2 },
    ],
    ['the first is unknown', { output_tokens: 1 }, { output_tokens: 1, total_cost_usd: 1 }, { output_tokens: 2 }],
    [
      'one used nothing',
      { num_turns: 1 },
      { input_tokens: 5, total_cost_usd: 1 },
      { num_turns: 1, input_tokens: 5, total_cost_usd: 1 },
    ],
  ])('costs what is known of both: %s', (_, before, metadata, expected) =>
    expect(addSpent({ ...before }, { ...metadata })).toEqual(expected),
  )

  it('is all that is kept for the next program', () =>
    expect(spentOf({ input_tokens: 3, left_out_bytes: 4, usage: { cached: 1 }, model: 'm1', session_id: 's' })).toEqual(
      {
        input_tokens: 3,
        left_out_bytes: 4,
        usage: { cached: 1 },
      },
    ))
})

describe('a stored message as frames', () => {
  const ts = '2026-01-01T00:00:00.000Z'

  it('is the prompt when a person wrote it', () =>
    expect(framesOf({ role: 'user', content: 'Work', parts: [{ type: 'text', content: 'x' }], ts })).toEqual([
      { type: 'user_message', content: 'Work', metadata: {}, ts },
    ]))

  it('is its text when it has no parts, or nothing', () => {
    expect(framesOf({ role: 'assistant', content: 'Done', ts })).toEqual([{ type: 'text', content: 'Done', ts }])
    expect(framesOf({ role: 'assistant', content: 'Done', parts: [], ts })).toEqual([
      { type: 'text', content: 'Done', ts },
    ])
    expect(framesOf({ role: 'assistant', content: '', ts })).toEqual([])
  })

  it('has a frame for each part, its tool among the metadata', () =>
    expect(
      framesOf({
        role: 'assistant',
        content: 'Done',
        parts: [
          { type: 'tool_call', content: 'Bash', tool_name: 'Bash', tool_id: 't1', metadata: { input: { a: 1 } } },
          { type: 'text' },
        ],
        ts,
      }),
    ).toEqual([
      { type: 'tool_call', content: 'Bash', metadata: { tool_name: 'Bash', tool_id: 't1', input: { a: 1 } }, ts },
      { type: 'text', content: '', metadata: {}, ts },
    ]))
})
