import type { oauth } from '#contract/oauth'
import type { App } from '#kernel/app'
import type { Call, Web } from '#kernel/feature'
import { Problem, problem } from '#kernel/problem'
import { untilWritten } from '#kernel/store/until-written'
import { claimsOf, isLive } from '../sessions/service.ts'
import { showPage } from './page.ts'
import { redeem, settle } from './service.ts'
import { burnState } from './states.ts'

type Query = Call<typeof oauth.callback>['query']

/** Finishes a sign-in with what a browser brought. `visitor` is who the browser is signed in as here, if anyone. */
export async function finish(app: App, { state, code, error, iss }: Query, visitor: string | null): Promise<void> {
  if (!state) throw problem('missing_field', { field: 'state', detail: 'state is required' })
  if (!code && !error) throw problem('missing_field', { field: 'code', detail: 'code is required' })
  const begun = await app.write(() => {
    const taken = burnState(app, state)
    if (visitor === null || visitor === taken.user) return taken
    // Thrown, the state would be there again for its owner, who did not ask for this.
    return null
  })
  if (!begun)
    throw problem('oauth_state_unknown', { field: 'state', detail: 'This sign-in was begun by somebody else' })
  if (error || !code)
    throw problem('oauth_refused', { detail: `The authorization server denied access: ${wordOf(error ?? '')}` })
  const granted = await redeem(app, begun, { code, iss }, true)
  await untilWritten(app, () => settle(app, begun, granted))
}

/** The server's error code, if it has the form of one. */
const wordOf = (given: string): string => (/^[A-Za-z0-9_.-]{1,64}$/.test(given) ? given : 'an unknown error')

export const done = {
  status: 200,
  title: 'Signed in',
  text: 'Agents can use the server now. You can close this window.',
}

/** What a person is shown of a refusal. */
export const refused = (error: Problem) => ({
  status: error.status,
  title: 'That did not work',
  text: `${error.message}. You can close this window.`,
})

export async function callback(app: App, { query, web }: Call<typeof oauth.callback> & { web: Web }): Promise<string> {
  try {
    await finish(app, query, await visitorOf(app, web))
    return showPage(web, done)
  } catch (error) {
    if (!(error instanceof Problem) || !web.request.headers.accept?.includes('text/html')) throw error
    return showPage(web, refused(error))
  }
}

async function visitorOf(app: App, web: Web): Promise<string | null> {
  const claims = await claimsOf(app, web, 'access')
  return claims && claims !== 'expired' && isLive(app, claims) ? claims.userId : null
}
