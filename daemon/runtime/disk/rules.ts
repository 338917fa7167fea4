import type { Usage } from './usage.ts'

/** `warn`: four fifths are used. `full`: nothing more may be written. */
export type Level = 'ok' | 'warn' | 'full'

const MB = 1024 ** 2
const GB = 1024 ** 3

/** Shares at which a level begins, and lower ones at which it ends (hysteresis). */
const begins = { warn: 0.8, full: 1 }
const ends = { warn: 0.75, full: 0.95 }

/** The level at this share of the limit, given the previous level. */
export function levelAt(share: number, before: Level): Level {
  if (share >= (before === 'full' ? ends.full : begins.full)) return 'full'
  if (share >= (before === 'ok' ? begins.warn : ends.warn)) return 'warn'
  return 'ok'
}

/** Most entries that a crew may have, which bounds the measurement and the inodes in use. */
export const mostFiles = 2_000_000

/** The share of its limit that a crew has used; at least 1 when it has too many entries to measure. */
export const shareOf = ({ bytes, files, complete }: Usage, limit: number): number =>
  complete ? Math.max(bytes / limit, files / mostFiles) : Infinity

/** A crew's usage as text, such as "8.1 GB of 10.0 GB". */
export function wordsOf({ bytes, files, complete }: Usage, limit: number): string {
  if (!complete) return `more than ${mostFiles} files, or folders nested deeper than can be counted`
  return files / mostFiles > bytes / limit ? `${files} of ${mostFiles} files` : `${size(bytes)} of ${size(limit)}`
}

/** A file system, in bytes. */
export interface Room {
  total: number
  used: number
  /** Available to this user: some file systems reserve a part for root. */
  free: number
}

/** Bytes of a file system that are reserved for the daemon: `wanted`, but at most a twentieth. */
export const reserveOf = ({ used, free }: Room, wanted: number): number => Math.min(wanted, (used + free) / 20)

/** The level of a file system with a reserve, given the previous level. A reserve of 0 turns this off. */
export function levelOfRoom({ used, free }: Room, reserve: number, before: Level): Level {
  if (reserve === 0) return 'ok'
  if (free <= (before === 'full' ? 1.5 : 1) * reserve) return 'full'
  return used / (used + free - reserve) >= (before === 'ok' ? begins.warn : ends.warn) ? 'warn' : 'ok'
}

const fastest = GB
const soonest = 200
const latest = 5000

/** Milliseconds until the next check: sooner than the fastest writer can use up the rest. */
export const lookAgain = ({ free }: Room, reserve: number): number =>
  Math.min(latest, Math.max(soonest, ((free - reserve) / fastest) * 1000))

/** The last measurement of a crew; times are milliseconds of a monotonic clock. */
export interface Counted {
  /** Null before the first measurement; `at` is then when the crew was first seen. */
  usage: Usage | null
  at: number
  /** How long it took. */
  took: number
  /** Bytes in use on the crew's whole file system. */
  used: number
}

const firstCount = 60_000
const lastingCount = 600_000
const restBetween = 5_000

/**
 * Whether a crew has to be measured. That is expensive, unlike reading the state of its file system, so it is skipped
 * while little changes there. Freed space is a change too: others may free what the crew writes. It never takes more
 * than a fifth of the time.
 */
export function isDue({ usage, at, took, used }: Counted, room: Room, limit: number, now: number): boolean {
  const age = now - at
  if (age < Math.max(restBetween, 4 * took)) return false
  if (age >= (usage ? lastingCount : firstCount)) return true
  const left = limit - (usage?.bytes ?? 0)
  return Math.abs(room.used - used) >= Math.max(MB, Math.min(limit / 16, left / 2))
}

export const size = (bytes: number): string =>
  bytes < GB ? `${Math.round(bytes / MB)} MB` : `${(bytes / GB).toFixed(1)} GB`
