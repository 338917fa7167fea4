import { describe, expect, it } from 'vitest'
import { type Fact, fact } from '#contract/entries'
import { byUser } from '#kernel/journal/about-user'
import { addPerson, daemon, fixedClock, type TestDaemon } from '#test'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'

const minutes = (count: number) => count * 60_000
const days = (count: number) => count * 86_400_000
const https = { 'x-forwarded-proto': 'https' }

/** A daemon with a member who has a password, and a browser of theirs. */
async function setUp(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const ada = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  const web = browser(it)
  return { it, ada, web, signIn: () => web.signIn(ada.email, knownPassword) }
}

const me = (web: ReturnType<typeof browser>) => web.call('GET', '/users/me')
const refresh = (web: ReturnType<typeof browser>, headers = {}) =>
  web.call('POST', '/api/auth/token/refresh', undefined, headers)
const sessionsIn = ({ app }: TestDaemon) =>
  app.db.prepare('SELECT * FROM user_sessions').all() as Record<string, string | null>[]
const cookies = (answer: { headers: Record<string, unknown> }) =>
  [answer.headers['set-cookie'] ?? []].flat().map(String)

describe('sessions.create', () => {
  it('signs in with both cookies, as docs/rules/accounts.md, "Cookies" has them', async () => {
    const { web, signIn, ada, it: server } = await setUp()
    const answer = await signIn()
    expect(answer).toMatchObject({ status: 200, body: { ok: true, url: '/', status: 200 } })
    const attributes = 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax'
    expect([...web.jar].map(([name, it]) => [name, it.attributes])).toEqual([
      ['authjs.csrf-token', 'Path=/; HttpOnly; SameSite=Lax'],
      ['authjs.session-token', attributes],
      ['authjs.refresh-token', attributes.replace('Path=/', 'Path=/api/auth/')],
    ])
    expect((await me(web)).body).toMatchObject({ id: ada.userId })
    expect(server.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      actor_id: ada.userId,
      payload: { entity_type: 'session' },
    })
    expect(server.entries().at(-1)!.payload!['metadata']).toEqual({
      user_id: ada.userId,
      email: ada.email,
      via: 'password',
    })
    expect(JSON.stringify(server.entries())).not.toContain(web.jar.get('authjs.session-token')!.value)
  })

  it('names and marks cookies for HTTPS there, and reads no others', async () => {
    const { it: server, ada } = await setUp()
    const web = browser(server, https)
    await web.signIn(ada.email, knownPassword)
    expect([...web.jar.keys()]).toEqual([
      '__Host-authjs.csrf-token',
      '__Secure-authjs.session-token',
      '__Secure-authjs.refresh-token',
    ])
    for (const { attributes } of web.jar.values()) expect(attributes).toContain('Secure')
    expect((await me(web)).status).toBe(200)
    const { value } = web.jar.get('__Secure-authjs.session-token')!
    expect(
      (await server.call(null, 'GET', '/users/me', undefined, { ...https, cookie: `authjs.session-token=${value}` }))
        .body.code,
    ).toBe('no_credentials')
    const forced = await setUp({ config: { forceSecureCookies: true } })
    await forced.signIn()
    expect([...forced.web.jar.keys()]).toContain('__Secure-authjs.session-token')
  })

  it('takes a form and redirects, only to this server', async () => {
    const { web, ada } = await setUp()
    const { body } = await web.call('GET', '/api/auth/csrf')
    const form = (more: Record<string, string>) =>
      new URLSearchParams({ email: ada.email, password: knownPassword, csrfToken: body.csrfToken, ...more }).toString()
    const send = (more: Record<string, string>) =>
      web.call('POST', '/api/auth/callback/credentials', form(more), {
        'content-type': 'application/x-www-form-urlencoded',
      })
    expect(await send({ callbackUrl: '/crews?x=1' })).toMatchObject({
      status: 302,
      headers: { location: '/crews?x=1' },
    })
    for (const callbackUrl of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/a\\b',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/.//evil.example',
      '/a/..//evil.example',
    ])
      expect((await send({ callbackUrl })).headers['location'], callbackUrl).toBe('/')
    expect(await send({ password: 'wrong' })).toMatchObject({
      status: 302,
      headers: { location: '/login?error=CredentialsSignin' },
    })
    const asked = await web.call('POST', '/api/auth/callback/credentials?callbackUrl=/query', form({}), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(asked.headers['location']).toBe('/query')
    expect(await send({ json: 'true' })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await send({ redirect: 'false', password: 'x' })).toMatchObject({ status: 200, body: { ok: false } })
  })

  it('answers every failure alike and sets no session', async () => {
    const { it: server, web, ada } = await setUp()
    const without = server.app.writeNow(() => addPerson(server.app, 'MEMBER', server.workspace))
    const failure = {
      status: 200,
      body: { ok: false, error: 'CredentialsSignin', url: '/api/auth/error?error=CredentialsSignin' },
    }
    const kelvin = ada.email.replace('member', 'mem\u0412er')
    for (const [email, password] of [
      [ada.email, 'wrong'],
      [ada.email, ''],
      [ada.email, `${knownPassword}${'x'.repeat(80)}`],
      ['nobody@example.com', knownPassword],
      ['', ''],
      [kelvin, knownPassword],
      [without.email, knownPassword],
    ] as const)
      expect(await web.signIn(email, password)).toMatchObject(failure)
    expect([...web.jar.keys()]).toEqual(['authjs.csrf-token'])
    expect(sessionsIn(server)).toEqual([])
    expect((await web.signIn(` ${ada.email.toUpperCase()} `, knownPassword)).body.ok).toBe(true)
  })

  it('asks for the CSRF token of its cookie', async () => {
    const { web, ada, it: server } = await setUp()
    const { body } = await web.call('GET', '/api/auth/csrf')
    expect(body.csrfToken).toMatch(/^[0-9a-f]{64}$/)
    expect((await web.call('GET', '/api/auth/csrf')).body).toEqual(body)
    const send = (csrfToken?: string, headers = {}) =>
      web.call(
        'POST',
        '/api/auth/callback/credentials',
        { email: ada.email, password: knownPassword, csrfToken },
        headers,
      )
    const refused = {
      status: 403,
      body: { code: 'csrf_mismatch', field: 'csrfToken', error: expect.stringContaining('CSRF') },
    }
    expect(await send('0'.repeat(64))).toMatchObject(refused)
    expect(await send()).toMatchObject(refused)
    expect(
      await server.call(null, 'POST', '/api/auth/callback/credentials', {
        email: 'a',
        password: 'b',
        csrfToken: body.csrfToken,
      }),
    ).toMatchObject(refused)
    expect((await send(body.csrfToken)).body.ok).toBe(true)
  })

  it('gives a CSRF token of its own in place of what somebody planted', async () => {
    const { it: server } = await setUp()
    for (const planted of ['x', '0'.repeat(63), 'A'.repeat(64)]) {
      const headers = { cookie: `authjs.csrf-token=${planted}` }
      const { body } = await server.call(null, 'GET', '/api/auth/csrf', undefined, headers)
      expect(body.csrfToken).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  it('is refused when the password changes while it is compared', async () => {
    const { it: server, ada, web } = await setUp()
    const { passwords } = server.app
    const verify: typeof passwords.verify = async (...given) => {
      const fits = await passwords.verify(...given)
      server.app.db.prepare("UPDATE users SET password_hash = 'another' WHERE id = ?").run(ada.userId)
      return fits
    }
    Object.assign(server.app, { passwords: { ...passwords, verify } })
    expect((await web.signIn(ada.email, knownPassword)).body).toMatchObject({ ok: false, error: 'CredentialsSignin' })
    expect(sessionsIn(server)).toEqual([])
  })

  it('refuses what is malformed or too large', async () => {
    const { web } = await setUp()
    for (const body of [
      '{',
      '[]',
      { email: 1, password: 'x' },
      { email: 'a@b.co' },
      { email: 'a@b.co', password: 'x'.repeat(17_000) },
    ])
      expect((await web.call('POST', '/api/auth/callback/credentials', body)).status).toBe(400)
  })

  it('keeps at most 250 bytes of the browser’s name, whole characters', async () => {
    const { it: server, ada } = await setUp()
    const web = browser(server, { 'user-agent': `x${'é'.repeat(200)}` })
    await web.signIn(ada.email, knownPassword)
    expect((await web.call('GET', '/auth/sessions')).body[0].user_agent).toBe(`x${'é'.repeat(124)}`)
  })

  it('signs out the browser that was used the longest ago when there are more than a hundred', async () => {
    const { it: server, ada, signIn } = await setUp()
    server.app.db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
         INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
           SELECT 's_' || i, ?, '2025-12-01T00:00:00Z', format('2026-01-%02dT00:00:00Z', 2 + i % 28),
           '2026-01-30T00:00:00Z', 'x' FROM n`,
      )
      .run(ada.userId)
    server.app.db.prepare("UPDATE user_sessions SET last_used_at = '2025-12-01T00:00:00Z' WHERE id = 's_7'").run()
    // What has ended, and what others have, takes nobody's place.
    const insert = server.app.db.prepare(
      `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, revoked_at, current_refresh_jti)
       VALUES (?, ?, '2025-12-01T00:00:00Z', '2026-01-05T00:00:00Z', ?, ?, 'x')`,
    )
    insert.run('s_expired', ada.userId, '2026-01-01T00:00:00Z', null)
    insert.run('s_revoked', ada.userId, '2026-01-30T00:00:00Z', '2025-12-02T00:00:00Z')
    insert.run('s_other', server.person('OWNER').userId, '2026-01-30T00:00:00Z', null)
    const ended: string[] = []
    server.app.bus.on('revoked', (id) => ended.push(id))
    expect((await signIn()).body.ok).toBe(true)
    expect(ended).toEqual(['s_7'])
    expect(sessionsIn(server).filter((row) => row['revoked_reason'])).toMatchObject([
      { id: 's_7', revoked_reason: 'too_many' },
    ])
  })

  it('has no session when the store fails', async () => {
    const { it: server, web, signIn } = await setUp({ quiet: true })
    server.app.db.exec("CREATE TRIGGER no BEFORE INSERT ON user_sessions BEGIN SELECT RAISE(ABORT, 'full'); END")
    expect(await signIn()).toMatchObject({ status: 500, body: { code: 'internal' } })
    expect([...web.jar.keys()]).toEqual(['authjs.csrf-token'])
  })
})

describe('the lock', () => {
  const attempt = async (web: ReturnType<typeof browser>, email: string, password: string) =>
    (await web.signIn(email, password)).body.ok as boolean

  it('Account: unlocked -> locked on failed sign-in past login.lockout_threshold', async () => {
    const { it: server, web, ada } = await setUp({ config: { lockoutThreshold: 3, lockoutDuration: 300 } })
    for (let n = 0; n < 3; n++) expect(await attempt(web, ada.email, 'wrong')).toBe(false)
    expect(await attempt(web, ada.email, knownPassword)).toBe(false)
    expect(server.entries().at(-1)).toMatchObject({
      severity: 'warn',
      payload: { entity_type: 'user', metadata: { changed: ['locked_until'] } },
    })
    server.clock.advance(299_000)
    expect(await attempt(web, ada.email, knownPassword)).toBe(false)
    server.clock.advance(1_000)
    expect(await attempt(web, ada.email, knownPassword)).toBe(true)
  })

  it('counts anew after a success and after a lock, and not while locked', async () => {
    const { it: server, web, ada } = await setUp({ config: { lockoutThreshold: 2, lockoutDuration: 60 } })
    const count = () =>
      server.app.db.prepare('SELECT failed_login_count FROM users WHERE id = ?').pluck().get(ada.userId)
    await attempt(web, ada.email, 'wrong')
    expect([count(), await attempt(web, ada.email, knownPassword), count()]).toEqual([1, true, 0])
    for (let n = 0; n < 5; n++) await attempt(web, ada.email, 'wrong')
    expect(count()).toBe(2)
    server.clock.advance(60_000)
    expect([await attempt(web, ada.email, 'wrong'), count()]).toEqual([false, 1])
    expect(await attempt(web, ada.email, knownPassword)).toBe(true)
  })

  it('ends the guessing of one address over many accounts, and lets others in', async () => {
    const { it: server, ada } = await setUp({ config: { rateLimitDisabled: false, authPerMinute: 2 } })
    const from = (ip: string) => browser(server, { 'x-forwarded-for': ip })
    const web = from('203.0.113.7')
    const attempt = async (email: string, password = knownPassword) => {
      server.clock.advance(30_000)
      return web.signIn(email, password)
    }
    // Twelve an hour; what succeeds in between does not count.
    for (let index = 0; index < 13; index += 1) {
      if (index % 7 === 0) expect((await attempt(ada.email)).body.ok).toBe(true)
      expect((await attempt(`nobody-${index}@example.com`)).body).toMatchObject({
        ok: false,
        error: 'CredentialsSignin',
      })
    }
    for (const email of ['nobody@example.com', ada.email]) {
      const refused = await attempt(email)
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60)
    }
    expect((await from('203.0.113.8').signIn(ada.email, knownPassword)).body.ok).toBe(true)
    server.clock.advance(minutes(60))
    expect((await web.signIn(ada.email, knownPassword)).body.ok).toBe(true)
  })

  it('counts every one of many guesses at once', async () => {
    const { it: server, ada } = await setUp({ config: { lockoutThreshold: 20 } })
    await Promise.all(Array.from({ length: 12 }, () => browser(server).signIn(ada.email, 'wrong')))
    expect(server.app.db.prepare('SELECT failed_login_count FROM users WHERE id = ?').pluck().get(ada.userId)).toBe(12)
  })
})

describe('sessions.refresh', () => {
  it('rotates both cookies; the old access token lives its time out', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const before = web.copy()
    server.clock.advance(minutes(14))
    const answer = await refresh(web)
    expect(answer).toMatchObject({ status: 200, body: { ok: true, expires: '2026-01-01T00:29:00Z' } })
    for (const name of ['authjs.session-token', 'authjs.refresh-token'])
      expect(web.jar.get(name)!.value).not.toBe(before.jar.get(name)!.value)
    server.clock.advance(minutes(2))
    expect((await me(web)).status).toBe(200)
    expect((await me(before)).body.code).toBe('session_expired')
  })

  it('changes no other session', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    await browser(server).signIn(ada.email, knownPassword)
    const identifiers = () => sessionsIn(server).map((row) => row['current_refresh_jti'])
    const before = identifiers()
    expect((await refresh(web)).status).toBe(200)
    const after = identifiers()
    expect(before.filter((it) => after.includes(it))).toHaveLength(1)
    expect(new Set(after).size).toBe(2)
  })

  it('Session: active -> revoked on refresh with an already-rotated JTI', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const thief = web.copy()
    await refresh(web)
    server.clock.advance(11_000)
    const replay = await refresh(thief)
    expect(replay).toMatchObject({
      status: 401,
      body: { code: 'session_revoked' },
      headers: { 'www-authenticate': 'Bearer error="session_revoked"' },
    })
    expect(cookies(replay).filter((line) => line.includes('Max-Age=0'))).toHaveLength(4)
    expect(thief.jar.has('authjs.session-token')).toBe(false)
    expect((await me(web)).body.code).toBe('session_revoked')
    expect((await refresh(web)).body.code).toBe('session_revoked')
    expect(sessionsIn(server)[0]).toMatchObject({ revoked_reason: 'refresh_replay' })
    expect(server.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      payload: { metadata: { reason: 'refresh_replay' } },
    })
  })

  it('says what ended: a replay, the time, the session itself', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const thief = web.copy()
    await refresh(web)
    server.clock.advance(11_000)
    expect((await refresh(thief)).body.detail).toContain('used a second time')
    expect((await refresh(web)).body).toMatchObject({ code: 'session_revoked' })
    expect((await refresh(web.copy())).body.detail ?? '').not.toContain('used a second time')

    await signIn()
    server.app.db.exec("UPDATE user_sessions SET expires_at = '2026-01-01T00:01:00Z'")
    server.clock.advance(minutes(1) - 11_000)
    expect((await refresh(web)).body.code).toBe('session_expired')
    await signIn()
    server.clock.advance(days(31))
    expect((await refresh(web)).body.code).toBe('session_expired')
  })

  it('is refused for a session of a user whom a restored backup does not have', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    server.app.db.pragma('foreign_keys = OFF')
    server.app.db.prepare('DELETE FROM users WHERE id = ?').run(ada.userId)
    expect((await refresh(web)).body.code).toBe('session_revoked')
  })

  it('is protected from the first cookie on', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const [first, second] = [web.copy(), web.copy()]
    await refresh(first)
    await refresh(first)
    server.clock.advance(1)
    expect((await refresh(second)).body.code).toBe('session_revoked')
  })

  it('gives two tabs that come at once the same identifier, and an answer that got lost once more', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const tabs = [web.copy(), web.copy(), web.copy()]
    const answers = await Promise.all(tabs.map((tab) => refresh(tab)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    server.clock.advance(9_000)
    const late = web.copy()
    expect((await refresh(late)).status).toBe(200)
    server.clock.advance(minutes(1))
    for (const tab of [late, tabs[2]!]) {
      expect((await me(tab)).status).toBe(200)
    }
    expect((await refresh(late)).status).toBe(200)
    expect(sessionsIn(server)).toMatchObject([{ revoked_at: null }])
  })

  it('bears a clock that is set back', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const tab = web.copy()
    await refresh(web)
    server.clock.advance(-minutes(5))
    expect((await refresh(web)).status).toBe(200)
    expect((await refresh(tab)).status).toBe(401)
  })

  it('does not lengthen the thirty days', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.clock.advance(days(29))
    expect((await refresh(web)).status).toBe(200)
    server.clock.advance(days(1))
    expect((await refresh(web)).body.code).toBe('session_expired')
    expect(web.jar.has('authjs.refresh-token')).toBe(false)
  })

  it('clears the cookies on every refusal, and keeps them when the store fails', async () => {
    const { it: server, ada } = await setUp({ quiet: true })
    const fresh = async () => {
      const web = browser(server)
      await web.signIn(ada.email, knownPassword)
      return web
    }
    const web = await fresh()
    expect(await web.call('GET', '/api/auth/token/refresh')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(web.jar.size).toBe(1)
    const other = await fresh()
    expect((await refresh(other, { origin: 'https://evil.example' })).status).toBe(403)
    expect(other.jar.size).toBe(1)
    const none = browser(server)
    expect((await refresh(none)).body.code).toBe('session_expired')
    const tampered = await fresh()
    tampered.jar.get('authjs.refresh-token')!.value = tampered.jar.get('authjs.session-token')!.value
    expect((await refresh(tampered)).body.code).toBe('session_expired')

    const kept = await fresh()
    server.app.db.exec("CREATE TRIGGER no BEFORE UPDATE ON user_sessions BEGIN SELECT RAISE(ABORT, 'full'); END")
    const failed = await refresh(kept)
    expect({ status: failed.status, cookies: cookies(failed) }).toEqual({ status: 500, cookies: [] })
    server.app.db.exec('DROP TRIGGER no')
    expect((await refresh(kept)).status).toBe(200)
  })

  it('takes a page of another port of this host, not of an allowed origin elsewhere', async () => {
    const { web, signIn } = await setUp({
      config: { allowedOrigins: ['http://localhost:3000', 'https://app.example'] },
    })
    await signIn()
    expect((await refresh(web, { origin: 'http://localhost:3000' })).status).toBe(200)
    expect((await refresh(web, { origin: 'https://app.example' })).body.code).toBe('origin_rejected')
  })

  it('takes the page that links here when no origin is said, of this host alone', async () => {
    const { web, signIn } = await setUp({
      config: { allowedOrigins: ['http://localhost:3000', 'https://app.example'] },
    })
    await signIn()
    expect((await refresh(web, { referer: 'http://localhost:3000/crews' })).status).toBe(200)
    expect((await refresh(web, { referer: 'https://app.example/page' })).body.code).toBe('origin_rejected')
  })
})

describe('sessions.current', () => {
  it('says who is signed in, live', async () => {
    const { it: server, web, signIn, ada } = await setUp()
    expect((await web.call('GET', '/api/auth/session')).body).toEqual({})
    await signIn()
    server.app.db.prepare("UPDATE users SET full_name = 'Ada', avatar_url = NULL WHERE id = ?").run(ada.userId)
    expect((await web.call('GET', '/api/auth/session')).body).toEqual({
      user: { id: ada.userId, name: 'Ada', email: ada.email, avatar_url: '' },
      expires: '2026-01-01T00:15:00Z',
    })
    const picture = 'https://pictures.example/ada.png'
    server.app.db.prepare('UPDATE users SET avatar_url = ? WHERE id = ?').run(picture, ada.userId)
    expect((await web.call('GET', '/api/auth/session')).body.user.avatar_url).toBe(picture)
    expect((await server.call(ada, 'GET', '/api/auth/session')).body).toEqual({})
  })

  it('makes a new access cookie from a live refresh cookie, without rotation', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const refreshCookie = web.jar.get('authjs.refresh-token')!.value
    server.clock.advance(minutes(20))
    expect((await web.call('GET', '/api/auth/session')).body.expires).toBe('2026-01-01T00:35:00Z')
    expect(web.jar.get('authjs.refresh-token')!.value).toBe(refreshCookie)
    expect((await me(web)).status).toBe(200)
  })

  it('shows empty texts where nothing is known', async () => {
    const { it: server, web, signIn, ada } = await setUp()
    await signIn()
    server.app.db.exec('UPDATE users SET full_name = NULL, avatar_url = NULL')
    expect((await web.call('GET', '/api/auth/session')).body.user).toEqual({
      id: ada.userId,
      name: '',
      email: ada.email,
      avatar_url: '',
    })
  })

  it('is nobody from the moment when the session runs out, and when it is no longer stored', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.app.db.exec("UPDATE user_sessions SET expires_at = '2026-01-01T00:05:00Z'")
    const shown = async () => (await web.copy().call('GET', '/api/auth/session')).body
    server.clock.advance(minutes(5) - 1)
    expect(await shown()).toHaveProperty('user')
    server.clock.advance(1)
    expect(await shown()).toEqual({})
    server.app.db.exec('DELETE FROM user_sessions')
    expect(await shown()).toEqual({})
  })

  it('takes the former refresh cookie for ten seconds, as a refresh does', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const tab = web.copy()
    tab.jar.delete('authjs.session-token')
    await refresh(web)
    server.clock.advance(10_000)
    expect((await tab.copy().call('GET', '/api/auth/session')).body).toHaveProperty('user')
    server.clock.advance(1)
    expect((await tab.call('GET', '/api/auth/session')).body).toEqual({})
    expect([...tab.jar.keys()]).toEqual(['authjs.csrf-token'])
    expect(sessionsIn(server), 'looking ends nothing').toMatchObject([{ revoked_at: null }])
  })

  it('sets and clears no cookies of whoever has none', async () => {
    const { it: server } = await setUp()
    const ask = async (headers: Record<string, string>) =>
      cookies(await server.call(null, 'GET', '/api/auth/session', undefined, headers))
    expect([await ask({}), await ask({ cookie: 'theme=dark' })]).toEqual([[], []])
    const cleared = await ask({ cookie: 'authjs.session-token=nonsense' })
    expect(cleared.every((line) => line.includes('Max-Age=0'))).toBe(true)
    expect(cleared).not.toEqual([])
  })

  it('leaves the cookies of who comes after a month', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.clock.advance(days(31))
    expect((await web.call('GET', '/api/auth/session')).body).toEqual({})
    expect([...web.jar.keys()]).toContain('authjs.refresh-token')
  })

  it('clears the cookies of a session that ended while its page was closed', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.app.db.exec("UPDATE user_sessions SET revoked_at = '2026-01-01T00:00:00Z'")
    server.clock.advance(minutes(16))
    expect((await web.call('GET', '/api/auth/session')).body).toEqual({})
    expect([...web.jar.keys()]).toEqual(['authjs.csrf-token'])
  })

  it('clears cookies of a session that ended, never for mere expiry of the access token', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const expired = web.copy()
    expired.jar.delete('authjs.refresh-token')
    server.app.db.exec("UPDATE user_sessions SET revoked_at = '2026-01-01T00:00:00Z'")
    expect((await web.call('GET', '/api/auth/session')).body).toEqual({})
    expect([...web.jar.keys()]).toEqual(['authjs.csrf-token'])
    server.clock.advance(minutes(16))
    expect((await expired.call('GET', '/api/auth/session')).body).toEqual({})
    expect(expired.jar.has('authjs.session-token')).toBe(true)
  })
})

describe('the access token', () => {
  it('works as a bearer too, and is refused in every other shape', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const access = web.jar.get('authjs.session-token')!.value
    const ask = async (token: string) =>
      (await server.call(null, 'GET', '/users/me', undefined, { authorization: `Bearer ${token}` })).body.code
    expect(await ask(access)).toBeUndefined()
    const flipped = `${access.slice(0, -3)}${access.at(-3) === 'A' ? 'B' : 'A'}${access.slice(-2)}`
    for (const bad of [
      flipped,
      web.jar.get('authjs.refresh-token')!.value,
      'a.b.c.d.e',
      'x'.repeat(5000),
      `${access}.x`,
    ])
      expect(await ask(bad), bad.slice(0, 20)).toBe('session_invalid')
  })

  it('is of no use on another server, nor after its secret changed', async () => {
    const [one, other] = [await setUp(), await setUp()]
    await one.signIn()
    const { value } = one.web.jar.get('authjs.session-token')!
    expect(
      (await other.it.call(null, 'GET', '/users/me', undefined, { authorization: `Bearer ${value}` })).body.code,
    ).toBe('session_invalid')
  })

  it('ends after 15 minutes, also when it was used just before', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.clock.advance(minutes(15) - 1)
    expect((await me(web)).status).toBe(200)
    server.clock.advance(1)
    expect((await me(web)).body.code).toBe('session_expired')
  })

  it('is no longer accepted after thirty days, whatever it says itself', async () => {
    const clock = fixedClock()
    const { it: server, web, signIn } = await setUp({ clock })
    await signIn()
    server.app.db.exec("UPDATE user_sessions SET expires_at = '2026-01-01T00:05:00Z'")
    clock.advance(minutes(5) - 1)
    expect((await me(web)).status).toBe(200)
    clock.advance(1)
    expect((await me(web)).body.code).toBe('session_expired')
  })

  it('holds for what follows it until the moment it runs out', async () => {
    const clock = fixedClock()
    const { it: server, signIn } = await setUp({ clock })
    await signIn()
    server.app.db.exec("UPDATE user_sessions SET expires_at = '2026-01-01T00:05:00Z'")
    const id = String(sessionsIn(server)[0]!['id'])
    clock.advance(minutes(5) - 1)
    expect(server.app.auth.holds(id)).toBe(true)
    clock.advance(1)
    expect(server.app.auth.holds(id)).toBe(false)
  })

  it('needs a store: when that fails the answer is 500, not 401', async () => {
    const { it: server, web, signIn } = await setUp({ quiet: true })
    await signIn()
    server.app.db.exec('ALTER TABLE user_sessions RENAME TO elsewhere')
    expect((await me(web)).status).toBe(500)
  })

  it('touches its session once a minute', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const used = () => sessionsIn(server)[0]!['last_used_at']
    server.clock.advance(30_000)
    await me(web)
    await server.app.idle()
    expect(used()).toBe('2026-01-01T00:00:00Z')
    server.clock.advance(40_000)
    await me(web)
    await server.app.idle()
    expect(used()).toBe('2026-01-01T00:01:10Z')
  })

  it('touches it when a minute is over, and no other session', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    await browser(server).signIn(ada.email, knownPassword)
    const used = async (ms: number) => {
      server.clock.advance(ms)
      await me(web)
      await server.app.idle()
      return sessionsIn(server).map((row) => row['last_used_at'])
    }
    const start = '2026-01-01T00:00:00Z'
    expect(await used(59_999)).toEqual([start, start])
    expect((await used(1)).sort()).toEqual([start, '2026-01-01T00:01:00Z'])
    expect((await used(59_999)).sort()).toEqual([start, '2026-01-01T00:01:00Z'])
    expect((await used(1)).sort()).toEqual([start, '2026-01-01T00:02:00Z'])
  })

  it('is of no use when its session is no longer stored', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.app.db.exec('DELETE FROM user_sessions')
    expect((await me(web)).body.code).toBe('session_revoked')
  })

  it('does not hold for sessions that ended, or never were, or have yet to show a second factor', async () => {
    const { it: server, ada, signIn } = await setUp()
    await signIn()
    const id = String(sessionsIn(server)[0]!['id'])
    const holds = () => server.app.auth.holds(id)
    expect([holds(), server.app.auth.holds('s_none')]).toEqual([true, false])
    server.app.db.prepare('UPDATE users SET two_factor_at = ? WHERE id = ?').run(server.app.now(), ada.userId)
    expect(holds()).toBe(false)
    server.app.db.prepare('UPDATE user_sessions SET factor_at = ?').run(server.app.now())
    expect(holds()).toBe(true)
    server.app.db.exec("UPDATE user_sessions SET revoked_at = '2026-01-01T00:00:00Z'")
    expect(holds()).toBe(false)
  })
})

describe('sessions.list and sessions.revoke', () => {
  it('Session: active -> revoked on POST sessions/{id}/revoke', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    const phone = browser(server, { 'user-agent': 'Phone', 'x-forwarded-for': '203.0.113.9' })
    server.clock.advance(minutes(1))
    await phone.signIn(ada.email, knownPassword)
    const { body } = await web.call('GET', '/auth/sessions')
    expect(body).toMatchObject([{ user_agent: 'Phone', ip: '203.0.113.9', is_current: false }, { is_current: true }])
    expect(body[0].id).toMatch(/^s_[0-9a-f]{64}$/)
    const revoke = (id: string) => web.call('POST', `/auth/sessions/${id}/revoke`)
    expect(await revoke(body[0].id)).toMatchObject({
      status: 200,
      body: { ok: true, id: body[0].id, is_current: false },
    })
    expect((await revoke(body[0].id)).status).toBe(200)
    expect((await me(phone)).body.code).toBe('session_revoked')
    expect((await web.call('GET', '/auth/sessions')).body).toHaveLength(1)
    expect(await revoke(body[1].id)).toMatchObject({ body: { is_current: true } })
    expect((await me(web)).body.code).toBe('session_revoked')
  })

  it('shows what is known of each that is live, 500 when nobody says how many', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    const [{ id }] = (await web.call('GET', '/auth/sessions')).body
    server.app.db.exec('UPDATE user_sessions SET user_agent = NULL, ip = NULL')
    const insert = server.app.db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
         SELECT ? || i, ?, '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', ?, 'x' FROM n`,
    )
    insert.run(1, 's_over', ada.userId, '2026-01-01T00:00:00Z')
    const list = async () => (await web.call('GET', '/auth/sessions')).body
    const own = { id, created_at: '2026-01-01T00:00:00Z', last_used_at: '2026-01-01T00:00:00Z', is_current: true }
    expect(await list()).toEqual([own])
    insert.run(500, 's_more', ada.userId, '2026-01-30T00:00:00Z')
    expect(await list()).toHaveLength(500)
  })

  it('tells the journal of an end once, and closes what the session holds open each time', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    const other = browser(server)
    await other.signIn(ada.email, knownPassword)
    const sessions: { id: string; is_current: boolean }[] = (await web.call('GET', '/auth/sessions')).body
    const { id } = sessions.find((it) => !it.is_current)!
    const closed: string[] = []
    server.app.bus.on('revoked', (it) => closed.push(it))
    const before = server.entries().length
    for (let n = 0; n < 2; n++) expect((await web.call('POST', `/auth/sessions/${id}/revoke`)).status).toBe(200)
    expect(closed).toEqual([id, id])
    expect(server.entries().slice(before)).toMatchObject([
      {
        entry_type: 'audit.entity_deleted',
        actor_type: 'user',
        actor_id: ada.userId,
        payload: { entity_id: id, metadata: { user_id: ada.userId, email: ada.email, reason: 'user_revoked' } },
      },
    ])
    expect(sessionsIn(server).find((row) => row['id'] === id)).toMatchObject({ revoked_reason: 'user_revoked' })
  })

  it('answers absent and foreign ids alike', async () => {
    const { it: server, signIn, web } = await setUp()
    await signIn()
    const [{ id }] = (await web.call('GET', '/auth/sessions')).body
    const answers = await Promise.all(
      [id, 's_none'].map((it) => server.call('OWNER', 'POST', `/auth/sessions/${it}/revoke`)),
    )
    for (const { status, body } of answers)
      expect({ status, code: body.code, field: body.field, detail: body.detail }).toEqual({
        status: 404,
        code: 'not_found',
        field: 'sessionId',
        detail: 'No such resource',
      })
    expect((await server.call('OWNER', 'GET', '/auth/sessions')).body).toEqual([])
  })
})

