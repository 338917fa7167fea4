import { isIPv6 } from 'node:net'
import type { LimiterKey } from '#contract/limits'
import { createCache } from './cache.ts'
import type { Config } from './config.ts'
import { type Problem, problem } from './problem.ts'

/**
 * `test`: questions to providers whether they take a key. `mail`: mails of one kind to one address, which anyone may bring
 * about. `failures`: sign-ins that fail, of whatever account.
 */
export type Bucket = 'auth' | 'api' | 'test' | 'pairing' | 'mail' | 'failures'

export interface Limits {
  /** Takes one request of this client from its bucket; a problem when there is none left. */
  take(bucket: Bucket, client: string): Problem | null
  /** Puts back what was taken for something that does not count after all. */
  giveBack(bucket: Bucket, client: string): void
  /** The value in force. */
  value(key: LimiterKey): number
  /** The value of the configuration. */
  fallback(key: LimiterKey): number
  /** True while another value than that of the configuration was set, even if both are equal. */
  overridden(key: LimiterKey): boolean
  /** Puts another value in force, at once; null brings back that of the configuration. */
  override(key: LimiterKey, value: number | null): void
}

/** Redeemed pairing codes a minute, of all clients together: what keeps guessing hopeless from many addresses at once. */
const pairingPerMinute = 300
/** Keys that one person may have tested. Contract, credentials. */
const testsPerMinute = 60
/** Mails at once, and the minutes after which as many may follow. */
const mailsPerHour = 5
/** Failed sign-ins of one client, as a multiple of its sign-ins a minute: one password tried on every account comes to an end. */
const failuresPerHour = 6
/** Buckets that are refilled over an hour. */
const slow: ReadonlySet<Bucket> = new Set<Bucket>(['mail', 'failures'])
const bound = 50_000

/** Token buckets for each client network, refilled evenly over a minute (the slow ones: over an hour), burst = rate. Contract part 1, section 1.6. */
export function createLimits(config: Config, steady: () => number, clock: () => number = steady): Limits {
  const fallbacks: Record<LimiterKey, number> = {
    'http.auth_per_min': config.authPerMinute,
    'http.api_per_min': config.apiPerMinute,
    'login.lockout_threshold': config.lockoutThreshold,
    'login.lockout_duration_sec': Math.ceil(config.lockoutDuration),
  }
  const overrides = new Map<LimiterKey, number>()
  const value = (key: LimiterKey) => overrides.get(key) ?? fallbacks[key]
  const rates: Record<Bucket, () => number> = {
    auth: () => value('http.auth_per_min'),
    api: () => value('http.api_per_min'),
    pairing: () => pairingPerMinute,
    test: () => testsPerMinute,
    mail: () => mailsPerHour,
    failures: () => failuresPerHour * value('http.auth_per_min'),
  }
  // A flood of addresses must not grow without end: the one that was quiet the longest goes first, and its bucket is the fullest.
  const buckets = createCache<{ left: number; at: number }>(bound)

  return {
    take(bucket, client) {
      if (config.rateLimitDisabled) return null
      const rate = rates[bucket]()
      const refill = slow.has(bucket) ? 3_600_000 : 60_000
      const now = steady()
      const key = keyOf(bucket, client)
      const held = buckets.get(key) ?? { left: rate, at: now }
      const left = Math.min(rate, held.left + (Math.max(0, now - held.at) * rate) / refill)
      const allowed = left >= 1
      buckets.set(key, { left: allowed ? left - 1 : left, at: now })
      if (allowed) return null
      const wait = Math.max(1, Math.ceil(((1 - left) * refill) / rate / 1000))
      const headers = {
        'retry-after': String(wait),
        'x-ratelimit-limit': String(rate),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(clock() / 1000) + wait),
      }
      return problem('rate_limited', { headers, detail: `Too many requests; try again in ${wait} s` })
    },
    giveBack(bucket, client) {
      const held = buckets.get(keyOf(bucket, client))
      if (held) held.left = Math.min(rates[bucket](), held.left + 1)
    },
    value,
    fallback: (key) => fallbacks[key],
    overridden: (key) => overrides.has(key),
    override(key, value) {
      if (value === null) overrides.delete(key)
      else overrides.set(key, value)
    },
  }
}

const keyOf = (bucket: Bucket, client: string): string => `${bucket} ${network(client)}`

/** Whoever has one IPv6 address has the 2^64 of its network: they share a bucket. */
export function network(ip: string): string {
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.split('%', 1)[0]!.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const start = groups(head)
  const zeros = tail === undefined ? 0 : 8 - start.length - groups(tail).length
  return [...start, ...Array<string>(Math.max(0, zeros)).fill('0'), ...groups(tail)]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
