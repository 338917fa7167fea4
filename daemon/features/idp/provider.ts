import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { App } from '#kernel/app'
import { outboundFetch } from '#kernel/outbound/fetch'
import { problem } from '#kernel/problem'
import { errorWord, type Profile, readProfile } from './rules.ts'

/** The secrets of one sign-in, from its beginning to its end. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
}

/** The identity provider that the settings name. */
export interface Provider {
  readonly issuer: string
  /** Where a browser goes to sign in, and comes back from to `callback`. */
  authorize(callback: string, attempt: Attempt): Promise<string>
  /** Whom the answer stands for: `answer` is the callback with everything that the provider added. */
  profile(answer: URL, attempt: Attempt): Promise<Profile>
}

type Library = typeof import('openid-client')
type Method = 'client_secret_post' | 'client_secret_basic'

const scope = 'openid email profile'
/** Milliseconds for which what the provider says of itself is believed. Its keys are asked for at each sign-in. */
const believed = 3_600_000

export function createProvider(app: App): Provider {
  const { idpIssuer: issuer, idpClientId: clientId, idpClientSecret: secret } = app.config
  const fetch = outboundFetch(app.outbound, { operator: true, signal: app.stopping.signal })
  let known: { at: number; server: Promise<ServerMetadata> } | null = null
  /** How the provider last took the secret. */
  let taken: Method | null = null

  /** What the settings allow to be plain HTTP. */
  const leniency = (library: Library) => (issuer.startsWith('http:') ? [library.allowInsecureRequests] : [])

  async function discover(library: Library): Promise<ServerMetadata> {
    const options = { [library.customFetch]: fetch, execute: leniency(library) }
    return (await library.discovery(new URL(issuer), clientId, {}, library.None(), options)).serverMetadata()
  }

  async function server(library: Library): Promise<ServerMetadata> {
    if (!known || Math.abs(app.clock() - known.at) > believed) known = { at: app.clock(), server: discover(library) }
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

  /** Made anew for each sign-in, so that the keys are those of the moment. */
  function configure(library: Library, metadata: ServerMetadata, method: Method): Configuration {
    const auth: ClientAuth =
      method === 'client_secret_post' ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret)
    const config = new library.Configuration(metadata, clientId, {}, auth)
    config[library.customFetch] = fetch
    // The signature too, although the token comes from the provider itself.
    for (const apply of [...leniency(library), library.enableNonRepudiationChecks]) apply(config)
    return config
  }

  /**
   * The ways to show the secret, the likeliest first. What a provider lists need not be what it takes from this client.
   */
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
      // A provider without an address for profiles says everything in the token itself.
      const said = config.serverMetadata().userinfo_endpoint
        ? await library.fetchUserInfo(config, tokens.access_token, claims.sub).catch((error: unknown) => {
            throw unusable(reasonOf(error))
          })
        : claims
      const profile = readProfile(said)
      if (!profile) throw unusable('It names nobody')
      return profile
    },
  }
}

/** The secret was not taken, so the code is still good. */
const refusesClient = (error: unknown): boolean => {
  const { status, error: word } = error as { status?: number; error?: string }
  return status === 401 || word === 'invalid_client'
}

/** For the log: what went wrong and what was behind it, without a word of what was sent. */
function reasonOf(error: unknown): string {
  const said: string[] = []
  for (let it = error; it instanceof Error && said.length < 5; it = it.cause) {
    const { error: word } = it as { error?: unknown }
    said.push(typeof word === 'string' ? `${it.message} (${errorWord(word)})` : it.message)
  }
  return said.join(': ') || 'unknown'
}