describe('the ends of all sessions of a user', () => {
  const changed = ['password' as const]
  it.each([
    ['password_change', 'user', 'user.password_changed', { changed }],
    ['password_reset', 'user', 'user.password_reset', { changed, via: 'password_reset' }],
    ['admin_force', 'system', 'user.password_reset', { changed, via: 'host' }],
    ['address_proved', 'user', 'user.reclaimed', { changed, via: 'idp', sessions: 2, tokens: 0 }],
    ['admin_invalidate', 'system', 'user.signed_out', { changed: [], via: 'host', sessions: 2, tokens: 0 }],
  ] as const)('are told as %s, by the %s, of those that are live', async (reason, actor_type, what, metadata) => {
    const { it: server, ada, signIn } = await setUp()
    await signIn()
    await browser(server).signIn(ada.email, knownPassword)
    const live = sessionsIn(server).map((row) => row['id'])
    const insert = server.app.db.prepare(
      `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, revoked_at, current_refresh_jti)
       VALUES (?, ?, '', '', ?, ?, 'x')`,
    )
    insert.run('s_expired', ada.userId, '2026-01-01T00:00:00Z', null)
    insert.run('s_revoked', ada.userId, '2026-01-30T00:00:00Z', '2025-12-02T00:00:00Z')
    insert.run('s_other', server.person('OWNER').userId, '2026-01-30T00:00:00Z', null)
    const closed: string[] = []
    server.app.bus.on('revoked', (id) => id.startsWith('s_') && closed.push(id))
    const before = server.entries().length
    const happened = fact(
      what,
      { entity_id: ada.userId, name: ada.email, metadata } as never,
      byUser(ada.userId),
    ) as Fact
    server.app.writeNow(() => server.app.journalIn([server.workspace], happened))
    expect(closed.sort()).toEqual([...live].sort())
    const told = server
      .entries()
      .slice(before)
      .filter(({ payload }) => payload!['entity_type'] === 'session')
    const metadataOf = { user_id: ada.userId, email: ada.email, reason }
    expect(told.map((entry) => [entry.actor_type, entry.payload!['metadata']])).toEqual([
      [actor_type, metadataOf],
      [actor_type, metadataOf],
    ])
    const ended = sessionsIn(server).filter((row) => row['revoked_reason'] === reason)
    expect(ended.map((row) => row['id']).sort()).toEqual([...live].sort())
  })

  it('spare the one in which the password was changed', async () => {
    const { it: server, web, ada, signIn } = await setUp()
    await signIn()
    const session_id = String(sessionsIn(server)[0]!['id'])
    const other = browser(server)
    await other.signIn(ada.email, knownPassword)
    const payload = { entity_id: ada.userId, name: ada.email, metadata: { changed, session_id } }
    const happened = fact('user.password_changed', payload, byUser(ada.userId))
    server.app.writeNow(() => server.app.journalIn([server.workspace], happened))
    expect([(await me(web)).status, (await me(other)).body.code]).toEqual([200, 'session_revoked'])
  })
})

