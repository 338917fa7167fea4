import { createHash, hash } from 'node:crypto'
import type { Entry, Priority } from '#contract/entries'

/** An entry split into what its hash covers as text and what may be erased (payload) or changed (priority). */
export interface Rendered {
  /** JSON of the immutable members. */
  fixed: string
  /** JSON of the payload; empty without one. */
  payload: string
  /** The whole entry. */
  doc: string
}

/** Writes an entry as the JSON that is stored, sent and hashed. */
export function render({ payload, priority, ...members }: Entry): Rendered {
  const fixed = JSON.stringify(members)
  const body = payload ? JSON.stringify(payload) : ''
  return { fixed, payload: body, doc: `${fixed.slice(0, -1)},"priority":"${priority}"${body && `,"payload":${body}`}}` }
}

const none = Buffer.alloc(32)

/** The hash before the first entry of a workspace. */
export const genesis = none

export const hashPayload = (payload: string): Buffer => (payload ? hash('sha256', payload, 'buffer') : none)

/**
 * The text that is hashed of an entry: its immutable members, and the priority that it was written with unless that is
 * the usual one.
 */
export const covered = (fixed: string, written: Priority): string => (written === 'normal' ? fixed : fixed + written)

/** What is hashed is put together here: one call for each entry instead of a hash object. */
const scratch = Buffer.allocUnsafe(64 * 1024)
const start = 2 * none.length

/**
 * Hash over the entry before, the payload's own hash and what is `covered`: an erased payload leaves the chain
 * verifiable.
 */
export function hashEntry(prev: Buffer, payloadHash: Buffer, text: string): Buffer {
  // A character takes three bytes at most.
  if (start + 3 * text.length > scratch.length)
    return createHash('sha256').update(prev).update(payloadHash).update(text).digest()
  prev.copy(scratch, 0)
  payloadHash.copy(scratch, none.length)
  return hash('sha256', scratch.subarray(0, start + scratch.write(text, start)), 'buffer')
}

/** The parts of a stored entry as they stand in its text; null when the text is not laid out as `render` does it. */
export function split(doc: string, { priority, payload }: Entry): Omit<Rendered, 'doc'> | null {
  const mark = `,"priority":"${priority}"${payload ? ',"payload":' : '}'}`
  const at = payload ? doc.indexOf(mark) : doc.endsWith(mark) ? doc.length - mark.length : -1
  if (at < 0) return null
  return { fixed: `${doc.slice(0, at)}}`, payload: payload ? doc.slice(at + mark.length, -1) : '' }
}
