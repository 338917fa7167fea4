import { describe, expect, it } from 'vitest'
import { browser, knownPassword, quickHash } from '../../../support/browser.ts'
import { oauthScene } from '../../../support/oauth.ts'

/** A scene with a credential of type OAUTH2 for a client that was registered by hand. */
async function byHand(redirects = ['http://127.0.0.1:8080/api/v1/oauth/callback'], members: object = {}) {
  const client = { client_id: 'by-hand', client_secret: 'a secret', redirect_uris: redirects }
  const scene = await oauthScene({ servers: { registers: false, client } })
  const { it, servers } = scene
  const body = {
    name: 'notes',
    type: 'OAUTH2',
    value: '',
    oauth_client_id: client.client_id,
    oauth_client_secret: client.client_secret,
    oauth_auth_url: `${servers.issuer}/auth`,
    oauth_token_url: `${servers.issuer}/token`,
    oauth_scopes: 'mcp offline_access',
    oauth_resource: servers.resource,
    ...members,
  }
  const id = (await it.call('OWNER', 'POST', '/credentials', body)).body.id as string
  const initiate = (more: object = {}, who: 'OWNER' | 'ADMIN' | 'MANAGER' | 'MEMBER' = 'OWNER') =>
    it.call(who, 'POST', '/oauth/initiate', { credential_id: id, ...more })
  const exchange = (more: object) => it.call('OWNER', 'POST', '/oauth/exchange', { credential_id: id, ...more })
  return { ...scene, id, initiate, exchange }
}

/** What the address that a browser ended at holds. */
const broughtBy = (url: URL) => Object.fromEntries(url.searchParams) as { code: string; state: string; iss: string }

describe('oauth.initiate', () => {
  it('leads to the sign-in, from which the browser comes back without a session', async () => {
    const { servers, initiate, back, show, id } = await byHand()
    const { status, body } = await initiate()
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['auth_url', 'state'])
    expect((await back(await servers.visit(body.auth_url))).status).toBe(200)
    expect((await show(id)).status).toBe('ACTIVE')
  })

  it('says what a credential lacks, and takes no other type', async () => {
    const { it } = await byHand()
    const bare = (await it.call('OWNER', 'POST', '/credentials', { name: 'bare', type: 'OAUTH2', value: '' })).body.id
    const other = (await it.call('OWNER', 'POST', '/credentials', { name: 'other', value: 'x' })).body.id
    for (const [credential_id, detail] of [
      [bare, 'The credential "bare" lacks oauth_auth_url'],
      [other, 'The credential "other" is not of type OAUTH2'],
    ])
      expect(await it.call('OWNER', 'POST', '/oauth/initiate', { credential_id })).toMatchObject({
        status: 400,
        body: { code: 'oauth_incomplete', detail },
      })
    const none = { credential_id: 'cnone00000000000000000000' }
    expect((await it.call('OWNER', 'POST', '/oauth/initiate', none)).status).toBe(404)
  })

  it('is for those who stored the credential, and ADMINs', async () => {
    const { initiate } = await byHand()
    expect((await initiate({}, 'ADMIN')).status).toBe(200)
    expect(await initiate({}, 'MANAGER')).toMatchObject({ status: 403, body: { field: 'credential_id' } })
    expect((await initiate({}, 'MEMBER')).status).toBe(403)
  })

  it('sends browsers back to this server or to the own machine of a person alone', async () => {
    const { initiate } = await byHand()
    for (const redirect_uri of ['', 'http://127.0.0.1:8765/callback', 'http://localhost:1/x', 'http://[::1]:1/x'])
      expect((await initiate({ redirect_uri })).status).toBe(200)
    for (const redirect_uri of [
      'https://evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://127.0.0.1@evil.example/callback',
      'http://127.0.0.1:8080/callback#x',
      'https://127.0.0.1/callback',
      'javascript:alert(1)',
      'x',
    ])
      expect(await initiate({ redirect_uri })).toMatchObject({ status: 400, body: { field: 'redirect_uri' } })
  })

  it('does not follow what a proxy says of the host', async () => {
    const { it, id } = await byHand()
    const forged = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    const { body } = await it.call('OWNER', 'POST', '/oauth/initiate', { credential_id: id }, forged)
    expect(new URL(body.auth_url).searchParams.get('redirect_uri')).toBe('http://127.0.0.1:8080/api/v1/oauth/callback')
  })
})

