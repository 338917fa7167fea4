import { describe, expect, it } from 'vitest'
import { addPerson } from '#test'
import { browser, knownPassword, quickHash } from '../../../support/browser.ts'
import { ann, me, rows, type SetUp, setUp, signIn, userOf } from '../../../support/idp.ts'

/** A member with Ann's address, who made the account with a password. */
function addAnn({ server: { app, workspace } }: SetUp, { verified = false } = {}) {
  const person = app.writeNow(() => addPerson(app, 'MEMBER', workspace))
  const verified_at = verified ? '2025-12-01T00:00:00Z' : null
  app.db
    .prepare('UPDATE users SET email = ?, password_hash = ?, email_verified_at = ? WHERE id = ?')
    .run('ann@example.com', quickHash, verified_at, person.userId)
  return { ...person, email: 'ann@example.com' }
}
const entries = ({ server }: SetUp) =>
  server.entries().map(({ entry_type, payload }): Record<string, unknown> => ({ entry_type, ...(payload as object) }))

describe('a new person', () => {
  it('has a workspace, no password, and a verified address', async () => {
    const it = await setUp()
    expect((await signIn(it)).status).toBe(307)
    expect(userOf(it.server, 'ann@example.com')).toMatchObject({
      email_verified_at: it.server.app.now(),
      password_hash: null,
      full_name: 'Ann Ångström',
    })
    const [own] = (await it.web.call('GET', '/workspaces')).body
    expect(own).toMatchObject({ name: "Ann Ångström's Workspace", currentUserRole: 'OWNER' })
    const told = it.server
      .entries(own.id)
      .map(({ entry_type, payload }) => [entry_type, (payload as { entity_type: string }).entity_type])
    expect(told).toEqual(
      ['user', 'workspace', 'linked_account', 'session'].map((what) => ['audit.entity_created', what]),
    )
  })

  it.each([
    [{ name: undefined }, null, "ann's Workspace"],
    [{ name: '  ' }, null, "ann's Workspace"],
    [{ name: 7 }, null, "ann's Workspace"],
    [{ name: '日本 太郎 👩‍🚀' }, '日本 太郎 👩‍🚀', "日本 太郎 👩‍🚀's Workspace"],
    [{ name: 'A\u0000B\r\nC\u2028D' }, 'A B C D', "A B C D's Workspace"],
    [{ name: '\u202eann\u202c' }, 'ann', "ann's Workspace"],
    [{ name: '\u200b\u3164' }, null, "ann's Workspace"],
    [{ name: 'é'.repeat(300) }, 'é'.repeat(100), `${'é'.repeat(88)}'s Workspace`],
  ])('of %j is called %s', async (more, full_name, workspace) => {
    const it = await setUp({ accounts: { ann: { ...ann, ...more } } })
    expect((await signIn(it)).status).toBe(307)
    expect(userOf(it.server, 'ann@example.com')).toMatchObject({ full_name })
    expect((await it.web.call('GET', '/workspaces')).body[0].name).toBe(workspace)
  })

  it('whose address is not verified has an account, and an address that is not verified', async () => {
    const it = await setUp({ accounts: { ann: { ...ann, email_verified: false } } })
    expect((await signIn(it)).status).toBe(307)
    expect(userOf(it.server, 'ann@example.com')).toMatchObject({ email_verified_at: null })
  })

  it.each([
    { email: undefined },
    { email: '' },
    { email: 'ann' },
    { email: 'änn@example.com' },
    { email: `${'a'.repeat(250)}@example.com` },
    { email: 7 },
  ])('with %j has none', async (more) => {
    const it = await setUp({ accounts: { ann: { ...ann, ...more } } })
    expect((await signIn(it)).body).toMatchObject({ status: 502, code: 'idp_profile_failed' })
    expect(rows(it.server, 'users')).toHaveLength(1)
  })

  it('is not let in where nobody may sign up', async () => {
    const it = await setUp({ config: { allowSignup: false } })
    const { body } = await signIn(it)
    expect(body).toMatchObject({ status: 403, code: 'signup_disabled' })
    expect(body.detail).toContain('SVC_ALLOW_SIGNUP')
    expect(rows(it.server, 'users')).toHaveLength(1)
    expect(rows(it.server, 'linked_accounts')).toHaveLength(0)
  })

  it('is let in by an invitation to the verified address, into that workspace alone', async () => {
    const it = await setUp({ config: { allowSignup: false } })
    await it.server.call('OWNER', 'POST', `/workspaces/${it.server.workspace}/invitations`, {
      email: 'ANN@example.com',
      role: 'MANAGER',
    })
    expect((await signIn(it)).status).toBe(307)
    const { body } = await it.web.call('GET', '/workspaces')
    expect(body).toMatchObject([{ id: it.server.workspace, currentUserRole: 'MANAGER' }])
    expect(entries(it)).toContainEqual(expect.objectContaining({ entity_type: 'user', metadata: { via: 'idp' } }))
  })

  it('is not let in by an invitation to an address that is not verified', async () => {
    const it = await setUp({ config: { allowSignup: false }, accounts: { ann: { ...ann, email_verified: false } } })
    await it.server.call('OWNER', 'POST', `/workspaces/${it.server.workspace}/invitations`, {
      email: 'ann@example.com',
    })
    expect((await signIn(it)).body).toMatchObject({ status: 403, code: 'signup_disabled' })
    expect(rows(it.server, 'workspace_invitations')).toMatchObject([{ status: 'live' }])
  })

  it('never is the first user, who owns the server', async () => {
    const it = await setUp({ empty: true })
    expect((await signIn(it)).body).toMatchObject({ status: 403, code: 'signup_disabled' })
    expect((await it.server.call(null, 'GET', '/system/setup-status')).body).toMatchObject({ needs_bootstrap: true })
  })
})