describe('a second factor that is new, or moved to another app', () => {
  it.each(['user.two_factor_on', 'user.two_factor_moved'] as const)(
    'counts only where it was shown: %s',
    async (what) => {
      const { it: server, ada, signIn } = await setUp()
      await signIn()
      const shown = String(sessionsIn(server)[0]!['id'])
      for (const _ of [1, 2]) await browser(server).signIn(ada.email, knownPassword)
      const others = sessionsIn(server)
        .map((row) => row['id'])
        .filter((id) => id !== shown)
      server.app.db.exec("UPDATE user_sessions SET factor_at = '2025-12-31T00:00:00Z'")
      const closed: string[] = []
      server.app.bus.on('revoked', (id) => closed.push(id))
      const metadata = { changed: ['two_factor_at' as const], two_factor: true as const, session_id: shown }
      const happened = fact(what, { entity_id: ada.userId, name: ada.email, metadata }, byUser(ada.userId))
      server.app.writeNow(() => server.app.journalIn([server.workspace], happened))
      const factors = Object.fromEntries(sessionsIn(server).map((row) => [row['id'], row['factor_at']]))
      expect(factors).toEqual({
        [shown]: server.app.now(),
        ...Object.fromEntries(others.map((id) => [id, null])),
      })
      expect(closed.sort()).toEqual([...others].sort())
    },
  )
})

