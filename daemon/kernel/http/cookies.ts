import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply } from 'fastify'

/** `idp` ties a sign-in at the identity provider to the browser that began it. */
export type CookieKind = 'access' | 'refresh' | 'csrf' | 'idp'

const words: Record<CookieKind, string> = {
  access: 'authjs.session-token',
  refresh: 'authjs.refresh-token',
  csrf: 'authjs.csrf-token',
  idp: 'authjs.idp-browser',
}
const paths: Record<CookieKind, string> = { access: '/', refresh: '/api/auth/', csrf: '/', idp: '/' }
/** docs/rules/accounts.md, "Cookies". */
export const sessionSeconds = 30 * 86_400
/** Seconds. The csrf cookie ends with the browser's session. */
const lifetimes: Record<CookieKind, number | undefined> = {
  access: sessionSeconds,
  refresh: sessionSeconds,
  csrf: undefined,
  idp: 15 * 60,
}
/** Cookies that get the `__Host-` prefix on HTTPS. */
const ownHost: readonly CookieKind[] = ['csrf', 'idp']

/** docs/rules/accounts.md, "Cookies". Browsers take `__Host-` and `__Secure-` cookies over HTTPS only. */
const nameOf = (kind: CookieKind, secure: boolean): string =>
  (secure ? (ownHost.includes(kind) ? '__Host-' : '__Secure-') : '') + words[kind]

/** The value of a cookie. On HTTPS only the prefixed name counts, which plain HTTP cannot set. */
export function readCookie(header: string | undefined, kind: CookieKind, secure: boolean): string | undefined {
  // Saves parsing for most requests, which lack the cookie.
  return header?.includes(words[kind]) ? parseCookie(header)[nameOf(kind, secure)] : undefined
}

export function setCookie(reply: FastifyReply, kind: CookieKind, value: string, secure: boolean): void {
  append(reply, kind, nameOf(kind, secure), value, secure, lifetimes[kind])
}

/** Clears the session's cookies under their HTTP and HTTPS names: the server may have changed between the two. */
export function clearSession(reply: FastifyReply): void {
  for (const kind of ['access', 'refresh'] as const)
    for (const secure of [false, true]) append(reply, kind, nameOf(kind, secure), '', secure, 0)
}

function append(
  reply: FastifyReply,
  kind: CookieKind,
  name: string,
  value: string,
  secure: boolean,
  maxAge: number | undefined,
): void {
  const line = stringifySetCookie({
    name,
    value,
    path: paths[kind],
    httpOnly: true,
    sameSite: 'lax',
    secure,
    ...(maxAge !== undefined && { maxAge }),
  })
  reply.header('set-cookie', line)
}
