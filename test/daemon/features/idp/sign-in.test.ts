import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { browser } from '../../../support/browser.ts'
import { callback } from '../../../support/identity-provider.ts'
import { back, me, rows, setUp, signIn, start } from '../../../support/idp.ts'

const minutes = (count: number) => count * 60_000

describe('idp.status', () => {
  it.each([
    [{}, false],
    [{ idpClientId: 'muster' }, false],
    [{ idpClientSecret: 'secret' }, false],
    [{ idpClientId: 'muster', idpClientSecret: 'secret' }, true],
  ])('with %j is %s', async (config, enabled) => {
    const { call } = await daemon({ config })
    expect(await call(null, 'GET', '/auth/idp/status')).toMatchObject({ status: 200, body: { enabled } })
    const { body } = await call(null, 'GET', '/api/auth/providers')
    expect(Object.keys(body)).toEqual(enabled ? ['credentials', 'idp'] : ['credentials'])
    if (enabled) {
      const urls = { signinUrl: '/api/v1/auth/idp/redirect', callbackUrl: '/api/v1/auth/idp/callback' }
      expect(body.idp).toEqual({ id: 'idp', name: 'Google', type: 'oidc', ...urls })
      return
    }
    for (const path of ['/auth/idp/redirect', '/auth/idp/callback?state=x&code=y'])
      expect(await call(null, 'GET', path)).toMatchObject({ status: 404, body: { code: 'idp_not_configured' } })
  })
})

describe('idp.redirect', () => {
  it('leads to the provider with state, nonce and PKCE, and stores nothing that opens anything', async () => {
    const { provider, server, web } = await setUp()
    const answer = await web.call('GET', '/auth/idp/redirect?redirect=/crews')
    expect(answer).toMatchObject({ status: 307, headers: { 'cache-control': 'no-store' } })
    const url = new URL(String(answer.headers['location']))
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams)
    expect(url.origin).toBe(provider.issuer)
    expect(rest).toEqual({
      client_id: 'muster',
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const secret of [state, nonce, code_challenge]) expect(secret).toMatch(/^[\w-]{43}$/)
    const cookie = web.jar.get('authjs.idp-browser')!
    expect(cookie.attributes).toBe('Max-Age=900; Path=/; HttpOnly; SameSite=Lax')
    const [row] = rows(server, 'idp_states')
    expect(row).toMatchObject({ redirect: '/crews', expires_at: '2026-01-01T00:15:00Z' })
    for (const secret of [state, nonce, code_challenge, cookie.value]) expect(JSON.stringify(row)).not.toContain(secret)
  })

  it('never leads elsewhere afterwards', async () => {
    const { server, web } = await setUp()
    const asked = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      'crews',
      '',
      '/a\nb',
      '/中 文',
    ]
    for (const redirect of asked) await start(web, redirect)
    expect(rows(server, 'idp_states').map(({ redirect }) => redirect)).toEqual(asked.map(() => '/'))
  })

  it('comes back to the public address, or to the one that was asked', async () => {
    const named = await setUp({ config: { publicUrl: 'https://muster.example/' } })
    expect(new URL(await start(named.web)).searchParams.get('redirect_uri')).toBe(
      'https://muster.example/api/v1/auth/idp/callback',
    )
    const { server } = await setUp()
    const web = browser(server, { host: '127.0.0.1:9999', 'x-forwarded-proto': 'https' })
    expect(new URL(await start(web)).searchParams.get('redirect_uri')).toBe(
      'https://127.0.0.1:9999/api/v1/auth/idp/callback',
    )
    expect(web.jar.get('__Host-authjs.idp-browser')!.attributes).toContain('Secure')
  })

  it('answers 500 when the state cannot be stored, without a cookie', async () => {
    const { server, web } = await setUp({ quiet: true })
    server.app.db.exec('DROP TABLE idp_states')
    expect(await web.call('GET', '/auth/idp/redirect')).toMatchObject({ status: 500, body: { code: 'internal' } })
    expect(web.jar.size).toBe(0)
  })

  it('needs an encryption key', async () => {
    const { web } = await setUp({ withVault: false })
    expect((await web.call('GET', '/auth/idp/redirect')).body).toMatchObject({
      status: 503,
      code: 'encryption_unavailable',
    })
  })

  it('sweeps old states, and keeps a bounded number', async () => {
    const { server, web } = await setUp()
    await start(web)
    server.clock.advance(minutes(16))
    await start(web)
    expect(rows(server, 'idp_states')).toHaveLength(1)
    const add = server.app.db.prepare('INSERT INTO idp_states VALUES (?, ?, ?, ?)')
    for (let n = 0; n < 10_000; n++) add.run(`${n}`, '', '/', new Date(server.clock() + minutes(5) + n).toISOString())
    const location = new URL(await start(web))
    expect(location.searchParams.get('state')).toBeTruthy()
    const kept = rows(server, 'idp_states')
    expect(kept).toHaveLength(10_000)
    expect(kept.map(({ state_hash }) => state_hash)).not.toContain('0')
    expect(kept.filter(({ redirect, browser_hash }) => redirect === '/' && browser_hash)).toHaveLength(2)
  })

  it('draws on the strict bucket', async () => {
    const { web } = await setUp({ config: { rateLimitDisabled: false } })
    for (let n = 0; n < 10; n++) expect((await web.call('GET', '/auth/idp/redirect')).status).toBe(307)
    expect((await web.call('GET', '/auth/idp/redirect')).status).toBe(429)
  })
})

