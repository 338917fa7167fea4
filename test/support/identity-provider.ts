import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { Configuration } from 'oidc-provider'
import { closing } from './index.ts'
import { visitUntilBack } from './sign-in.ts'

/** What the provider says of an account. */
export interface Claims {
  email?: unknown
  email_verified?: unknown
  name?: unknown
}

export const client = { id: 'muster', secret: 'a secret: 100% "safe"?' }
export const callback = 'http://localhost/api/v1/auth/idp/callback'

type Method = 'client_secret_basic' | 'client_secret_post'
interface Options {
  /** The one way in which it takes the secret of the client. */
  method?: Method
}

// It says on every start what it would be in production; it is not in production.
for (const method of ['info', 'warn'] as const) {
  const say = console[method]
  console[method] = (...words: unknown[]) => void (String(words[0]).startsWith('oidc-provider ') || say(...words))
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: crypto.randomUUID() }
}

/** RSA keys take their time; one serves most tests. */
const firstKey = newKey()

/** A real OpenID provider on loopback. Whoever is told in `visit` signs in there without being asked. */
export async function identityProvider({ method = 'client_secret_basic' }: Options = {}) {
  const { default: Provider } = await import('oidc-provider')
  const accounts = new Map<string, Claims>()
  const instead = new Map<string, RequestListener>()
  const seen: string[] = []
  let who: string | null = null
  let key = await firstKey
  let callbacks = [callback]
  let forge: ((claims: JWTPayload) => JWTPayload) | null = null
  let signer: JWK | null = null

  const http = createServer(async (request, response) => {
    const path = request.url!.split('?')[0]!
    seen.push(path)
    const other = instead.get(path)
    if (other) return other(request, response)
    if (path.startsWith('/interaction/')) return decide(request, response)
    if (path === '/token' && forge) reforge(response)
    await handle(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const close = () => {
    http.closeAllConnections()
    return new Promise<void>((resolve) => void http.close(() => resolve()))
  }
  closing({ close })

  const configuration = (): Configuration => ({
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: callbacks,
        token_endpoint_auth_method: method,
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    jwks: { keys: [key] },
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...accounts.get(accountId), sub: accountId }) }),
  })
  let provider = new Provider(issuer, configuration())
  let handle = provider.callback()
  const renew = () => {
    provider = new Provider(issuer, configuration())
    handle = provider.callback()
  }

  async function decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (who === null)
      return provider.interactionFinished(request, response, {
        error: 'access_denied',
        error_description: 'The person said no',
      })
    const { params } = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({ accountId: who, clientId: params['client_id'] as string })
    grant.addOIDCScope('openid email profile')
    await provider.interactionFinished(request, response, {
      login: { accountId: who },
      consent: { grantId: await grant.save() },
    })
  }

  /** Puts another id token into an answer that is otherwise its own. */
  function reforge(response: ServerResponse): void {
    const end = response.end.bind(response)
    response.end = ((body: string) => {
      const answer = JSON.parse(String(body)) as { id_token: string }
      const signing = signer ?? key
      const claims = forge!(decodeJwt(answer.id_token))
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: signing.kid! })
        .sign(signing)
        .then((id_token) => {
          const text = JSON.stringify({ ...answer, id_token })
          response.setHeader('content-length', Buffer.byteLength(text))
          end(text)
        })
      return response
    }) as typeof response.end
  }

  return {
    issuer,
    accounts,
    /** Paths that were asked for, in order. */
    seen,
    /** Answers of its own for a path, as `/token`. */
    instead,
    close,
    /** Another key from now on. */
    async rotate() {
      key = await newKey()
      renew()
    },
    /** Browsers may also come back to this address. */
    allow(address: string) {
      callbacks = [...callbacks, address]
      renew()
    },
    /** Changes what id tokens say; with `stranger`, signs them with a key that is not the provider's. */
    async forge(change: (claims: JWTPayload) => JWTPayload, { stranger = false } = {}) {
      forge = change
      if (stranger) signer = { ...(await newKey()), kid: key.kid! }
    },
    /** Browsers of others sign in as `account` from now on. */
    as(account: string | null) {
      who = account
    },
    /** A browser that signs in as `account` (null: says no). Answers where it is sent back to. */
    visit(location: string, account: string | null): Promise<URL> {
      who = account
      return visitUntilBack(location, issuer)
    },
  }
}
