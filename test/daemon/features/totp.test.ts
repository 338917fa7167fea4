import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { addPerson, closing, daemon, type TestDaemon } from '#test'
import { letters } from '../../../daemon/features/totp/letters.ts'
import { comparePassword, disableTwoFactor } from '../../../daemon/features/totp/service.ts'
import { createSockets } from '../../../daemon/streams/ws.ts'
import { type Browser, browser, knownPassword, quickHash } from '../../support/browser.ts'
import { mailServer } from '../../support/mail-server.ts'
import { codeAt } from '../../support/totp.ts'

const minutes = (count: number) => count * 60_000
const base = '/users/me/totp'
const codeShape = /^[0-9a-z]{5}-[0-9a-z]{5}$/

/** A member with a password and a browser that is signed in. */
async function setUp(options: Parameters<typeof daemon>[0] = {}, server?: TestDaemon) {
  const it = server ?? (await daemon(options))
  const ada = it.app.writeNow(() => addPerson(it.app, 'ADMIN', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  const web = browser(it, { 'x-workspace-id': it.workspace })
  await web.signIn(ada.email, knownPassword)
  const count = () => it.app.db.prepare('SELECT failed_login_count FROM users WHERE id = ?').pluck().get(ada.userId)
  return { it, ada, web, count }
}

/** As `setUp`, with the factor turned on in that browser; `code` is what the app shows, a fresh one each time. */
async function withFactor(options: Parameters<typeof daemon>[0] = {}, place?: TestDaemon) {
  const all = await setUp(options, place)
  const { it: server, web } = all
  const { secret } = (await web.call('POST', base, { password: knownPassword })).body
  const now = (away = 0) => codeAt(secret, server.clock() + away * 30_000)
  const confirmed = await web.call('POST', `${base}/confirm`, { code: now() })
  const code = () => {
    server.clock.advance(30_000)
    return now()
  }
  const signIn = (more?: object, password = knownPassword, from = browser(server)) =>
    from.signIn(all.ada.email, password, more)
  return { ...all, secret, now, code, signIn, recovery: confirmed.body.recovery_codes as string[] }
}

/** A code that is not the right one now, nor near now. */
const wrong = (now: (away?: number) => string) =>
  ['000000', '111111', '222222', '333333'].find((it) => ![-1, 0, 1].map(now).includes(it))!
const show = async (web: Browser) => (await web.call('GET', base)).body

describe('setting up', () => {
  it('takes the password, then a first code, and gives ten recovery codes', async () => {
    const { it: server, web, ada } = await setUp()
    expect(await show(web)).toEqual({
      enabled: false,
      since: null,
      recovery_codes_left: 0,
      pending: false,
      needs_password: true,
      required_by: [],
    })
    const begun = await web.call('POST', base, { password: knownPassword })
    expect(begun).toMatchObject({
      status: 201,
      body: { secret: expect.stringMatching(/^[A-Z2-7]{32}$/), expires_at: '2026-01-01T01:00:00Z' },
    })
    expect(new URL(begun.body.uri).searchParams.get('secret')).toBe(begun.body.secret)
    expect(await show(web)).toMatchObject({ enabled: false, pending: true })
    expect((await browser(server).signIn(ada.email, knownPassword)).body.ok).toBe(true)

    const { status, body } = await web.call('POST', `${base}/confirm`, {
      code: codeAt(begun.body.secret, server.clock()),
    })
    expect({ status, since: body.since, codes: new Set(body.recovery_codes).size }).toEqual({
      status: 200,
      since: '2026-01-01T00:00:00Z',
      codes: 10,
    })
    for (const code of body.recovery_codes) expect(code).toMatch(codeShape)
    expect(await show(web)).toMatchObject({
      enabled: true,
      since: '2026-01-01T00:00:00Z',
      recovery_codes_left: 10,
      pending: false,
    })
  })

  it('keeps secrets out of the journal and, in the clear, out of the store', async () => {
    const { it: server, secret, recovery, ada } = await withFactor()
    const entries = JSON.stringify(server.entries())
    const stored = JSON.stringify([
      server.app.db.prepare('SELECT * FROM totp_secrets').all(),
      server.app.db.prepare('SELECT * FROM recovery_codes').all(),
    ])
    for (const text of [entries, stored])
      for (const it of [secret, ...recovery, ...recovery.map((code) => code.replace('-', ''))])
        expect(text).not.toContain(it)
    const metadata = { changed: ['two_factor_at'], two_factor: true }
    expect(server.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: ada.userId,
      payload: { entity_type: 'user', metadata },
    })
  })

  it('begins anew as often as one likes; only the last secret counts', async () => {
    const { it: server, web } = await setUp()
    const [first, second] = [
      await web.call('POST', base, { password: knownPassword }),
      await web.call('POST', base, { password: knownPassword }),
    ]
    const confirm = (secret: string) => web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })
    expect(await confirm(first.body.secret)).toMatchObject({
      status: 400,
      body: { code: 'second_factor_invalid', field: 'code' },
    })
    expect(await show(web)).toMatchObject({ enabled: false, pending: true })
    expect((await confirm(second.body.secret)).status).toBe(200)
  })

  it('waits an hour, no longer', async () => {
    const { it: server, web } = await setUp()
    expect((await web.call('POST', `${base}/confirm`, { code: '123456' })).body).toMatchObject({
      status: 409,
      code: 'second_factor_not_started',
    })
    const { secret } = (await web.call('POST', base, { password: knownPassword })).body
    server.clock.advance(minutes(60))
    await web.call('POST', '/api/auth/token/refresh')
    expect((await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })).body.code).toBe(
      'second_factor_not_started',
    )
    expect((await show(web)).pending).toBe(false)
  })

  it('waits until the hour is over', async () => {
    const { it: server, web } = await setUp()
    const { secret } = (await web.call('POST', base, { password: knownPassword })).body
    server.clock.advance(minutes(60) - 1000)
    await web.call('POST', '/api/auth/token/refresh')
    expect((await show(web)).pending).toBe(true)
    expect((await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })).status).toBe(200)
  })

  it('takes nothing but a code of the app as the first one', async () => {
    const { web } = await setUp()
    await web.call('POST', base, { password: knownPassword })
    for (const code of ['nonsense', '7hq2m-x9k4d', '-'])
      expect((await web.call('POST', `${base}/confirm`, { code })).body, code).toMatchObject({
        status: 400,
        code: 'second_factor_invalid',
        field: 'code',
      })
    expect(await show(web)).toMatchObject({ enabled: false, pending: true })
  })

  it('is done with a token too, and with a browser that signed in long ago', async () => {
    const { it: server, ada, web } = await setUp()
    server.clock.advance(minutes(14))
    await web.call('POST', '/api/auth/token/refresh')
    server.clock.advance(minutes(14))
    expect((await web.call('POST', base, { password: knownPassword })).status).toBe(201)
    const begun = await server.call(ada, 'POST', base, { password: knownPassword })
    const code = codeAt(begun.body.secret, server.clock())
    expect((await server.call(ada, 'POST', `${base}/confirm`, { code })).status).toBe(200)
    const { payload } = server.entries().at(-1)!
    expect(payload!['metadata']).toEqual({ changed: ['two_factor_at'], two_factor: true })
  })

  it('names the browser in which the factor was shown', async () => {
    const { it: server } = await withFactor()
    const session_id = server.app.db.prepare('SELECT id FROM user_sessions').pluck().get()
    const { payload } = server.entries().at(-1)!
    expect(payload!['metadata']).toEqual({ changed: ['two_factor_at'], two_factor: true, session_id })
  })

  it('counts a wrong password as sign-in does', async () => {
    const { web, count } = await setUp({ config: { lockoutThreshold: 2 } })
    expect((await web.call('POST', base)).body).toMatchObject({ status: 400, code: 'missing_field', field: 'password' })
    expect((await web.call('POST', base, { password: 'wrong' })).body).toMatchObject({
      status: 401,
      code: 'wrong_password',
      field: 'password',
    })
    expect(count()).toBe(1)
    expect((await web.call('POST', base, { password: 'wrong' })).body).toMatchObject({
      status: 423,
      code: 'account_locked',
    })
    expect((await web.call('POST', base, { password: knownPassword })).body.code).toBe('account_locked')
    expect((await show(web)).pending).toBe(false)
  })

  it('asks an account without a password for a sign-in of the last minutes', async () => {
    const { it: server, web, ada } = await setUp()
    server.app.db.exec('UPDATE users SET password_hash = NULL')
    expect(await show(web)).toMatchObject({ needs_password: false })
    expect((await server.call(ada, 'POST', base, {})).body).toMatchObject({
      status: 403,
      code: 'fresh_session_required',
    })
    server.clock.advance(minutes(14))
    await web.call('POST', '/api/auth/token/refresh')
    expect((await web.call('POST', base)).status).toBe(201)
    server.clock.advance(minutes(1))
    expect((await web.call('POST', base)).body.code).toBe('fresh_session_required')
    server.clock.advance(minutes(-60))
    expect((await web.call('POST', base)).body.code).toBe('fresh_session_required')
  })

  it('asks such an account in each browser when that one signed in', async () => {
    const { it: server, web, ada } = await setUp()
    server.clock.advance(minutes(20))
    await web.call('POST', '/api/auth/token/refresh')
    const fresh = browser(server, { 'x-workspace-id': server.workspace })
    await fresh.signIn(ada.email, knownPassword)
    server.app.db.exec('UPDATE users SET password_hash = NULL')
    expect((await web.call('POST', base)).body.code).toBe('fresh_session_required')
    expect((await fresh.call('POST', base)).status).toBe(201)
  })

  it('is refused to an account that is gone', async () => {
    const { app } = await daemon({ shared: true })
    await expect(comparePassword(app, 'none', 'x')).rejects.toMatchObject({ code: 'session_invalid' })
  })

  it('moves to another app with a code of the one in use', async () => {
    const { it: server, ada, web, code, secret, signIn, recovery } = await withFactor()
    expect((await web.call('POST', base, { password: knownPassword })).body).toMatchObject({
      status: 400,
      code: 'missing_field',
      field: 'code',
    })
    expect((await web.call('POST', base, { password: knownPassword, code: '000' })).body).toMatchObject({
      code: 'second_factor_invalid',
      field: 'code',
    })
    const next = (await web.call('POST', base, { password: knownPassword, code: code() })).body.secret
    expect((await signIn({ code: code() })).body.ok).toBe(true)
    expect((await web.call('POST', `${base}/confirm`, { code: codeAt(next, server.clock()) })).status).toBe(200)
    expect(server.entries().at(-1)!.summary).toBe(`${ada.email} moved the second factor to another app`)
    server.clock.advance(30_000)
    for (const gone of [codeAt(secret, server.clock()), recovery[0]])
      expect((await signIn({ code: gone })).body.error).toBe('SecondFactorInvalid')
    expect((await signIn({ code: codeAt(next, server.clock()) })).body.ok).toBe(true)
  })

  it('needs the encryption key', async () => {
    const { app, call } = await daemon({ withVault: false })
    app.db.prepare('UPDATE users SET password_hash = ?').run(quickHash)
    expect((await call('MEMBER', 'GET', base)).status).toBe(200)
    app.db.prepare('UPDATE users SET password_hash = ?').run(quickHash)
    expect((await call('MEMBER', 'POST', base, { password: knownPassword })).body).toMatchObject({
      status: 503,
      code: 'encryption_unavailable',
    })
  })

  it('is undone as a whole when the store fails', async () => {
    const { it: server, web } = await setUp({ quiet: true })
    const { secret } = (await web.call('POST', base, { password: knownPassword })).body
    server.app.db.exec("CREATE TRIGGER no BEFORE INSERT ON recovery_codes BEGIN SELECT RAISE(ABORT, 'full'); END")
    expect((await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })).status).toBe(500)
    expect(await show(web)).toMatchObject({ enabled: false, pending: true })
    server.app.db.exec('DROP TRIGGER no')
    expect((await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })).status).toBe(200)
  })
})

