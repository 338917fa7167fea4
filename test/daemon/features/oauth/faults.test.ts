import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { oauthScene } from '../../../support/oauth.ts'

const json =
  (value: unknown, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const html: RequestListener = (_, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>secret words</html>')
const to =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end()

const metadataPath = '/.well-known/oauth-authorization-server'
const resourcePath = 'mcp /.well-known/oauth-protected-resource/mcp'

/** What the server says of itself, with changes. */
async function metadata(issuer: string): Promise<Record<string, unknown>> {
  return (await fetch(`${issuer}${metadataPath}`)).json() as Promise<Record<string, unknown>>
}

describe('oauth.discover', () => {
  it('finds what the server says of itself', async () => {
    const { it, servers } = await oauthScene()
    expect(await it.call('VIEWER', 'POST', '/oauth/discover', { mcp_url: servers.resource })).toMatchObject({
      status: 200,
      body: {
        auth_url: `${servers.issuer}/auth`,
        token_url: `${servers.issuer}/token`,
        registration_endpoint: `${servers.issuer}/reg`,
        scopes: ['mcp', 'offline_access'],
        supports_dcr: true,
        supports_pkce: true,
        source: 'discovery',
      },
    })
  })

  it('finds a server at the root, which speaks OpenID alone, without one for its resource', async () => {
    const { it, servers } = await oauthScene()
    const said = { ...(await metadata(servers.issuer)), scopes_supported: undefined }
    servers.instead.set(metadataPath, json({}, 404))
    servers.instead.set('/.well-known/openid-configuration', json(said))
    const asked = { mcp_url: `${servers.issuer}/mcp` }
    expect(await it.call('VIEWER', 'POST', '/oauth/discover', asked)).toMatchObject({
      status: 200,
      body: { token_url: `${servers.issuer}/token`, scopes: [] },
    })
  })

  it('knows providers that do not say it, by their hosts', async () => {
    const { it, servers } = await oauthScene()
    servers.instead.set(resourcePath, json({}, 404))
    const connect = { mcp_url: servers.resource, provider_hint: 'GitHub' }
    expect((await it.call('OWNER', 'POST', '/oauth/auto-connect', connect)).body).toMatchObject({
      status: 'needs_client_id',
      auth_url: 'https://github.com/login/oauth/authorize',
      scopes: ['repo', 'user'],
    })
  })

  it('reaches no private address unless the operator names it', async () => {
    const { it, servers } = await oauthScene({ daemon: { config: { integrationHosts: [] } } })
    Object.assign(it.app.config, { integrationHosts: [] })
    for (const mcp_url of [servers.resource, 'https://127.0.0.1/mcp', 'https://169.254.169.254/', 'https://[::1]/'])
      expect(await it.call('VIEWER', 'POST', '/oauth/discover', { mcp_url })).toMatchObject({
        status: 404,
        body: { code: 'not_found', field: 'mcp_url' },
      })
    expect(servers.seen).toEqual([])
  })
})

type Lie = (scene: Awaited<ReturnType<typeof oauthScene>>, said: Record<string, unknown>) => void

describe('a server that cannot be trusted', () => {
  it.each<[string, Lie, RegExp]>([
    [
      'lies about its issuer',
      ({ servers }, said) => servers.instead.set(metadataPath, json({ ...said, issuer: 'https://accounts.example' })),
      /says that it is another authorization server$/,
    ],
    [
      'does not support PKCE',
      ({ servers }, said) =>
        servers.instead.set(metadataPath, json({ ...said, code_challenge_methods_supported: ['plain'] })),
      /does not support PKCE with S256/,
    ],
    [
      'says nothing of PKCE',
      ({ servers }, said) =>
        servers.instead.set(metadataPath, json({ ...said, code_challenge_methods_supported: undefined })),
      /does not support PKCE with S256/,
    ],
    [
      'says that it is another resource',
      ({ servers }) =>
        servers.instead.set(
          resourcePath,
          json({ resource: 'https://bank.example/mcp', authorization_servers: [servers.issuer] }),
        ),
      /says that it is another resource$/,
    ],
    [
      'answers HTML',
      ({ servers }) => servers.instead.set(resourcePath, html),
      /did not answer as an authorization server/,
    ],
    [
      'sends people to a script',
      ({ servers }, said) =>
        servers.instead.set(metadataPath, json({ ...said, authorization_endpoint: 'javascript:alert(1)' })),
      /did not answer as an authorization server/,
    ],
    [
      'sends codes over plain HTTP',
      ({ servers }, said) =>
        servers.instead.set(metadataPath, json({ ...said, token_endpoint: 'http://a.example/token' })),
      /The token endpoint is no https address/,
    ],
    [
      'leads to a private address',
      ({ servers }) =>
        servers.instead.set(
          resourcePath,
          json({ resource: servers.resource, authorization_servers: ['https://10.0.0.1/'] }),
        ),
      /does not lead to a public address$/,
    ],
    [
      'answers without end',
      ({ servers }) => servers.instead.set(metadataPath, (_, response) => flood(response)),
      /larger than 1048576 bytes$/,
    ],
    [
      'registers nobody although it says so',
      ({ servers }) =>
        servers.instead.set('/reg', json({ error: 'invalid_client_metadata', error_description: '<b>' }, 400)),
      /refused: invalid_client_metadata$/,
    ],
    [
      'registers with HTML',
      ({ servers }) => servers.instead.set('/reg', html),
      /did not answer as an authorization server/,
    ],
  ])('that %s is refused, and nothing is stored', async (_, lie, detail) => {
    const scene = await oauthScene()
    lie(scene, await metadata(scene.servers.issuer))
    const answer = await scene.connect()
    expect(answer).toMatchObject({ status: 400, body: { code: 'oauth_unsuitable' } })
    expect(answer.body.detail).toMatch(detail)
    expect(answer.text).not.toContain('secret words')
    expect((await scene.it.call('OWNER', 'GET', '/credentials')).body).toEqual([])
    expect((await scene.it.call('OWNER', 'GET', '/integrations')).body).toEqual([])
  })

  it('that redirects to a private address is not followed there', async () => {
    const { it, servers, connect } = await oauthScene()
    const seen: string[] = []
    servers.instead.set('/hidden', (request, response) => {
      seen.push(request.url!)
      response.end()
    })
    const { port } = new URL(servers.issuer)
    for (const path of [metadataPath, '/.well-known/openid-configuration'])
      servers.instead.set(path, to(`http://localhost:${port}/hidden`))
    servers.instead.set(resourcePath, to(`http://localhost:${port}/hidden`))
    Object.assign(it.app.config, { integrationHosts: servers.hosts })
    expect((await connect()).status).toBe(400)
    expect(seen).toEqual([])
  })

  it('that takes too long is given up', async () => {
    const { it, servers } = await oauthScene()
    servers.instead.set(resourcePath, () => undefined)
    const asked = it.call('VIEWER', 'POST', '/oauth/discover', { mcp_url: servers.resource })
    expect(await asked).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/did not answer in time$/) },
    })
  }, 30_000)
})

