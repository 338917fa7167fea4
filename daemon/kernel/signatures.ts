import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** How far the timestamp of a signed call may be off, in seconds. */
export const lateSeconds = 300

/** Compares in constant time. */
export const sameText = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))

/** HMAC-SHA256 in hexadecimal of a body, or of `<stamp>.<body>`. */
export const signatureOf = (secret: string, body: string, stamp?: string): string =>
  createHmac('sha256', secret)
    .update(stamp === undefined ? body : `${stamp}.${body}`)
    .digest('hex')

/** Whether a timestamp in seconds since 1970 is the present, give or take `lateSeconds`. */
export const isOnTime = (stamp: string, nowMs: number): boolean =>
  /^\d{1,12}$/.test(stamp) && Math.abs(nowMs / 1000 - Number(stamp)) <= lateSeconds
