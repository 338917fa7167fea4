import type { App } from '#kernel/app'
import type { OauthClient, Tokens } from '../oauth/service.ts'
import { guardedFetch, Unsound, unsound } from '../oauth-asking/service.ts'

/** Tokens, and the client with the way to prove itself that the server took. */
export interface Granted {
  client: OauthClient
  tokens: Tokens
}

/** Exchanges a code for tokens. Throws `Unsound`. */
export const exchangeCode = (
  app: App,
  client: OauthClient,
  { code, verifier, redirect }: { code: string; verifier: string; redirect: string },
): Promise<Granted> =>
  asking(app, client, async (server, options) => {
    const { exchangeAuthorization } = await import('@modelcontextprotocol/sdk/client/auth.js')
    return exchangeAuthorization(server, {
      ...options,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: redirect,
    })
  })

/**
 * Exchanges a refresh token for new ones; without a new refresh token the old one goes on. Also while the daemon stops:
 * a server may take the old one no more once it has answered. Throws `Unsound`.
 */
export const renewTokens = (app: App, client: OauthClient, refreshToken: string): Promise<Granted> =>
  asking(app, client, async (server, options) => {
    const { refreshAuthorization } = await import('@modelcontextprotocol/sdk/client/auth.js')
    return refreshAuthorization(server, { ...options, fetchFn: guardedFetch(app, { toTheEnd: true }), refreshToken })
  })

type Options = ReturnType<typeof optionsFor>

function optionsFor(app: App, client: OauthClient, method: string) {
  return {
    metadata: {
      issuer: client.issuer ?? client.token_url!,
      authorization_endpoint: client.auth_url ?? client.token_url!,
      token_endpoint: client.token_url!,
      response_types_supported: ['code'],
    },
    clientInformation: {
      client_id: client.client_id!,
      ...(client.client_secret !== null && method !== 'none' && { client_secret: client.client_secret }),
      token_endpoint_auth_method: method,
      redirect_uris: [],
    },
    ...(client.indicated && client.resource !== null && { resource: new URL(client.resource) }),
    fetchFn: guardedFetch(app),
  }
}

/** Where nobody said how a client proves itself, both ways are tried; refusing the client does not use up the code. */
async function asking(
  app: App,
  client: OauthClient,
  ask: (server: string, options: Options) => Promise<unknown>,
): Promise<Granted> {
  const methods = client.auth_method
    ? [client.auth_method]
    : client.client_secret === null
      ? ['none']
      : ['client_secret_post', 'client_secret_basic']
  for (const [at, method] of methods.entries()) {
    try {
      const said = await ask(client.issuer ?? client.token_url!, optionsFor(app, client, method))
      return { client: { ...client, auth_method: method }, tokens: readTokens(said, client.token_url!) }
    } catch (error) {
      const reason = unsound(error, client.token_url!)
      if (reason.word !== 'invalid_client' || at + 1 === methods.length) throw reason
    }
  }
  throw new Error('There is always a way')
}

const longest = 10 * 366 * 86_400

function readTokens(said: unknown, address: string): Tokens {
  const { host } = new URL(address)
  const { access_token, refresh_token, expires_in, scope, token_type } = said as Record<string, unknown>
  const isToken = (it: unknown): it is string => typeof it === 'string' && /^[\x21-\x7e]{1,16384}$/.test(it)
  if (!isToken(access_token)) throw new Unsound(`${host} gave a token that no header can carry`)
  if (/^(dpop|mac|n_a)$/i.test(String(token_type)))
    throw new Unsound(`${host} gave a token of a kind that is not bearer`)
  const seconds = typeof expires_in === 'number' && expires_in > 0 ? Math.min(Math.floor(expires_in), longest) : null
  return {
    access: access_token,
    refresh: isToken(refresh_token) ? refresh_token : null,
    seconds,
    scope: typeof scope === 'string' && scope.length <= 2000 ? scope : null,
  }
}
