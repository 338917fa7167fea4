import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** `c` and 24 base36 characters: 9 of time (so that inserts stay local), 15 random. */
export function newId(at: number = Date.now()): string {
  return `c${at.toString(36).padStart(9, '0')}${randomBase36(15)}`
}

/** A prefix and 16 hexadecimal characters, as the contract's prefixed ids. */
export const newHexId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`

function randomBase36(length: number): string {
  let text = ''
  while (text.length < length) {
    // 252 is the largest multiple of 36 below 256: higher bytes are dropped so that no character is favoured.
    for (const byte of randomBytes(length)) if (byte < 252 && text.length < length) text += alphabet[byte % 36]
  }
  return text
}
