import type { Reply } from '#contract/define'
import type { oauth } from '#contract/oauth'
import type { View } from '../output/printer.ts'

type Discovered = Reply<typeof oauth.discover>
type Client = Reply<typeof oauth.client>
type Started = Reply<typeof oauth.initiate>
type Connected = Reply<typeof oauth.autoConnect>

export interface Provider {
  name: string
  auth_url: string
  token_url: string
  default_scopes: string
}

export const providerView: View<Provider> = {
  name: ({ name }) => name,
  empty: 'No provider is known.',
  columns: {
    NAME: ({ name }) => name,
    'SIGN-IN': ({ auth_url }) => auth_url,
    TOKENS: ({ token_url }) => token_url,
    SCOPES: ({ default_scopes }) => default_scopes || null,
  },
}

export const discoveredView: View<Discovered> = {
  name: ({ auth_url }) => auth_url,
  columns: {
    'Sign-in': ({ auth_url }) => auth_url,
    Tokens: ({ token_url }) => token_url,
    Scopes: ({ scopes }) => scopes.join(' ') || null,
    'Registers clients': ({ supports_dcr }) => supports_dcr,
    PKCE: ({ supports_pkce }) => supports_pkce,
    'Known from': ({ source }) => (source === 'discovery' ? 'the server itself' : 'the list of providers'),
  },
}

export const clientView: View<Client> = {
  name: ({ client_id }) => client_id,
  columns: {
    Client: ({ client_id }) => client_id,
    Name: ({ client_name }) => client_name,
    'Comes back to': ({ redirect_uris }) => redirect_uris.join(', '),
  },
}

export const startedView: View<Started & { loopback_port?: number }> = {
  name: ({ auth_url }) => auth_url,
  columns: {
    Address: ({ auth_url }) => auth_url,
    State: ({ state }) => state,
    Port: ({ loopback_port }) => loopback_port ?? null,
  },
}

export const connectedView: View<Connected> = {
  name: ({ auth_url }) => auth_url,
  columns: {
    Status: ({ status }) => status,
    Address: ({ auth_url }) => auth_url,
    Credential: ({ credential_id }) => credential_id ?? null,
    Missing: ({ message }) => message ?? null,
  },
}
