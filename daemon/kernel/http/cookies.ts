import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply } from 'fastify'

/** `idp` tells that a sign-in at the identity provider was begun in this browser. */
export type CookieKind = 'access' | 'refresh' | 'csrf' | 'idp'

const words: Record<CookieKind, string> = {
  access: 'authjs.session-token',
  refresh: 'authjs.refresh-token',
  csrf: 'authjs.csrf-token',
  idp: 'authjs.idp-browser',
}
const paths: Record<CookieKind, string> = { access: '/', refresh: '/api/auth/', csrf: '/', idp: '/' }
/** Seconds. docs/rules/http.md, "Rate limits". */
export const sessionSeconds = 30 * 86_400
/** Until the browser forgets it; the csrf cookie goes when the browser is closed. */
const lifetimes: Record<CookieKind, number | undefined> = {
  access: sessionSeconds,
  refresh: sessionSeconds,
  csrf: undefined,
  idp: 15 * 60,
}
/** Set for this host alone, where the connection is one that only this host can answer. */
const ownHost: readonly CookieKind[] = ['csrf', 'idp']

/**
 * Names as docs/rules/accounts.md, "Cookies" has them; `__Host-` and `__Secure-` cookies can only be set over HTTPS.
 */
const nameOf = (kind: CookieKind, secure: boolean): string =>
  (secure ? (ownHost.includes(kind) ? '__Host-' : '__Secure-') : '') + words[kind]

/** The value of a cookie. On HTTPS only the name counts that plain HTTP cannot have set. */
export function readCookie(header: string | undefined, kind: CookieKind, secure: boolean): string | undefined {
  // What most requests lack is not looked for.
  return header?.includes(words[kind]) ? parseCookie(header)[nameOf(kind, secure)] : undefined
}

export function setCookie(reply: FastifyReply, kind: CookieKind, value: string, secure: boolean): void {
  append(reply, kind, nameOf(kind, secure), value, secure, lifetimes[kind])
}

/** Both names of both cookies of the session, so that nothing stays behind after a change between HTTP and HTTPS. */
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
