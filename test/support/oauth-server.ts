import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Configuration } from 'oidc-provider'
import { closing } from './index.ts'
import { visitUntilBack } from './sign-in.ts'

// It says on every start what it would be in production; it is not in production.
for (const method of ['info', 'warn'] as const) {
  const say = console[method]
  console[method] = (...words: unknown[]) => void (String(words[0]).startsWith('oidc-provider ') || say(...words))
}

interface Options {
  /** Whether it registers clients; it does unless stated. */
  registers?: boolean
  /** A client that was registered by hand. */
  client?: { client_id: string; client_secret: string; redirect_uris: string[] }
  /** Seconds that its access tokens are good for. */
  seconds?: number
}

async function listening(listener: RequestListener) {
  const http = createServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  closing({
    close: () => {
      http.closeAllConnections()
      return new Promise<void>((resolve) => void http.close(() => resolve()))
    },
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** A real authorization server with dynamic registration on loopback, and a real MCP server that it protects. */
export async function oauthServers({ registers = true, client, seconds = 3600 }: Options = {}) {
  const { default: Provider } = await import('oidc-provider')
  const instead = new Map<string, RequestListener>()
  const seen: string[] = []
  const brought: string[] = []
  let provider: InstanceType<typeof Provider>
  let handle: ReturnType<InstanceType<typeof Provider>['callback']>
  let willing = true

  const issuer = await listening((request, response) => {
    const path = request.url!.split('?')[0]!
    seen.push(path)
    const other = instead.get(path)
    if (other) return other(request, response)
    return path.startsWith('/interaction/') ? decide(request, response) : handle(request, response)
  })
  const mcp = await listening((request, response) => protectedServer(request, response))
  const resource = `${mcp}/mcp`

  const configuration: Configuration = {
    clients: client ? [{ ...client, grant_types: ['authorization_code', 'refresh_token'] }] : [],
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    cookies: { keys: ['test'] },
    scopes: ['openid', 'offline_access', 'mcp'],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, indicated) => ({
          scope: 'mcp',
          audience: indicated,
          accessTokenFormat: 'opaque',
          accessTokenTTL: seconds,
        }),
        useGrantedResource: () => true,
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    ttl: { AccessToken: seconds, AuthorizationCode: 60, Grant: 7200, Interaction: 60, Session: 60, RefreshToken: 7200 },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  }
  provider = new Provider(issuer, configuration)
  handle = provider.callback()

  async function decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!willing)
      return provider.interactionFinished(request, response, { error: 'access_denied', error_description: '<b>no</b>' })
    const { params } = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({ accountId: 'ann', clientId: params['client_id'] as string })
    grant.addOIDCScope('openid offline_access mcp')
    grant.addResourceScope(resource, 'mcp')
    await provider.interactionFinished(request, response, {
      login: { accountId: 'ann' },
      consent: { grantId: await grant.save() },
    })
  }

  /** Answers those who bring a token that was issued for it. */
  async function protectedServer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const other = instead.get(`mcp ${request.url}`)
    if (other) return void other(request, response)
    const known = `${mcp}/.well-known/oauth-protected-resource/mcp`
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ resource, authorization_servers: [issuer], scopes_supported: ['mcp'] }))
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const found = token === undefined ? undefined : await provider.AccessToken.find(token)
    if (found) brought.push(token!)
    if (!found?.isValid || found.aud !== resource)
      return void response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${known}"` }).end()
    const server = new McpServer({ name: 'notes', version: '1.0.0' })
    server.registerTool('echo', { description: `Says what it is sent: ${token}` }, () => ({
      content: [{ type: 'text', text: `You are ${token}` }],
    }))
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, response)
  }

  return {
    issuer,
    /** The address of the MCP server. */
    resource,
    /** Hosts that a daemon must be allowed to reach. */
    hosts: [new URL(issuer).host, new URL(mcp).host],
    /** Paths of the authorization server that were asked for, in order. */
    seen,
    /** Answers of its own for a path, as `/token`; those of the MCP server begin with `mcp `. */
    instead,
    /** Lets the authorization server itself answer. */
    itself: (request: IncomingMessage, response: ServerResponse) => handle(request, response),
    /** People say no from now on. */
    refuse() {
      willing = false
    },
    /** Tokens that the MCP server was brought, in order. */
    brought,
    /** Ends a token before its time. */
    revoke: async (token: string) => void (await (await provider.AccessToken.find(token))?.destroy()),
    /** Whether the MCP server takes a token. */
    async takes(token: string): Promise<boolean> {
      const found = await provider.AccessToken.find(token)
      return found?.aud === resource
    },
    /** A browser that signs in; answers where it is sent back to. */
    visit: (location: string) => visitUntilBack(location, issuer),
  }
}

export type OauthServers = Awaited<ReturnType<typeof oauthServers>>