describe('sign-in with a second factor', () => {
  it('asks for the code once the password is right, and only then', async () => {
    const { signIn, code, count, it: server } = await withFactor()
    const before = server.app.db.prepare('SELECT count(*) FROM user_sessions').pluck().get()
    const refused = (error: string) => ({
      status: 200,
      body: { ok: false, error, url: `/api/auth/error?error=${error}` },
    })
    expect(await signIn({}, 'wrong')).toMatchObject(refused('CredentialsSignin'))
    expect(await signIn({ code: code() }, 'wrong')).toMatchObject(refused('CredentialsSignin'))
    expect(count()).toBe(2)
    for (const more of [{}, { code: '' }]) expect(await signIn(more)).toMatchObject(refused('SecondFactorRequired'))
    expect(count()).toBe(2)
    expect(await signIn({ code: 'nonsense' })).toMatchObject(refused('SecondFactorInvalid'))
    expect(count()).toBe(3)
    expect(server.app.db.prepare('SELECT count(*) FROM user_sessions').pluck().get()).toBe(before)
    expect(await signIn({ code: ` ${code().replace(/^.../, '$& ')} ` })).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect(count()).toBe(0)
  })

  it('sends forms back to the page that asks', async () => {
    const { it: server, ada, code } = await withFactor()
    const web = browser(server)
    const { csrfToken } = (await web.call('GET', '/api/auth/csrf')).body
    const send = (more: Record<string, string>) =>
      web.call(
        'POST',
        '/api/auth/callback/credentials',
        new URLSearchParams({ email: ada.email, password: knownPassword, csrfToken, ...more }).toString(),
        {
          'content-type': 'application/x-www-form-urlencoded',
        },
      )
    expect((await send({})).headers['location']).toBe('/login?error=SecondFactorRequired')
    expect((await send({ code: '' })).headers['location']).toBe('/login?error=SecondFactorRequired')
    expect((await send({ code: '12' })).headers['location']).toBe('/login?error=SecondFactorInvalid')
    expect((await send({ code: code(), callbackUrl: '/crews' })).headers['location']).toBe('/crews')
    expect((await web.call('GET', '/users/me')).status).toBe(200)
    for (const error of ['SecondFactorRequired', 'SecondFactorInvalid'])
      expect((await web.call('GET', `/api/auth/error?error=${error}`)).body.message).toContain('second factor')
  })

  it('takes codes of clocks that are half a minute off, no more', async () => {
    const { it: server, signIn, now } = await withFactor()
    server.clock.advance(minutes(10))
    for (const away of [-2, 2]) expect((await signIn({ code: now(away) })).body.error).toBe('SecondFactorInvalid')
    for (const away of [-1, 0, 1]) expect((await signIn({ code: now(away) })).body.ok, String(away)).toBe(true)
  })

  it('takes each code once, and none that is older than the last', async () => {
    const { it: server, signIn, now } = await withFactor()
    expect((await signIn({ code: now() })).body.error).toBe('SecondFactorInvalid')
    server.clock.advance(minutes(1))
    const code = now()
    expect((await signIn({ code })).body.ok).toBe(true)
    expect((await signIn({ code })).body.error).toBe('SecondFactorInvalid')
    expect((await signIn({ code: now(-1) })).body.error).toBe('SecondFactorInvalid')
  })

  it('bears a clock that is set back, far or not at all', async () => {
    const { it: server, signIn, now } = await withFactor()
    server.clock.advance(365 * 86_400_000)
    expect((await signIn({ code: now() })).body.ok).toBe(true)
    server.clock.advance(-365 * 86_400_000 + minutes(5))
    const code = now()
    expect([(await signIn({ code })).body.ok, (await signIn({ code })).body.ok]).toEqual([true, false])
    for (const away of [-1, 0]) expect((await signIn({ code: now(away) })).body.ok, String(away)).toBe(false)
    expect((await signIn({ code: now(1) })).body.ok).toBe(true)
    for (const away of [-1, 0, 1]) expect((await signIn({ code: now(away) })).body.ok, String(away)).toBe(false)
  })

  it('lets one of many in who come at once with the same code', async () => {
    const { it: server, code, signIn, recovery } = await withFactor({ config: { lockoutThreshold: 100 } })
    for (const given of [code(), recovery[3]!]) {
      const browsers = Array.from({ length: 8 }, () => browser(server))
      const answers = await Promise.all(browsers.map((it) => signIn({ code: given }, knownPassword, it)))
      expect(answers.filter(({ body }) => body.ok)).toHaveLength(1)
      expect(answers.filter(({ body }) => body.error === 'SecondFactorInvalid')).toHaveLength(7)
    }
  })

  it('takes a recovery code once, however it is typed', async () => {
    const { it: server, web, signIn, recovery } = await withFactor()
    const [first, second] = recovery as [string, string]
    expect((await signIn({ code: first })).body.ok).toBe(true)
    expect((await signIn({ code: first })).body.error).toBe('SecondFactorInvalid')
    expect((await signIn({ code: ` ${second.toUpperCase().replace('-', ' ')}` })).body.ok).toBe(true)
    expect((await show(web)).recovery_codes_left).toBe(8)
    const used = server.entries().filter(({ summary }) => summary.includes('recovery code'))
    expect(used.map(({ payload }) => payload!['metadata'])).toEqual([
      { changed: ['recovery_codes'], left: 9 },
      { changed: ['recovery_codes'], left: 8 },
    ])
  })

  it('locks out whoever has the password and guesses the code', async () => {
    const {
      it: server,
      signIn,
      now,
      code,
    } = await withFactor({ config: { lockoutThreshold: 3, lockoutDuration: 300 } })
    const errors = []
    for (let n = 0; n < 4; n++) {
      errors.push((await signIn({ code: wrong(now) })).body.error)
      // Asking what is missing in between makes up for nothing.
      await signIn({})
    }
    expect(errors).toEqual(['SecondFactorInvalid', 'SecondFactorInvalid', 'CredentialsSignin', 'CredentialsSignin'])
    expect((await signIn({ code: code() })).body.error).toBe('CredentialsSignin')
    expect((await signIn({})).body.error).toBe('CredentialsSignin')
    server.clock.advance(minutes(5))
    expect((await signIn({ code: now() })).body.ok).toBe(true)
  })

  it('does not burn a code while the account is locked', async () => {
    const {
      it: server,
      signIn,
      now,
      recovery,
      web,
    } = await withFactor({ config: { lockoutThreshold: 1, lockoutDuration: 60 } })
    await signIn({ code: wrong(now) })
    expect((await signIn({ code: recovery[0] })).body.error).toBe('CredentialsSignin')
    expect((await show(web)).recovery_codes_left).toBe(10)
    server.clock.advance(minutes(1))
    expect((await signIn({ code: recovery[0] })).body.ok).toBe(true)
  })

  it('changes nothing for others', async () => {
    const { it: server } = await withFactor()
    const bob = server.app.writeNow(() => addPerson(server.app, 'MEMBER', server.workspace))
    server.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, bob.userId)
    for (const more of [{}, { code: '123456' }])
      expect((await browser(server).signIn(bob.email, knownPassword, more)).body.ok).toBe(true)
  })
})

