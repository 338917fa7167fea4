import { createHash, hash } from 'node:crypto'
import type { Entry, Priority } from '#contract/entries'

/** How an entry is hashed. 2 covers the summary by its hash, as 1 does the payload alone: what is erased may go. */
export type Scheme = 1 | 2

/** What entries are written under. */
export const scheme: Scheme = 2

/** An entry split into what its hash covers as text, what may be erased, and its priority, which may change. */
export interface Rendered {
  /** JSON of the immutable members. */
  fixed: string
  /** JSON of the summary; empty under scheme 1, where it is one of the immutable members. */
  summary: string
  /** JSON of the payload; empty without one. */
  payload: string
  /** The whole entry. */
  doc: string
}

/** Writes an entry as the JSON that is stored, sent and hashed. */
export function render({ payload, priority, ...members }: Entry, under: Scheme = scheme): Rendered {
  const body = payload ? JSON.stringify(payload) : ''
  const end = `,"priority":"${priority}"${body && `,"payload":${body}`}}`
  if (under === 1) {
    const fixed = JSON.stringify(members)
    return { fixed, summary: '', payload: body, doc: `${fixed.slice(0, -1)}${end}` }
  }
  const { summary: said, ...others } = members
  const [fixed, summary] = [JSON.stringify(others), JSON.stringify(said)]
  return { fixed, summary, payload: body, doc: `${fixed.slice(0, -1)},"summary":${summary}${end}` }
}

const none = Buffer.alloc(32)

/** The hash before the first entry of a workspace. */
export const genesis = none

/** The hash of a part that may be erased; of a missing one it is all zeros. */
export const hashPart = (json: string): Buffer => (json ? hash('sha256', json, 'buffer') : none)

/**
 * The text that is hashed of an entry: its immutable members, and the priority that it was written with unless that is
 * the usual one.
 */
export const covered = (fixed: string, written: Priority): string => (written === 'normal' ? fixed : fixed + written)

/** Begins what is hashed under scheme 2, so that no entry of one scheme has a hash under the other. */
const second = hash('sha256', 'muster journal entry 2', 'buffer')

/** What is hashed is put together here: one call for each entry instead of a hash object. */
const scratch = Buffer.allocUnsafe(64 * 1024)
second.copy(scratch)

/** The hashes that an entry's own is made of: the entry before, and the parts that may be erased. */
export interface Hashes {
  prev: Buffer
  payload: Buffer
  /** Null under scheme 1. */
  summary: Buffer | null
}

/** The hash of an entry: over the entry before, the hashes of its parts and the text that is `covered`. */
export function hashEntry({ prev, payload, summary }: Hashes, text: string): Buffer {
  const from = summary ? 0 : none.length
  const start = none.length * (summary ? 4 : 3)
  // A character takes three bytes at most.
  if (start + 3 * text.length > scratch.length) {
    const hashes = summary ? [second, prev, payload, summary] : [prev, payload]
    return createHash('sha256').update(Buffer.concat(hashes)).update(text).digest()
  }
  prev.copy(scratch, none.length)
  payload.copy(scratch, 2 * none.length)
  summary?.copy(scratch, 3 * none.length)
  return hash('sha256', scratch.subarray(from, start + scratch.write(text, start)), 'buffer')
}

/** The parts of a stored entry as they stand in its text; null when the text is not laid out as `render` does it. */
export function split(doc: string, entry: Entry, under: Scheme = scheme): Omit<Rendered, 'doc'> | null {
  const { priority, payload } = entry
  const summary = under === 1 ? '' : JSON.stringify(entry.summary)
  const mark = `${summary && `,"summary":${summary}`},"priority":"${priority}"${payload ? ',"payload":' : '}'}`
  const at = payload ? doc.indexOf(mark) : doc.endsWith(mark) ? doc.length - mark.length : -1
  if (at < 0) return null
  return { fixed: `${doc.slice(0, at)}}`, summary, payload: payload ? doc.slice(at + mark.length, -1) : '' }
}