describe('a person who is known', () => {
  it('is known by the account there, whatever the address there becomes', async () => {
    const it = await setUp()
    await signIn(it)
    const { id } = await me(it.web)
    const bob = it.server.person('OWNER')
    it.provider.accounts.set('ann', { email: bob.email, email_verified: true, name: 'Ann Married' })
    const again = browser(it.server)
    expect((await signIn({ ...it, web: again })).status).toBe(307)
    expect(await me(again)).toMatchObject({ id, email: 'ann@example.com', full_name: 'Ann Ångström' })
    it.provider.accounts.set('ann', {})
    expect((await signIn(it)).status).toBe(307)
    expect(rows(it.server, 'linked_accounts')).toMatchObject([{ email: bob.email }])
  })

  it('is linked by a verified address, and keeps everything when the address was verified here too', async () => {
    const it = await setUp({ config: { allowSignup: false } })
    const person = addAnn(it, { verified: true })
    const other = browser(it.server)
    await other.signIn(person.email, knownPassword)
    expect((await signIn(it)).status).toBe(307)
    expect(await me(it.web)).toMatchObject({ id: person.userId, full_name: 'The MEMBER' })
    expect(await me(other)).toMatchObject({ id: person.userId })
    expect((await it.server.call(person, 'GET', '/users/me')).status).toBe(200)
    expect((await browser(it.server).signIn(person.email, knownPassword)).body.ok).toBe(true)
  })

  it.each([false, undefined, 'false', 1, null])('is not linked when email_verified is %j', async (email_verified) => {
    const it = await setUp({ accounts: { ann: { ...ann, email_verified } } })
    addAnn(it, { verified: true })
    const { body } = await signIn(it)
    expect(body).toMatchObject({ status: 400, code: 'idp_email_unverified' })
    expect(rows(it.server, 'linked_accounts')).toHaveLength(0)
    expect(it.web.jar.has('authjs.session-token')).toBe(false)
  })

  it('is linked when a provider writes email_verified as text', async () => {
    const it = await setUp({ accounts: { ann: { ...ann, email_verified: 'true' } } })
    const { userId } = addAnn(it, { verified: true })
    await signIn(it)
    expect((await me(it.web)).id).toBe(userId)
  })

  it.each([true, false])(
    'takes over an account that somebody else made with the address: every other way in is closed (member: %s)',
    async (member) => {
      const it = await setUp()
      const { app } = it.server
      const intruder = addAnn(it)
      if (!member) app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(intruder.userId)
      const held = browser(it.server)
      await held.signIn(intruder.email, knownPassword)
      const pairing = (await held.call('POST', '/auth/pair/start', {})).body.code
      const paired = (await it.server.call(intruder, 'POST', '/auth/pair/start', {})).body.code
      app.db
        .prepare(
          "INSERT INTO verification_tokens VALUES ('t', ?, 'hash', 'account_setup', ?, '2027-01-01T00:00:00Z', NULL)",
        )
        .run(intruder.userId, app.now())
      app.db
        .prepare("INSERT INTO linked_accounts VALUES ('l', ?, ?, 'mallory', NULL, ?, ?)")
        .run(intruder.userId, it.provider.issuer, app.now(), app.now())
      const revoked: string[] = []
      app.bus.on('revoked', (id) => revoked.push(id))

      expect((await signIn(it)).status).toBe(307)
      expect(await me(it.web)).toMatchObject({ id: intruder.userId })
      expect(userOf(it.server, 'ann@example.com')).toMatchObject({ password_hash: null, email_verified_at: app.now() })
      expect(await me(held)).toMatchObject({ status: 401 })
      expect((await held.call('POST', '/api/auth/token/refresh')).status).toBe(401)
      expect((await it.server.call(intruder, 'GET', '/users/me')).status).toBe(401)
      for (const code of [pairing, paired])
        expect((await it.server.call(null, 'POST', '/auth/pair/redeem', { code })).status).toBe(400)
      expect((await browser(it.server).signIn(intruder.email, knownPassword)).body.ok).toBe(false)
      expect(rows(it.server, 'verification_tokens')).toHaveLength(0)
      expect(rows(it.server, 'linked_accounts')).toMatchObject([{ provider_account_id: 'ann' }])
      expect(revoked).toHaveLength(2)
      if (!member) return
      const warned = entries(it).find(({ metadata }) => (metadata as { via?: string } | undefined)?.via === 'idp')
      expect(warned).toMatchObject({
        entry_type: 'audit.entity_updated',
        metadata: { changed: ['password', 'email_verified_at'], sessions: 1, tokens: 1 },
      })
    },
  )

  it.each([
    'UPDATE OF revoked_at ON cli_tokens',
    'UPDATE OF revoked_at ON user_sessions',
    'DELETE ON cli_pairings',
    'DELETE ON linked_accounts',
    'UPDATE OF password_hash ON users',
  ])('takes nothing over when one way in cannot be closed: %s', async (what) => {
    const it = await setUp({ quiet: true })
    const { app } = it.server
    const intruder = addAnn(it)
    const held = browser(it.server)
    await held.signIn(intruder.email, knownPassword)
    await held.call('POST', '/auth/pair/start', {})
    app.db
      .prepare("INSERT INTO linked_accounts VALUES ('l', ?, ?, 'mallory', NULL, ?, ?)")
      .run(intruder.userId, it.provider.issuer, app.now(), app.now())
    const head = app.index.head()
    app.db.exec(`CREATE TRIGGER full BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'disk'); END`)
    expect((await signIn(it)).status).toBe(500)
    expect(userOf(it.server, 'ann@example.com')).toMatchObject({ password_hash: quickHash, email_verified_at: null })
    expect(rows(it.server, 'linked_accounts')).toMatchObject([{ provider_account_id: 'mallory' }])
    expect(rows(it.server, 'user_sessions')).toMatchObject([{ revoked_at: null }])
    expect((await it.server.call(intruder, 'GET', '/users/me')).status).toBe(200)
    expect(app.index.head()).toBe(head)
  })

  it('keeps everything when the browser is signed in to the account already', async () => {
    const it = await setUp()
    const person = addAnn(it)
    await it.web.signIn(person.email, knownPassword)
    expect((await signIn(it)).status).toBe(307)
    expect(userOf(it.server, 'ann@example.com')).toMatchObject({
      password_hash: quickHash,
      email_verified_at: it.server.app.now(),
    })
    expect((await it.server.call(person, 'GET', '/users/me')).status).toBe(200)
    expect((await browser(it.server).signIn(person.email, knownPassword)).body.ok).toBe(true)
  })

  it('has not shown a second factor by it: the browser may do nothing before that', async () => {
    const it = await setUp()
    await signIn(it)
    const { id } = await me(it.web)
    it.server.app.db.prepare('UPDATE users SET two_factor_at = ? WHERE id = ?').run(it.server.app.now(), id)
    const again = browser(it.server)
    expect((await signIn({ ...it, web: again })).status).toBe(307)
    expect(await me(again)).toMatchObject({ status: 403, code: 'step_up_required' })
    expect((await again.call('POST', '/auth/step-up', { code: '000000' })).body.code).toBe('second_factor_invalid')
  })

  it('keeps a second factor that only the address would undo: nothing is closed, nothing linked', async () => {
    const it = await setUp()
    const person = addAnn(it)
    it.server.app.db.prepare('UPDATE users SET two_factor_at = ? WHERE id = ?').run(it.server.app.now(), person.userId)
    expect((await signIn(it)).body).toMatchObject({ status: 400, code: 'idp_sign_in_first' })
    expect(userOf(it.server, 'ann@example.com')).toMatchObject({ password_hash: quickHash, email_verified_at: null })
    expect((await it.server.call(person, 'GET', '/users/me')).status).toBe(200)
    expect(rows(it.server, 'linked_accounts')).toHaveLength(0)
  })

  it('is one person, even when two sign-ins of a new one end at the same time', async () => {
    const it = await setUp()
    const answers = await Promise.all([signIn(it), signIn({ ...it, web: browser(it.server) })])
    expect(answers.map(({ status }) => status)).toEqual([307, 307])
    expect(rows(it.server, 'users').filter(({ email }) => email === 'ann@example.com')).toHaveLength(1)
  })

  it('is another one at another provider', async () => {
    const it = await setUp({ accounts: { ann: { ...ann, email_verified: false } } })
    const { app } = it.server
    const { userId } = it.server.person('OWNER')
    app.db
      .prepare("INSERT INTO linked_accounts VALUES ('l', ?, 'https://other.example', 'ann', NULL, ?, ?)")
      .run(userId, app.now(), app.now())
    await signIn(it)
    expect((await me(it.web)).id).not.toBe(userId)
  })
})

