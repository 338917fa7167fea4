import { createHash, hash } from 'node:crypto'
import type { Entry } from '#contract/entries'

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

/** Hash over the entry before, the payload's own hash and the immutable members: an erased payload leaves the chain verifiable. */
export const hashEntry = (prev: Buffer, payloadHash: Buffer, fixed: string): Buffer =>
  createHash('sha256').update(prev).update(payloadHash).update(fixed).digest()
