import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import { fact, type Payload } from '#contract/entries'
import type { Session, sessions } from '#contract/sessions'
import { type App, wholeSeconds } from '#kernel/app'
import { type Claims, lifetimes, type Subject } from '#kernel/auth/seals'
import type { Call, Web } from '#kernel/feature'
import { clearSession, readCookie, setCookie } from '#kernel/http/cookies'
import { pageOf } from '#kernel/http/fields'
import { audienceOf, bySystem, byUser, journalForUser } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { find } from '../users/service.ts'
import { queries, type Row } from './queries.ts'

export { safePath } from './rules.ts'

type Reason = Payload<'session.deleted'>['metadata']['reason']

/** A session to be stored, with the tokens of its cookies. */
export interface Opening {
  id: string
  user: string
  email: string
  jti: string
  access: string
  refresh: string
  /** When the access token expires, seconds since 1970. */
  expires: number
}

interface Owner {
  id: string
  email: string
  full_name: string | null
}

/** First step of a sign-in, before its transaction: makes the tokens. */
export async function prepareSession(app: App, { id: user, email, full_name: name }: Owner): Promise<Opening> {
  const id = `s_${randomBytes(32).toString('hex')}`
  return { id, user, email, ...(await sealPair(app, { userId: user, sessionId: id, name, email })) }
}

/** The tokens of both cookies. The refresh token carries `jti`, a new one when none is given. */
export async function sealPair(
  app: App,
  subject: Subject,
  jti?: string,
): Promise<Omit<Opening, 'id' | 'user' | 'email'>> {
  const [access, refresh] = await Promise.all([
    app.auth.seals.seal('access', subject),
    app.auth.seals.seal('refresh', subject, jti),
  ])
  return { jti: refresh.jti, access: access.token, refresh: refresh.token, expires: access.expires }
}

interface Origin {
  web: Web | undefined
  via: 'password' | 'idp' | 'bootstrap'
  /** Whether a second factor was shown. */
  factor?: boolean
  now: string
}

/** Most live sessions of a user. One change may end them all, so their number is bounded. */
const most = 100

/** Second step, in the transaction: stores the row and ends the least recently used session beyond the limit. */
export function storeSession(
  app: App,
  { id, user, email, jti }: Opening,
  { web, via, factor = false, now }: Origin,
): void {
  const user_agent = firstBytes(web?.request.headers['user-agent'], 250)
  const expires_at = wholeSeconds(app.clock() + lifetimes.refresh * 1000)
  queries(app.db).insert.run({
    id,
    user,
    jti,
    now,
    expires_at,
    user_agent,
    ip: web?.ip ?? null,
    factor_at: factor ? now : null,
  })
  const payload = { entity_id: id, metadata: { user_id: user, email, via } }
  journalForUser(app, user, fact('session.created', payload, byUser(user)))
  for (const unused of queries(app.db).beyond.all({ user, but: id, now, others: most - 1 }))
    endSession(app, { id: unused.id, user, reason: 'too_many' })
}

/** Third step, after the commit: sets the cookies. */
export function handOver({ reply, request }: Web, { access, refresh }: Pick<Opening, 'access' | 'refresh'>): void {
  setCookie(reply, 'access', access, request.secureCookies)
  setCookie(reply, 'refresh', refresh, request.secureCookies)
}

/** Ends the sessions of a user, but for one, and closes their sockets and streams. */
export function endSessions(
  app: App,
  { user, except = null, reason }: { user: string; except?: string | null; reason: Reason },
): void {
  const ended = queries(app.db).revokeAll.all({ user, except, reason, now: app.now() })
  if (!ended.length) return
  const [audience, { email }] = [audienceOf(app, user), find(app, user)]
  for (const { id } of ended) recordEnd(app, audience, id, { user_id: user, email, reason })
}

/**
 * Ends one session of a user and closes its sockets and streams. For a session that had ended already, nothing is
 * journaled, but its sockets and streams are closed again.
 */
export function endSession(app: App, { id, user, reason }: { id: string; user: string; reason: Reason }): void {
  if (sessionRow(app, id)?.user_id !== user) return
  const ended = queries(app.db).revoke.get({ id, user, reason, now: app.now() })
  recordEnd(app, ended ? audienceOf(app, user) : [], id, { user_id: user, email: find(app, user).email, reason })
}