describe('a code', () => {
  it('from another server than the one asked is not handed over', async () => {
    const { servers, connect, back, show } = await oauthScene()
    for (const iss of ['https://evil.example', null]) {
      const { auth_url, credential_id } = (await connect()).body
      const url = await servers.visit(auth_url)
      if (iss) url.searchParams.set('iss', iss)
      else url.searchParams.delete('iss')
      expect(await back(url)).toMatchObject({ status: 400, body: { code: 'oauth_refused', field: 'iss' } })
      expect((await show(credential_id)).status).toBe('PENDING')
    }
    expect(servers.seen).not.toContain('/token')
  })

  it.each<[string, unknown, RegExp]>([
    ['a token with a line end', { access_token: 'a\nb', token_type: 'Bearer' }, /no header can carry$/],
    ['a token of another kind', { access_token: 'a', token_type: 'DPoP' }, /not bearer$/],
    ['no token', { ok: false, error: 'nope' }, /did not answer as an authorization server should$/],
  ])('for which the server gives %s is answered 502', async (_, said, detail) => {
    const { servers, connect, back, show } = await oauthScene()
    const { auth_url, credential_id } = (await connect()).body
    const url = await servers.visit(auth_url)
    servers.instead.set('/token', json(said))
    const answer = await back(url)
    expect(answer).toMatchObject({ status: 502, body: { code: 'oauth_exchange_failed' } })
    expect(answer.body.detail).toMatch(detail)
    expect((await show(credential_id)).status).toBe('PENDING')
  })
})

/** Sends for as long as somebody listens. */
function flood(response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', write)
  write()
}