describe('sessions.confirm', () => {
  const credential = { name: 'key', type: 'SECRET', value: 'x' }

  it('is asked for again after 15 minutes, for changes of the vault', async () => {
    const { it: server, web, code } = await withFactor()
    expect((await web.call('POST', '/credentials', credential)).status).toBe(201)
    server.clock.advance(minutes(14.9))
    await web.call('POST', '/api/auth/token/refresh')
    server.clock.advance(minutes(0.1))
    expect((await web.call('POST', '/credentials', { ...credential, name: 'b' })).body).toMatchObject({
      status: 403,
      code: 'step_up_required',
    })
    expect((await web.call('GET', '/credentials')).status).toBe(200)
    const until = new Date(server.clock() + minutes(15.5)).toISOString().replace('.000Z', 'Z')
    expect(await web.call('POST', '/auth/step-up', { code: code() })).toMatchObject({
      status: 200,
      body: { ok: true, until },
    })
    expect((await web.call('POST', '/credentials', { ...credential, name: 'b' })).status).toBe(201)
  })

  it.each([
    ['PATCH', '/credentials/none', {}],
    ['PUT', '/credentials/none', {}],
    ['DELETE', '/credentials/none', undefined],
    ['POST', '/credentials/none/rotate', { value: 'x' }],
    ['DELETE', '/credential-rotations/none', undefined],
    ['POST', '/agents/none/credentials', {}],
    ['DELETE', '/agents/none/credentials/none', undefined],
    ['POST', '/auth/cli-token', undefined],
    ['POST', '/auth/cli-tokens/none/rotate', undefined],
    ['POST', '/auth/pair/start', undefined],
    ['POST', '/users/me/password', { current_password: 'x', new_password: 'x' }],
    ['DELETE', '/users/me/linked-accounts/none', undefined],
    ['PATCH', '/workspaces/HERE', {}],
    ['DELETE', '/workspaces/HERE', { confirm_slug: 'x' }],
    ['POST', '/workspaces/HERE/members/none/transfer', undefined],
  ] as const)('is asked for by %s %s', async (method, address, body) => {
    const { it: server, ada, web } = await withFactor()
    const path = address.replace('HERE', server.workspace)
    server.app.db.exec(
      "UPDATE user_sessions SET factor_at = '2025-12-31T00:00:00Z'; UPDATE workspace_members SET role = 'OWNER'",
    )
    expect((await web.call(method, path, body)).body).toMatchObject({ status: 403, code: 'step_up_required' })
    expect((await server.call(ada, method, path, body)).body?.code).not.toBe('step_up_required')
  })

  it('is for browser sessions of users who have a factor', async () => {
    const { it: server, ada } = await withFactor()
    expect((await server.call(ada, 'POST', '/auth/step-up', { code: '123456' })).body).toMatchObject({
      status: 400,
      code: 'session_required',
    })
    const plain = await setUp()
    expect((await plain.web.call('POST', '/auth/step-up', { code: '123456' })).body).toMatchObject({
      status: 409,
      code: 'second_factor_missing',
    })
    plain.it.clock.advance(minutes(14))
    expect((await plain.web.call('POST', '/credentials', credential)).status).toBe(201)
  })

  it('counts wrong codes, and takes none twice', async () => {
    const { web, count, code, now } = await withFactor({ config: { lockoutThreshold: 2 } })
    const confirm = async (given: string) => (await web.call('POST', '/auth/step-up', { code: given })).body
    const good = code()
    expect((await confirm(good)).ok).toBe(true)
    expect(await confirm(good)).toMatchObject({ status: 400, code: 'second_factor_invalid' })
    expect(count()).toBe(1)
    expect(await confirm(wrong(now))).toMatchObject({ status: 423, code: 'account_locked' })
    expect((await confirm(code())).code).toBe('account_locked')
  })

  it('counts anew once a code was right', async () => {
    const { web, count, code, now } = await withFactor()
    await web.call('POST', '/auth/step-up', { code: wrong(now) })
    expect(count()).toBe(1)
    expect((await web.call('POST', '/auth/step-up', { code: code() })).body.ok).toBe(true)
    expect(count()).toBe(0)
  })

  it('speaks for this browser alone', async () => {
    const { it: server, web, code, signIn } = await withFactor()
    const other = browser(server, { 'x-workspace-id': server.workspace })
    await signIn({ code: code() }, knownPassword, other)
    server.app.db.exec("UPDATE user_sessions SET factor_at = '2025-12-31T00:00:00Z'")
    await web.call('POST', '/auth/step-up', { code: code() })
    expect((await web.call('POST', '/credentials', credential)).status).toBe(201)
    expect((await other.call('POST', '/credentials', { ...credential, name: 'b' })).body.code).toBe('step_up_required')
  })
})

