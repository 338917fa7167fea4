import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

/** The strong entity tag of some content. */
export const etagOf = (content: Buffer): string => tagOf(createHash('sha256').update(content).digest('hex'))

/** The strong entity tag of content with this digest, in hexadecimal. */
export const tagOf = (digest: string): string => `"${digest.slice(0, 32)}"`