function recordEnd(app: App, audience: string[], id: string, metadata: Payload<'session.deleted'>['metadata']): void {
  const by = byHost.has(metadata.reason) ? bySystem : byUser(metadata.user_id)
  app.journalIn(audience, fact('session.deleted', { entity_id: id, metadata }, by))
  app.afterCommit(() => app.bus.emit('revoked', id))
}

/** Reasons of an end by the host's administrator, not by the user. */
const byHost: ReadonlySet<Reason> = new Set<Reason>(['admin_force', 'admin_invalidate'])

/** Records that the second factor was shown in a session. */
export const showFactor = (
  { db }: App,
  { user, session, now }: { user: string; session: string; now: string },
): void => {
  queries(db).showFactor.run({ user, id: session, now })
}

/** Clears the record of second factors in a user's sessions, after the factor was removed. */
export const forgetFactor = ({ db }: App, user: string): void => {
  queries(db).forgetFactor.run(user)
}

/** Requires a new second factor of all sessions but this one, which showed it, and closes their connections. */
export function askAnew(app: App, user: string, session: string | null): void {
  const now = app.now()
  forgetFactor(app, user)
  if (session !== null) showFactor(app, { user, session, now })
  for (const { id } of queries(app.db).beyond.all({ user, but: session ?? '', now, others: 0 }))
    app.afterCommit(() => app.bus.emit('revoked', id))
}

export function list({ db }: App, { actor, query, now }: Call<typeof sessions.list>): Static<typeof Session>[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(db)
    .listOf.all(actor.id, now, limit, offset)
    .map(({ id, created_at, last_used_at, user_agent, ip }) => ({
      id,
      created_at,
      last_used_at,
      ...(user_agent && { user_agent }),
      ...(ip && { ip }),
      is_current: id === actor.session?.id,
    }))
}

/** Absent and foreign sessions are answered alike. Revoking a session that has ended is no error. */
export function revoke(app: App, { actor, sessionId }: Call<typeof sessions.revoke>) {
  if (queries(app.db).find.get(sessionId)?.user_id !== actor.id) throw problem('not_found', { field: 'sessionId' })
  endSession(app, { id: sessionId, user: actor.id, reason: 'user_revoked' })
  return { ok: true, id: sessionId, is_current: sessionId === actor.session?.id }
}

/** The claims of a cookie of this request; `expired` for a valid one past its end. */
export async function claimsOf(
  app: App,
  { request }: Web,
  kind: 'access' | 'refresh',
): Promise<Claims | 'expired' | null> {
  const raw = readCookie(request.headers.cookie, kind, request.secureCookies)
  return raw ? app.auth.seals.read(kind, raw) : null
}

export const sessionRow = ({ db }: App, id: string): Row | undefined => queries(db).find.get(id)

/** Whether the session of a cookie is live. */
export function isLive(app: App, { sessionId, userId }: Claims): boolean {
  const row = sessionRow(app, sessionId)
  return row?.user_id === userId && !row.revoked_at && Date.parse(row.expires_at) > app.clock()
}

/** The session of the access cookie, else of the refresh cookie; null when neither is valid. */
export async function whoLeaves(app: App, web: Web): Promise<Claims | null> {
  for (const kind of ['access', 'refresh'] as const) {
    const claims = await claimsOf(app, web, kind)
    if (claims && claims !== 'expired') return claims
  }
  return null
}

export function leave(app: App, claims: Claims | null): { url: string } {
  if (claims) endSession(app, { id: claims.sessionId, user: claims.userId, reason: 'logout' })
  return { url: '/login' }
}

export function forgetCookies({ reply }: Web): void {
  clearSession(reply)
}

function firstBytes(text: string | undefined, bytes: number): string | null {
  if (!text) return null
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\uFFFD$/, '')
}

/** Days for which a session is kept after its end, for investigations. */
const keptDays = 90

/** Deletes at most `most` sessions that expired long ago; returns their number. */
export const eraseSessions = ({ db, clock }: App, most: number): number =>
  queries(db).erase.run(wholeSeconds(clock() - keptDays * 86_400_000), most).changes
