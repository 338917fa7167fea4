import { isIPv6 } from 'node:net'
import type { LimiterKey } from '#contract/limits'
import type { Config } from '../config.ts'
import { type Problem, problem } from '../problem.ts'
import { createBuckets } from './buckets.ts'

/**
 * `test`: tests of keys with their provider. `mail`: mails of one kind to one address, which anyone may cause. `judge`:
 * trials of judges. `failures`: failed sign-ins to any account. `sockets`: WebSockets on which nobody signs in.
 */
export type Bucket = 'auth' | 'api' | 'test' | 'pairing' | 'mail' | 'failures' | 'sockets' | 'judge'

export interface Limits {
  /** Takes a token from this client's bucket; returns a problem when the bucket is empty. */
  take(bucket: Bucket, client: string): Problem | null
  /** Returns a token for a request that does not count after all. */
  giveBack(bucket: Bucket, client: string): void
  /** Takes a token from the buckets of an agent and its crew, or from neither. Returns the seconds to wait, or 0. */
  takeCall(call: string, who: { agent: string; crew: string }, rate: { agent: number; crew: number }): number
  /** The value in force. */
  value(key: LimiterKey): number
  /** The value of the configuration. */
  fallback(key: LimiterKey): number
  /** True while a value overrides the configuration, even an equal one. */
  overridden(key: LimiterKey): boolean
  /** Overrides the value at once; null restores that of the configuration. */
  override(key: LimiterKey, value: number | null): void
}

/** Pairing codes redeemed per minute by all clients together, against guessing from many addresses. */
const pairingPerMinute = 300
/** Tests of keys per minute and person. */
const testsPerMinute = 60
/** WebSockets per minute on which a client does not sign in. */
const socketsPerMinute = 120
/** Mails of one kind per hour and address. */
const mailsPerHour = 5
/** Failed sign-ins per hour and client, as a multiple of its sign-ins per minute, against password spraying. */
const failuresPerHour = 6
/** Buckets that refill over an hour. */
const slow: ReadonlySet<Bucket> = new Set<Bucket>(['mail', 'failures'])

/** Limits for each client network, with burst equal to rate. docs/rules/http.md, "Rate limits". */
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
    sockets: () => socketsPerMinute,
    judge: () => config.keeperProbesPerMinute,
    failures: () => failuresPerHour * value('http.auth_per_min'),
  }
  const buckets = createBuckets(steady)
  const minute = 60_000
  const refill = (bucket: Bucket) => (slow.has(bucket) ? 60 * minute : minute)

  return {
    take(bucket, client) {
      if (config.rateLimitDisabled) return null
      const rate = rates[bucket]()
      const wait = buckets.take(keyOf(bucket, client), rate, refill(bucket))
      if (wait === 0) return null
      const headers = {
        'retry-after': String(wait),
        'x-ratelimit-limit': String(rate),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(clock() / 1000) + wait),
      }
      return problem('rate_limited', { headers, detail: `Too many requests; try again in ${wait} s` })
    },
    giveBack: (bucket, client) => buckets.giveBack(keyOf(bucket, client), rates[bucket]()),
    takeCall(call, { agent, crew }, rate) {
      if (config.rateLimitDisabled) return 0
      const [own, shared] = [`agent ${call} ${agent}`, `crew ${call} ${crew}`]
      const wait = buckets.take(own, rate.agent, minute)
      if (wait > 0) return wait
      const crewWaits = buckets.take(shared, rate.crew, minute)
      if (crewWaits > 0) buckets.giveBack(own, rate.agent)
      return crewWaits
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

/** The network that shares a bucket: an IPv4 address or an IPv6 /64, since one client owns all of it. */
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
