import { Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, line, nullable, Ref } from './fields.ts'

const Url = Type.String({ maxLength: 2000 })
const redirect = Type.Optional(
  nullable(
    Type.String({
      maxLength: 2000,
      description: "Where the browser comes back to: this server's callback, or a path on 127.0.0.1 or localhost",
    }),
  ),
)
const scopes = Type.Array(Type.String())

const asking = {
  access: 'MANAGER',
  capability: 'credential.create',
  scope: 'credentials:write',
  status: 200,
} as const
const Started = { auth_url: Type.String({ description: 'Where the person signs in' }), state: Type.String() }
const outside = ['not_found', 'oauth_incomplete', 'oauth_unsuitable', 'encryption_unavailable'] as const
const finishing = [
  'not_found',
  'oauth_state_unknown',
  'oauth_refused',
  'oauth_exchange_failed',
  'oauth_unsuitable',
  'encryption_unavailable',
] as const

/** Signing in to the servers that agents use. docs/oauth.md. */
export const oauth = {
  providers: get('/oauth/providers', {
    summary: 'List the providers whose addresses are known',
    access: 'signed-in',
    reply: Type.Record(
      Type.String(),
      Type.Object({ auth_url: Type.String(), token_url: Type.String(), default_scopes: Type.String() }),
    ),
  }),
  client: get('/oauth/client-metadata', {
    summary: 'Say what this server is as a client, for authorization servers',
    access: 'public',
    reply: Type.Object({
      client_id: Type.String(),
      client_name: Type.String(),
      client_uri: Type.String(),
      redirect_uris: Type.Array(Type.String()),
      grant_types: Type.Array(Type.String()),
      response_types: Type.Array(Type.String()),
      token_endpoint_auth_method: Type.String(),
    }),
    throws: ['not_found'],
  }),
  initiate: post('/oauth/initiate', {
    summary: 'Begin to sign in for a credential of type OAUTH2',
    ...asking,
    noDryRun: 'it may register a client with another server',
    body: Type.Object({ credential_id: Ref, redirect_uri: redirect }),
    reply: Type.Object(Started),
    journal: false,
    throws: outside,
  }),
  callback: get('/oauth/callback', {
    kind: 'text',
    media: ['text/html'],
    summary: 'Come back from an authorization server',
    access: 'public',
    rate: 'auth',
    query: Type.Object({
      state: Type.Optional(Type.String({ description: 'Required' })),
      code: Type.Optional(Type.String({ description: 'Required, unless the server tells of an error' })),
      error: Type.Optional(Type.String({ description: 'Why the server did not let one in' })),
      iss: Type.Optional(Type.String({ description: 'Which server it is' })),
    }),
    throws: finishing,
  }),
  exchange: post('/oauth/exchange', {
    summary: 'Finish signing in with the code that the browser brought',
    ...asking,
    noDryRun: 'a code is good for one use',
    body: Type.Object({
      credential_id: Ref,
      code: Type.String({ minLength: 1, maxLength: 4096 }),
      state: Type.Optional(Type.String({ maxLength: 200, description: 'Without it, your newest one is meant' })),
      code_verifier: Type.Optional(
        Type.String({ minLength: 43, maxLength: 128, description: 'In place of a state: the PKCE verifier' }),
      ),
      redirect_uri: redirect,
      iss: Type.Optional(Type.String({ maxLength: 2000, description: 'Which server sent the code' })),
    }),
    reply: Type.Object({ status: Type.Literal('ok'), credential_id: Id }),
    journal: ['credential.connected'],
    throws: [...finishing, 'oauth_incomplete'],
  }),
  loopback: post('/oauth/loopback', {
    summary: 'Begin to sign in with a browser on the machine of the server',
    ...asking,
    noDryRun: 'it opens a port on the machine of the server',
    body: Type.Object({ credential_id: Ref }),
    reply: Type.Object({ ...Started, loopback_port: Type.Integer({ description: 'On 127.0.0.1, for 120 seconds' }) }),
    journal: false,
    throws: outside,
  }),
  discover: post('/oauth/discover', {
    summary: 'Find out where one signs in for an MCP server',
    access: 'signed-in',
    status: 200,
    noDryRun: 'it asks other servers and stores nothing',
    body: Type.Object({ mcp_url: Url }),
    reply: Type.Object({
      auth_url: Type.String(),
      token_url: Type.String(),
      registration_endpoint: Type.Optional(Type.String()),
      scopes,
      supports_dcr: Type.Boolean({ description: 'It registers clients' }),
      supports_pkce: Type.Boolean(),
      source: Type.Enum(['known_provider', 'discovery']),
    }),
    journal: false,
    throws: ['not_found'],
  }),
  autoConnect: post('/oauth/auto-connect', {
    summary: 'Add an MCP server and begin to sign in to it',
    access: 'ADMIN',
    scope: 'workspace:admin',
    status: 200,
    noDryRun: 'it may register a client with another server',
    body: Type.Object({
      mcp_url: Url,
      server_name: Type.Optional(nullable(line(100))),
      provider_hint: Type.Optional(nullable(line(50))),
      redirect_uri: redirect,
      client_id: Type.Optional(nullable(line(500))),
      client_secret: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
    }),
    reply: Type.Object({
      status: Type.Enum(['authorize', 'needs_client_id']),
      auth_url: Type.String(),
      credential_id: Type.Optional(Id),
      token_url: Type.Optional(Type.String()),
      scopes: Type.Optional(scopes),
      message: Type.Optional(Type.String({ description: 'What is missing' })),
    }),
    journal: ['audit.entity_created'],
    throws: ['oauth_unsuitable', 'name_taken', 'integrations_full', 'encryption_unavailable'],
  }),
}
