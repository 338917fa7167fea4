import type { Buffer } from 'node:buffer'
import type { BigIntStats } from 'node:fs'

/** One line of a mark. Names are bytes, as latin1 text, since not all are UTF-8. */
export interface Entry {
  /** Name within its folder. */
  name: string
  kind: 'f' | 'd' | 'l'
  mode: number
  uid: number
  gid: number
  /** Seconds since 1970. */
  mtime: number
  size: number
  /** Digest of a file's content, target of a link as latin1. */
  content: string
  /** Inode and change time: a file in which they are the same has the same content. Empty where that is not certain. */
  stamp: string
  entries: Map<string, Entry>
}

export const raw = (name: string): Buffer => globalThis.Buffer.from(name, 'latin1')

const kinds = (stats: BigIntStats): Entry['kind'] | null =>
  stats.isFile() ? 'f' : stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : null

/** An entry of what is there; null for what cannot be marked. */
export function entryOf(name: string, stats: BigIntStats, now = Date.now()): Entry | null {
  const kind = kinds(stats)
  if (!kind) return null
  return {
    name,
    kind,
    mode: Number(stats.mode) & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    mtime: Number(stats.mtimeNs) / 1e9,
    size: kind === 'f' ? Number(stats.size) : 0,
    content: '',
    stamp: stampOf(stats, now),
    entries: new Map(),
  }
}

/** How long a file must be left alone until its change time tells of any further change. */
const settledNs = 2_000_000_000n

export function stampOf(stats: BigIntStats, now: number): string {
  return BigInt(now) * 1_000_000n - stats.ctimeNs > settledNs
    ? `${stats.dev}.${stats.ino}.${stats.ctimeNs}.${stats.size}`
    : ''
}