describe('a browser that has yet to show the factor', () => {
  /** Signed in before the factor was turned on: as after an identity provider, which asks for none. */
  async function withOther() {
    const all = await setUp()
    const { it: server, ada, web } = all
    const other = browser(server, { 'x-workspace-id': server.workspace })
    await other.signIn(ada.email, knownPassword)
    const { secret } = (await web.call('POST', base, { password: knownPassword })).body
    await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })
    const code = () => {
      server.clock.advance(30_000)
      return codeAt(secret, server.clock())
    }
    return { ...all, other, code }
  }

  it('may do nothing but that, and sign out', async () => {
    const { web, other, code, it: server } = await withOther()
    const refused = { status: 403, code: 'step_up_required' }
    for (const path of ['/crews', '/users/me', '/ws-token', '/auth/sessions', base, '/journal/stream'])
      expect((await other.call('GET', path)).body, path).toMatchObject(refused)
    expect((await other.call('DELETE', base, { password: knownPassword, code: code() })).body).toMatchObject(refused)
    expect((await web.call('GET', '/crews')).status).toBe(200)
    expect((await other.call('GET', '/api/auth/session')).body.user).toBeDefined()
    expect((await other.call('POST', '/api/auth/token/refresh')).status).toBe(200)
    expect((await other.call('POST', '/auth/step-up', { code: 'x' })).body.code).toBe('second_factor_invalid')
    expect((await other.call('POST', '/auth/step-up', { code: code() })).status).toBe(200)
    server.clock.advance(minutes(14))
    await other.call('POST', '/api/auth/token/refresh')
    server.clock.advance(minutes(10))
    await other.call('POST', '/api/auth/token/refresh')
    expect((await other.call('GET', '/crews')).status).toBe(200)
    expect((await other.call('POST', '/auth/cli-token')).body).toMatchObject(refused)
  })

  it('may sign out', async () => {
    const { other } = await withOther()
    expect((await other.call('POST', '/api/auth/signout')).status).toBe(200)
    expect(other.jar.has('authjs.session-token')).toBe(false)
  })
})

