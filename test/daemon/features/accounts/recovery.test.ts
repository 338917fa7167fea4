import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPasswords } from '#kernel/auth/passwords'
import { closing, daemon, type TestDaemon } from '#test'
import { sweepOldMailTokens } from '../../../../daemon/features/accounts/jobs.ts'
import { browser, knownPassword, quickHash } from '../../../support/browser.ts'
import { mailServer } from '../../../support/mail-server.ts'

const told = { ok: true, message: 'If the address has an account, a mail with the next step is on its way.' }
const password = 'a brand new password'

/** A daemon with a mail server and a member who may have forgotten their password. */
async function recovering(more: Parameters<typeof daemon>[0] = {}) {
  const mail = await mailServer()
  const config = {
    smtpUrl: `smtp://127.0.0.1:${mail.port}`,
    mailerFrom: 'muster@example.com',
    publicUrl: 'https://muster.example.com/path',
    ...more.config,
  }
  const it = await daemon({ ...more, config })
  Object.assign(it.app, { passwords: createPasswords(4) })
  const member = it.person('MEMBER')
  const forgot = (email: string = member.email) => it.call(null, 'POST', '/auth/forgot', { email })
  const reset = (token: unknown, new_password: unknown = password) =>
    it.call(null, 'POST', '/auth/reset', { token, new_password })
  /** Asks for a mail and answers the token in it. */
  const token = async () => {
    await it.app.mailer.idle()
    const before = mail.arrived.length
    await forgot()
    await it.app.mailer.idle()
    return /token=([0-9a-f]{64})\n/.exec(mail.arrived[before]!.text)![1]!
  }
  const row = () => it.app.db.prepare('SELECT * FROM users WHERE id = ?').get(member.userId) as Record<string, unknown>
  return { ...it, mail, member, forgot, reset, token, row }
}

const tokens = ({ app }: Pick<TestDaemon, 'app'>) =>
  app.db.prepare('SELECT * FROM verification_tokens').all() as Record<string, string>[]

describe('accounts.forgot', () => {
  it('mails a link and the command for terminals', async () => {
    const it = await recovering()
    const { status, body } = await it.forgot(it.member.email.toUpperCase())
    expect({ status, body }).toEqual({ status: 200, body: told })
    await it.app.mailer.idle()
    const [mail] = it.mail.arrived
    expect(mail).toMatchObject({ to: [it.member.email], headers: { subject: 'Choose a new password for Muster' } })
    const token = /\nhttps:\/\/muster\.example\.com\/reset-password\?token=([0-9a-f]{64})\n/.exec(mail!.text)![1]!
    expect(mail!.text).toContain(`    muster account reset -s https://muster.example.com\n    ${token}\n`)
    expect(mail!.html).toContain(`href="https://muster.example.com/reset-password?token=${token}"`)
    expect(mail!.text).toContain('Hello The MEMBER,')
  })

  it('keeps only what the token hashes to, for 30 minutes', async () => {
    const it = await recovering()
    const token = await it.token()
    expect(tokens(it)).toEqual([
      {
        id: expect.any(String),
        user_id: it.member.userId,
        token_hash: createHash('sha256').update(token).digest('hex'),
        purpose: 'password_reset',
        created_at: '2026-01-01T00:00:00Z',
        expires_at: '2026-01-01T00:30:00Z',
        issued_by: null,
      },
    ])
  })

  it.each([
    '{',
    '[]',
    '"x"',
    '{}',
    '{"email": 5}',
    '{"email": ""}',
    '{"email": "nobody@example.com"}',
    '{"email": "not an address"}',
    `{"email": "${'x'.repeat(100_000)}@example.com"}`,
    '',
    undefined,
  ])('answers %.60s in the same words', async (body) => {
    const it = await recovering()
    const known = await it.forgot()
    await it.app.mailer.idle()
    const { status, text } = await it.call(null, 'POST', '/auth/forgot', body)
    expect([status, text]).toEqual([200, known.text])
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(1)
  })

  it.each([
    ['there is no way to send mail', { smtpUrl: '', mailerFrom: '' }],
    ['nobody knows where the server is', { publicUrl: '' }],
  ])('does nothing when %s, and tells the operator once', async (_, config) => {
    const it = await recovering({ config })
    const warn = vi.spyOn(it.app.log, 'warn').mockImplementation(() => {})
    for (let time = 0; time < 3; time += 1) expect(await it.forgot()).toMatchObject({ status: 200, body: told })
    await it.app.mailer.idle()
    expect(tokens(it)).toEqual([])
    expect(warn.mock.calls).toEqual([[expect.stringContaining('SVC_PUBLIC_URL')]])
  })

  it('answers the same when the database is gone', async () => {
    const it = await recovering({ quiet: true })
    it.app.db.exec('ALTER TABLE users RENAME TO elsewhere')
    expect(await it.forgot()).toMatchObject({ status: 200, body: told })
    await it.app.mailer.idle()
    expect(it.mail.arrived).toEqual([])
  })

  it('looks nothing up before it answers', async () => {
    const it = await recovering()
    const looked = vi.spyOn(it.app.limits, 'take')
    const order: string[] = []
    looked.mockImplementation((bucket) => {
      order.push(bucket)
      return null
    })
    it.http.addHook('onSend', (_request, _reply, _payload, done) => {
      order.push('answer')
      done()
    })
    await it.forgot()
    await it.app.mailer.idle()
    expect(order).toEqual(['auth', 'answer', 'mail'])
  })

  it('takes no look-alike for the address', async () => {
    const it = await recovering()
    it.app.db.prepare("UPDATE users SET email = 'kim@example.com' WHERE id = ?").run(it.member.userId)
    // The lower case of the Kelvin sign is a plain k.
    for (const address of ['\u212aim@example.com', 'kım@example.com', 'kim@example.com.', 'kim@example.com\u0000'])
      await it.forgot(address)
    await it.app.mailer.idle()
    expect(it.mail.arrived).toEqual([])
    await it.forgot(' KIM@example.com ')
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(1)
  })

  it('lets the newest mail alone work', async () => {
    const it = await recovering()
    const [first, second] = [await it.token(), await it.token()]
    expect(tokens(it)).toHaveLength(1)
    expect((await it.reset(first)).body.code).toBe('invalid_token')
    expect((await it.reset(second)).status).toBe(200)
  })

  it('fills nobody’s mailbox, and what was sent stays good', async () => {
    const it = await recovering({ config: { rateLimitDisabled: false, authPerMinute: 1000 } })
    for (let time = 0; time < 4; time += 1) await it.token()
    const last = await it.token()
    await it.forgot()
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(5)
    expect((await it.reset(last)).status).toBe(200)
  })
})

