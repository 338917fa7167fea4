import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { oauth } from '#contract/oauth'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { clientOf, keepTokens, type OauthClient } from '../credentials/oauth/service.ts'
import { Unsound } from '../credentials/oauth-asking/service.ts'
import { exchangeCode, type Granted } from '../credentials/oauth-tokens/service.ts'
import { findDecided } from '../credentials/service.ts'
import { connectServers } from '../integrations/connections/service.ts'
import { redirectOf } from './addresses.ts'
import { register } from './clients.ts'
import { type Begun, burnOwn, challengeOf, keepState, newState, newVerifier } from './states.ts'

/** One signs in for what one stored oneself; ADMIN does for anything. */
const maySign = ({ created_by }: { created_by: string | null }, { id, role }: Pick<Actor, 'id' | 'role'>): boolean =>
  created_by === id || (role !== null && allows('ADMIN', role))

/** A credential that this person may sign in for. */
function findOwn(app: App, actor: Actor, credentialId: string) {
  const credential = findDecided(app, actor, credentialId)
  if (!maySign(credential, actor))
    throw problem('insufficient_role', {
      field: 'credential_id',
      detail: 'Below ADMIN you sign in for credentials that you stored yourself',
    })
  return credential
}

/** The client of a credential that one can sign in for. */
function clientFor(app: App, actor: Actor, credentialId: string): OauthClient {
  const { name } = findOwn(app, actor, credentialId)
  const client = clientOf(app, credentialId)
  const missing = (['auth_url', 'token_url', 'client_id'] as const).find((member) => !client?.[member])
  if (!client || missing)
    throw problem('oauth_incomplete', {
      field: 'credential_id',
      detail: client
        ? `The credential "${name}" lacks oauth_${missing}`
        : `The credential "${name}" is not of type OAUTH2`,
    })
  const { refresh: _, version: __, ...rest } = client
  return rest
}

/** Answers what cannot be used to sign in as a problem. */
export async function soundly<T>(code: 'oauth_unsuitable' | 'oauth_exchange_failed', work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Unsound) throw problem(code, { detail: error.message })
    throw error
  }
}

/** Begins a sign-in: a client that was registered for another address registers for this one. */
export async function begin(
  app: App,
  actor: Actor,
  credentialId: string,
  redirect: string,
): Promise<{ auth_url: string; state: string }> {
  const known = clientFor(app, actor, credentialId)
  const fits = known.redirect_uri === null || known.redirect_uri === redirect || known.registration_url === null
  const client = fits ? known : await soundly('oauth_unsuitable', register(app, known, redirect))
  return app.write(() => startAttempt(app, actor, { credential: credentialId, redirect, client }))
}

/** Keeps a sign-in that begins, within the current change, and says where the person goes. */
export function startAttempt(
  app: App,
  { id: user, workspace }: Actor,
  { credential, redirect, client }: { credential: string; redirect: string; client: OauthClient },
): { auth_url: string; state: string } {
  const [state, verifier] = [newState(), newVerifier()]
  keepState(app, state, { credential, workspace, user, redirect, verifier, client })
  return { auth_url: addressOf(client, { state, verifier, redirect }), state }
}

function addressOf(
  { auth_url, client_id, scopes, indicated, resource }: OauthClient,
  { state, verifier, redirect }: { state: string; verifier: string; redirect: string },
): string {
  const url = new URL(auth_url!)
  const asked = {
    client_id: client_id!,
    redirect_uri: redirect,
    response_type: 'code',
    state,
    access_type: 'offline',
    prompt: 'consent',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...(scopes && { scope: scopes }),
    ...(indicated && resource !== null && { resource }),
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

export const initiate = (
  app: App,
  { actor, body, web }: Call<typeof oauth.initiate>,
): Promise<Reply<typeof oauth.initiate>> =>
  begin(app, actor, body.credential_id, redirectOf(app, web, body.redirect_uri))

/** What came with a code. */
interface Brought {
  code: string
  /** Who says that it sent it; undefined when that is not known. */
  iss?: string | undefined
}

/** Exchanges what a browser brought for tokens. The answer must be from the server that was asked (RFC 9207). */
export async function redeem(app: App, begun: Begun, { code, iss }: Brought, strictly: boolean): Promise<Granted> {
  const { client, verifier, redirect } = begun
  const wrong = iss !== undefined && client.issuer !== null && iss !== client.issuer
  if (wrong || (strictly && iss === undefined && client.names_itself))
    throw problem('oauth_refused', { field: 'iss', detail: 'The code was sent by another server than the one asked' })
  return soundly('oauth_exchange_failed', exchangeCode(app, client, { code, verifier, redirect }))
}

/** Stores tokens that came, within the current change, and gives them to the servers that they are for. */
export function settle(
  app: App,
  { credential: id, workspace, user }: Omit<Begun, 'verifier' | 'client' | 'redirect'>,
  granted: Granted,
): void {
  const role = membership(app.db, workspace, user)?.role ?? null
  const actor: Actor = { type: 'user', id: user, email: null, workspace, role, token: null, session: null }
  const gone = () => problem('not_found', { detail: 'The credential that this was for is gone' })
  const credential = role === null ? null : findDecided(app, actor, id)
  const known = credential && maySign(credential, actor) ? clientOf(app, id) : null
  if (!credential || !known || !keepTokens(app, id, { ...granted, version: known.version })) throw gone()
  const servers = connectServers(app, workspace, id)
  const { host } = new URL(granted.client.resource ?? granted.client.token_url!)
  const payload = { credential_id: id, credential_name: credential.name, host, servers }
  app.journal(fact('credential.connected', payload, { workspace_id: workspace, actor_type: 'user', actor_id: user }))
}

/** Takes a code by hand: for the caller's own sign-in, or with a verifier of the caller's own. */
export async function takeCode(
  app: App,
  { actor, body, web }: Call<typeof oauth.exchange>,
): Promise<{ begun: Begun; granted: Granted }> {
  const { credential_id: credential, code, state, code_verifier: verifier, iss } = body
  const own = { workspace: actor.workspace, user: actor.id, credential }
  const client = clientFor(app, actor, credential)
  const begun =
    verifier === undefined
      ? await app.write(() => burnOwn(app, own, state))
      : { ...own, verifier, client, redirect: redirectOf(app, web, body.redirect_uri) }
  return { begun, granted: await redeem(app, begun, { code, iss }, false) }
}

export function finishTaking(
  app: App,
  { body }: Call<typeof oauth.exchange>,
  { begun, granted }: { begun: Begun; granted: Granted },
): Reply<typeof oauth.exchange> {
  settle(app, begun, granted)
  return { status: 'ok', credential_id: body.credential_id }
}