describe('recovery codes', () => {
  it('are renewed with a code; the old ones are void', async () => {
    const { it: server, ada, web, code, recovery, signIn } = await withFactor()
    expect((await web.call('POST', `${base}/recovery-codes`, { code: '1' })).body.code).toBe('second_factor_invalid')
    const { status, body } = await web.call('POST', `${base}/recovery-codes`, { code: code() })
    expect(server.entries().at(-1)).toMatchObject({
      summary: `${ada.email} created new recovery codes`,
      actor_id: ada.userId,
      payload: { metadata: { changed: ['recovery_codes'] } },
    })
    expect({
      status,
      codes: body.recovery_codes.length,
      same: body.recovery_codes.filter((it: string) => recovery.includes(it)),
    }).toEqual({
      status: 201,
      codes: 10,
      same: [],
    })
    expect((await signIn({ code: recovery[0] })).body.error).toBe('SecondFactorInvalid')
    expect((await signIn({ code: body.recovery_codes[0] })).body.ok).toBe(true)
  })

  it('are nobody else’s', async () => {
    const [one, other] = [await withFactor(), await withFactor()]
    expect((await other.signIn({ code: one.recovery[0] })).body.error).toBe('SecondFactorInvalid')
    expect((await (await setUp()).web.call('POST', `${base}/recovery-codes`, { code: '123456' })).body.code).toBe(
      'second_factor_missing',
    )
  })
})

