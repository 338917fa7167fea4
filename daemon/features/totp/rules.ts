import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

const period = 30
/** Steps before and after the present one whose codes are taken: clocks differ, and typing takes a while. */
const window = 1

/** 160 random bits, base32. */
export const newSecret = (): string => new Secret({ size: 20 }).base32

/** RFC 6238 as every app knows it: SHA-1, six digits, half a minute. */
const authenticator = (secret: string, label?: string) =>
  new TOTP({
    issuer: 'Muster',
    ...(label && { label }),
    algorithm: 'SHA1',
    digits: 6,
    period,
    secret: Secret.fromBase32(secret),
  })

/** What apps read from a QR code. */
export const uriOf = (email: string, secret: string): string => authenticator(secret, email).toString()

/** The time step whose code this is, or null. Compared in constant time. `at` is in milliseconds. */
export function stepOf(secret: string, code: string, at: number): number | null {
  const delta = authenticator(secret).validate({ token: code, timestamp: at, window })
  return delta === null ? null : Math.floor(at / 1000 / period) + delta
}

/** No I, L, O, U: Crockford's alphabet, in lower case. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const half = 5

/** As `7hq2m-x9k4d`: 50 random bits. */
export function newRecoveryCode(): string {
  const text = [...randomBytes(2 * half)].map((byte) => alphabet[byte % alphabet.length]).join('')
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/**
 * What somebody typed, without blanks and dashes: six digits are the app's, ten characters a recovery code; null for
 * neither.
 */
export function typed(text: string): { kind: 'app' | 'recovery'; code: string } | null {
  const code = text.toLowerCase().replace(/[\s-]/g, '')
  if (/^[0-9]{6}$/.test(code)) return { kind: 'app', code }
  const meant = code.replaceAll('o', '0').replace(/[il]/g, '1')
  return meant.length === 2 * half && [...meant].every((character) => alphabet.includes(character))
    ? { kind: 'recovery', code: meant }
    : null
}