describe('idp.links and idp.unlink', () => {
  it('lists one’s own, and ends one when a password is left', async () => {
    const it = await setUp()
    const person = addAnn(it, { verified: true })
    await signIn(it)
    const { body } = await it.web.call('GET', '/users/me/linked-accounts')
    const now = it.server.app.now()
    expect(body).toEqual([
      {
        id: body[0].id,
        provider: it.provider.issuer,
        provider_account_id: 'ann',
        email: 'ann@example.com',
        created_at: now,
        last_used_at: now,
      },
    ])
    expect((await it.server.call('OWNER', 'DELETE', `/users/me/linked-accounts/${body[0].id}`)).body).toMatchObject({
      status: 404,
      field: 'linkId',
    })
    expect((await it.server.call(person, 'DELETE', `/users/me/linked-accounts/${body[0].id}`)).status).toBe(204)
    expect((await it.server.call(person, 'GET', '/users/me/linked-accounts')).body).toEqual([])
    expect(entries(it).at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      entity_type: 'linked_account',
      entity_id: body[0].id,
    })
  })

  it('does not end the last way in', async () => {
    const it = await setUp()
    await signIn(it)
    const [{ id }] = (await it.web.call('GET', '/users/me/linked-accounts')).body
    const { app } = it.server
    app.db
      .prepare(
        "INSERT INTO linked_accounts SELECT 'old', user_id, 'https://gone.example', 'ann', NULL, created_at, " +
          'last_used_at FROM linked_accounts',
      )
      .run()
    expect((await it.web.call('DELETE', `/users/me/linked-accounts/${id}`)).body).toMatchObject({
      status: 409,
      code: 'last_way_in',
    })
    expect((await it.web.call('DELETE', '/users/me/linked-accounts/old')).status).toBe(204)
    expect((await signIn(it)).status).toBe(307)
  })
})