describe('the factors of several people of one server', () => {
  it('take codes of their own alone, also at the same time', async () => {
    const one = await withFactor()
    const other = await withFactor({}, one.it)
    expect((await other.signIn({ code: one.recovery[0] })).body.error).toBe('SecondFactorInvalid')
    expect((await one.signIn({ code: one.recovery[0] })).body.ok).toBe(true)
    expect([await show(one.web), await show(other.web)]).toMatchObject([
      { recovery_codes_left: 9 },
      { recovery_codes_left: 10 },
    ])
    one.it.clock.advance(30_000)
    expect((await other.signIn({ code: one.now() })).body.error).toBe('SecondFactorInvalid')
    expect((await one.signIn({ code: one.now() })).body.ok).toBe(true)
    expect((await other.signIn({ code: other.now() })).body.ok).toBe(true)
  })

  it('are renewed and removed one by one', async () => {
    const one = await withFactor()
    const other = await withFactor({}, one.it)
    const renewed = await one.web.call('POST', `${base}/recovery-codes`, { code: one.recovery[0] })
    expect((await other.signIn({ code: other.recovery[0] })).body.ok).toBe(true)
    const [code] = renewed.body.recovery_codes
    expect((await one.web.call('DELETE', base, { password: knownPassword, code })).status).toBe(200)
    expect(await show(other.web)).toMatchObject({ enabled: true, recovery_codes_left: 9 })
    expect((await other.signIn({ code: other.code() })).body.ok).toBe(true)
  })

  it('are set up one by one', async () => {
    const one = await setUp()
    await one.web.call('POST', base, { password: knownPassword })
    const other = await withFactor({}, one.it)
    expect(await show(one.web)).toMatchObject({ enabled: false, pending: true })
    await other.web.call('POST', base, { password: knownPassword, code: other.recovery[0] })
    expect((await show(one.web)).pending).toBe(true)
  })
})

describe('turning it off', () => {
  const off = (web: Browser, body: object) => web.call('DELETE', base, body)

  it('takes the password and a code, a recovery code too', async () => {
    const { web, recovery, signIn, it: server } = await withFactor()
    expect((await off(web, { code: recovery[0] })).body).toMatchObject({ code: 'missing_field', field: 'password' })
    expect((await off(web, { password: 'wrong', code: recovery[0] })).body).toMatchObject({
      status: 401,
      code: 'wrong_password',
    })
    expect((await off(web, { password: knownPassword, code: 'x' })).body).toMatchObject({
      status: 400,
      code: 'second_factor_invalid',
      field: 'code',
    })
    expect(await off(web, { password: knownPassword, code: recovery[0] })).toMatchObject({
      status: 200,
      body: { enabled: false, barred_from: [] },
    })
    expect(await show(web)).toMatchObject({ enabled: false, since: null, recovery_codes_left: 0 })
    expect((await signIn({})).body.ok).toBe(true)
    expect((await off(web, { password: knownPassword, code: recovery[1] })).body.code).toBe('second_factor_missing')
    expect(server.app.db.prepare('SELECT count(*) FROM totp_secrets').pluck().get()).toBe(0)
  })

  it('says which workspaces the user may no longer enter', async () => {
    const { it: server, web, recovery } = await withFactor()
    server.app.db.exec('UPDATE workspaces SET require_two_factor = 1')
    const lost: string[] = []
    server.app.bus.on('access_lost', (id) => lost.push(id))
    expect((await off(web, { password: knownPassword, code: recovery[0] })).status).toBe(200)
    expect(lost).toEqual([server.workspace])
  })

  it('ends a move to another app that was begun', async () => {
    const { it: server, web, recovery, code } = await withFactor()
    await web.call('POST', base, { password: knownPassword, code: code() })
    expect((await show(web)).pending).toBe(true)
    await off(web, { password: knownPassword, code: recovery[0] })
    expect((await show(web)).pending).toBe(false)
    expect(server.app.db.prepare('SELECT count(*) FROM totp_secrets').pluck().get()).toBe(0)
  })

  it('names only the workspaces that are there as those that ask for it', async () => {
    const { it: server, web } = await withFactor()
    await web.call('POST', '/workspaces', { name: 'Gone', slug: 'gone' })
    server.app.db.exec('UPDATE workspaces SET require_two_factor = 1')
    server.app.db.exec("UPDATE workspaces SET deleted_at = '2026-01-01T00:00:00Z' WHERE slug = 'gone'")
    expect((await show(web)).required_by.map(({ id }: { id: string }) => id)).toEqual([server.workspace])
  })

  it('forgives a wrong code after a right one', async () => {
    const { web, now, code } = await withFactor({ config: { lockoutThreshold: 2 } })
    const renew = async (given: string) =>
      (await web.call('POST', `${base}/recovery-codes`, { code: given })).body.code ?? 'renewed'
    const answers = [await renew(wrong(now)), await renew(code()), await renew(wrong(now))]
    expect(answers).toEqual(['second_factor_invalid', 'renewed', 'second_factor_invalid'])
  })

  it('locks out whoever guesses here', async () => {
    const { web, now, code } = await withFactor({ config: { lockoutThreshold: 2 } })
    const answers = []
    for (let n = 0; n < 2; n++) answers.push((await off(web, { password: knownPassword, code: wrong(now) })).body.code)
    answers.push((await off(web, { password: knownPassword, code: code() })).body.code)
    expect(answers).toEqual(['second_factor_invalid', 'account_locked', 'account_locked'])
    expect((await show(web)).enabled).toBe(true)
  })

  it('starts anew for a factor that is set up later: nothing was shown yet', async () => {
    const { it: server, web, recovery, signIn, code } = await withFactor()
    const other = browser(server, { 'x-workspace-id': server.workspace })
    await signIn({ code: code() }, knownPassword, other)
    await off(web, { password: knownPassword, code: recovery[0] })
    const { secret } = (await web.call('POST', base, { password: knownPassword })).body
    await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })
    expect((await web.call('POST', '/auth/cli-token')).status).toBe(200)
    expect((await other.call('POST', '/auth/cli-token')).body.code).toBe('step_up_required')
  })

  it('is forgotten by the sessions of a user without a workspace too', async () => {
    const { it: server, ada } = await withFactor()
    const shown = () =>
      server.app.db.prepare('SELECT factor_at FROM user_sessions WHERE user_id = ?').pluck().all(ada.userId)
    expect(shown()).toEqual(['2026-01-01T00:00:00Z'])
    server.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(ada.userId)
    expect(server.app.writeNow(() => disableTwoFactor(server.app, ada.userId, server.app.now()))).toBe(true)
    expect(shown()).toEqual([null])
  })

  it('is not turned on when the other sessions cannot be asked for it', async () => {
    const { it: server, ada, web } = await setUp({ quiet: true })
    const { secret } = (await web.call('POST', base, { password: knownPassword })).body
    server.app.db.exec(
      "CREATE TRIGGER full BEFORE UPDATE OF factor_at ON user_sessions BEGIN SELECT RAISE(ABORT, 'disk'); END",
    )
    const confirm = () => web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })
    expect((await confirm()).status).toBe(500)
    const since = () => server.app.db.prepare('SELECT two_factor_at FROM users WHERE id = ?').pluck().get(ada.userId)
    expect(since()).toBeNull()
    server.app.db.exec('DROP TRIGGER full')
    expect((await confirm()).status).toBe(200)
    expect(since()).toBe('2026-01-01T00:00:00Z')
  })

  it('is done on the host for somebody who has lost everything', async () => {
    const { it: server, ada, signIn } = await withFactor()
    const disable = () => server.app.writeNow(() => disableTwoFactor(server.app, ada.userId, server.app.now()))
    expect([disable(), disable()]).toEqual([true, false])
    expect((await signIn({})).body.ok).toBe(true)
    expect(server.entries().find(({ summary }) => summary.includes('on the host'))).toMatchObject({
      actor_type: 'system',
      payload: { metadata: { changed: ['two_factor_at'], two_factor: false, via: 'host' } },
    })
  })
})

