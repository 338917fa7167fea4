import type { App } from '#kernel/app'
import { isLoopbackHost } from '#kernel/outbound/addresses'
import type { OauthClient } from '../credentials/oauth/service.ts'
import { guardedFetch, Unsound, unsound } from '../credentials/oauth-asking/service.ts'
import { documentOf } from './addresses.ts'
import type { Found } from './discovery.ts'

/** A client that people registered with a server. */
export interface Given {
  id: string
  secret: string | null
}

/** The client with which to sign in at a place that was found; null when people must register one first. */
export async function clientAt(
  app: App,
  found: Found,
  { redirect, given }: { redirect: string; given: Given | null },
): Promise<OauthClient | null> {
  if (!found.pkce)
    throw new Unsound(
      `${new URL(found.auth_url).host} does not support PKCE with S256, without which codes can be stolen`,
    )
  const { issuer, auth_url, token_url, registration_url, resource, indicated, names_itself } = found
  const base = {
    issuer,
    auth_url,
    token_url,
    registration_url,
    scopes: found.scopes.join(' '),
    resource,
    indicated,
    names_itself,
  }
  const method = (has: boolean) => methodOf(found.methods, has)
  if (given)
    return {
      ...base,
      registration_url: null,
      client_id: given.id,
      client_secret: given.secret,
      auth_method: found.methods && method(given.secret !== null),
      redirect_uri: null,
    }
  const document = found.documents ? documentOf(app) : null
  if (document)
    return {
      ...base,
      registration_url: null,
      client_id: document,
      client_secret: null,
      auth_method: 'none',
      redirect_uri: null,
    }
  return registration_url === null ? null : register(app, { ...base, ...nobody, auth_method: method(true) }, redirect)
}

const nobody = { client_id: null, client_secret: null, redirect_uri: null }

/** The safest way to prove who a client is that a server takes; null leaves it to what is tried. */
function methodOf(listed: string[] | null, hasSecret: boolean): string {
  if (!hasSecret) return 'none'
  const taken = listed ?? ['client_secret_basic']
  return (
    ['client_secret_basic', 'client_secret_post', 'none'].find((one) => taken.includes(one)) ?? 'client_secret_basic'
  )
}

/** Registers a client that comes back to `redirect` (RFC 7591). */
export async function register(app: App, client: OauthClient, redirect: string): Promise<OauthClient> {
  const { registerClient } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const registration = client.registration_url!
  const metadata = {
    client_name: 'Muster',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: client.auth_method ?? 'client_secret_basic',
    application_type: isLoopbackHost(new URL(redirect).hostname) ? 'native' : 'web',
    ...(client.scopes && { scope: client.scopes }),
  }
  try {
    const made = await registerClient(client.issuer ?? registration, {
      metadata: {
        issuer: client.issuer ?? registration,
        authorization_endpoint: client.auth_url!,
        token_endpoint: client.token_url!,
        registration_endpoint: registration,
        response_types_supported: ['code'],
      },
      clientMetadata: metadata,
      fetchFn: guardedFetch(app),
    })
    return {
      ...client,
      client_id: made.client_id,
      client_secret: made.client_secret ?? null,
      auth_method: made.client_secret
        ? (made.token_endpoint_auth_method ?? metadata.token_endpoint_auth_method)
        : 'none',
      redirect_uri: redirect,
    }
  } catch (error) {
    throw unsound(error, registration)
  }
}
