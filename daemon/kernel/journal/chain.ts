import { createHash, hash } from 'node:crypto'
import type { Entry, Priority } from '#contract/entries'

/** How an entry is hashed. 1 covers the payload by its hash, so that it can be erased; 2 covers the summary so too. */
export type Scheme = 1 | 2

/** The scheme of new entries. */
export const scheme: Scheme = 2

/** An entry split into its immutable text, the parts that may be erased, and the priority, which may change. */
export interface Rendered {
  /** JSON of the immutable members. */
  fixed: string
  /** JSON of the summary; empty under scheme 1, where the summary is immutable. */
  summary: string
  /** JSON of the payload; empty without one. */
  payload: string
  /** The whole entry. */
  doc: string
}

/** Serializes an entry as the JSON that is stored, sent and hashed. */
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

/** The hash of an erasable part; all zeros for a missing one. */
export const hashPart = (json: string): Buffer => (json ? hash('sha256', json, 'buffer') : none)

/** The hashed text of an entry: its immutable members, and its original priority unless that is `normal`. */
export const covered = (fixed: string, written: Priority): string => (written === 'normal' ? fixed : fixed + written)

/** Prefix under scheme 2, so that no input of one scheme is valid under the other. */
const second = hash('sha256', 'muster journal entry 2', 'buffer')

/** Buffer for the input of a hash: one call per entry is cheaper than a hash object. */
const scratch = Buffer.allocUnsafe(64 * 1024)
second.copy(scratch)

/** Inputs of an entry's hash: the hash of the entry before, and the hashes of the erasable parts. */
export interface Hashes {
  prev: Buffer
  payload: Buffer
  /** Null under scheme 1. */
  summary: Buffer | null
}

/** The hash of an entry, over `Hashes` and the text of `covered`. */
export function hashEntry({ prev, payload, summary }: Hashes, text: string): Buffer {
  const from = summary ? 0 : none.length
  const start = none.length * (summary ? 4 : 3)
  // UTF-8 takes at most three bytes for each UTF-16 unit.
  if (start + 3 * text.length > scratch.length) {
    const hashes = summary ? [second, prev, payload, summary] : [prev, payload]
    return createHash('sha256').update(Buffer.concat(hashes)).update(text).digest()
  }
  prev.copy(scratch, none.length)
  payload.copy(scratch, 2 * none.length)
  summary?.copy(scratch, 3 * none.length)
  return hash('sha256', scratch.subarray(from, start + scratch.write(text, start)), 'buffer')
}

/** The parts of a stored entry, cut from its text; null when the text is not in the form of `render`. */
export function split(doc: string, entry: Entry, under: Scheme = scheme): Omit<Rendered, 'doc'> | null {
  const { priority, payload } = entry
  const summary = under === 1 ? '' : JSON.stringify(entry.summary)
  const mark = `${summary && `,"summary":${summary}`},"priority":"${priority}"${payload ? ',"payload":' : '}'}`
  const at = payload ? doc.indexOf(mark) : doc.endsWith(mark) ? doc.length - mark.length : -1
  if (at < 0) return null
  return { fixed: `${doc.slice(0, at)}}`, summary, payload: payload ? doc.slice(at + mark.length, -1) : '' }
}
