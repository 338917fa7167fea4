import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { App } from '#kernel/app'
import { outboundFetch } from '#kernel/outbound/fetch'
import { problem } from '#kernel/problem'
import { errorWord, type Profile, readProfile } from './rules.ts'

/** The secrets of one sign-in. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
}

/** The configured identity provider. */
export interface Provider {
  readonly issuer: string
  /** The URL to send a browser to, which comes back to `callback`. */
  authorize(callback: string, attempt: Attempt): Promise<string>
  /** The profile of the person who signed in; `answer` is the callback URL with the provider's parameters. */
  profile(answer: URL, attempt: Attempt): Promise<Profile>
}

type Library = typeof import('openid-client')
type Method = 'client_secret_post' | 'client_secret_basic'

const scope = 'openid email profile'
/** Milliseconds for which the provider's metadata is cached. Its keys are fetched for each sign-in. */
const metadataMs = 3_600_000

export function createProvider(app: App): Provider {
  const { idpIssuer: issuer, idpClientId: clientId, idpClientSecret: secret } = app.config
  const fetch = outboundFetch(app.outbound, { operator: true, signal: app.stopping.signal })
  let known: { at: number; server: Promise<ServerMetadata> } | null = null
  /** The authentication method that the provider accepted last. */
  let taken: Method | null = null

  /** Allows plain HTTP for an issuer that the settings permit. */
  const leniency = (library: Library) => (issuer.startsWith('http:') ? [library.allowInsecureRequests] : [])

  async function discover(library: Library): Promise<ServerMetadata> {
    const options = { [library.customFetch]: fetch, execute: leniency(library) }
    return (await library.discovery(new URL(issuer), clientId, {}, library.None(), options)).serverMetadata()
  }

  async function server(library: Library): Promise<ServerMetadata> {
    if (!known || Math.abs(app.clock() - known.at) > metadataMs) known = { at: app.clock(), server: discover(library) }
    const asked = known
    try {
      return await asked.server
    } catch (error) {
      if (known === asked) known = null
      app.log.error({ issuer, reason: reasonOf(error) }, 'The identity provider cannot be used')
      throw problem('idp_unavailable', {
        detail: `${new URL(issuer).host} does not answer as an identity provider should; try again later`,
      })
    }
  }

  /** Created for each sign-in, so that the provider's current keys are used. */
  function configure(library: Library, metadata: ServerMetadata, method: Method): Configuration {
    const auth: ClientAuth =
      method === 'client_secret_post' ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret)
    const config = new library.Configuration(metadata, clientId, {}, auth)
    config[library.customFetch] = fetch
    // Verifies the signature as well, although the token comes from the provider itself.
    for (const apply of [...leniency(library), library.enableNonRepudiationChecks]) apply(config)
    return config
  }

  /** Authentication methods to try, the likeliest first: a provider may list more than it accepts from this client. */
  function methodsOf({
    token_endpoint_auth_methods_supported: listed = ['client_secret_basic'],
  }: ServerMetadata): Method[] {
    const both = (['client_secret_post', 'client_secret_basic'] as const).filter((method) => listed.includes(method))
    return both.length ? [...both].sort((a, b) => Number(b === taken) - Number(a === taken)) : ['client_secret_post']
  }

  async function exchange(
    library: Library,
    metadata: ServerMetadata,
    answer: URL,
    { state, nonce, verifier }: Attempt,
  ) {
    const methods = methodsOf(metadata)
    for (const [at, method] of methods.entries()) {
      const config = configure(library, metadata, method)
      try {
        const tokens = await library.authorizationCodeGrant(config, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        taken = method
        return { config, tokens }
      } catch (error) {
        if (refusesClient(error) && at + 1 < methods.length) continue
        known = null
        app.log.warn({ issuer, reason: reasonOf(error) }, 'A sign-in was not confirmed by the identity provider')
        throw problem('idp_exchange_failed', {
          detail: `${new URL(issuer).host} did not confirm the sign-in; start again`,
        })
      }
    }
    throw new Error('There is always a method')
  }

  return {
    issuer,
    async authorize(callback, { state, nonce, verifier }) {
      const library = await import('openid-client')
      const config = configure(library, await server(library), 'client_secret_post')
      const code_challenge = await library.calculatePKCECodeChallenge(verifier)
      const asked = { redirect_uri: callback, scope, state, nonce, code_challenge, code_challenge_method: 'S256' }
      try {
        return library.buildAuthorizationUrl(config, asked).href
      } catch (error) {
        app.log.error({ issuer, reason: reasonOf(error) }, 'The identity provider cannot be used')
        throw problem('idp_unavailable', { detail: `${new URL(issuer).host} does not say where to sign in` })
      }
    },
    async profile(answer, attempt) {
      const library = await import('openid-client')
      const { config, tokens } = await exchange(library, await server(library), answer, attempt)
      const claims = tokens.claims()!
      const unusable = (reason: string) => {
        app.log.warn({ issuer, reason }, 'The identity provider gave no usable profile')
        return problem('idp_profile_failed', { detail: `${new URL(issuer).host} gave no usable profile; start again` })
      }
      // A provider without a userinfo endpoint puts all claims into the token.
      const said = config.serverMetadata().userinfo_endpoint
        ? await library.fetchUserInfo(config, tokens.access_token, claims.sub).catch((error: unknown) => {
            throw unusable(reasonOf(error))
          })
        : claims
      const profile = readProfile(said)
      if (!profile) throw unusable('It has no subject')
      return profile
    },
  }
}

/** The client authentication failed, so the code is still valid. */
const refusesClient = (error: unknown): boolean => {
  const { status, error: word } = error as { status?: number; error?: string }
  return status === 401 || word === 'invalid_client'
}

/** The reason and its cause for the log, without anything that was sent. */
function reasonOf(error: unknown): string {
  const said: string[] = []
  for (let it = error; it instanceof Error && said.length < 5; it = it.cause) {
    const { error: word } = it as { error?: unknown }
    said.push(typeof word === 'string' ? `${it.message} (${errorWord(word)})` : it.message)
  }
  return said.join(': ') || 'unknown'
}
