import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashToken, newToken } from '#kernel/auth/authenticator'
import { daemon, type TestDaemon } from '#test'

const publicUrl = 'https://muster.example:8443/app'
const provision = (it: TestDaemon, body: object, who: Parameters<TestDaemon['call']>[0] = 'ADMIN') =>
  it.call(
    who,
    'POST',
    `/workspaces/${typeof who === 'object' && who ? who.workspace : it.workspace}/members/provision`,
    body,
  )
/** Takes somebody out of the first workspace. */
async function remove(it: TestDaemon, user: string): Promise<void> {
  const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body as {
    id: string
    user_id: string
  }[]
  const { id } = members.find(({ user_id }) => user_id === user)!
  expect((await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
}
const brief = ({ status, body }: { status: number; body: { code?: string } }) => ({ status, code: body?.code })

describe('members.provision', () => {
  it('makes an account with a link of seven days, whose token is stored hashed', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { status, body } = await provision(it, {
      email: 'Ada@Example.com',
      role: 'MANAGER',
      full_name: ' Ada Lovelace ',
    })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        user_id: expect.any(String),
        email: 'ada@example.com',
        role: 'MANAGER',
        created_user: true,
        setup_url: expect.stringMatching(/^https:\/\/muster\.example:8443\/reset-password\?token=[0-9a-f]{64}$/),
        expires_at: '2026-01-08T00:00:00Z',
      },
    })
    const token = new URL(body.setup_url).searchParams.get('token')!
    expect(it.app.db.prepare('SELECT user_id, token_hash, purpose, expires_at FROM verification_tokens').all()).toEqual(
      [
        {
          user_id: body.user_id,
          token_hash: createHash('sha256').update(token).digest('hex'),
          purpose: 'account_setup',
          expires_at: '2026-01-08T00:00:00Z',
        },
      ],
    )
    expect(JSON.stringify(it.entries())).not.toContain(token)
    expect(it.entries().map(({ payload }) => payload?.['entity_type'])).toEqual(['user', 'workspace_member'])
    expect(it.app.db.prepare('SELECT full_name FROM users WHERE id = ?').pluck().get(body.user_id)).toBe('Ada Lovelace')
  })

  it('makes accounts without a name that can use tokens', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { body } = await provision(it, { email: 'nameless@example.com' })
    const token = newToken('STANDARD')
    it.app.db
      .prepare('INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, created_at) VALUES (?, ?, ?, ?, ?, ?)')
      .run('c1', body.user_id, 'test', hashToken(token, null), 'STANDARD', it.app.now())
    const me = await it.call(null, 'GET', '/users/me', undefined, { authorization: `Bearer ${token}` })
    expect(me.body).toMatchObject({ id: body.user_id, full_name: null, email: 'nameless@example.com' })
  })

  it.each([
    ['a password', "UPDATE users SET password_hash = 'x' WHERE id = ?"],
    ['a verified address', "UPDATE users SET email_verified_at = '2026-01-01T00:00:00Z' WHERE id = ?"],
    [
      'a linked account',
      `INSERT INTO linked_accounts (id, user_id, provider, provider_account_id, created_at, last_used_at)
        VALUES ('l', ?, 'https://idp.example', '1', 'now', 'now')`,
    ],
  ])('gives no link to an account with %s', async (_, claim) => {
    const it = await daemon({ config: { publicUrl } })
    const { email, userId } = it.stranger()
    it.app.db.prepare(claim).run(userId)
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(userId)
    expect((await provision(it, { email })).body).toEqual({
      user_id: userId,
      email,
      role: 'MEMBER',
      created_user: false,
      setup_url: '',
      expires_at: '',
    })
    expect(it.app.db.prepare('SELECT count(*) FROM verification_tokens').pluck().get()).toBe(0)
  })

  it('gives nobody a link into an account that belongs to workspaces of others', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { user_id } = (await provision(it, { email: 'ada@example.com' })).body
    const other = it.stranger()
    const added = await it.call(other, 'POST', `/workspaces/${other.workspace}/members`, { user_id, role: 'MEMBER' })
    expect(added.status).toBe(201)
    await remove(it, user_id)
    expect((await provision(it, { email: 'ada@example.com' })).body).toMatchObject({
      created_user: false,
      setup_url: '',
    })
  })

  it.each([
    ['Al', 'Al'],
    ['é'.repeat(100), 'é'.repeat(100)],
    ['  ', null],
    ['', null],
  ])('keeps the name %j', async (full_name, kept) => {
    const it = await daemon({ config: { publicUrl } })
    const { status, body } = await provision(it, { email: 'ada@example.com', full_name })
    expect(status).toBe(201)
    expect(it.app.db.prepare('SELECT full_name FROM users WHERE id = ?').pluck().get(body.user_id)).toBe(kept)
  })

  it('tells the journal what it did', async () => {
    const it = await daemon({ config: { publicUrl } })
    const made = (await provision(it, { email: 'Ada@example.com', full_name: 'Ada' })).body
    const { userId, email } = it.stranger()
    it.app.db.prepare("UPDATE users SET password_hash = 'x' WHERE id = ?").run(userId)
    await provision(it, { email, role: 'VIEWER' })
    expect(it.entries().map(({ actor_id, payload }) => [actor_id, payload?.['name'], payload?.['metadata']])).toEqual(
      [
        ['ada@example.com', { via: 'provision' }],
        [
          'Ada',
          {
            user_id: made.user_id,
            email: 'ada@example.com',
            role: 'MEMBER',
            provisioned: true,
            setup_link: true,
          },
        ],
        ['The OWNER', { user_id: userId, email, role: 'VIEWER', provisioned: true, setup_link: false }],
      ].map((told) => [it.person('ADMIN').userId, ...told]),
    )
  })

  it('gives a link into an account that is in nobody else’s hands', async () => {
    const it = await daemon({ config: { publicUrl } })
    const claimed = it.stranger()
    it.app.db
      .prepare(
        `INSERT INTO linked_accounts (id, user_id, provider, provider_account_id, created_at, last_used_at)
         VALUES ('l', ?, 'https://idp.example', '1', 'now', 'now')`,
      )
      .run(claimed.userId)
    const gone = it.stranger()
    it.app.db.prepare("UPDATE workspaces SET deleted_at = 'x' WHERE id = ?").run(gone.workspace)
    expect((await provision(it, { email: gone.email })).body.setup_url).toMatch(/token=/)
  })

  it.each([
    ['ADMIN', true],
    ['OWNER', true],
    ['MANAGER', false],
  ])('gives an %s of the other workspaces of an account a link: %s', async (role, given) => {
    const it = await daemon({ config: { publicUrl } })
    const other = it.stranger()
    const { user_id } = (await provision(it, { email: 'ada@example.com' })).body
    await it.call(other, 'POST', `/workspaces/${other.workspace}/members`, { user_id, role: 'MEMBER' })
    it.app.db
      .prepare(
        `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
         VALUES ('m', ?, ?, ?, 'x', 'x')`,
      )
      .run(other.workspace, it.person('ADMIN').userId, role)
    await remove(it, user_id)
    expect((await provision(it, { email: 'ada@example.com' })).body.setup_url !== '').toBe(given)
  })

  it('is refused to an ADMIN of another workspace who is less in the first one', async () => {
    const it = await daemon({ config: { publicUrl } })
    const owner = it.stranger()
    await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/members`, { user_id: owner.userId, role: 'MANAGER' })
    expect(brief(await provision(it, { email: 'ada@example.com' }, owner))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
    expect(brief(await provision(it, { email: 'ada@example.com' }, 'MANAGER'))).toEqual({
      status: 403,
      code: 'insufficient_role',
    })
  })

  it('is for an ADMIN who is one still', async () => {
    const it = await daemon({ config: { publicUrl } })
    const admin = it.person('ADMIN')
    const { id } = it.app.db
      .prepare<[string], { id: string }>('SELECT id FROM workspace_members WHERE user_id = ?')
      .get(admin.userId)!
    const answers = await Promise.all([
      it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`, {}),
      provision(it, { email: 'ada@example.com' }, admin),
    ])
    expect(answers.map(brief)).toEqual([
      { status: 200, code: undefined },
      { status: 403, code: 'not_a_member' },
    ])
  })

  it('leaves the links of an OWNER who becomes an ADMIN as they are', async () => {
    const it = await daemon({ config: { publicUrl } })
    const url = (await provision(it, { email: 'ada@example.com' }, 'OWNER')).body.setup_url
    const { id } = it.app.db
      .prepare<[string], { id: string }>('SELECT id FROM workspace_members WHERE user_id = ?')
      .get(it.person('MEMBER').userId)!
    expect((await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/members/${id}/transfer`)).status).toBe(200)
    const token = new URL(url).searchParams.get('token')
    const body = { token, new_password: 'a horse of another colour' }
    expect((await it.call(null, 'POST', '/auth/reset', body)).status).toBe(200)
  })

  it.each([true, false])(
    'is for ADMINs of the first workspace, and tells others nothing of an address (open sign-up: %s)',
    async (allowSignup) => {
      const it = await daemon({ config: { publicUrl, allowSignup } })
      const owner = it.stranger()
      const [taken, free] = [
        await provision(it, { email: it.person('VIEWER').email }, owner),
        await provision(it, { email: 'ada@example.com' }, owner),
      ]
      expect(brief(taken)).toEqual({ status: 403, code: 'insufficient_role' })
      expect({ ...taken.body, instance: '' }).toEqual({ ...free.body, instance: '' })
      expect(it.app.db.prepare("SELECT count(*) FROM users WHERE email = 'ada@example.com'").pluck().get()).toBe(0)
      expect((await provision(it, { email: 'ada@example.com' })).body).toMatchObject({ created_user: true })
    },
  )

  it('is set up by the link, once, and that proves no address', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { setup_url, user_id } = (await provision(it, { email: 'ada@example.com' })).body
    const token = new URL(setup_url).searchParams.get('token')
    const reset = () => it.call(null, 'POST', '/auth/reset', { token, new_password: 'a horse of another colour' })
    expect((await Promise.all([reset(), reset()])).map(({ status }) => status).sort()).toEqual([200, 400])
    const row = it.app.db
      .prepare(
        "SELECT password_hash IS NOT NULL AS claimed, email_verified_at FROM users WHERE email = 'ada@example.com'",
      )
      .get()
    expect(row).toEqual({ claimed: 1, email_verified_at: null })
    await remove(it, user_id)
    expect((await provision(it, { email: 'ada@example.com' })).body).toMatchObject({
      created_user: false,
      setup_url: '',
    })
  })

  it.each([
    ['ADMIN is taken away', 'PATCH', { role: 'MEMBER' }],
    ['is removed', 'DELETE', undefined],
  ])('ends the links that somebody handed over who %s, and no others', async (_, method, change) => {
    const it = await daemon({ config: { publicUrl } })
    const links = async (email: string, who: Parameters<TestDaemon['call']>[0]) =>
      new URL((await provision(it, { email, role: 'MANAGER' }, who)).body.setup_url).searchParams.get('token')
    const [kept, held] = [await links('ada@example.com', 'OWNER'), await links('eve@example.com', 'ADMIN')]
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body as {
      id: string
      role: string
    }[]
    const { id } = members.find(({ role }) => role === 'ADMIN')!
    expect((await it.call('OWNER', method, `/workspaces/${it.workspace}/members/${id}`, change)).status).toBe(200)
    const reset = (token: string | null) =>
      it.call(null, 'POST', '/auth/reset', { token, new_password: 'a horse of another colour' })
    expect((await reset(held)).body.code).toBe('invalid_token')
    expect((await reset(kept)).status).toBe(200)
  })

  it('gives a new link after removal, and ends the old one', async () => {
    const it = await daemon({ config: { publicUrl } })
    const first = (await provision(it, { email: 'ada@example.com' })).body
    await remove(it, first.user_id)
    const second = (await provision(it, { email: 'ADA@example.com' })).body
    expect(second).toMatchObject({ user_id: first.user_id, created_user: false })
    expect(second.setup_url).not.toBe(first.setup_url)
    expect(it.app.db.prepare('SELECT count(*) FROM verification_tokens').pluck().get()).toBe(1)
  })

  it('refuses a member, a role too high, a server without address, and makes no account then', async () => {
    const it = await daemon({ config: { publicUrl } })
    const again = await provision(it, { email: it.person('VIEWER').email.toUpperCase() })
    expect(again.body).toMatchObject({ status: 409, code: 'already_member', field: 'email' })
    expect((await provision(it, { email: 'a@example.com', role: 'ADMIN' })).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'role',
    })
    expect(brief(await provision(it, { email: 'a@example.com', role: 'OWNER' }))).toEqual({
      status: 400,
      code: 'invalid_field',
    })
    for (const full_name of ['A', '\u0958'.repeat(51)])
      expect((await provision(it, { email: 'a@example.com', full_name })).body).toMatchObject({
        status: 400,
        code: 'invalid_field',
        field: 'full_name',
        detail: 'full_name must have 2 to 100 characters',
      })
    expect(it.app.db.prepare("SELECT count(*) FROM users WHERE email = 'a@example.com'").pluck().get()).toBe(0)
    const bare = await daemon()
    expect(brief(await provision(bare, { email: 'a@example.com' }))).toEqual({ status: 503, code: 'unavailable' })
  })

  it.each([
    'аda@example.com',
    'ada@exаmple.com',
    'ada@example',
    'ada@@example.com',
    'ada@example.com\n',
    'ａda@example.com',
    'a b@example.com',
    '',
  ])('refuses the address %j', async (email) => {
    const it = await daemon({ config: { publicUrl } })
    for (const path of ['members/provision', 'invitations'])
      expect((await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/${path}`, { email })).body).toMatchObject({
        status: 400,
        field: 'email',
      })
  })

  it('writes names in one form', async () => {
    const it = await daemon({ config: { publicUrl } })
    const { body } = await provision(it, { email: 'a@example.com', full_name: 'Zoe\u0308' })
    expect(it.app.db.prepare('SELECT full_name FROM users WHERE id = ?').pluck().get(body.user_id)).toBe('Zo\u00eb')
  })

  it('makes one account of many at once', async () => {
    const it = await daemon({ config: { publicUrl } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => provision(it, { email: 'ada@example.com' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })
})