describe('oauth.callback', () => {
  it('takes a state once, and within 15 minutes', async () => {
    const { it, servers, initiate, back } = await byHand()
    const url = await servers.visit((await initiate()).body.auth_url)
    expect((await back(url)).status).toBe(200)
    expect(await back(url)).toMatchObject({ status: 400, body: { code: 'oauth_state_unknown' } })
    const late = await servers.visit((await initiate()).body.auth_url)
    it.app.db.prepare("UPDATE oauth_states SET expires_at = '2020-01-01T00:00:00Z'").run()
    expect(await back(late)).toMatchObject({ status: 400, body: { code: 'oauth_state_unknown' } })
  })

  it('of two browsers with the same state lets one in', async () => {
    const { servers, initiate, back } = await byHand()
    const url = await servers.visit((await initiate()).body.auth_url)
    const statuses = (await Promise.all([back(url), back(url), back(url)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 400, 400])
  })

  it.each([
    ['?code=x', 'missing_field'],
    ['?state=x', 'missing_field'],
    ['', 'missing_field'],
    [`?code=x&state=${'0'.repeat(64)}`, 'oauth_state_unknown'],
  ])('answers %s with %s', async (query, code) => {
    const { it } = await byHand()
    const answer = await it.call(null, 'GET', `/oauth/callback${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code } })
  })

  it('tells a browser in a page, in which what others say is text', async () => {
    const { servers, initiate, back } = await byHand()
    servers.refuse()
    const url = await servers.visit((await initiate()).body.auth_url)
    expect(url.searchParams.get('error')).toBe('access_denied')
    url.searchParams.set('error', '<script>alert(1)</script>')
    const answer = await back(url, { accept: 'text/html' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('denied access: an unknown error')
    expect(answer.text).not.toContain('<script>')
    expect(String(answer.headers['content-security-policy'])).toContain("default-src 'none'")
    const again = await back(url, { accept: 'text/html' })
    expect(again.text).toContain('start again')
  })

  it("refuses another person's browser, and the code is lost with the state", async () => {
    const { it, servers, initiate, back } = await byHand()
    const url = await servers.visit((await initiate()).body.auth_url)
    const web = browser(it)
    const { email, userId } = it.person('MEMBER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    await web.signIn(email, knownPassword)
    expect(await web.call('GET', url.pathname + url.search)).toMatchObject({
      status: 400,
      body: { code: 'oauth_state_unknown' },
    })
    expect((await back(url)).status).toBe(400)
  })

  it('answers 404 when the credential is gone, or its person', async () => {
    const { it, servers, initiate, back, id } = await byHand()
    const url = await servers.visit((await initiate({}, 'ADMIN')).body.auth_url)
    const { userId: user } = it.person('ADMIN')
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(user)
    expect((await back(url)).status).toBe(404)
    const next = await servers.visit((await initiate()).body.auth_url)
    await it.call('OWNER', 'DELETE', `/credentials/${id}`)
    // What was begun for it went with it.
    expect((await back(next)).status).toBe(400)
  })
})

describe('oauth.exchange', () => {
  const here = 'http://127.0.0.1:8765/callback'

  it('takes a code with its state, or for the newest sign-in of the caller', async () => {
    const { servers, initiate, exchange, id } = await byHand([here])
    const begin = async () => broughtBy(await servers.visit((await initiate({ redirect_uri: here })).body.auth_url))
    const { code, state, iss } = await begin()
    expect(await exchange({ code, state, iss })).toMatchObject({
      status: 200,
      body: { status: 'ok', credential_id: id },
    })
    expect(await exchange({ code, state })).toMatchObject({ status: 400, body: { code: 'oauth_state_unknown' } })
    const newest = await begin()
    expect((await exchange({ code: newest.code, redirect_uri: '' })).status).toBe(200)
    expect(await exchange({ code: 'x' })).toMatchObject({ status: 400, body: { code: 'oauth_state_unknown' } })
  })

  it('takes a verifier of the caller in place of a state', async () => {
    const { servers, initiate, exchange } = await byHand([here])
    const verifier = 'v'.repeat(43)
    const url = new URL((await initiate({ redirect_uri: here })).body.auth_url)
    const { hash } = await import('node:crypto')
    url.searchParams.set('code_challenge', hash('sha256', verifier, 'base64url'))
    const { code } = broughtBy(await servers.visit(url.href))
    expect((await exchange({ code, code_verifier: verifier, redirect_uri: here })).status).toBe(200)
  })

  it('answers 502 when the server gives no tokens, and stores nothing', async () => {
    const { initiate, exchange, show, id } = await byHand([here])
    const { state } = (await initiate({ redirect_uri: here })).body
    const answer = await exchange({ code: 'made-up', state })
    expect(answer).toMatchObject({ status: 502, body: { code: 'oauth_exchange_failed' } })
    expect(answer.body.detail).toMatch(/^127\.0\.0\.1:\d+ refused: invalid_grant$/)
    expect((await show(id)).status).toBe('PENDING')
  })

  it("knows no state of another person, of another credential or of another workspace's", async () => {
    const { it, servers, initiate, exchange, id } = await byHand([here])
    const { code, state } = broughtBy(
      await servers.visit((await initiate({ redirect_uri: here }, 'ADMIN')).body.auth_url),
    )
    expect(await exchange({ code, state })).toMatchObject({ status: 400, body: { code: 'oauth_state_unknown' } })
    const body = { credential_id: id, code, state }
    const workspace = (await it.call('OWNER', 'POST', '/workspaces', { name: 'Other', slug: 'other' })).body.id
    const elsewhere = { ...it.person('OWNER'), workspace }
    expect((await it.call(elsewhere, 'POST', '/oauth/exchange', body)).status).toBe(404)
    // It is still there for whoever began it.
    expect((await it.call('ADMIN', 'POST', '/oauth/exchange', body)).status).toBe(200)
  })
})

describe('oauth.loopback', () => {
  it('opens a port for one answer', async () => {
    const { it, servers, connect, show } = await oauthScene()
    const { credential_id: id } = (await connect()).body
    // A client that was registered for another address is not stored before tokens came for it.
    const { status, body } = await it.call('OWNER', 'POST', '/oauth/loopback', { credential_id: id })
    expect(status).toBe(200)
    const back = `http://127.0.0.1:${body.loopback_port}/callback`
    expect(new URL(body.auth_url).searchParams.get('redirect_uri')).toBe(back)
    expect((await fetch(`http://127.0.0.1:${body.loopback_port}/other`)).status).toBe(404)
    const stranger = await fetch(`${back}?code=x&state=y`)
    expect([stranger.status, await stranger.text()]).toEqual([400, expect.stringContaining('start again')])
    const answer = await fetch(await servers.visit(body.auth_url))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('window.close()')])
    expect((await show(id)).status).toBe('ACTIVE')
    await expect(fetch(back)).rejects.toThrow()
  })

  it('gives up what the same person began before', async () => {
    const { it, connect } = await oauthScene()
    const { credential_id } = (await connect()).body
    const begin = async () => (await it.call('OWNER', 'POST', '/oauth/loopback', { credential_id })).body.loopback_port
    const first = await begin()
    const second = await begin()
    await expect(fetch(`http://127.0.0.1:${first}/callback`)).rejects.toThrow()
    expect((await fetch(`http://127.0.0.1:${second}/callback`)).status).toBe(400)
  })
})

