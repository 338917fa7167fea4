import { describe, expect, it } from 'vitest'
import { type Fact, fact } from '#contract/entries'
import type { Broadcast } from '#kernel/app'
import { byUser } from '#kernel/journal/about-user'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { alphabet, challengeOf, cleanHint, newCode, shown, typed } from '../../../daemon/features/pairing/codes.ts'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'
import { mailServer } from '../../support/mail-server.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const start = async ({ call }: TestDaemon, body?: unknown) =>
  (await call('MEMBER', 'POST', '/auth/pair/start', body)).body
const poll = ({ call }: TestDaemon, code: string, who: 'MEMBER' | 'OWNER' = 'MEMBER') =>
  call(who, 'GET', `/auth/pair/poll?code=${encodeURIComponent(code)}`)
const redeem = ({ call }: TestDaemon, body: unknown) => call(null, 'POST', '/auth/pair/redeem', body)
const unknown = { status: 'expired', expires_at: '' }

describe('pairing.start', () => {
  it(
    'Pairing code: (none) -> pending on POST pair/start, for ten minutes; ' + 'only what it hashes to is kept',
    async () => {
      const it = await daemon()
      const { status, body } = await it.call('MEMBER', 'POST', '/auth/pair/start', { adapter_hint: 'claude-code!' })
      expect(status).toBe(200)
      expect(body).toEqual({
        code: expect.stringMatching(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/),
        expires_at: '2026-01-01T00:10:00Z',
      })
      const stored = JSON.stringify(it.app.db.prepare('SELECT * FROM cli_pairings').all())
      expect(stored).not.toContain(body.code)
      expect(stored).not.toContain(body.code.replace('-', ''))
      expect((await poll(it, body.code)).body).toEqual({
        status: 'pending',
        adapter_hint: 'CLAUDECODE',
        expires_at: body.expires_at,
      })
    },
  )

  it.each(['{', '[]', '"x"', '{"adapter_hint": 5}', '', undefined])('takes the body %s for no hint', async (body) => {
    const it = await daemon()
    const { code } = await start(it, body)
    expect((await poll(it, code)).body).not.toHaveProperty('adapter_hint')
  })

  it('forgets codes that have elapsed', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    await start(it)
    clock.advance(600_000)
    await start(it)
    expect(it.app.db.prepare('SELECT count(*) FROM cli_pairings').pluck().get()).toBe(1)
  })

  it('makes none for a token that was revoked while it was asked', async () => {
    const it = await daemon()
    const stolen = (await it.call('OWNER', 'POST', '/auth/cli-token')).body
    const [revoked, made] = await Promise.all([
      it.call('OWNER', 'DELETE', `/auth/cli-tokens/${stolen.id}`),
      it.call(null, 'POST', '/auth/pair/start', undefined, bearer(stolen.token)),
    ])
    expect([revoked.status, made.status]).toEqual([200, 401])
  })

  it('bears a clock that is set back a minute, and prolongs no code when it is set back further', async () => {
    const it = await daemon()
    const [first, second] = [await start(it), await start(it)]
    it.clock.advance(-60_000)
    expect((await poll(it, first.code)).body.status).toBe('pending')
    expect((await redeem(it, { code: first.code })).status).toBe(200)
    it.clock.advance(-1000)
    expect((await poll(it, second.code)).body).toEqual(unknown)
    expect((await redeem(it, { code: second.code })).body.code).toBe('invalid_code')
  })

  it('needs an encryption key', async () => {
    const it = await daemon({ withVault: false })
    expect(await start(it)).toMatchObject({ status: 503, code: 'encryption_unavailable' })
  })
})