describe('a workspace that asks for a second factor', () => {
  const ask = (server: Awaited<ReturnType<typeof daemon>>) =>
    server.app.db.exec('UPDATE workspaces SET require_two_factor = 1')

  it('lets in who has one, and bars who turned it off', async () => {
    const { it: server, web, recovery, ada } = await withFactor()
    ask(server)
    const barred = { status: 403, code: 'two_factor_required' }
    expect((await server.call('MEMBER', 'GET', '/crews')).body).toMatchObject(barred)
    expect((await web.call('GET', '/crews')).status).toBe(200)
    server.stranger()
    ask(server)
    const [{ id, slug, name }] = (await web.call('GET', '/workspaces')).body
    expect((await show(web)).required_by).toEqual([{ id, slug, name }])
    expect((await web.call('DELETE', base, { password: knownPassword, code: recovery[0] })).body).toEqual({
      enabled: false,
      barred_from: [{ id, slug, name }],
    })
    expect((await web.call('GET', '/crews')).body).toMatchObject(barred)
    expect((await server.call(ada, 'GET', '/crews')).body).toMatchObject(barred)
    expect((await server.call(ada, 'GET', `/workspaces/${server.workspace}`)).body).toMatchObject(barred)
    expect((await web.call('GET', '/workspaces')).body).toMatchObject([{ id, require_two_factor: true }])
  })

  it('is not ruled by an owner who may not enter', async () => {
    const { app, call, person, workspace } = await daemon({ config: { adminTokenKey: 'ab'.repeat(32) } })
    app.db.prepare('UPDATE workspaces SET home = 1 WHERE id = ?').run(workspace)
    const make = async () => (await call('OWNER', 'POST', '/auth/cli-token', { tier: 'ADMIN' })).status
    expect([await make(), (await call('OWNER', 'GET', '/admin/rate-limits')).status]).toEqual([200, 200])
    app.db.exec('UPDATE workspaces SET require_two_factor = 1')
    expect([await make(), (await call('OWNER', 'GET', '/admin/rate-limits')).status]).toEqual([403, 403])
    app.db.prepare('UPDATE users SET two_factor_at = ? WHERE id = ?').run(app.now(), person('OWNER').userId)
    expect([await make(), (await call('OWNER', 'GET', '/admin/rate-limits')).status]).toEqual([200, 200])
  })

  it('closes at once what a member had open, and nothing else', async () => {
    const { it: server, ada, web, recovery } = await withFactor()
    ask(server)
    const sockets = createSockets(server.app)
    sockets.attach(server.http.server)
    closing({ close: () => sockets.close() })
    await server.http.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.http.server.address() as AddressInfo
    const frames: { type: string; channel?: string; payload?: { message: string } }[] = []
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    closing({ close: () => socket.terminate() })
    socket.on('message', (data) => frames.push(JSON.parse(String(data))))
    const until = async (check: (frame: (typeof frames)[number]) => boolean) => {
      while (!frames.some(check)) await once(socket, 'message')
    }
    await once(socket, 'open')
    const say = (frame: object) => socket.send(JSON.stringify(frame))
    say({ type: 'auth', token: (await web.call('GET', '/ws-token')).body.token })
    for (const channel of [`workspace:${server.workspace}`, `user:${ada.userId}`]) say({ type: 'subscribe', channel })
    say({ type: 'ping' })
    await until(({ type }) => type === 'pong')
    const headers = { authorization: `Bearer ${ada.token}`, 'x-workspace-id': server.workspace }
    const stream = await fetch(`http://127.0.0.1:${port}/api/v1/journal/stream`, { headers })
    expect([stream.status, frames.filter(({ type }) => type === 'error')]).toEqual([200, []])

    await web.call('DELETE', base, { password: knownPassword, code: recovery[0] })
    await until(({ type, channel }) => type === 'error' && channel === `workspace:${server.workspace}`)
    await stream.text()
    say({ type: 'subscribe', channel: `workspace:${server.workspace}` })
    await until(({ payload }) => payload?.message === 'access denied')
    expect(
      frames.filter(({ type }) => type === 'error').map(({ channel, payload }) => [channel, payload?.message]),
    ).toEqual([
      [`workspace:${server.workspace}`, 'access revoked'],
      [`workspace:${server.workspace}`, 'access denied'],
    ])
  })

  it('is made so by an owner who has a second factor, and unmade', async () => {
    const { it: server, ada, web } = await withFactor()
    server.app.db.prepare("UPDATE workspace_members SET role = 'OWNER' WHERE user_id = ?").run(ada.userId)
    const require = (require_two_factor: boolean) =>
      web.call('PATCH', `/workspaces/${server.workspace}`, { require_two_factor })
    expect((await require(true)).status).toBe(200)
    expect((await server.call('MEMBER', 'GET', '/crews')).body.code).toBe('two_factor_required')
    server.app.db.exec("UPDATE user_sessions SET factor_at = '2025-12-31T00:00:00Z'")
    expect((await require(false)).body).toMatchObject({ status: 403, code: 'step_up_required' })
    server.app.db.prepare('UPDATE user_sessions SET factor_at = ?').run(server.app.now())
    expect((await require(false)).status).toBe(200)
    expect((await server.call('MEMBER', 'GET', '/crews')).status).toBe(200)
  })
})