describe('sessions.signout', () => {
  it('ends the session and clears its cookies, whoever comes', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    const copy = web.copy()
    expect(await web.call('POST', '/api/auth/signout')).toMatchObject({ status: 200, body: { url: '/login' } })
    expect([...web.jar.keys()]).toEqual(['authjs.csrf-token'])
    expect((await me(copy)).body.code).toBe('session_revoked')
    expect(sessionsIn(server)).toMatchObject([{ revoked_reason: 'logout' }])
    expect((await web.call('POST', '/api/auth/signout')).status).toBe(200)
  })

  it('finds the session by the refresh cookie when the access token has run out', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    server.clock.advance(minutes(30))
    await web.call('POST', '/api/auth/signout')
    expect(sessionsIn(server)).toMatchObject([{ revoked_reason: 'logout' }])
  })

  it('finds it by the refresh cookie when there is no other', async () => {
    const { it: server, web, signIn } = await setUp()
    await signIn()
    web.jar.delete('authjs.session-token')
    await web.call('POST', '/api/auth/signout')
    expect(sessionsIn(server)).toMatchObject([{ revoked_reason: 'logout' }])
  })

  it('is not for pages of others', async () => {
    const { web, signIn } = await setUp()
    await signIn()
    expect((await web.call('POST', '/api/auth/signout', undefined, { origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await me(web)).status).toBe(200)
  })
})