describe('oauth.providers', () => {
  it('gives addresses and scopes by name', async () => {
    const { it } = await oauthScene()
    const { status, body } = await it.call('VIEWER', 'GET', '/oauth/providers')
    expect(status).toBe(200)
    expect(Object.keys(body)).toHaveLength(9)
    expect(body.linear).toEqual({
      auth_url: 'https://linear.app/oauth/authorize',
      token_url: 'https://api.linear.app/oauth/token',
      default_scopes: 'read write',
    })
    expect((await it.call(null, 'GET', '/oauth/providers')).status).toBe(401)
  })
})

describe('oauth.client', () => {
  it('says what this server is, once others can read it', async () => {
    const hidden = await oauthScene()
    expect((await hidden.it.call(null, 'GET', '/oauth/client-metadata')).status).toBe(404)
    const { it } = await oauthScene({ daemon: { config: { publicUrl: 'https://muster.example/' } } })
    expect((await it.call(null, 'GET', '/oauth/client-metadata')).body).toMatchObject({
      client_id: 'https://muster.example/api/v1/oauth/client-metadata',
      redirect_uris: [
        'https://muster.example/api/v1/oauth/callback',
        'http://127.0.0.1/callback',
        'http://localhost/callback',
      ],
      token_endpoint_auth_method: 'none',
    })
  })
})
