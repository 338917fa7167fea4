import { createHash, createHmac, randomBytes } from 'node:crypto'

/** No 0, O, 1, I, L (nor U): what is read from one screen and typed at another must not be mistaken. */
export const alphabet = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const length = 8
const hintLength = 32

export function newCode(random: (size: number) => Buffer = randomBytes): string {
  let code = ''
  while (code.length < length) {
    // 240 is the largest multiple of 30 below 256: higher bytes are dropped so that no character is favoured.
    for (const byte of random(length)) if (byte < 240 && code.length < length) code += alphabet[byte % 30]
  }
  return code
}

export const shown = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** A code as it was typed, without case, spaces and dashes; null when it cannot be one. */
export function typed(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s-]/g, '')
  return code.length === length ? code : null
}

/** Kept in place of the code. The key is not in the database, so a copy of the database hands out no live codes. */
export const hashCode = (key: Buffer, code: string): string => createHmac('sha256', key).update(code).digest('hex')

/** What may be kept of an adapter hint; null when nothing is left. */
export const cleanHint = (hint: string | undefined): string | null =>
  hint
    ?.toUpperCase()
    .replace(/[^A-Z0-9_]/g, '')
    .slice(0, hintLength) || null

/** What a code is bound to: the digest of a secret that stays with the device which asked. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export const isChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
