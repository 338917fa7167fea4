import type { Row } from './queries.ts'

/** Milliseconds for which the previous identifier stays valid, for two tabs or a lost answer. */
const grace = 10_000

/** Classifies a refresh with this identifier. `replay` means that somebody has a copy of an old cookie. */
export function judgeRefresh(
  row: Row | undefined,
  jti: string,
  now: number,
): 'gone' | 'expired' | 'current' | 'grace' | 'replay' {
  if (!row || row.revoked_at) return 'gone'
  if (Date.parse(row.expires_at) <= now) return 'expired'
  if (row.current_refresh_jti === jti) return 'current'
  const lately = row.rotated_at !== null && Math.abs(now - Date.parse(row.rotated_at)) <= grace
  return row.previous_refresh_jti === jti && lately ? 'grace' : 'replay'
}

/** The destination after a sign-in: a path on this server, else `/`. */
export function safePath(given: string | undefined): string {
  if (!given || given.length > 2000 || !/^\/(?![/\\])/.test(given) || given.includes('\\')) return '/'
  for (const character of given) if (character.charCodeAt(0) <= 0x20 || character.charCodeAt(0) === 0x7f) return '/'
  const url = URL.canParse(given, 'http://here.invalid') ? new URL(given, 'http://here.invalid') : null
  // `/.//evil.example` becomes `//evil.example` when the dot segment is removed.
  return url?.host === 'here.invalid' && !url.pathname.startsWith('//') ? asHeader(given) : '/'
}

/** Percent-encodes a path, since headers are ASCII. */
const asHeader = (path: string): string =>
  path.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^\x21-\x7e]+/g, encodeURIComponent)

const messages: Record<string, string> = {
  CredentialsSignin: 'The email address or the password is wrong',
  SecondFactorRequired: 'Enter the code of your second factor',
  SecondFactorInvalid: 'The code of the second factor is wrong',
  AccessDenied: 'The identity provider denied access',
  Verification: 'The link is no longer valid; ask for a new one',
  Configuration: 'The server is not set up for this way of signing in',
}

export const messageOf = (error: string): string =>
  Object.hasOwn(messages, error) ? messages[error]! : 'Signing in failed; try again'
