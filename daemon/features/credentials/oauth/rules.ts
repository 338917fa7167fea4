/** How the tokens of a credential are had. */
export interface OauthClient {
  /** Null when nobody said who the server is. */
  issuer: string | null
  auth_url: string | null
  token_url: string | null
  /** Where more clients can be registered. */
  registration_url: string | null
  client_id: string | null
  client_secret: string | null
  auth_method: string | null
  /** The address that a registered client comes back to; null when people arranged it. */
  redirect_uri: string | null
  scopes: string
  resource: string | null
  /** The server is told of the resource. */
  indicated: boolean
  /** Its answers always say who it is. */
  names_itself: boolean
}

/** What a server gave. */
export interface Tokens {
  access: string
  refresh: string | null
  /** Seconds that the access token is good for. */
  seconds: number | null
  scope: string | null
}

/**
 * Whether tokens may be sent to an address: it lies at or below the resource that they were issued for; without one, at
 * a server that issued them.
 */
export function isAudience(
  { resource, auth_url, token_url }: Pick<OauthClient, 'resource' | 'auth_url' | 'token_url'>,
  address: string,
): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url) return false
  if (resource === null) return [auth_url, token_url].some((one) => one !== null && originOf(one) === url.origin)
  const within = URL.canParse(resource) ? new URL(resource) : null
  return within !== null && within.origin === url.origin && folder(url.pathname).startsWith(folder(within.pathname))
}

const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null)

const folder = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
