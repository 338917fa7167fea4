import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** `c` and 24 base36 characters: 9 of time (so that inserts stay local), 15 random. */
export function newId(at: number = Date.now()): string {
  return `c${at.toString(36).padStart(9, '0')}${randomBase36(15)}`
}

// Random bytes are fetched in bulk: a call costs far more than a byte.
const pool = Buffer.alloc(4096)
let used = pool.length

/** Random bytes, valid until the next call; each is returned only once. */
function random(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}

/** Makes ids of requests: unique and cheap, but guessable. */
export function createRequestIds(): () => string {
  const start = `c${randomBase36(17)}`
  let count = 0
  return () => start + (count++ % 36 ** 7).toString(36).padStart(7, '0')
}

function randomBase36(length: number): string {
  let text = ''
  while (text.length < length) {
    // 252 is the largest multiple of 36 below 256: higher bytes would favour some characters.
    for (const byte of random(length)) if (byte < 252 && text.length < length) text += alphabet[byte % 36]
  }
  return text
}
