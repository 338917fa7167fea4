import { isEmail } from '#contract/fields'
import { bidiControls, isVisible } from '#kernel/http/fields'

/** A person's profile at the identity provider. */
export interface Profile {
  /** The person's permanent id at the provider. */
  sub: string
  /** In lower case; null without an address that an account could have. */
  email: string | null
  /** Whether the provider has verified the address. */
  verified: boolean
  name: string | null
}

/** Null without a subject. Some providers send `email_verified` as text. */
export function readProfile({ sub, email, email_verified, name }: Record<string, unknown>): Profile | null {
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return null
  const usable = typeof email === 'string' && isEmail(email) ? email.toLowerCase() : null
  return {
    sub,
    email: usable,
    verified: usable !== null && (email_verified === true || email_verified === 'true'),
    name: readName(name),
  }
}

/** A name on one line of at most 100 characters; null when nothing is left. */
function readName(given: unknown): string | null {
  if (typeof given !== 'string') return null
  const line = given
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .normalize('NFC')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(bidiControls, '')
    .trim()
  return isVisible(line) ? [...line].slice(0, 100).join('').trim() : null
}

/** The provider's error code, if it has the form of one. */
export const errorWord = (given: string): string => (/^[A-Za-z0-9_.-]{1,64}$/.test(given) ? given : 'an unknown error')