describe('pairing.poll', () => {
  it('reports consumed after the code was redeemed, with the hint of the device', async () => {
    const it = await daemon()
    const { code, expires_at } = await start(it, { adapter_hint: 'A' })
    await redeem(it, { code, adapter_hint: 'codex_cli' })
    expect((await poll(it, code)).body).toEqual({ status: 'consumed', adapter_hint: 'CODEX_CLI', expires_at })
  })

  it('Pairing code: any -> expired by GET pair/poll when unknown, foreign or elapsed, all alike', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const used = await start(it)
    await redeem(it, used)
    const { code } = await start(it)
    expect((await poll(it, code, 'OWNER')).body).toEqual(unknown)
    expect((await poll(it, '22222222')).body).toEqual(unknown)
    expect((await poll(it, '!"§$%&/(')).body).toEqual(unknown)
    clock.advance(599_000)
    expect((await poll(it, code)).body.status).toBe('pending')
    clock.advance(1000)
    expect((await poll(it, code)).body).toEqual(unknown)
    expect((await poll(it, used.code)).body).toEqual(unknown)
  })

  it.each([
    ['abcd-efgh', 'ABCDEFGH'],
    [' a b c d e f g h ', 'ABCDEFGH'],
    ['ABCDEFG', null],
    ['ABCDEFGHJ', null],
    ['--------', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ])('reads %j', (text, code) => expect(typed(text)).toBe(code))

  it.each(['', '   ', 'ABC', 'ABCD-EFGHJ'])('refuses "%s"', async (code) => {
    const it = await daemon()
    expect((await poll(it, code)).body).toMatchObject({ status: 400, code: 'invalid_field', field: 'code' })
  })

  it('asks for a code', async () => {
    const { call } = await daemon()
    expect((await call('MEMBER', 'GET', '/auth/pair/poll')).body).toMatchObject({
      status: 400,
      code: 'missing_field',
      field: 'code',
    })
  })

  it('may be asked every two seconds', async () => {
    const it = await daemon({ config: { rateLimitDisabled: false, authPerMinute: 2 } })
    const { code } = await start(it)
    for (let time = 0; time < 40; time += 1) expect((await poll(it, code)).status).toBe(200)
  })
})

