import type { Static } from 'typebox'
import type { sessions } from '#contract/sessions'
import { type App, wholeSeconds } from '#kernel/app'
import type { Claims } from '#kernel/auth/seals'
import type { Web } from '#kernel/feature'
import { clearSession, setCookie } from '#kernel/http/cookies'
import { find } from '../users/service.ts'
import { judgeRefresh } from './rules.ts'
import { claimsOf, isLive, sessionRow } from './service.ts'

/**
 * The user who is signed in by cookie. A live refresh cookie gets a new access cookie, without rotation, so that a page
 * that is loaded again after a pause is still signed in.
 */
export async function current(app: App, web: Web): Promise<Static<typeof sessions.current.reply>> {
  const access = await claimsOf(app, web, 'access')
  if (isClaims(access) && isLive(app, access)) return show(app, access.userId, access.expires)
  const refresh = await claimsOf(app, web, 'refresh')
  if (isClaims(refresh) && isLive(app, refresh) && holds(app, refresh)) return renew(app, web, refresh)
  // Clears cookies that are invalid or whose session has ended, but not those that have merely expired.
  if (hasCookie(web) && !(access === 'expired' && refresh === null) && refresh !== 'expired') clearSession(web.reply)
  return {}
}

const isClaims = (it: Claims | 'expired' | null): it is Claims => it !== null && it !== 'expired'
const hasCookie = ({ request }: Web) => request.headers.cookie?.includes('-token=') ?? false

const holds = (app: App, { sessionId, jti }: Claims) =>
  ['current', 'grace'].includes(judgeRefresh(sessionRow(app, sessionId), jti, app.clock()))

async function renew(app: App, { request, reply }: Web, { userId, sessionId }: Claims) {
  const { full_name: name, email } = find(app, userId)
  const { token, expires } = await app.auth.seals.seal('access', { userId, sessionId, name, email })
  setCookie(reply, 'access', token, request.secureCookies)
  return show(app, userId, expires)
}

function show(app: App, userId: string, expires: number) {
  const { id, full_name, email, avatar_url } = find(app, userId)
  return {
    user: { id, name: full_name ?? '', email, avatar_url: avatar_url ?? '' },
    expires: wholeSeconds(expires * 1000),
  }
}
