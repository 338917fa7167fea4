import type { Reply } from '#contract/define'
import type { oauth } from '#contract/oauth'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { clientOf, createPending, credentialForResource, type OauthClient } from '../credentials/oauth/service.ts'
import { Unsound } from '../credentials/oauth-asking/service.ts'
import { clientGiven, create, serverAt } from '../integrations/service.ts'
import { redirectOf } from './addresses.ts'
import { clientAt } from './clients.ts'
import { discover, type Found } from './discovery.ts'
import { soundly, startAttempt } from './service.ts'

/** The address of an MCP server as people give it. */
function mcpUrl(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw problem('invalid_field', {
      field: 'mcp_url',
      detail: 'mcp_url must be a URL such as https://example.com/mcp',
    })
  return text.trim()
}

export async function discovered(
  app: App,
  { body }: Call<typeof oauth.discover>,
): Promise<Reply<typeof oauth.discover>> {
  const nothing = (detail: string) => problem('not_found', { field: 'mcp_url', detail })
  const found = await discover(app, mcpUrl(body.mcp_url)).catch((error: unknown) => {
    throw error instanceof Unsound ? nothing(error.message) : error
  })
  if (!found) throw nothing('The server does not say where one signs in')
  return {
    auth_url: found.auth_url,
    token_url: found.token_url,
    ...(found.registration_url && { registration_endpoint: found.registration_url }),
    scopes: found.scopes,
    supports_dcr: found.registration_url !== null,
    supports_pkce: found.pkce,
    source: found.source,
  }
}

interface Ready {
  url: string
  redirect: string
  found: Found
  /** Null when people must register a client first. */
  client: OauthClient | null
}

/** Finds out where one signs in, and registers a client there. */
export async function prepareConnect(app: App, { actor, body, web }: Call<typeof oauth.autoConnect>): Promise<Ready> {
  const url = mcpUrl(body.mcp_url)
  const redirect = redirectOf(app, web, body.redirect_uri)
  const id = blankToNull(body.client_id)
  const { workspace } = actor
  const found = await soundly('oauth_unsuitable', discover(app, url, blankToNull(body.provider_hint)))
  if (!found)
    throw problem('oauth_unsuitable', { field: 'mcp_url', detail: 'The server does not say where one signs in' })
  const given = id === null ? clientGiven(app, workspace, url) : { id, secret: blankToNull(body.client_secret) }
  const client =
    (given ? null : registered(app, workspace, found, redirect)) ??
    (await soundly('oauth_unsuitable', clientAt(app, found, { redirect, given })))
  return { url, redirect, found, client }
}

/** The client that was registered here before for the same address; null without one. */
function registered(app: App, workspace: string, found: Found, redirect: string): OauthClient | null {
  const credential = credentialForResource(app, workspace, found.resource)
  const known = credential && clientOf(app, credential)
  if (!known || !found.pkce || known.redirect_uri !== redirect || known.issuer !== found.issuer) return null
  const { refresh: _, version: __, ...client } = known
  return { ...client, auth_url: found.auth_url, token_url: found.token_url, scopes: found.scopes.join(' ') }
}

/** Adds the server if it is not there, and a credential for it, and begins to sign in. */
export function connect(
  app: App,
  call: Call<typeof oauth.autoConnect>,
  { url, redirect, found, client }: Ready,
): Reply<typeof oauth.autoConnect> {
  if (!client)
    return {
      status: 'needs_client_id',
      auth_url: found.auth_url,
      token_url: found.token_url,
      scopes: found.scopes,
      message: `${new URL(found.auth_url).host} registers no clients by itself: register one there, and give its id`,
    }
  const { actor, body, now } = call
  const { host } = new URL(url)
  const title = blankToNull(body.server_name)?.trim() || host
  if (!serverAt(app, actor.workspace, url))
    create(app, { ...call, body: { name: nameOf(title), display_name: title, endpoint: url } })
  const credential =
    credentialForResource(app, actor.workspace, client.resource!) ??
    createPending(app, actor, { name: `${title} sign-in`, description: `Signs in to ${host}`, now }, client)
  const { auth_url } = startAttempt(app, actor, { credential, redirect, client })
  return { status: 'authorize', auth_url, credential_id: credential }
}

/** The name of an integration, made of what people call it. */
const nameOf = (title: string): string =>
  title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, 64) || 'server'
