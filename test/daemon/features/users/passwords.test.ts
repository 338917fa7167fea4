import { describe, expect, it } from 'vitest'
import { addPerson, daemon } from '#test'
import { browser, knownPassword, quickHash } from '../../../support/browser.ts'
import { mailServer } from '../../../support/mail-server.ts'

const fresh = 'heron orchard 7'
const change = (current_password: unknown, new_password: unknown = fresh) => ({ current_password, new_password })

/** A daemon with a member who has a password. */
async function setUp(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const ada = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  const signedIn = async () => {
    const web = browser(it)
    await web.signIn(ada.email, knownPassword)
    return web
  }
  const withToken = (body: unknown) => it.call(ada, 'POST', '/users/me/password', body)
  const account = () =>
    it.app.db.prepare('SELECT password_hash, failed_login_count, locked_until FROM users WHERE id = ?').get(ada.userId)
  return { it, ada, signedIn, withToken, account }
}
const live = async (web: ReturnType<typeof browser>) => (await web.call('GET', '/users/me')).status
const lockAfter = (it: Awaited<ReturnType<typeof daemon>>, count: number) =>
  it.call('OWNER', 'PUT', '/admin/rate-limits/login.lockout_threshold', { value: count })

describe('users.password', () => {
  it('Session: active -> revoked on password change', async () => {
    const { it, ada, signedIn } = await setUp()
    const [here, there, elsewhere] = [await signedIn(), await signedIn(), await signedIn()]
    const answer = await here.call('POST', '/users/me/password', change(knownPassword))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { success: true, sessions_revoked: 2 },
    })
    expect([await live(here), await live(there), await live(elsewhere)]).toEqual([200, 401, 401])
    const rows = it.app.db
      .prepare('SELECT revoked_reason FROM user_sessions WHERE user_id = ? ORDER BY rowid')
      .pluck()
      .all(ada.userId)
    expect(rows).toEqual([null, 'password_change', 'password_change'])
    expect((await browser(it).signIn(ada.email, knownPassword)).body.ok).toBe(false)
    expect((await browser(it).signIn(ada.email, fresh)).body.ok).toBe(true)
  })

  it('Session: active -> revoked on password change with a CLI token, all of them', async () => {
    const { signedIn, withToken, it, ada } = await setUp()
    const webs = [await signedIn(), await signedIn()]
    expect((await withToken(change(knownPassword))).body).toEqual({ success: true, sessions_revoked: 2 })
    expect(await Promise.all(webs.map(live))).toEqual([401, 401])
    expect((await it.call(ada, 'GET', '/users/me')).status).toBe(200)
  })

  it('leaves the sessions of others alone', async () => {
    const { it, signedIn, withToken } = await setUp()
    const other = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, other.userId)
    const web = browser(it)
    await web.signIn(other.email, knownPassword)
    await signedIn()
    expect((await withToken(change(knownPassword))).body.sessions_revoked).toBe(1)
    expect(await live(web)).toBe(200)
  })

  it('stores bcrypt of cost 12, and tells the journal no more than that', async () => {
    const { it, ada, withToken, account } = await setUp()
    await withToken(change(knownPassword))
    expect(account()).toMatchObject({ password_hash: expect.stringMatching(/^\$2b\$12\$/) })
    const entries = it.entries().filter(({ payload }) => payload?.['entity_id'] === ada.userId)
    expect(entries).toMatchObject([
      { entry_type: 'audit.entity_updated', payload: { metadata: { changed: ['password'] } } },
    ])
    expect(JSON.stringify(it.entries())).not.toMatch(/\$2b\$|heron|plover/)
  })

  it('lets one of two at the same time win, and changes nothing for the other', async () => {
    const { it, ada, withToken } = await setUp()
    const answers = await Promise.all(
      ['first choice 1', 'second choice 2'].map((text) => withToken(change(knownPassword, text))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const winner = answers[0]!.status === 200 ? 'first choice 1' : 'second choice 2'
    expect((await browser(it).signIn(ada.email, winner)).body.ok).toBe(true)
  })

  it('is not taken when the other sessions cannot be ended', async () => {
    const { it, signedIn, withToken, account } = await setUp({ quiet: true })
    const web = await signedIn()
    const before = account()
    it.app.db.exec(
      "CREATE TRIGGER full BEFORE UPDATE OF revoked_at ON user_sessions BEGIN SELECT RAISE(ABORT, 'disk'); END",
    )
    expect((await withToken(change(knownPassword))).status).toBe(500)
    expect(account()).toEqual(before)
    expect(await live(web)).toBe(200)
    it.app.db.exec('DROP TRIGGER full')
    expect((await withToken(change(knownPassword))).body).toEqual({ success: true, sessions_revoked: 1 })
  })

  it('tells the owner by mail, and not when nothing was changed', async () => {
    const mail = await mailServer()
    const { it, ada, withToken } = await setUp({
      config: { smtpUrl: `smtp://127.0.0.1:${mail.port}`, mailerFrom: 'muster@example.com' },
    })
    expect((await withToken(change('wrong'))).status).toBe(401)
    expect((await withToken(change(knownPassword))).status).toBe(200)
    await it.app.mailer.idle()
    expect(mail.arrived).toHaveLength(1)
    expect(mail.arrived[0]).toMatchObject({ to: [ada.email], headers: { subject: 'Your Muster password was changed' } })
    expect(mail.arrived[0]!.text).toContain('The password of this account was changed.')
    expect(mail.arrived[0]!.raw).not.toContain(fresh)
  })

  it('burns the links that were mailed before', async () => {
    const { it, ada, withToken } = await setUp()
    const link = it.app.db.prepare(
      'INSERT INTO verification_tokens (id, user_id, token_hash, purpose, created_at, expires_at) VALUES (?, ?, ' +
        '?, ?, ?, ?)',
    )
    link.run('t1', ada.userId, 'h1', 'password_reset', it.app.now(), '2027-01-01T00:00:00Z')
    link.run('t2', it.person('OWNER').userId, 'h2', 'password_reset', it.app.now(), '2027-01-01T00:00:00Z')
    await withToken(change(knownPassword))
    expect(it.app.db.prepare('SELECT id FROM verification_tokens').pluck().all()).toEqual(['t2'])
  })

  it('refuses a wrong current password, counts it, and says nothing of the new one', async () => {
    const { withToken, account, signedIn } = await setUp()
    const web = await signedIn()
    const answer = await withToken(change('wrong', 'password'))
    expect(answer.body).toMatchObject({ status: 401, code: 'wrong_password', field: 'current_password' })
    expect(answer.headers['www-authenticate']).toBeUndefined()
    expect(account()).toEqual({ password_hash: quickHash, failed_login_count: 1, locked_until: null })
    expect(await live(web)).toBe(200)
  })

  it(
    'Account: unlocked -> locked on a wrong current password that reaches the threshold, also with the right one ' +
      'after it',
    async () => {
      const { it, ada, withToken, account } = await setUp()
      await lockAfter(it, 3)
      const codes: string[] = []
      for (const given of ['wrong', 'wrong', 'wrong', knownPassword])
        codes.push((await withToken(change(given))).body.code)
      expect(codes).toEqual(['wrong_password', 'wrong_password', 'account_locked', 'account_locked'])
      expect((await withToken(change(knownPassword))).status).toBe(423)
      expect(account()).toMatchObject({ password_hash: quickHash })
      expect((await browser(it).signIn(ada.email, knownPassword)).body).toMatchObject({
        ok: false,
        error: 'CredentialsSignin',
      })
    },
  )

  it('Account: locked -> unlocked on successful password change', async () => {
    const { it, withToken, account } = await setUp()
    await lockAfter(it, 2)
    for (let guess = 0; guess < 2; guess += 1) await withToken(change('wrong'))
    expect(account()).toMatchObject({ locked_until: expect.any(String) })
    it.clock.advance(300_000 - 1000)
    expect((await withToken(change(knownPassword))).status).toBe(423)
    it.clock.advance(1000)
    expect((await withToken(change(knownPassword))).status).toBe(200)
    expect(account()).toMatchObject({ failed_login_count: 0, locked_until: null })
  })

  it('shares its count with the sign-in', async () => {
    const { it, ada, withToken } = await setUp()
    await lockAfter(it, 2)
    await browser(it).signIn(ada.email, 'wrong')
    expect((await withToken(change('wrong'))).body.code).toBe('account_locked')
  })

  it.each([
    ['a short one', '1234567', 'invalid_field'],
    ['a long one', 'x'.repeat(73), 'invalid_field'],
    ['a common one', 'Password123', 'common_password'],
    ['none', undefined, 'missing_field'],
    ['a number', 12345678, 'invalid_field'],
  ])('refuses %s for the new password', async (_, text, code) => {
    const { withToken, account } = await setUp()
    expect((await withToken({ current_password: knownPassword, new_password: text })).body).toMatchObject({
      status: 400,
      code,
      field: 'new_password',
    })
    expect(account()).toMatchObject({ password_hash: quickHash })
  })

  it('says so when the account has none', async () => {
    const { it } = await setUp()
    expect((await it.call('VIEWER', 'POST', '/users/me/password', change('x'))).body).toMatchObject({
      status: 400,
      code: 'no_password_set',
    })
  })

  it('draws on the strict bucket, with a CLI token too', async () => {
    const { withToken } = await setUp({ config: { rateLimitDisabled: false, authPerMinute: 2 } })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await withToken(change('wrong'))).status)
    expect(statuses).toEqual([401, 401, 429])
  })
})
