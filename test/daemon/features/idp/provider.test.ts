import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { browser } from '../../../support/browser.ts'
import { back, rows, type SetUp, setUp, signIn, start } from '../../../support/idp.ts'

const discovery = '/.well-known/openid-configuration'
const text =
  (body: string, type = 'text/plain', status = 200, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(body)
const json = (body: unknown, status = 200) => text(JSON.stringify(body), 'application/json', status)
/** Takes the request and says nothing. */
const silence: RequestListener = () => {}
const asked = ({ provider }: SetUp, path: string) => provider.seen.filter((it) => it === path).length

/** As if the time for an answer from there were over soon. */
function hurry({ server: { app } }: SetUp, path: string): void {
  const { send } = app.outbound
  app.outbound.send = (url, request) => send(url, { ...request, ...(url.endsWith(path) && { timeoutMs: 50 }) })
}

/** Nobody is signed in, nothing is stored. */
function nothingHappened({ server, web }: SetUp): void {
  expect(web.jar.has('authjs.session-token')).toBe(false)
  expect([rows(server, 'user_sessions'), rows(server, 'linked_accounts')]).toEqual([[], []])
}

describe('what the provider says of itself', () => {
  it('is asked for when somebody signs in, not before, and believed for an hour', async () => {
    const it = await setUp()
    expect(it.provider.seen).toEqual([])
    await Promise.all([start(it.web), start(it.web), start(it.web)])
    expect(asked(it, discovery)).toBe(1)
    it.server.clock.advance(3_600_001)
    await start(it.web)
    expect(asked(it, discovery)).toBe(2)
  })

  it('may be missing for a while: the sign-in fails then, and only then', async () => {
    const it = await setUp({ quiet: true })
    it.provider.instead.set(discovery, json({ error: 'down' }, 503))
    const { body } = await it.web.call('GET', '/auth/idp/redirect')
    expect(body).toMatchObject({
      status: 502,
      code: 'idp_unavailable',
      detail: expect.stringContaining('does not answer as an identity provider should'),
    })
    expect(rows(it.server, 'idp_states')).toEqual([])
    it.provider.instead.clear()
    expect((await signIn(it)).status).toBe(307)
  })

  it.each<[string, (issuer: string) => RequestListener]>([
    ['names another issuer', (issuer) => json({ issuer: `${issuer}/other`, authorization_endpoint: `${issuer}/auth` })],
    ['is no JSON', () => text('<html>', 'text/html')],
    ['is JSON of another kind', () => json([1])],
    ['is a redirect', () => text('', 'text/plain', 302, { location: '/elsewhere' })],
    ['has no end', () => text('x'.repeat(2 * 1024 * 1024), 'application/json')],
    ['names no place to sign in', (issuer) => json({ issuer, token_endpoint: `${issuer}/token` })],
    [
      'leads to a script',
      (issuer) => json({ issuer, authorization_endpoint: 'javascript:alert(1)', token_endpoint: `${issuer}/token` }),
    ],
  ])('answers 502 when it %s', async (_, answer) => {
    const it = await setUp({ quiet: true })
    it.provider.instead.set(discovery, answer(it.provider.issuer))
    expect((await it.web.call('GET', '/auth/idp/redirect')).body).toMatchObject({
      status: 502,
      code: 'idp_unavailable',
    })
  })

  it('answers 502 when nobody listens, and when nobody answers in time', async () => {
    const it = await setUp({ quiet: true })
    hurry(it, discovery)
    it.provider.instead.set(discovery, silence)
    expect((await it.web.call('GET', '/auth/idp/redirect')).body.code).toBe('idp_unavailable')
    await it.provider.close()
    expect((await it.web.call('GET', '/auth/idp/redirect')).body.code).toBe('idp_unavailable')
    expect((await it.web.call('GET', '/users/me')).status).toBe(401)
  })
})

describe('the exchange of the code', () => {
  it('shows the secret in the way that the provider takes, and remembers it', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
      const it = await setUp({ provider: { method } })
      expect((await signIn(it)).status).toBe(307)
      const first = asked(it, '/token')
      expect((await signIn(it)).status).toBe(307)
      expect(asked(it, '/token') - first).toBe(1)
    }
  })

  it('fails clearly with a wrong secret', async () => {
    const it = await setUp({ quiet: true, config: { idpClientSecret: 'wrong' } })
    expect((await signIn(it)).body).toMatchObject({ status: 400, code: 'idp_exchange_failed' })
    nothingHappened(it)
  })

  it.each<[string, RequestListener]>([
    ['refuses', json({ error: 'invalid_grant' }, 400)],
    ['fails', json({}, 500)],
    ['says nothing of use', text('ok')],
    ['gives no id token', json({ access_token: 'a', token_type: 'Bearer' })],
    ['gives a broken id token', json({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c' })],
    ['does not answer in time', silence],
  ])('answers 400 when the provider %s', async (_, answer) => {
    const it = await setUp({ quiet: true })
    const url = await it.provider.visit(await start(it.web), 'ann')
    if (answer === silence) hurry(it, '/token')
    it.provider.instead.set('/token', answer)
    expect((await back(it.web, url)).body).toMatchObject({ status: 400, code: 'idp_exchange_failed' })
    nothingHappened(it)
  })

  const hour = 3600
  const seconds = () => Math.floor(Date.now() / 1000)
  it.each<[string, () => object]>([
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['another audience', () => ({ aud: 'somebody-else' })],
    ['another nonce', () => ({ nonce: 'x' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['a time that is over', () => ({ exp: seconds() - hour, iat: seconds() - 2 * hour })],
    ['a time to come', () => ({ nbf: seconds() + hour })],
    ['no subject', () => ({ sub: undefined })],
  ])('refuses an id token with %s', async (_, change) => {
    const it = await setUp({ quiet: true })
    await it.provider.forge((claims) => ({ ...claims, ...change() }))
    expect((await signIn(it)).body).toMatchObject({ status: 400, code: 'idp_exchange_failed' })
    nothingHappened(it)
  })

  it('refuses an id token that another key signed, and takes the same one from the right key', async () => {
    const it = await setUp({ quiet: true })
    await it.provider.forge((claims) => claims)
    expect((await signIn(it)).status).toBe(307)
    const other = { ...it, web: browser(it.server) }
    await it.provider.forge((claims) => claims, { stranger: true })
    expect((await signIn(other)).body).toMatchObject({ status: 400, code: 'idp_exchange_failed' })
    expect(other.web.jar.has('authjs.session-token')).toBe(false)
  })

  it('takes new keys at once', async () => {
    const it = await setUp()
    expect((await signIn(it)).status).toBe(307)
    await it.provider.rotate()
    expect((await signIn(it)).status).toBe(307)
  })

  it('refuses an answer in the name of another provider', async () => {
    const it = await setUp({ quiet: true })
    const url = await it.provider.visit(await start(it.web), 'ann')
    url.searchParams.set('iss', 'https://evil.example')
    expect((await back(it.web, url)).body).toMatchObject({ status: 400, code: 'idp_exchange_failed' })
    expect(asked(it, '/token')).toBe(0)
  })
})

describe('the profile', () => {
  it.each<[string, RequestListener]>([
    ['is of somebody else', json({ sub: 'bob', email: 'bob@example.com', email_verified: true })],
    ['names nobody', json({ email: 'ann@example.com', email_verified: true })],
    ['is no JSON', text('<html>', 'text/html')],
    ['is broken JSON', text('{"sub":', 'application/json')],
    ['is refused', json({ error: 'no' }, 403)],
    ['fails', json({}, 500)],
    ['is elsewhere', text('', 'text/plain', 302, { location: 'http://127.0.0.1:9/' })],
    ['has no end', text(`{"sub":"${'x'.repeat(2 * 1024 * 1024)}"}`, 'application/json')],
    ['does not come in time', silence],
  ])('answers 502 when it %s', async (_, answer) => {
    const it = await setUp({ quiet: true })
    const url = await it.provider.visit(await start(it.web), 'ann')
    it.provider.instead.set('/me', answer)
    if (answer === silence) hurry(it, '/me')
    expect((await back(it.web, url)).body).toMatchObject({ status: 502, code: 'idp_profile_failed' })
    nothingHappened(it)
  })

  it('is what the id token says, where a provider has no other', async () => {
    const it = await setUp()
    const server = (await (await fetch(it.provider.issuer + discovery)).json()) as object
    it.provider.instead.set(discovery, json({ ...server, userinfo_endpoint: undefined }))
    await it.provider.forge((claims) => ({ ...claims, email: 'ann@example.com', email_verified: true }))
    expect((await signIn(it)).status).toBe(307)
    expect(asked(it, '/me')).toBe(0)
    expect(rows(it.server, 'linked_accounts')).toMatchObject([{ provider_account_id: 'ann', email: 'ann@example.com' }])
  })
})

it('stops with the daemon instead of waiting for a provider', async () => {
  const it = await setUp({ quiet: true })
  it.provider.instead.set(discovery, (_request, _response) => it.server.app.stopping.abort())
  expect((await it.web.call('GET', '/auth/idp/redirect')).body.code).toBe('idp_unavailable')
})
