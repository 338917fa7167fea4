import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Static } from 'typebox'
import type { sessions } from '#contract/sessions'
import type { App } from '#kernel/app'
import type { Call, Web } from '#kernel/feature'
import { readCookie, setCookie } from '#kernel/http/cookies'
import { problem } from '#kernel/problem'
import { noteWrongCode, takeCode } from '../totp/service.ts'
import { type Account, accountById, accountOf, isLocked, noteAttempt, passwordFits } from '../users/lockout/service.ts'
import { safePath } from './rules.ts'
import { handOver, type Opening, prepareSession, storeSession } from './service.ts'

type SignIn = Call<typeof sessions.create>
type Reply = Static<typeof sessions.create.reply>
type Failure = NonNullable<Reply['error']>

/** Issues a CSRF token for the sign-in form, and a cookie with the same value, which other sites cannot read. */
export function giveCsrf({ request, reply }: Web): { csrfToken: string } {
  const held = readCookie(request.headers.cookie, 'csrf', request.secureCookies)
  const csrfToken = held && /^[0-9a-f]{64}$/.test(held) ? held : randomBytes(32).toString('hex')
  setCookie(reply, 'csrf', csrfToken, request.secureCookies)
  return { csrfToken }
}

function checkCsrf({ request }: Web, given: string | undefined): void {
  const held = readCookie(request.headers.cookie, 'csrf', request.secureCookies)
  const digest = (text: string) => hash('sha256', text, 'buffer')
  if (!held || !given || !timingSafeEqual(digest(held), digest(given)))
    throw problem('csrf_mismatch', {
      field: 'csrfToken',
      detail: 'The CSRF token is missing or does not match its cookie; get one from /api/auth/csrf',
    })
}

/** What is prepared before the transaction. `opening` is set only when the password is right. */
interface Ready {
  account: Account | undefined
  opening: Opening | null
}

export async function prepare(app: App, { body, web }: SignIn): Promise<Ready> {
  checkCsrf(web!, body.csrfToken)
  // Each attempt counts as failed until it succeeds, so that concurrent attempts cannot exceed the limit.
  const refused = app.limits.take('failures', web!.ip)
  if (refused) throw refused
  const account = accountOf(app, body.email)
  const fits = await passwordFits(app, account, body.password)
  return { account, opening: account && fits ? await prepareSession(app, account) : null }
}

/** Stores the session and returns null, or why not. Unknown, wrong and locked are answered alike. */
export function commit(app: App, call: SignIn, { account, opening }: Ready): Failure | null {
  const { now, web } = call
  if (!account?.password_hash) return 'CredentialsSignin'
  // The password may have changed while it was being compared.
  const current = accountById(app, account.id)
  const right = opening !== null && current?.password_hash === account.password_hash
  if (right && current?.two_factor_at) return commitBoth(app, call, current, opening)
  if (noteAttempt(app, account.id, right, now) !== 'right' || !opening) return 'CredentialsSignin'
  storeSession(app, opening, { web, via: 'password', now })
  return null
}

/** Checks the second factor after the right password. A locked account does not even reveal that. */
function commitBoth(app: App, { body, now, web }: SignIn, account: Account, opening: Opening): Failure | null {
  if (isLocked(app, account, now)) return 'CredentialsSignin'
  // The password without the code neither counts as a failure nor resets earlier ones.
  if (!body.code) return 'SecondFactorRequired'
  if (!takeCode(app, account, body.code))
    return noteWrongCode(app, account, now) ? 'CredentialsSignin' : 'SecondFactorInvalid'
  noteAttempt(app, account.id, true, now)
  storeSession(app, opening, { web, via: 'password', factor: true, now })
  return null
}

/** Answers programs with JSON and forms with a redirect. */
export function settle(
  { limits }: App,
  { body, query, web }: SignIn,
  failure: Failure | null,
  { opening }: Ready,
): Reply {
  const { reply, request } = web!
  if (!failure || failure === 'SecondFactorRequired') limits.giveBack('failures', web!.ip)
  const asJson = [body.json, body.redirect].map(String)
  const json = !request.headers['content-type']?.includes('form') || asJson[0] === 'true' || asJson[1] === 'false'
  if (!failure) handOver(web!, opening!)
  const target = safePath(body.callbackUrl ?? query.callbackUrl)
  if (json)
    return failure
      ? { ok: false, error: failure, url: `/api/auth/error?error=${failure}` }
      : { ok: true, url: target, status: 200 }
  reply
    .code(302)
    .header('location', failure ? `/login?error=${failure}` : target)
    .send()
  return { ok: !failure, url: target }
}