describe('the rest of /api/auth', () => {
  it('names the ways to sign in, where to do so and what went wrong', async () => {
    const { web } = await setUp()
    const url = '/api/auth/callback/credentials'
    expect((await web.call('GET', '/api/auth/providers')).body.credentials).toEqual({
      id: 'credentials',
      name: 'Credentials',
      type: 'credentials',
      signinUrl: url,
      callbackUrl: url,
    })
    expect(await web.call('GET', '/api/auth/signin?callbackUrl=/crews')).toMatchObject({
      status: 302,
      headers: { location: '/login?callbackUrl=%2Fcrews' },
    })
    expect((await web.call('GET', '/api/auth/signin?callbackUrl=//evil')).headers['location']).toBe(
      '/login?callbackUrl=%2F',
    )
    expect((await web.call('GET', '/api/auth/error')).body).toEqual({ error: 'Default', message: expect.any(String) })
    expect((await web.call('GET', '/api/auth/error?error=CredentialsSignin')).body.error).toBe('CredentialsSignin')
    for (const error of ['constructor', '__proto__', 'nonsense'])
      expect((await web.call('GET', `/api/auth/error?error=${error}`)).body).toEqual({
        error,
        message: 'Signing in failed; try again',
      })
  })

  it('names the identity provider when there is one', async () => {
    const config = { idpClientId: 'muster', idpClientSecret: 'secret', idpIssuer: 'https://login.example.com' }
    const [plain, set] = [await setUp(), await setUp({ config })]
    expect(Object.keys((await plain.web.call('GET', '/api/auth/providers')).body)).toEqual(['credentials'])
    expect((await set.web.call('GET', '/api/auth/providers')).body.idp).toEqual({
      id: 'idp',
      name: 'login.example.com',
      type: 'oidc',
      signinUrl: '/api/v1/auth/idp/redirect',
      callbackUrl: '/api/v1/auth/idp/callback',
    })
  })

  it('is in the strict bucket when it changes something, in the general one when it is read', async () => {
    const { it: server, web } = await setUp({ config: { rateLimitDisabled: false, authPerMinute: 2 } })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await refresh(web)).status)
    for (let n = 0; n < 3; n++) statuses.push((await web.call('GET', '/api/auth/session')).status)
    for (let n = 0; n < 3; n++) statuses.push((await server.call(null, 'GET', '/auth/sessions')).status)
    expect(statuses).toEqual([401, 401, 429, 200, 200, 200, 401, 401, 401])
  })
})

describe('a second factor that a workspace asks for', () => {
  it('bars members without one from the workspace, with a token too', async () => {
    const { it: server, ada } = await setUp()
    server.app.db.exec('UPDATE workspaces SET require_two_factor = 1')
    expect((await server.call(ada, 'GET', '/crews')).body).toMatchObject({ status: 403, code: 'two_factor_required' })
    expect((await server.call(ada, 'GET', '/users/me')).status).toBe(200)
    expect((await server.call(server.stranger(), 'GET', `/crews?workspace_id=${server.workspace}`)).body.code).toBe(
      'not_a_member',
    )
    server.app.db.exec("UPDATE users SET two_factor_at = '2026-01-01T00:00:00Z'")
    expect((await server.call(ada, 'GET', '/crews')).status).toBe(200)
  })
})
