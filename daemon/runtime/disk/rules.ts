import type { Usage } from './usage.ts'

/** `warn`: four fifths are taken. `full`: nothing may be added. */
export type Level = 'ok' | 'warn' | 'full'

const MB = 1024 ** 2
const GB = 1024 ** 3

/** Shares at which a level begins, and those below which it ends: nothing flutters at an edge. */
const begins = { warn: 0.8, full: 1 }
const ends = { warn: 0.75, full: 0.95 }

/** The level at this share of what is allowed, when it was another one before. */
export function levelAt(share: number, before: Level): Level {
  if (share >= (before === 'full' ? ends.full : begins.full)) return 'full'
  if (share >= (before === 'ok' ? begins.warn : ends.warn)) return 'warn'
  return 'ok'
}

/** Entries that a crew may have: counting them stays bounded, and so do the inodes that are taken. */
export const mostFiles = 2_000_000

/** How much of what it is allowed a crew has used. What has too much to be counted has used it all. */
export const shareOf = ({ bytes, files, complete }: Usage, limit: number): number =>
  complete ? Math.max(bytes / limit, files / mostFiles) : Infinity

/** A crew's usage as people read it, such as "8.1 GB of 10.0 GB". */
export function wordsOf({ bytes, files, complete }: Usage, limit: number): string {
  if (!complete) return `more than ${mostFiles} files, or folders nested deeper than can be counted`
  return files / mostFiles > bytes / limit ? `${files} of ${mostFiles} files` : `${size(bytes)} of ${size(limit)}`
}

/** A file system, in bytes. */
export interface Room {
  total: number
  used: number
  /** What may still be taken: some file systems keep a part for root. */
  free: number
}

/** What is kept of a file system for the daemon: `wanted` bytes, a twentieth of a small one. */
export const reserveOf = ({ used, free }: Room, wanted: number): number => Math.min(wanted, (used + free) / 20)

/**
 * The level of a file system of which a reserve is kept, when it was another one before. A reserve of 0 watches
 * nothing.
 */
export function levelOfRoom({ used, free }: Room, reserve: number, before: Level): Level {
  if (reserve === 0) return 'ok'
  if (free <= (before === 'full' ? 1.5 : 1) * reserve) return 'full'
  return used / (used + free - reserve) >= (before === 'ok' ? begins.warn : ends.warn) ? 'warn' : 'ok'
}

const fastest = GB
const soonest = 200
const latest = 5000

/** Milliseconds until the next check: sooner than the fastest writer can use up what is left. */
export const lookAgain = ({ free }: Room, reserve: number): number =>
  Math.min(latest, Math.max(soonest, ((free - reserve) / fastest) * 1000))

/** When and how a crew was counted; times are milliseconds of a clock that nobody sets. */
export interface Counted {
  /** Null before the first time: the crew was noticed then. */
  usage: Usage | null
  at: number
  /** How long it took. */
  took: number
  /** What was used of the crew's whole file system, by whomever. */
  used: number
}

const firstCount = 60_000
const lastingCount = 600_000
const restBetween = 5_000

/**
 * Whether a crew has to be counted. Counting is dear, asking the file system is not: as long as nobody has written
 * much, nobody has to be
 * counted. It never takes more than a fifth of the time.
 */
export function isDue({ usage, at, took, used }: Counted, room: Room, limit: number, now: number): boolean {
  const age = now - at
  if (age < Math.max(restBetween, 4 * took)) return false
  if (age >= (usage ? lastingCount : firstCount)) return true
  const left = limit - (usage?.bytes ?? 0)
  return room.used - used >= Math.max(MB, Math.min(limit / 16, left / 2))
}

export const size = (bytes: number): string =>
  bytes < GB ? `${Math.round(bytes / MB)} MB` : `${(bytes / GB).toFixed(1)} GB`
