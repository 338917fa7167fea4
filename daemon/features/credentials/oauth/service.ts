import { fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { bySystem } from '#kernel/journal/about-user'
import { problem } from '#kernel/problem'
import { note } from '../audit/service.ts'
import { type CredentialRow, queries as credentialQueries } from '../queries.ts'
import { statusOf } from '../rules.ts'
import { forgetKnown, openValue, sealValue, vaultOf } from '../values.ts'
import { type ClientRow, type Due, queries } from './queries.ts'
import { isAudience, type OauthClient, type Tokens } from './rules.ts'

export type { Due } from './queries.ts'
export { isAudience, type OauthClient, type Tokens } from './rules.ts'

const secretRow = (credentialId: string) => `oauth_clients:${credentialId}:secret`
const refreshRow = (credentialId: string) => `oauth_clients:${credentialId}:refresh`

const seal = (app: App, text: string | null, row: string): string | null =>
  text === null ? null : vaultOf(app).seal(text, row)

function open(app: App, sealed: string | null, row: string): string | null {
  if (sealed === null) return null
  try {
    return vaultOf(app).open(sealed, row)
  } catch {
    throw problem('encryption_unavailable', { detail: 'What is stored cannot be opened with this encryption key' })
  }
}

/** What is known of how a credential's tokens are had; `version` tells whether others were stored meanwhile. */
export interface Known extends OauthClient {
  refresh: string | null
  version: number
}

/** Null for a credential of another type. */
export function clientOf(app: App, credentialId: string): Known | null {
  const row = queries(app.db).find.get(credentialId)
  if (!row) return null
  const { credential_id: id, client_secret_sealed, refresh_sealed, ...rest } = row
  return {
    ...rest,
    client_secret: open(app, client_secret_sealed, secretRow(id)),
    refresh: open(app, refresh_sealed, refreshRow(id)),
    indicated: row.indicated === 1,
    names_itself: row.names_itself === 1,
  }
}

function stored(app: App, id: string, client: OauthClient, refresh: string | null, version: number): ClientRow {
  const { client_secret, indicated, names_itself, ...rest } = client
  return {
    credential_id: id,
    issuer: rest.issuer,
    auth_url: rest.auth_url,
    token_url: rest.token_url,
    registration_url: rest.registration_url,
    client_id: rest.client_id,
    client_secret_sealed: seal(app, client_secret, secretRow(id)),
    auth_method: rest.auth_method,
    redirect_uri: rest.redirect_uri,
    scopes: rest.scopes,
    resource: rest.resource,
    indicated: Number(indicated),
    names_itself: Number(names_itself),
    refresh_sealed: seal(app, refresh, refreshRow(id)),
    version,
  }
}

/** The newest live credential of the whole workspace whose tokens are for this resource; null without one. */
export const credentialForResource = ({ db }: App, workspace: string, resource: string): string | null =>
  queries(db).ofResource.get({ workspace, resource }) ?? null

/** Stores how a new credential's tokens are had, and what renews them if that is known. */
export const keepClient = (app: App, credentialId: string, client: OauthClient, refresh: string | null): void =>
  void queries(app.db).insert.run(stored(app, credentialId, client, refresh, 0))

/** A credential whose tokens are yet to come. */
export function createPending(
  app: App,
  actor: Actor,
  { name, description, now }: { name: string; description: string; now: string },
  client: OauthClient,
): string {
  const id = newId(app.clock())
  const made = queries(app.db).insertCredential.get({
    id,
    workspace: actor.workspace,
    name,
    description,
    user: actor.id,
    now,
  })
  if (!made) throw problem('name_taken', { field: 'server_name', detail: `Another credential has the name "${name}"` })
  keepClient(app, id, client, null)
  note(app, id, 'CREATED', actorOf(actor))
  app.journal(fact('credential.created', { entity_id: id, name }, { workspace_id: actor.workspace, ...actorOf(actor) }))
  return id
}

/**
 * Stores tokens, and the client that they were given to, unless others were stored since `version` was read; says
 * whether it did.
 */
export function keepTokens(
  app: App,
  credentialId: string,
  { client, tokens, version }: { client: OauthClient; tokens: Tokens; version: number },
): { name: string } | null {
  const scopes = tokens.scope ?? client.scopes
  const row = stored(app, credentialId, { ...client, scopes }, tokens.refresh, version)
  if (!queries(app.db).renew.get(row)) return null
  const until = tokens.seconds === null ? null : wholeSeconds(app.clock() + tokens.seconds * 1000)
  const sealed = sealValue(app, credentialId, tokens.access)
  const kept = queries(app.db).setToken.get({ id: credentialId, sealed, until, now: app.now() })
  const workspace = credentialQueries(app.db).named.get(credentialId)?.workspace_id
  if (workspace) forgetKnown(app, workspace)
  return kept ?? null
}

/** Records in the credential's own record that its tokens were replaced. */
export const noteRenewal = (app: App, credentialId: string, by: Actor | null): void =>
  note(app, credentialId, 'ROTATE', actorOf(by), { renewed: true })

/** Ends a credential that cannot be renewed, and tells of it once. `reason` is shown to people. */
export function expire(app: App, credentialId: string, reason: string): void {
  const over = queries(app.db).expire.get({ id: credentialId, reason, now: app.now() })
  if (!over) return
  const { name: credential_name, workspace_id, created_by } = over
  const payload = { credential_id: credentialId, credential_name, reason, created_by }
  app.journal(fact('credential.expired', payload, { workspace_id, ...bySystem }))
  app.broadcast({
    channel: `workspace:${workspace_id}`,
    type: 'credential.expired',
    payload: { credential_id: credentialId, reason },
  })
}

/** Credentials with tokens that end before then. */
export const endingBefore = (app: App, before: number, most: number): Due[] =>
  queries(app.db).due.all({ before: wholeSeconds(before), most })

/** Whether a credential that works has tokens that end before then. */
export const endsBefore = ({ db }: App, credentialId: string, before: number): boolean =>
  queries(db).ends.get({ id: credentialId, before: wholeSeconds(before) }) !== undefined

/** Whether a live credential's tokens may be sent to an address; null when it is no OAuth credential. */
export function isMeantFor(app: App, credentialId: string, address: string): boolean | null {
  const row = queries(app.db).find.get(credentialId)
  return row ? isAudience(row, address) : null
}

/**
 * The value of a credential for a request to an address; null when it is gone, does not work now, or is a token that
 * was issued for another server. Whatever adds a credential to a request asks here.
 */
export function valueFor(app: App, workspace: string, credentialId: string, address: string): string | null {
  const row = credentialQueries(app.db).find.get(workspace, credentialId)
  if (!row || !app.vault || !works(app, row) || isMeantFor(app, credentialId, address) === false) return null
  return openValue(app, row)
}

const works = (app: App, row: CredentialRow): boolean => ['ACTIVE', 'RATE_LIMITED'].includes(statusOf(row, app.clock()))

/** Forgets how a deleted credential's tokens were had. */
export const forgetClient = (app: App, credentialId: string): void => void queries(app.db).remove.run(credentialId)
