import { describe, expect, it } from 'vitest'
import { valueFor } from '../../../../daemon/features/credentials/oauth/service.ts'
import { withServer } from '../../../../daemon/features/integrations/sessions/service.ts'
import { oauthScene } from '../../../support/oauth.ts'

describe('oauth.autoConnect', () => {
  it('registers, signs in and connects: the token opens the real server that it was issued for', async () => {
    const { it, servers, connect, back, show } = await oauthScene()
    const begun = await connect()
    expect(begun).toMatchObject({ status: 200, body: { status: 'authorize' } })
    const { auth_url, credential_id: id } = begun.body
    expect(await show(id)).toMatchObject({ status: 'PENDING', type: 'OAUTH2', name: 'Notes sign-in' })
    const query = Object.fromEntries(new URL(auth_url).searchParams)
    expect(query).toMatchObject({
      response_type: 'code',
      access_type: 'offline',
      prompt: 'consent',
      code_challenge_method: 'S256',
      resource: servers.resource,
      redirect_uri: 'http://127.0.0.1:8080/api/v1/oauth/callback',
    })
    expect(query['state']).toMatch(/^[0-9a-f]{64}$/)

    const answer = await back(await servers.visit(auth_url))
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.text).toContain('<script>window.close()</script>')
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    const credential = await show(id)
    expect(credential).toMatchObject({ status: 'ACTIVE', last_error: null })
    expect(Date.parse(credential.token_expires_at)).toBe(it.clock() + 3_600_000)

    const token = valueFor(it.app, credential.workspace_id, id, servers.resource)!
    expect(await servers.takes(token)).toBe(true)
    const headers = { authorization: `Bearer ${token}` }
    const limits = { timeoutMs: 10_000, maxBytes: 65_536 }
    const name = await withServer(it.app, { endpoint: servers.resource, headers, ...limits }, async (client) =>
      client.getServerVersion(),
    )
    expect(name).toMatchObject({ name: 'notes' })
    expect(valueFor(it.app, credential.workspace_id, id, servers.issuer)).toBeNull()

    const [server] = (await it.call('OWNER', 'GET', '/integrations')).body
    expect(server).toMatchObject({ name: 'Notes', endpoint: servers.resource })
    const entries = it.entries().map((one) => one.entry_type)
    expect(entries.filter((type) => type === 'credential.connected')).toHaveLength(1)
    for (const table of ['oauth_clients', 'oauth_states', 'credentials'])
      expect(JSON.stringify(it.app.db.prepare(`SELECT * FROM ${table}`).all())).not.toContain(token)
    expect(JSON.stringify(it.entries())).not.toContain(token)
  })

  it('is done again with the same server and the same credential', async () => {
    const { it, connect, signIn } = await oauthScene()
    const id = await signIn()
    expect((await connect()).body.credential_id).toBe(id)
    expect((await it.call('OWNER', 'GET', '/integrations')).body).toHaveLength(1)
    expect((await it.call('OWNER', 'GET', '/credentials')).body).toHaveLength(1)
  })

  it('says what is missing where no client can be registered, and takes the id of one', async () => {
    const client = {
      client_id: 'by-hand',
      client_secret: 'a secret',
      redirect_uris: ['http://127.0.0.1:8080/api/v1/oauth/callback'],
    }
    const { it, servers, connect, back, show } = await oauthScene({ servers: { registers: false, client } })
    const { body } = await connect()
    expect(body).toEqual({
      status: 'needs_client_id',
      auth_url: `${servers.issuer}/auth`,
      token_url: `${servers.issuer}/token`,
      scopes: ['mcp', 'offline_access'],
      message: expect.stringContaining('registers no clients by itself'),
    })
    expect((await it.call('OWNER', 'GET', '/credentials')).body).toEqual([])
    expect((await it.call('OWNER', 'GET', '/integrations')).body).toEqual([])
    const begun = (await connect({ client_id: 'by-hand', client_secret: 'a secret' })).body
    expect((await back(await servers.visit(begun.auth_url))).status).toBe(200)
    expect((await show(begun.credential_id)).status).toBe('ACTIVE')
  })

  it('is for ADMIN, and refuses what is no address', async () => {
    const { it, servers } = await oauthScene()
    const body = { mcp_url: servers.resource }
    expect((await it.call('MANAGER', 'POST', '/oauth/auto-connect', body)).status).toBe(403)
    for (const mcp_url of ['x', 'ftp://a.example/', 'https://a:b@c.example/', 'https://a.example/#x'])
      expect(await it.call('OWNER', 'POST', '/oauth/auto-connect', { mcp_url })).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', field: 'mcp_url' },
      })
  })

  it('connects every server at the resource that has no credential that works', async () => {
    const { it, servers, signIn } = await oauthScene()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id
    const body = { name: 'notes', endpoint: servers.resource }
    await it.call('OWNER', 'POST', `/crews/${crew}/integrations`, body)
    await it.call('OWNER', 'POST', `/crews/${crew}/integrations`, {
      ...body,
      name: 'b',
      endpoint: `${servers.issuer}/`,
    })
    const id = await signIn()
    const shown = (await it.call('OWNER', 'GET', `/crews/${crew}/integrations`)).body
    expect(shown.map((one: { name: string; auth_status: string }) => [one.name, one.auth_status]).sort()).toEqual([
      ['b', 'missing'],
      ['notes', 'connected'],
    ])
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).body.id
    const resolved = (await it.call('OWNER', 'GET', `/agents/${agent}/integrations/resolved`)).body
    expect(resolved.find((one: { name: string }) => one.name === 'notes')).toMatchObject({
      credential_id: id,
      reason: "from crew, open to all agents, server's credential",
    })
  })

  it('is the client that people gave with the server, before any that it could register', async () => {
    const { it, servers, connect } = await oauthScene()
    const env_json = JSON.stringify({ OAUTH_CLIENT_ID: 'from-variables', OAUTH_CLIENT_SECRET: 'hush' })
    await it.call('OWNER', 'POST', '/integrations', { name: 'notes', endpoint: servers.resource, env_json })
    const { auth_url } = (await connect()).body
    expect(new URL(auth_url).searchParams.get('client_id')).toBe('from-variables')
    expect(auth_url).not.toContain('hush')
    expect(servers.seen).not.toContain('/reg')
  })

  it('registers once for an address, and is named by a document where servers take one', async () => {
    const { servers, connect, signIn } = await oauthScene()
    await signIn()
    await connect()
    expect(servers.seen.filter((path) => path === '/reg')).toHaveLength(1)
    await connect({ redirect_uri: 'http://127.0.0.1:8765/callback' })
    expect(servers.seen.filter((path) => path === '/reg')).toHaveLength(2)
    const other = await oauthScene({ daemon: { config: { publicUrl: 'https://muster.example' } } })
    const path = '/.well-known/oauth-authorization-server'
    const said = await (await fetch(`${other.servers.issuer}${path}`)).json()
    other.servers.instead.set(path, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...(said as object), client_id_metadata_document_supported: true }))
    })
    const { searchParams } = new URL((await other.connect()).body.auth_url)
    expect(searchParams.get('client_id')).toBe('https://muster.example/api/v1/oauth/client-metadata')
    expect(searchParams.get('redirect_uri')).toBe('https://muster.example/api/v1/oauth/callback')
    expect(other.servers.seen).not.toContain('/reg')
  })

  it('is undone for servers that the credential is for no more', async () => {
    const { it, servers, signIn } = await oauthScene()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Ops', slug: 'ops' })).body.id
    for (const one of [crew, other])
      await it.call('OWNER', 'POST', `/crews/${one}/integrations`, { name: 'notes', endpoint: servers.resource })
    const id = await signIn()
    const connected = () => it.app.db.prepare('SELECT count(*) FROM connected_servers').pluck().get()
    expect(connected()).toBe(2)
    await it.call('OWNER', 'PATCH', `/credentials/${id}`, { scope: 'CREW', crew_ids: [crew] })
    expect(connected()).toBe(1)
    const [left] = (await it.call('OWNER', 'GET', `/crews/${crew}/integrations`)).body
    await it.call('OWNER', 'PATCH', `/crews/${crew}/integrations/${left.id}`, { endpoint: 'https://else.example/mcp' })
    expect(connected()).toBe(0)
  })

  it('leaves tokens behind that nothing uses any more: they go with the last server', async () => {
    const { it, signIn } = await oauthScene()
    const id = await signIn()
    const [server] = (await it.call('OWNER', 'GET', '/integrations')).body
    await it.call('OWNER', 'DELETE', `/integrations/${server.id}`)
    expect((await it.call('OWNER', 'GET', `/credentials/${id}`)).status).toBe(404)
  })
})
