import type { Row } from './queries.ts'

/** Milliseconds for which the identifier before the current one still holds: two tabs, or an answer that got lost. */
const grace = 10_000

/** What a refresh with this identifier is. `replay` means that somebody has a copy of an old cookie. */
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

/** Where to go after a sign-in: a path on this server, else `/`. */
export function safePath(given: string | undefined): string {
  if (!given || given.length > 2000 || !/^\/(?![/\\])/.test(given) || given.includes('\\')) return '/'
  for (const character of given) if (character.charCodeAt(0) <= 0x20 || character.charCodeAt(0) === 0x7f) return '/'
  const url = URL.canParse(given, 'http://here.invalid') ? new URL(given, 'http://here.invalid') : null
  // `/.//evil.example` becomes `//evil.example` once somebody takes the dots away.
  return url?.host === 'here.invalid' && !url.pathname.startsWith('//') ? asHeader(given) : '/'
}

/** Headers are ASCII: what a person sees in the address bar is not. */
const asHeader = (path: string): string =>
  path.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^\x21-\x7e]+/g, encodeURIComponent)

const messages: Record<string, string> = {
  CredentialsSignin: 'The email address or the password is wrong',
  SecondFactorRequired: 'Enter the code of your second factor',
  SecondFactorInvalid: 'The code of the second factor is wrong',
  AccessDenied: 'The identity provider did not let you in',
  Verification: 'The link is no longer good; ask for a new one',
  Configuration: 'The server is not set up for this way of signing in',
}

export const messageOf = (error: string): string =>
  Object.hasOwn(messages, error) ? messages[error]! : 'Signing in failed; try again'
