import type { sessions } from '#contract/sessions'
import { type App, wholeSeconds } from '#kernel/app'
import type { Call, Web } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { accountById } from '../users/lockout/service.ts'
import { queries } from './queries.ts'
import { judgeRefresh } from './rules.ts'
import { claimsOf, endSession, handOver, sealPair, sessionRow } from './service.ts'

type Refresh = Call<typeof sessions.refresh>

/** The presented cookie and its new tokens, which are made first: if that fails, the old cookie stays valid. */
interface Ready {
  userId: string
  sessionId: string
  presented: string
  next: { jti: string; access: string; refresh: string; expires: number }
}

export async function prepare(app: App, { web }: Refresh): Promise<Ready> {
  checkHost(web!)
  const claims = await claimsOf(app, web!, 'refresh')
  if (!claims || claims === 'expired') throw problem('session_expired')
  const next = await tokensOf(app, claims.userId, claims.sessionId)
  if (!next) throw problem('session_revoked')
  return { userId: claims.userId, sessionId: claims.sessionId, presented: claims.jti, next }
}

/** Checks that the page that asks is on this host, of any port, in addition to the rule for all changes. */
function checkHost({ request: { headers } }: Web): void {
  const from = headers.origin ?? headers.referer
  const name = (url: string) => (URL.canParse(url) ? new URL(url).hostname : null)
  if (from !== undefined && name(from) !== name(`http://${headers.host}`)) throw problem('origin_rejected')
}

async function tokensOf(app: App, userId: string, sessionId: string, jti?: string): Promise<Ready['next'] | null> {
  const user = accountById(app, userId)
  return user ? sealPair(app, { userId, sessionId, name: user.full_name, email: user.email }, jti) : null
}

/** Rotates the identifier. Within the grace period, the previous identifier gets the current one. */
export function commit(
  app: App,
  { now }: Refresh,
  { userId, sessionId, presented, next }: Ready,
): { jti: string } | { refused: Problem } {
  const row = sessionRow(app, sessionId)
  const verdict = judgeRefresh(row?.user_id === userId ? row : undefined, presented, app.clock())
  if (verdict === 'gone') return { refused: problem('session_revoked') }
  if (verdict === 'expired') return { refused: problem('session_expired') }
  if (verdict === 'grace') return { jti: row!.current_refresh_jti }
  if (verdict === 'current') {
    queries(app.db).rotate.run({ id: sessionId, next: next.jti, now, at: new Date(app.clock()).toISOString() })
    return { jti: next.jti }
  }
  endSession(app, { id: sessionId, user: userId, reason: 'refresh_replay' })
  return {
    refused: problem('session_revoked', { detail: 'This session was ended: its refresh token was used a second time' }),
  }
}

export async function settle(
  app: App,
  { web }: Refresh,
  done: ReturnType<typeof commit>,
  { userId, sessionId, next }: Ready,
) {
  if ('refused' in done) return done.refused
  // Accounts are never deleted, so what was there before the change still is.
  const tokens = done.jti === next.jti ? next : (await tokensOf(app, userId, sessionId, done.jti))!
  handOver(web!, tokens)
  return { ok: true, expires: wholeSeconds(tokens.expires * 1000) }
}