describe('idp.callback', () => {
  it('signs in: session and cookies as with a password, and goes to where one wanted to go', async () => {
    const it = await setUp()
    const answer = await signIn(it, 'ann', '/crews?x=1#y')
    expect(answer).toMatchObject({ status: 307, headers: { location: '/crews?x=1#y', 'cache-control': 'no-store' } })
    const attributes = 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax'
    expect(it.web.jar.get('authjs.session-token')!.attributes).toBe(attributes)
    expect(it.web.jar.get('authjs.refresh-token')!.attributes).toBe(attributes.replace('Path=/', 'Path=/api/auth/'))
    expect(await me(it.web)).toMatchObject({ email: 'ann@example.com', full_name: 'Ann Ångström' })
    expect((await it.web.call('POST', '/api/auth/token/refresh')).status).toBe(200)
    expect(rows(it.server, 'user_sessions')).toHaveLength(1)
    expect(rows(it.server, 'idp_states')).toHaveLength(0)
  })

  it('goes to a path that is not ASCII', async () => {
    const it = await setUp()
    expect(await signIn(it, 'ann', '/crews/größe?q=日本')).toMatchObject({
      status: 307,
      headers: { location: '/crews/gr%C3%B6%C3%9Fe?q=%E6%97%A5%E6%9C%AC' },
    })
  })

  it('keeps no token of the provider', async () => {
    const it = await setUp()
    const url = await it.provider.visit(await start(it.web), 'ann')
    const given = new Set<string>()
    const { send } = it.server.app.outbound
    it.server.app.outbound.send = async (...asked) => {
      const reply = await send(...asked)
      for (const [, token] of reply.text.matchAll(/"(?:access_token|id_token)":"([^"]+)"/g)) given.add(token!)
      return reply
    }
    expect((await back(it.web, url)).status).toBe(307)
    expect(given.size).toBe(2)
    const stored = it.server.app.db.serialize().toString('latin1')
    for (const secret of [...given, url.searchParams.get('code')!]) expect(stored).not.toContain(secret)
  })

  it('works over real connections', async () => {
    const it = await setUp()
    const base = await it.server.http.listen({ host: '127.0.0.1', port: 0 })
    it.provider.allow(`${base}/api/v1/auth/idp/callback`)
    const ask = (path: string, cookie = '') => fetch(new URL(path, base), { redirect: 'manual', headers: { cookie } })
    const begun = await ask('/api/v1/auth/idp/redirect?redirect=/crews')
    const returned = await it.provider.visit(begun.headers.get('location')!, 'ann')
    expect(returned.origin).toBe(base)
    const done = await ask(returned.pathname + returned.search, begun.headers.getSetCookie()[0]!.split(';')[0])
    expect([done.status, done.headers.get('location')]).toEqual([307, '/crews'])
    const cookie = done.headers.getSetCookie().map((line) => line.split(';')[0]!)
    expect(await (await ask('/api/v1/users/me', cookie.join('; '))).json()).toMatchObject({ email: 'ann@example.com' })
  })

  it.each([
    ['?code=x', 'missing_field', 'state'],
    ['?state=x', 'missing_field', 'code'],
    ['', 'missing_field', 'state'],
    ['?state=x&code=y', 'idp_state_unknown', 'state'],
    ['?state=x&state=x&code=y', 'invalid_field', 'state'],
    ['?state=x&error=access_denied', 'idp_state_unknown', 'state'],
  ])('answers 400 to %s', async (query, code, field) => {
    const { web } = await setUp()
    await start(web)
    expect((await web.call('GET', `/auth/idp/callback${query}`)).body).toMatchObject({ status: 400, code, field })
  })

  it('says so when the person or the provider said no, and the state is spent', async () => {
    const it = await setUp()
    const url = await it.provider.visit(await start(it.web), null)
    const { body } = await back(it.web, url)
    expect(body).toMatchObject({
      status: 400,
      code: 'idp_refused',
      detail: 'The identity provider denied access: access_denied',
    })
    expect((await back(it.web, url)).body.code).toBe('idp_state_unknown')
    url.searchParams.set('state', new URL(await start(it.web)).searchParams.get('state')!)
    url.searchParams.set('error', '<script>')
    expect((await back(it.web, url)).body.detail).toBe('The identity provider denied access: an unknown error')
  })

  it('tells a person of a refusal in a page, and programs as everywhere', async () => {
    const { web } = await setUp()
    const ask = (accept: string) => web.call('GET', '/auth/idp/callback?state=x&error=y', undefined, { accept })
    const page = await ask('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')
    expect(page).toMatchObject({
      status: 400,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    })
    expect(page.text).toContain('This sign-in was not begun in this browser')
    expect(String(page.headers['content-security-policy'])).toContain("default-src 'none'")
    expect(await ask('*/*')).toMatchObject({ status: 400, body: { code: 'idp_state_unknown' } })
  })

  it('takes a state once, even when two come with it at the same time', async () => {
    const it = await setUp()
    const url = await it.provider.visit(await start(it.web), 'ann')
    const answers = await Promise.all([back(it.web, url), back(it.web, url), back(it.web, url)])
    expect(answers.map(({ status }) => status).sort()).toEqual([307, 400, 400])
    expect((await back(it.web, url)).body).toMatchObject({ status: 400, code: 'idp_state_unknown' })
    expect(rows(it.server, 'user_sessions')).toHaveLength(1)
  })

  it.each([
    [minutes(15) - 1000, 307],
    [minutes(15), 400],
  ])('takes a state that is %i ms old: %i', async (age, status) => {
    const it = await setUp()
    const url = await it.provider.visit(await start(it.web), 'ann')
    it.server.clock.advance(age)
    expect((await back(it.web, url)).status).toBe(status)
  })

  it('signs nobody in by a link that was begun in another browser', async () => {
    const it = await setUp()
    const url = await it.provider.visit(await start(it.web), 'ann')
    const victim = browser(it.server)
    expect((await back(victim, url)).body).toMatchObject({ status: 400, code: 'idp_state_unknown' })
    await start(victim)
    expect((await back(victim, url)).body.code).toBe('idp_state_unknown')
    expect(await me(victim)).toMatchObject({ code: 'no_credentials' })
    expect((await back(it.web, url)).status).toBe(307)
  })

  it('lets two tabs of a browser sign in beside each other', async () => {
    const it = await setUp()
    const [one, other] = [await start(it.web, '/one'), await start(it.web, '/other')]
    expect((await back(it.web, await it.provider.visit(one, 'ann'))).headers['location']).toBe('/one')
    expect((await back(it.web, await it.provider.visit(other, 'ann'))).headers['location']).toBe('/other')
  })

  it('takes a code once', async () => {
    const it = await setUp()
    const url = await it.provider.visit(await start(it.web), 'ann')
    expect((await back(it.web, url)).status).toBe(307)
    const again = new URL(await start(it.web))
    url.searchParams.set('state', again.searchParams.get('state')!)
    expect((await back(it.web, url)).body).toMatchObject({ status: 400, code: 'idp_exchange_failed' })
  })

  it('answers 500 when the session cannot be stored, without cookies or session', async () => {
    const it = await setUp({ quiet: true })
    it.server.app.db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON user_sessions BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    )
    expect(await signIn(it)).toMatchObject({ status: 500, body: { code: 'internal' } })
    expect(it.web.jar.has('authjs.session-token')).toBe(false)
    it.server.app.db.exec('DROP TRIGGER full')
    expect((await signIn(it)).status).toBe(307)
    expect(rows(it.server, 'linked_accounts')).toHaveLength(1)
  })

  it('answers 500 when a token cannot be made, and leaves no session', async () => {
    const it = await setUp({ quiet: true })
    const url = await it.provider.visit(await start(it.web), 'ann')
    const { seal } = it.server.app.auth.seals
    it.server.app.auth.seals.seal = (kind, ...rest) =>
      kind === 'refresh' ? Promise.reject(new Error('no entropy')) : seal(kind, ...rest)
    expect(await back(it.web, url)).toMatchObject({ status: 500, body: { code: 'internal' } })
    expect(rows(it.server, 'user_sessions')).toHaveLength(0)
    expect(it.web.jar.has('authjs.session-token')).toBe(false)
  })

  it('writes all of a new person or nothing', async () => {
    const it = await setUp({ quiet: true })
    it.server.app.db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON linked_accounts BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    )
    expect((await signIn(it)).status).toBe(500)
    expect(rows(it.server, 'users').map(({ email }) => email)).not.toContain('ann@example.com')
    expect(rows(it.server, 'workspaces')).toHaveLength(1)
  })
})
