import { describe, expect, it } from 'vitest'
import { human } from '../../../cli/output/cell.ts'
import { runView } from '../../../cli/views/runs.ts'

type Row = Parameters<NonNullable<typeof runView.columns.COST>>[0]
const run = (more: Partial<Row>) =>
  ({
    finished_at: '2026-01-01T00:00:00.000Z',
    input_tokens: 40,
    output_tokens: 200,
    cache_read_tokens: 11_800,
    cache_write_tokens: 0,
    reasoning_tokens: 50,
    cost_usd: 0.25,
    prices_as_of: null,
    ...more,
  }) as Row
const shown = (name: string, more: Partial<Row> = {}) =>
  human((runView.detail?.[name] ?? runView.columns[name])!(run(more))).text

describe('a run in a list', () => {
  it.each<[string, more: Partial<Row>, tokens: string, cost: string]>([
    ['with a cost', {}, '12040', '$0.25'],
    ['with a small one', { cost_usd: 0.00423 }, '12040', '$0.0042'],
    ['with an unknown one', { cost_usd: null }, '12040', 'unknown'],
    ['that goes on', { finished_at: null, input_tokens: null, cost_usd: null }, '-', '-'],
    ['whose client told nothing', { input_tokens: null, output_tokens: null, cost_usd: null }, '-', '-'],
  ])('%s', (_, more, tokens, cost) => {
    const { TOKENS, COST } = runView.columns
    expect([human(TOKENS!(run(more))).text, human(COST!(run(more))).text]).toEqual([tokens, cost])
  })
})

describe('a run alone', () => {
  it('shows its tokens in parts', () => {
    expect(shown('Tokens')).toBe('12040: 40 input, 11800 from the cache, 200 output, 50 of it reasoning')
    expect(
      shown('Tokens', { input_tokens: 0, output_tokens: 0, cache_read_tokens: null, reasoning_tokens: null }),
    ).toBe('0')
    expect(shown('Tokens', { input_tokens: null })).toBe('-')
  })

  it('names the day of the list that priced it', () => {
    expect(shown('Prices of', { prices_as_of: '2026-10-24' })).toBe('2026-10-24')
    expect(shown('Prices of')).toBe('-')
  })
})