describe('accounts.reset', () => {
  it('Reset token: issued -> burned on POST reset', async () => {
    const it = await recovering()
    const token = await it.token()
    expect(await it.reset(token)).toMatchObject({ status: 200, body: { ok: true } })
    expect(tokens(it)).toEqual([])
    expect(await it.app.passwords.verify(password, String(it.row()['password_hash']))).toBe(true)
    expect((await it.reset(token, 'one more password')).body).toMatchObject({ status: 400, code: 'invalid_token' })
    expect(await it.app.passwords.verify(password, String(it.row()['password_hash']))).toBe(true)
  })

  it('Reset token: issued -> burned on POST reset, by one of many at once', async () => {
    const it = await recovering()
    const token = await it.token()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => it.reset(token, `password number ${index}`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(await it.app.passwords.verify(`password number ${winner}`, String(it.row()['password_hash']))).toBe(true)
  })

  it('Account: locked -> unlocked on password reset', async () => {
    const it = await recovering()
    it.app.db
      .prepare(
        "UPDATE users SET failed_login_count = 10, last_failed_login_at = '2026-01-01T00:00:00Z', locked_until = " +
          "'2026-01-01T01:00:00Z' WHERE id = ?",
      )
      .run(it.member.userId)
    await it.reset(await it.token())
    expect(it.row()).toMatchObject({
      failed_login_count: 0,
      last_failed_login_at: null,
      locked_until: null,
      email_verified_at: '2026-01-01T00:00:00Z',
    })
  })

  it('keeps the second factor, the CLI tokens and the day the address was verified', async () => {
    const it = await recovering()
    it.app.db
      .prepare("UPDATE users SET two_factor_at = 'then', email_verified_at = 'before' WHERE id = ?")
      .run(it.member.userId)
    await it.reset(await it.token())
    expect(it.row()).toMatchObject({ two_factor_at: 'then', email_verified_at: 'before' })
    expect((await it.call(it.member, 'GET', '/users/me')).status).toBe(200)
  })

  it('says by mail that the password was changed', async () => {
    const it = await recovering()
    await it.reset(await it.token())
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(2)
    expect(it.mail.arrived[1]).toMatchObject({
      to: [it.member.email],
      headers: { subject: 'Your Muster password was changed' },
    })
    expect(it.mail.arrived[1]!.text).toContain('When: 2026-01-01 00:00:00 UTC')
    expect(it.mail.arrived[1]!.text).toContain('CLI tokens go on working')
  })

  it('tells the journal of the workspace, without token and password', async () => {
    const it = await recovering()
    const token = await it.token()
    await it.reset(token)
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      actor_id: it.member.userId,
      payload: {
        action: 'update',
        entity_type: 'user',
        entity_id: it.member.userId,
        metadata: { changed: ['password'], via: 'password_reset' },
      },
    })
    const text = JSON.stringify(it.entries())
    for (const secret of [token, createHash('sha256').update(token).digest('hex'), password])
      expect(text).not.toContain(secret)
  })

  it('Session: active -> revoked on password reset', async () => {
    const it = await recovering()
    const owner = it.person('OWNER')
    it.app.db.prepare('UPDATE users SET password_hash = ?').run(quickHash)
    const [web, other, foreign] = [browser(it), browser(it), browser(it)]
    for (const one of [web, other]) expect((await one.signIn(it.member.email, knownPassword)).status).toBe(200)
    await foreign.signIn(owner.email, knownPassword)
    const closed: string[] = []
    it.app.bus.on('revoked', (id) => closed.push(id))
    await it.reset(await it.token())
    for (const one of [web, other])
      expect((await one.call('GET', '/users/me')).body).toMatchObject({ status: 401, code: 'session_revoked' })
    expect((await foreign.call('GET', '/users/me')).status).toBe(200)
    const ended = it.app.db
      .prepare("SELECT id FROM user_sessions WHERE revoked_reason = 'password_reset' AND user_id = ?")
      .pluck()
      .all(it.member.userId)
    expect(closed.sort()).toEqual(ended.sort())
    expect(ended).toHaveLength(2)
    expect((await browser(it).signIn(it.member.email, knownPassword)).body.ok).toBe(false)
    expect((await browser(it).signIn(it.member.email, password)).body.ok).toBe(true)
  })

  it('works for accounts that others made', async () => {
    const it = await recovering()
    const { body } = await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/members/provision`, {
      email: 'new@example.com',
      role: 'MEMBER',
    })
    const [origin, raw] = String(body.setup_url).split('/reset-password?token=')
    expect(origin).toBe('https://muster.example.com')
    it.clock.advance(6 * 86_400_000)
    expect((await it.reset(raw)).status).toBe(200)
    expect(tokens(it)).toEqual([])
    expect((await browser(it).signIn('new@example.com', password)).body.ok).toBe(true)
  })

  it('says the same of every token that does not work', async () => {
    const it = await recovering()
    const used = await it.token()
    await it.reset(used)
    const old = await it.token()
    it.clock.advance(30 * 60_000)
    const answers = []
    for (const token of [undefined, '', 'x', '0'.repeat(64), used, old, old.toUpperCase()])
      answers.push((await it.reset(token)).text)
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0]!)).toMatchObject({
      status: 400,
      code: 'invalid_token',
      error: 'Invalid or expired token',
    })
  })

  it('looks at the token before it hashes a password', async () => {
    const it = await recovering()
    const hashed = vi.spyOn(it.app.passwords, 'hash')
    await it.reset('0'.repeat(64))
    expect(hashed).not.toHaveBeenCalled()
    expect((await it.reset(await it.token())).status).toBe(200)
    expect(hashed).toHaveBeenCalledOnce()
  })

  it('works until the last moment', async () => {
    const it = await recovering()
    const token = await it.token()
    it.clock.advance(30 * 60_000 - 1)
    expect((await it.reset(token)).status).toBe(200)
  })

  it.each([
    ['seven letters', '1234567'],
    ['73 bytes', 'x'.repeat(73)],
    ['74 bytes in 37 letters', 'é'.repeat(37)],
    ['a common one', 'password123'],
    ['a number', 12345678],
    ['none', null],
  ])('refuses %s as a password, and burns nothing', async (_, wrong) => {
    const it = await recovering()
    const token = await it.token()
    expect((await it.reset(token, wrong)).body).toMatchObject({ status: 400, field: 'new_password' })
    expect((await it.reset(token)).status).toBe(200)
  })

  it.each(['users', 'journal'])('burns nothing when %s cannot be written', async (table) => {
    const it = await recovering({ quiet: true })
    const token = await it.token()
    const before = it.row()
    it.app.db.exec(
      `CREATE TRIGGER broken BEFORE ${table === 'users' ? 'UPDATE' : 'INSERT'} ON ${table} BEGIN SELECT RAISE(ABORT,
        'disk full'); END`,
    )
    expect((await it.reset(token)).status).toBe(500)
    expect(it.row()).toEqual(before)
    it.app.db.exec('DROP TRIGGER broken')
    expect((await it.reset(token)).status).toBe(200)
  })
})

describe('old tokens', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  it('are removed', async () => {
    const it = await recovering()
    await it.token()
    closing(sweepOldMailTokens(it.app))
    await it.app.idle()
    expect(tokens(it)).toHaveLength(1)
    it.clock.advance(3_600_000)
    vi.advanceTimersByTime(3_600_000)
    await it.app.idle()
    expect(tokens(it)).toEqual([])
  })
})