describe('pairing.redeem', () => {
  it('gives the device a token of the one who asked, and journals it', async () => {
    const it = await daemon()
    const { userId, email } = it.person('MEMBER')
    const { code } = await start(it, { adapter_hint: 'CLAUDE_CODE' })
    const { status, body } = await redeem(it, { code: code.toLowerCase().replace('-', ' ') })
    expect(status).toBe(200)
    expect(body).toEqual({ cli_token: expect.stringMatching(/^svc_cli_[0-9a-f]{64}$/), user_id: userId, email })
    const { data } = (await it.call(null, 'GET', '/auth/cli-tokens', undefined, bearer(body.cli_token))).body
    expect(data[0]).toMatchObject({ name: 'pair-claude_code', tier: 'STANDARD' })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      actor_id: userId,
      payload: {
        entity_type: 'cli_token',
        entity_id: data[0].id,
        metadata: { via: 'pairing', adapter_hint: 'CLAUDE_CODE' },
      },
    })
  })

  it('tells its owner at once and by mail, and nobody when it does not work', async () => {
    const mail = await mailServer()
    const it = await daemon({ config: { smtpUrl: `smtp://127.0.0.1:${mail.port}`, mailerFrom: 'muster@example.com' } })
    const heard: Broadcast[] = []
    it.app.bus.on('broadcast', (message) => void heard.push(message))
    const { userId, email } = it.person('MEMBER')
    const { code } = await start(it, { adapter_hint: 'CODEX' })
    const from = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'muster/1 <b>evil</b>' }
    const answers = await Promise.all(
      ['AAAA-AAAA', code, code].map((one) => it.call(null, 'POST', '/auth/pair/redeem', { code: one }, from)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    await it.app.mailer.idle()
    const { data } = (await it.call('MEMBER', 'GET', '/auth/cli-tokens')).body
    const token_id = data.find(({ name }: { name: string }) => name === 'pair-codex').id
    const payload = { token_id, name: 'pair-codex', ip: '203.0.113.9', user_agent: 'muster/1 <b>evil</b>' }
    expect(heard).toEqual([{ channel: `user:${userId}`, type: 'device.paired', payload }])
    expect(mail.arrived).toHaveLength(1)
    const [letter] = mail.arrived
    expect(letter).toMatchObject({ to: [email], headers: { subject: 'A device was signed in to your Muster account' } })
    for (const part of [
      'pair-codex',
      '203.0.113.9',
      'muster/1 <b>evil</b>',
      '2026-01-01 00:00:00 UTC',
      `muster tokens revoke ${token_id}`,
    ])
      expect(letter!.text).toContain(part)
    expect(letter!.html).not.toContain('<b>')
    expect(letter!.raw).not.toContain(code)
  })

  it('shows no more than 250 characters of what the program calls itself, and says when that is nothing', async () => {
    const mail = await mailServer()
    const it = await daemon({ config: { smtpUrl: `smtp://127.0.0.1:${mail.port}`, mailerFrom: 'muster@example.com' } })
    const heard: Broadcast[] = []
    it.app.bus.on('broadcast', (message) => void heard.push(message))
    for (const agent of ['x'.repeat(300), '']) {
      const { code } = await start(it)
      await it.call(null, 'POST', '/auth/pair/redeem', { code }, { 'user-agent': agent })
    }
    await it.app.mailer.idle()
    const agents = heard.map(({ payload }) => (payload as { user_agent: string }).user_agent)
    expect(agents).toEqual(['x'.repeat(250), ''])
    expect(mail.arrived.some(({ text }) => /Program:\s+unknown/.test(text))).toBe(true)
  })

  it('calls a device without a hint "pair"', async () => {
    const it = await daemon()
    const { cli_token } = (await redeem(it, await start(it))).body
    const { payload } = it.entries().at(-1)!
    const { userId: user_id, email } = it.person('MEMBER')
    expect(payload!['metadata']).toEqual({ user_id, email, tier: 'STANDARD', via: 'pairing' })
    expect((await it.call(null, 'GET', '/auth/cli-tokens', undefined, bearer(cli_token))).body.data[0].name).toBe(
      'pair',
    )
  })

  it('Pairing code: pending -> consumed on POST pair/redeem, which one of many at the same time wins', async () => {
    const it = await daemon()
    const { code } = await start(it)
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(it, { code })))
    expect((await poll(it, code)).body.status).toBe('consumed')
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(400)])
    expect(it.app.db.prepare("SELECT count(*) FROM cli_tokens WHERE name = 'pair'").pluck().get()).toBe(1)
  })

  it('Pairing code: pending -> expired when ten minutes have passed', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const [inTime, late] = [await start(it), await start(it)]
    clock.advance(599_000)
    expect((await redeem(it, inTime)).status).toBe(200)
    clock.advance(1000)
    expect((await redeem(it, late)).body).toMatchObject({ status: 400, code: 'invalid_code' })
    expect(it.app.db.prepare("SELECT count(*) FROM cli_tokens WHERE name = 'pair'").pluck().get()).toBe(1)
  })

  it('answers everything that does not work with the same words', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const used = await start(it)
    await redeem(it, used)
    const old = await start(it)
    clock.advance(600_000)
    const bodies = [
      '{',
      '[]',
      '""',
      '{}',
      { code: 5 },
      { code: '' },
      { code: 'ABC' },
      { code: 'ABCD-EFGH' },
      used,
      old,
      { code: 'ABCD-EFGH', adapter_hint: {} },
      undefined,
    ]
    const answers = await Promise.all(bodies.map((body) => redeem(it, body)))
    for (const answer of answers)
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: answers[0]!.body })
    expect(answers[0]!.body).toMatchObject({ code: 'invalid_code', error: 'Invalid or expired code' })
  })

  it('gives no more than the token that asked for the code had', async () => {
    const it = await daemon()
    const narrow = (
      await it.call('OWNER', 'POST', '/auth/cli-token', { scopes: ['crews:write'], expires_in_seconds: 3600 })
    ).body
    const { code } = (await it.call(null, 'POST', '/auth/pair/start', undefined, bearer(narrow.token))).body
    const { cli_token } = (await redeem(it, { code })).body
    expect((await it.call(null, 'GET', '/auth/cli-token/validate', undefined, bearer(cli_token))).body).toMatchObject({
      scopes: ['crews:write'],
      expires_at: narrow.expires_at,
    })
  })

  it('gives nothing when the token that asked for the code was revoked', async () => {
    const it = await daemon()
    const stolen = (await it.call('OWNER', 'POST', '/auth/cli-token')).body
    const { code } = (await it.call(null, 'POST', '/auth/pair/start', undefined, bearer(stolen.token))).body
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${stolen.id}`)
    expect((await redeem(it, { code })).body).toMatchObject({ status: 400, code: 'invalid_code' })
  })

  it('gives nothing from the moment when the token that asked for the code ends', async () => {
    const it = await daemon()
    const short = (await it.call('OWNER', 'POST', '/auth/cli-token', { expires_in_seconds: 300 })).body
    const { code } = (await it.call(null, 'POST', '/auth/pair/start', undefined, bearer(short.token))).body
    it.clock.advance(300_000)
    expect((await redeem(it, { code })).body).toMatchObject({ status: 400, code: 'invalid_code' })
  })

  it('keeps the codes of others when sessions of a user are ended', async () => {
    const it = await daemon()
    const [me, them] = [it.person('MEMBER').email, it.person('OWNER').email]
    it.app.db.prepare('UPDATE users SET password_hash = ?').run(quickHash)
    const [mine, theirs] = [browser(it), browser(it)]
    await mine.signIn(me, knownPassword)
    await theirs.signIn(them, knownPassword)
    const { code } = (await theirs.call('POST', '/auth/pair/start')).body
    const [{ id }] = (await mine.call('GET', '/auth/sessions')).body
    await mine.call('POST', `/auth/sessions/${id}/revoke`)
    expect((await redeem(it, { code })).status).toBe(200)
  })

  it('gives nothing when sessions of the user were ended, unless by signing out', async () => {
    const it = await daemon()
    const { userId: user, email } = it.person('MEMBER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, user)
    const web = browser(it)
    const codeOf = async () => (await web.call('POST', '/auth/pair/start')).body.code as string
    const revokeSession = async () => {
      const [{ id }] = (await web.call('GET', '/auth/sessions')).body
      await web.call('POST', `/auth/sessions/${id}/revoke`)
    }
    await web.signIn(email, knownPassword)
    const [first, second] = [await codeOf(), await codeOf()]
    const own = (await start(it)).code
    expect((await redeem(it, { code: first })).status).toBe(200)
    await revokeSession()
    expect((await poll(it, first)).body.status, 'a device that is paired stays so').toBe('consumed')
    expect((await redeem(it, { code: second })).body.code).toBe('invalid_code')
    expect((await redeem(it, { code: own })).status).toBe(200)
    await web.signIn(email, knownPassword)
    const third = await codeOf()
    await web.call('POST', '/api/auth/signout')
    expect((await redeem(it, { code: third })).status).toBe(200)
  })

  it('gives nothing for a code of somebody whose refresh cookie was used twice', async () => {
    const it = await daemon()
    const { userId, email } = it.person('MEMBER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    const web = browser(it)
    await web.signIn(email, knownPassword)
    const { code } = (await web.call('POST', '/auth/pair/start')).body
    const thief = web.copy()
    await web.call('POST', '/api/auth/token/refresh')
    it.clock.advance(11_000)
    expect((await thief.call('POST', '/api/auth/token/refresh')).status).toBe(401)
    expect((await redeem(it, { code })).body.code).toBe('invalid_code')
  })

  it.each([
    ['user.password_changed', { changed: ['password'] }],
    ['user.password_reset', { changed: ['password'], via: 'password_reset' }],
    ['user.reclaimed', { changed: ['email_verified_at'], via: 'idp', sessions: 0, tokens: 0 }],
    ['user.signed_out', { changed: [], via: 'host', sessions: 0, tokens: 0 }],
  ] as const)('gives nothing for a code that a browser asked for before %s', async (what, metadata) => {
    const it = await daemon()
    const { userId, email } = it.person('MEMBER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    const web = browser(it)
    await web.signIn(email, knownPassword)
    const { code } = (await web.call('POST', '/auth/pair/start')).body
    const happened = fact(what, { entity_id: userId, name: email, metadata } as never, byUser(userId)) as Fact
    it.app.writeNow(() => it.app.journalIn([it.workspace], happened))
    expect((await redeem(it, { code })).body.code).toBe('invalid_code')
  })

  it('counts against the strict bucket of the address', async () => {
    const it = await daemon({ config: { rateLimitDisabled: false, authPerMinute: 3 } })
    const statuses: number[] = []
    for (let time = 0; time < 4; time += 1) statuses.push((await redeem(it, { code: 'ABCD-EFGH' })).status)
    expect(statuses).toEqual([400, 400, 400, 429])
  })

  it('stops guessing from many addresses together', async () => {
    const it = await daemon({ config: { rateLimitDisabled: false } })
    const from = (index: number) =>
      it.call(
        null,
        'POST',
        '/auth/pair/redeem',
        { code: 'ABCD-EFGH' },
        { 'x-forwarded-for': `203.0.${index >> 8}.${index & 255}` },
      )
    const statuses: number[] = []
    for (let index = 0; index < 301; index += 1) statuses.push((await from(index)).status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(300)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('codes', () => {
  it('use every character of the alphabet alike', () => {
    expect(alphabet).toHaveLength(30)
    const counts = new Map<string, number>()
    let byte = 0
    // Every byte value as often as any other: what is left after the rejection must be even.
    const random = (size: number) => Buffer.from(Array.from({ length: size }, () => byte++ & 255))
    for (let time = 0; time < 2048; time += 1)
      for (const char of newCode(random)) counts.set(char, (counts.get(char) ?? 0) + 1)
    const times = [...counts.values()]
    expect(counts.size).toBe(30)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(Math.max(...times) * 0.02)
  })
  it('are shown in two halves', () => expect(shown('ABCDEFGH')).toBe('ABCD-EFGH'))
  it.each([
    ['claude code', 'CLAUDECODE'],
    ['X'.repeat(40), 'X'.repeat(32)],
    ['ünï', 'N'],
    ['<script>', 'SCRIPT'],
    ['--', null],
    [undefined, null],
  ])('keep of the hint %s only what is harmless', (hint, kept) => expect(cleanHint(hint)).toBe(kept))
})

describe('a code bound to the device that asked for it', () => {
  const verifier = 'v'.repeat(43)
  const challenge = challengeOf(verifier)

  it('is worth nothing without the secret, or with another, and stays good for its owner', async () => {
    const it = await daemon()
    const { code } = await start(it, { challenge })
    expect((await redeem(it, { code })).body).toMatchObject({ status: 400, code: 'invalid_code' })
    expect((await redeem(it, { code, verifier: 'w'.repeat(43) })).body).toMatchObject({
      status: 400,
      code: 'invalid_code',
    })
    expect((await redeem(it, { code, verifier: challenge })).body).toMatchObject({ status: 400, code: 'invalid_code' })
    expect((await poll(it, code)).body.status).toBe('pending')
    const { status, body } = await redeem(it, { code, verifier })
    expect(status).toBe(200)
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(body.cli_token))).status).toBe(200)
    expect((await redeem(it, { code, verifier })).body).toMatchObject({ status: 400, code: 'invalid_code' })
  })

  it('cannot be passed off as bound when it is not', async () => {
    const it = await daemon()
    const { code } = await start(it)
    expect((await redeem(it, { code, verifier })).body).toMatchObject({ status: 400, code: 'invalid_code' })
    expect((await redeem(it, { code })).status).toBe(200)
  })

  it.each(['', 'short', `${challenge}x`, '!'.repeat(43)])(
    'refuses the challenge "%s" instead of making an unbound code',
    async (wrong) => {
      const it = await daemon()
      expect(await start(it, { challenge: wrong })).toMatchObject({
        status: 400,
        code: 'invalid_field',
        field: 'challenge',
      })
    },
  )
})
