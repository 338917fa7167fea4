import type { App } from '#kernel/app'
import { isAmong } from '#kernel/outbound/hosts'
import { type SignIn, signIns } from '../../providers/oauth.ts'
import { isAudience } from '../credentials/oauth/service.ts'
import { checkAddress, type Fetch, guardedFetch, Unsound, unsound } from '../credentials/oauth-asking/service.ts'

/** Where one signs in for a server, and what is known of that place. */
export interface Found {
  source: 'known_provider' | 'discovery'
  issuer: string | null
  auth_url: string
  token_url: string
  registration_url: string | null
  scopes: string[]
  pkce: boolean
  /** How clients may prove who they are; null when that is not said. */
  methods: string[] | null
  /** A client may be named by the address of what it says of itself. */
  documents: boolean
  names_itself: boolean
  /** What tokens are for. */
  resource: string
  /** The server takes the name of the resource. */
  indicated: boolean
}

/**
 * Finds out where one signs in for an MCP server: what it says itself, else what is known of its provider. Null when
 * neither is anything; throws `Unsound` for what cannot be trusted.
 */
export async function discover(app: App, mcpUrl: string, hint: string | null = null): Promise<Found | null> {
  const fetch = guardedFetch(app)
  try {
    return (await ask(app, fetch, mcpUrl)) ?? known(mcpUrl, hint)
  } catch (error) {
    throw unsound(error, mcpUrl)
  }
}

const covers = ({ hosts }: SignIn, host: string): boolean =>
  isAmong(
    host,
    hosts.flatMap((it) => [it, `*.${it}`]),
  )

function known(mcpUrl: string, hint: string | null): Found | null {
  const { hostname } = new URL(mcpUrl)
  const provider = signIns.find((it) => it.name === hint?.toLowerCase()) ?? signIns.find((it) => covers(it, hostname))
  if (!provider) return null
  const { auth_url, token_url, scopes } = provider
  return {
    source: 'known_provider',
    issuer: null,
    auth_url,
    token_url,
    registration_url: null,
    scopes: [...scopes],
    pkce: true,
    methods: null,
    documents: false,
    names_itself: false,
    resource: mcpUrl,
    indicated: false,
  }
}

async function ask(app: App, fetch: Fetch, mcpUrl: string): Promise<Found | null> {
  const { discoverAuthorizationServerMetadata } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const told = await resourceOf(fetch, mcpUrl)
  const server = told?.server ?? new URL('/', mcpUrl).href
  const metadata = await discoverAuthorizationServerMetadata(checkAddress(app, server, 'The authorization server'), {
    fetchFn: fetch,
  })
  if (!metadata) return null
  if (bare(metadata.issuer) !== bare(server))
    throw new Unsound(`${new URL(server).host} says that it is another authorization server`)
  const said = metadata as typeof metadata & {
    authorization_response_iss_parameter_supported?: unknown
    client_id_metadata_document_supported?: unknown
  }
  const { registration_endpoint: registration } = metadata
  const offline = metadata.scopes_supported?.includes('offline_access') ? ['offline_access'] : []
  return {
    source: 'discovery',
    issuer: metadata.issuer,
    auth_url: checkAddress(app, metadata.authorization_endpoint, 'The authorization endpoint'),
    token_url: checkAddress(app, metadata.token_endpoint, 'The token endpoint'),
    registration_url: registration ? checkAddress(app, registration, 'The registration endpoint') : null,
    scopes: [...new Set([...(told?.scopes ?? []), ...offline])],
    pkce: metadata.code_challenge_methods_supported?.includes('S256') ?? false,
    methods: metadata.token_endpoint_auth_methods_supported ?? null,
    documents: said.client_id_metadata_document_supported === true,
    names_itself: said.authorization_response_iss_parameter_supported === true,
    resource: told?.resource ?? mcpUrl,
    indicated: told !== null,
  }
}

const bare = (address: string): string => address.replace(/\/$/, '')

/** What a server says of itself as a resource, at the address that it names or at the usual ones. */
async function resourceOf(
  fetch: Fetch,
  mcpUrl: string,
): Promise<{ resource: string; server: string | null; scopes: string[] } | null> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const { OAuthProtectedResourceMetadataSchema } = await import('@modelcontextprotocol/sdk/shared/auth.js')
  const refusal = await fetch(mcpUrl, { headers: { accept: 'application/json, text/event-stream' } })
  await refusal.body?.cancel()
  const { resourceMetadataUrl: named, scope } = extractWWWAuthenticateParams(refusal)
  const { pathname, search } = new URL(mcpUrl)
  const path = '/.well-known/oauth-protected-resource'
  const usual = [new URL(`${path}${pathname.replace(/\/$/, '')}${search}`, mcpUrl), new URL(path, mcpUrl)]
  for (const url of named ? [named] : usual) {
    const answer = await fetch(url, { headers: { accept: 'application/json' } })
    if (!answer.ok) {
      await answer.body?.cancel()
      continue
    }
    const said = OAuthProtectedResourceMetadataSchema.parse(await answer.json())
    if (!isAudience({ resource: said.resource, auth_url: null, token_url: null }, mcpUrl))
      throw new Unsound(`${new URL(mcpUrl).host} says that it is another resource`)
    return {
      resource: said.resource,
      server: said.authorization_servers?.[0] ?? null,
      scopes: scope?.split(' ').filter(Boolean) ?? said.scopes_supported ?? [],
    }
  }
  return null
}
