import type { Config } from './config.ts'
import { type Problem, problem } from './problem.ts'

export type Bucket = 'auth' | 'api'

export interface Limits {
  /** Takes one request of this client from its bucket; a problem when there is none left. */
  take(bucket: Bucket, client: string): Problem | null
}

const bound = 50_000

/** Token buckets for each client address, refilled evenly over a minute, burst = rate. Contract part 1, section 1.6. */
export function createLimits(config: Config, clock: () => number): Limits {
  const rates: Record<Bucket, number> = { auth: config.authPerMinute, api: config.apiPerMinute }
  const buckets = new Map<string, { left: number; at: number }>()

  function prune(now: number): void {
    for (const [key, { at }] of buckets) if (now - at > 60_000) buckets.delete(key)
    // A flood of addresses must not grow without end: the oldest go first.
    for (const key of buckets.keys()) {
      if (buckets.size < bound) break
      buckets.delete(key)
    }
  }

  return {
    take(bucket, client) {
      if (config.rateLimitDisabled) return null
      const rate = rates[bucket]
      const now = clock()
      const key = `${bucket} ${client}`
      if (buckets.size >= bound && !buckets.has(key)) prune(now)
      const held = buckets.get(key) ?? { left: rate, at: now }
      const left = Math.min(rate, held.left + (Math.max(0, now - held.at) * rate) / 60_000)
      const allowed = left >= 1
      buckets.set(key, { left: allowed ? left - 1 : left, at: now })
      if (allowed) return null
      const wait = Math.max(1, Math.ceil(((1 - left) * 60) / rate))
      const headers = {
        'retry-after': String(wait),
        'x-ratelimit-limit': String(rate),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(now / 1000) + wait),
      }
      return problem('rate_limited', { headers, detail: `Too many requests; try again in ${wait} s` })
    },
  }
}