describe('the owner', () => {
  it.each([
    [0, 'It was the last one: make new ones.'],
    [1, 'There is 1 left.'],
    [2, 'There are 2 left.'],
  ])('is told that %i recovery codes are left', (left, words) => {
    expect(letters.recoveryUsed(left).blocks[0]).toMatch(new RegExp(`app\\. ${words}$`))
  })

  it('is told by mail of a move to another app', async () => {
    const mail = await mailServer()
    const {
      it: server,
      web,
      code,
    } = await withFactor({
      config: { smtpUrl: `smtp://127.0.0.1:${mail.port}`, mailerFrom: 'Muster <muster@example.com>' },
    })
    const { secret } = (await web.call('POST', base, { password: knownPassword, code: code() })).body
    await web.call('POST', `${base}/confirm`, { code: codeAt(secret, server.clock()) })
    await server.app.mailer.idle()
    expect(mail.arrived.map(({ headers }) => headers['subject']).sort()).toEqual([
      'Your second factor is on',
      'Your second factor was moved to another app',
    ])
  })

  it('is told by mail of every change, never a code', async () => {
    const mail = await mailServer()
    const {
      it: server,
      ada,
      web,
      code,
      recovery,
      secret,
      now,
      signIn,
    } = await withFactor({
      config: {
        smtpUrl: `smtp://127.0.0.1:${mail.port}`,
        mailerFrom: 'Muster <muster@example.com>',
        lockoutThreshold: 1,
      },
    })
    await signIn({ code: recovery[0] })
    await web.call('POST', `${base}/recovery-codes`, { code: code() })
    const last = (await web.call('POST', `${base}/recovery-codes`, { code: code() })).body.recovery_codes
    await web.call('DELETE', base, { password: knownPassword, code: last[0] })
    const again = (await web.call('POST', base, { password: knownPassword })).body.secret
    await web.call('POST', `${base}/confirm`, { code: codeAt(again, server.clock()) })
    await signIn({ code: wrong((away = 0) => codeAt(again, server.clock() + away * 30_000)) })
    await server.app.mailer.idle()
    expect(mail.arrived.map(({ headers }) => headers['subject']!).sort()).toEqual(
      [
        'Your second factor is on',
        'A recovery code of yours was used',
        'You have new recovery codes',
        'You have new recovery codes',
        'A recovery code of yours was used',
        'Your second factor is off',
        'Your second factor is on',
        'Your account is locked: wrong codes',
      ].sort(),
    )
    const texts = JSON.stringify(mail.arrived)
    for (const { to } of mail.arrived) expect(to).toEqual([ada.email])
    for (const it of [secret, again, now(), ...recovery, ...last]) expect(texts).not.toContain(it)
  })
})
