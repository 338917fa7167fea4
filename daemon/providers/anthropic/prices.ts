import type { Price, Prices } from '../prices.ts'

/** Caches are written for five minutes, as Claude Code asks. */
const price = (input: number, output: number, cacheRead: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
})

/** https://platform.claude.com/docs/en/about-claude/pricing */
export const prices: Prices = {
  asOf: '2026-10-24',
  models: {
    'claude-fable-5-1': price(10, 50, 0.25),
    'claude-fable-5': price(10, 50, 1),
    'claude-opus-5-5': price(4, 20, 0.2),
    'claude-opus-5': price(5, 25, 0.5),
    'claude-opus-4-8': price(5, 25, 0.5),
    'claude-opus-4-7': price(5, 25, 0.5),
    'claude-opus-4-6': price(5, 25, 0.5),
    'claude-opus-4-5': price(5, 25, 0.5),
    'claude-opus-4-1': price(15, 75, 1.5),
    'claude-sonnet-5-5': price(2, 10, 0.1),
    'claude-sonnet-5': price(2, 10, 0.2),
    'claude-sonnet-4-6': price(3, 15, 0.3),
    'claude-sonnet-4-5': price(3, 15, 0.3),
    'claude-haiku-5-5': { ...price(0.1, 0.5, 0.01), upTo: 100_000 },
    'claude-haiku-4-5': price(1, 5, 0.1),
  },
}
