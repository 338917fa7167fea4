import { createCache } from '../cache.ts'

export interface Buckets {
  /** Takes a token from a bucket of `rate` tokens that refills over `refill` ms. Returns the seconds to wait, or 0. */
  take(key: string, rate: number, refill: number): number
  /** Puts one back. */
  giveBack(key: string, rate: number): void
}

/** Token buckets in memory, each full at first, and at most so many. */
export function createBuckets(clock: () => number, most = 50_000): Buckets {
  // A flood of keys must not grow without end: the one that was quiet the longest goes first, and its bucket is the
  // fullest.
  const buckets = createCache<{ left: number; at: number }>(most)
  return {
    take(key, rate, refill) {
      const now = clock()
      const held = buckets.get(key) ?? { left: rate, at: now }
      const left = Math.min(rate, held.left + (Math.max(0, now - held.at) * rate) / refill)
      const allowed = left >= 1
      buckets.set(key, { left: allowed ? left - 1 : left, at: now })
      return allowed ? 0 : Math.max(1, Math.ceil(((1 - left) * refill) / rate / 1000))
    },
    giveBack(key, rate) {
      const held = buckets.get(key)
      if (held) held.left = Math.min(rate, held.left + 1)
    },
  }
}
