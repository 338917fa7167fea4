import { describe, expect, it } from 'vitest'
import { providers } from '../../../daemon/providers/index.ts'
import { costOf, type Prices } from '../../../daemon/providers/prices.ts'

const prices: Prices = {
  asOf: '2026-01-01',
  models: {
    one: { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 4 },
    plain: { input: 2, output: 10, cacheRead: 0.5 },
    short: { input: 2, output: 10, cacheRead: 0.5, upTo: 1000 },
  },
}
const used = (more: Partial<Parameters<typeof costOf>[2]> = {}) => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  ...more,
})

describe('a price list', () => {
  it.each<[string, model: string, Parameters<typeof costOf>[2], expected: number | null]>([
    ['each kind of token', 'one', used({ input: 1e6, output: 1e5, cacheRead: 1e6, cacheWrite: 1e6 }), 7.5],
    ['a few tokens exactly', 'one', used({ input: 3, output: 7 }), 0.000076],
    ['a snapshot of the model', 'one-20250929', used({ input: 1e6 }), 2],
    ['a snapshot with dashes', 'one-2025-04-14', used({ input: 1e6 }), 2],
    ['what is written as input, where writing costs nothing more', 'plain', used({ cacheWrite: 1e6 }), 2],
    ['a prompt that is just short enough', 'short', used({ input: 400, cacheRead: 300, cacheWrite: 300 }), 0.00155],
    ['nothing of a longer prompt', 'short', used({ input: 401, cacheRead: 300, cacheWrite: 300 }), null],
    ['nothing of a model that it does not name', 'one-mini', used({ input: 1 }), null],
    ['nothing of a member that every object has', 'toString', used({ input: 1 }), null],
  ])('tells %s', (_, model, counted, expected) => expect(costOf(prices, model, counted)).toBe(expected))

  it.each(providers.flatMap((it) => (it.prices ? [[it.name, it.prices] as const] : [])))(
    'of %s is dated, and costs something for each model',
    (_, { asOf, models }) => {
      expect(new Date(asOf).toISOString().slice(0, 10)).toBe(asOf)
      for (const { input, output, cacheRead, cacheWrite = 1 } of Object.values(models))
        expect(Math.min(input, output, cacheRead, cacheWrite)).toBeGreaterThan(0)
    },
  )
})
