import type { idp } from '#contract/idp'
import type { App } from '#kernel/app'
import { callbackPath, isConfigured } from '#kernel/auth/identity-provider'
import type { Call, Web } from '#kernel/feature'
import { readCookie, setCookie } from '#kernel/http/cookies'
import { Problem, problem } from '#kernel/problem'
import { refusalPage } from '../pages/service.ts'
import { claimsOf, handOver, isLive, prepareSession, safePath, storeSession } from '../sessions/service.ts'
import { admitPerson } from './links/people.ts'
import type { Provider } from './provider.ts'
import { errorWord } from './rules.ts'
import { attemptOf, burnState, keepState, newState } from './states.ts'

export function checkConfigured(app: App): void {
  if (!isConfigured(app.config))
    throw problem('idp_not_configured', {
      detail: 'This server has no identity provider: set IDP_CLIENT_ID and IDP_CLIENT_SECRET',
    })
}

/** The redirect URI, which the provider compares with the registered one. */
function callbackOf({ config }: App, { request }: Web): string {
  const own = `${request.secureCookies ? 'https' : 'http'}://${request.headers.host}`
  return `${config.publicUrl ? new URL(config.publicUrl).origin : new URL(own).origin}${callbackPath}`
}

/** Sends the browser to the provider. The provider is contacted first: when it is down, nothing is stored. */
export async function begin(
  app: App,
  provider: Provider,
  { query, web }: Call<typeof idp.redirect> & { web: Web },
): Promise<string> {
  const { request, reply } = web
  const attempt = attemptOf(app, newState())
  const location = await provider.authorize(callbackOf(app, web), attempt)
  // An existing cookie is kept, so that two tabs of a browser do not invalidate each other.
  const held = readCookie(request.headers.cookie, 'idp', request.secureCookies)
  const browser = held && /^[\w-]{43}$/.test(held) ? held : newState()
  await app.write(() => keepState(app, { state: attempt.state, browser, redirect: safePath(query.redirect) }))
  setCookie(reply, 'idp', browser, request.secureCookies)
  return go(web, location)
}

/** Handles the callback: signs the browser in and redirects it to its destination. */
export async function finish(
  app: App,
  provider: Provider,
  { query, web }: Call<typeof idp.callback> & { web: Web },
): Promise<string> {
  const { state, code, error } = query
  if (!state) throw problem('missing_field', { field: 'state', detail: 'state is required' })
  if (!code && !error) throw problem('missing_field', { field: 'code', detail: 'code is required' })
  const attempt = attemptOf(app, state)
  const redirect = await app.write(() => burn(app, state, web))
  if (error || !code)
    throw problem('idp_refused', { detail: `The identity provider denied access: ${errorWord(error ?? '')}` })
  const answer = new URL(callbackOf(app, web))
  answer.search = new URL(web.request.url, answer).search
  const profile = await provider.profile(answer, attempt)
  const known = await whoIsSignedIn(app, web)
  const owner = await app.write(() => admitPerson(app, provider.issuer, profile, known))
  const opening = await prepareSession(app, owner)
  await app.write(() => storeSession(app, opening, { web, via: 'idp', now: app.now() }))
  handOver(web, opening)
  return go(web, redirect)
}

/** Consumes a state, valid once, for 15 minutes, in the browser where it began: a link alone signs nobody in. */
function burn(app: App, state: string, { request }: Web): string {
  const browser = readCookie(request.headers.cookie, 'idp', request.secureCookies)
  const redirect = browser ? burnState(app, state, browser) : null
  if (redirect === null)
    throw problem('idp_state_unknown', {
      field: 'state',
      detail:
        'This sign-in was not begun in this browser at this address, was finished before, or took longer than ' +
        '15 minutes; start again',
    })
  return redirect
}

/** The user of the browser's current session. */
async function whoIsSignedIn(app: App, web: Web): Promise<string | null> {
  const claims = await claimsOf(app, web, 'access')
  return claims && claims !== 'expired' && isLive(app, claims) ? claims.userId : null
}

/** Answers a refusal as a problem to programs and as a page to browsers. */
export async function inWords(web: Web, work: Promise<string>): Promise<string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && web.request.headers.accept?.includes('text/html')) return refusalPage(web, error)
    throw error
  }
}

function go({ reply }: Web, location: string): string {
  reply.code(307).header('location', location).header('cache-control', 'no-store')
  return ''
}
