import { isEmail } from '#contract/fields'
import { bidiControls, isVisible } from '#kernel/http/fields'

/** What an identity provider says of a person. */
export interface Profile {
  /** The person's name there, which never becomes another one's. */
  sub: string
  /** In lower case; null when there is none that an account could have. */
  email: string | null
  /** Whether the provider knows the address to be this person's. */
  verified: boolean
  name: string | null
}

/** Null when it names nobody. Some providers write `email_verified` as text. */
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

/** One line of at most 100 characters, as names are here; null when nothing is left. */
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

/** The provider's word for an error, as far as it is one. */
export const errorWord = (given: string): string => (/^[A-Za-z0-9_.-]{1,64}$/.test(given) ? given : 'an unknown error')
