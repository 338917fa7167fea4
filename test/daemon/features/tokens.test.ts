import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fact } from '#contract/entries'
import { byUser } from '#kernel/journal/about-user'
import { addPerson, daemon, fixedClock, type TestDaemon } from '#test'
import { invalidate } from '../../../daemon/admin/accounts.ts'
import { endOf } from '../../../daemon/features/tokens/rules.ts'
import { revokeAll } from '../../../daemon/features/tokens/service.ts'
import { browser, knownPassword, quickHash } from '../../support/browser.ts'

const key = 'ab'.repeat(32)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const create = async ({ call }: TestDaemon, body?: object, who: Parameters<TestDaemon['call']>[0] = 'OWNER') =>
  (await call(who, 'POST', '/auth/cli-token', body)).body

describe('tokens.create', () => {
  it('answers the raw token once and stores its SHA-256', async () => {
    const it = await daemon()
    const { status, body } = await it.call('VIEWER', 'POST', '/auth/cli-token')
    expect(status).toBe(200)
    expect(body).toEqual({
      token: expect.stringMatching(/^svc_cli_[0-9a-f]{64}$/),
      id: expect.any(String),
      name: 'CLI token',
      tier: 'STANDARD',
      created_at: '2026-01-01T00:00:00Z',
    })
    const stored = it.app.db.prepare('SELECT token_hash FROM cli_tokens WHERE id = ?').pluck().get(body.id)
    expect(stored).toBe(createHash('sha256').update(body.token).digest('hex'))
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(body.token))).body.id).toBe(
      it.person('VIEWER').userId,
    )
    expect((await it.call('VIEWER', 'GET', '/auth/cli-tokens')).text).not.toContain(body.token)
    expect(JSON.stringify(it.entries())).not.toContain(body.token)
  })

  it('makes none for a token that was revoked while it was asked', async () => {
    const it = await daemon()
    const stolen = await create(it)
    const before = (await it.call('OWNER', 'GET', '/auth/cli-tokens')).body.data.length
    const [revoked, made] = await Promise.all([
      it.call('OWNER', 'DELETE', `/auth/cli-tokens/${stolen.id}`),
      it.call(null, 'POST', '/auth/cli-token', { name: 'kept' }, bearer(stolen.token)),
    ])
    expect([revoked.status, made.status]).toEqual([200, 401])
    expect((await it.call('OWNER', 'GET', '/auth/cli-tokens')).body.data).toHaveLength(before)
  })

  it('tells the journal of every workspace of the user, by its name', async () => {
    const it = await daemon()
    const second = (await it.call('MEMBER', 'POST', '/workspaces', { name: 'Second', slug: 'second' })).body.id
    const { id } = await create(it, { name: 'my laptop' }, 'MEMBER')
    for (const workspace of [it.workspace, second]) {
      const about = it.entries(workspace).filter((entry) => entry.payload?.['entity_id'] === id)
      expect(about).toMatchObject([
        {
          entry_type: 'audit.entity_created',
          actor_id: it.person('MEMBER').userId,
          summary: `${it.person('MEMBER').email} created the token "my laptop"`,
          payload: { action: 'create', entity_type: 'cli_token', metadata: { tier: 'STANDARD', via: 'request' } },
        },
      ])
    }
  })

  it('tells the journal how far a token reaches and how long it lasts, and that it was revoked', async () => {
    const it = await daemon()
    const { userId, email } = it.person('OWNER')
    const plain = await create(it)
    const narrow = await create(it, { name: 'ci', scopes: ['crews:write'], expires_in_seconds: 60 })
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${narrow.id}`)
    const reach = { scopes: ['crews:write'], expires_at: '2026-01-01T00:01:00Z' }
    const common = { user_id: userId, email, tier: 'STANDARD' }
    const told = it.entries().map(({ payload }) => payload!)
    expect(told.filter((it) => it['entity_type'] === 'cli_token')).toEqual([
      expect.objectContaining({ entity_id: plain.id, name: 'CLI token', metadata: { ...common, via: 'request' } }),
      expect.objectContaining({ entity_id: narrow.id, metadata: { ...common, ...reach, via: 'request' } }),
      expect.objectContaining({ entity_id: narrow.id, name: 'ci', metadata: { ...common, ...reach } }),
    ])
  })

  it('takes a blank name for none, and a scope that is said twice once', async () => {
    const it = await daemon()
    expect((await create(it, { name: '  ' })).name).toBe('CLI token')
    expect((await create(it, { name: ' laptop ' })).name).toBe('laptop')
    expect((await create(it, { scopes: ['crews:write', 'crews:write'] })).scopes).toEqual(['crews:write'])
  })

  it('tells no more than 200 of them, and those of others however many one owns', async () => {
    const it = await daemon()
    const { userId } = it.person('MEMBER')
    it.app.db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO workspaces (id, name, slug, created_at, updated_at) SELECT 'own' || i, 'Own', 'own-' || i, 'x', 'x'
      FROM n;
      DELETE FROM workspace_members WHERE user_id = '${userId}';
      INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
        SELECT 'm' || id, id, '${userId}', iif(id = '${it.workspace}', 'MEMBER', 'OWNER'), 'x', 'x'
        FROM workspaces ORDER BY id DESC`)
    const { id } = await create(it, undefined, 'MEMBER')
    expect(it.entries().at(-1)?.payload).toMatchObject({ entity_id: id })
    expect(it.app.db.prepare("SELECT count(*) FROM journal WHERE doc LIKE '%cli_token%'").pluck().get()).toBe(200)
  })

  it('cannot be kept from the journals by somebody who takes its owner into many workspaces', async () => {
    const it = await daemon()
    const owner = it.person('OWNER')
    const own = (await it.call(owner, 'POST', '/workspaces', { name: 'Own', slug: 'own' })).body.id
    it.app.db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO workspaces (id, name, slug, created_at, updated_at) SELECT 'w' || i, 'Trap', 'trap-' || i, 'x', 'x'
      FROM n;
      INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
        SELECT 'm' || id, id, '${owner.userId}', 'VIEWER', 'x', 'x' FROM workspaces WHERE name = 'Trap'`)
    const { id } = await create(it, undefined, owner)
    for (const workspace of [it.workspace, own])
      expect(it.entries(workspace).at(-1)?.payload).toMatchObject({ entity_id: id })
  })

  it('works until it ends, and not a moment longer', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { token, expires_at } = await create(it, { expires_in_seconds: 60 })
    expect(expires_at).toBe('2026-01-01T00:01:00Z')
    clock.advance(59_999)
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(token))).status).toBe(200)
    clock.advance(1)
    const { body } = await it.call(null, 'GET', '/users/me', undefined, bearer(token))
    expect(body).toMatchObject({ code: 'session_invalid', detail: 'The token has expired', expired_at: expires_at })
    const { body: unknown } = await it.call(null, 'GET', '/users/me', undefined, bearer(`${token.slice(0, -1)}x`))
    expect(unknown).toMatchObject({ code: 'session_invalid' })
    expect(unknown).not.toHaveProperty('expired_at')
  })

  it('keeps the tier administrative to owners of the first workspace', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    expect((await it.call('ADMIN', 'POST', '/auth/cli-token', { tier: 'ADMIN' })).body).toMatchObject({
      status: 403,
      code: 'insufficient_role',
      field: 'tier',
    })
    expect((await it.call(it.stranger(), 'POST', '/auth/cli-token', { tier: 'ADMIN' })).status).toBe(403)
    const made = await create(it, { tier: 'admin', name: 'ops' })
    expect(made).toMatchObject({ tier: 'ADMIN', name: 'ops', expires_at: '2026-01-02T00:00:00Z' })
    expect(made.token).toMatch(/^svc_admin_[0-9a-f]{64}$/)
    const stored = it.app.db.prepare('SELECT token_hash FROM cli_tokens WHERE id = ?').pluck().get(made.id)
    expect(stored).toBe(createHmac('sha256', Buffer.from(key, 'hex')).update(made.token).digest('hex'))
  })

  it.each([
    [86_400 * 30, '2026-01-08T00:00:00Z'],
    [0, '2026-01-02T00:00:00Z'],
    [60, '2026-01-01T00:01:00Z'],
  ])('lets an administrative token of %i s end at %s', async (expires_in_seconds, expires_at) => {
    const it = await daemon({ config: { adminTokenKey: key } })
    expect(await create(it, { tier: 'ADMIN', expires_in_seconds })).toMatchObject({ expires_at })
  })

  it.each(['', 'zz'.repeat(32), 'ab'.repeat(31), 'abc'.repeat(33)])(
    'answers 503 with the key "%s"',
    async (adminTokenKey) => {
      const it = await daemon({ config: { adminTokenKey } })
      expect((await it.call('OWNER', 'POST', '/auth/cli-token', { tier: 'ADMIN' })).body).toMatchObject({
        status: 503,
        code: 'admin_tokens_unavailable',
      })
      expect((await it.call('OWNER', 'POST', '/auth/cli-token')).status).toBe(200)
    },
  )

  it.each([
    ['VIEWER', ['crews:write'], 403],
    ['MEMBER', ['agents:*'], 403],
    ['MANAGER', ['agents:*', 'crews:write'], 200],
    ['MANAGER', ['workspace:*'], 403],
    ['MANAGER', ['*'], 403],
    ['ADMIN', ['*'], 200],
  ] as const)('answers a %s who asks for %j with %i', async (role, scopes, status) => {
    const it = await daemon()
    const answer = await it.call(role, 'POST', '/auth/cli-token', { scopes })
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body.scopes).toEqual(scopes)
  })

  it('gives nobody without a workspace a scope', async () => {
    const it = await daemon()
    const owner = it.person('OWNER')
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(owner.userId)
    expect((await it.call('OWNER', 'POST', '/auth/cli-token', { scopes: ['crews:write'] })).body.code).toBe(
      'insufficient_role',
    )
  })

  it('names the scopes as what is beyond a role', async () => {
    const it = await daemon()
    const { body } = await it.call('VIEWER', 'POST', '/auth/cli-token', { scopes: ['crews:write'] })
    expect(body).toMatchObject({ status: 403, code: 'insufficient_role', field: 'scopes' })
  })

  it('never makes a token that reaches further than the one used', async () => {
    const it = await daemon()
    const narrow = await create(it, { scopes: ['crews:*', 'agents:write'], expires_in_seconds: 3600 })
    const ask = async (body?: object) =>
      (await it.call(null, 'POST', '/auth/cli-token', body, bearer(narrow.token))).body
    expect(await ask()).toMatchObject({ scopes: ['crews:*', 'agents:write'], expires_at: narrow.expires_at })
    expect(await ask({ scopes: ['crews:write'], expires_in_seconds: 60 })).toMatchObject({
      scopes: ['crews:write'],
      expires_at: '2026-01-01T00:01:00Z',
    })
    for (const scope of ['*', 'agents:*', 'credentials:write'])
      expect(await ask({ scopes: [scope] })).toMatchObject({
        status: 403,
        code: 'insufficient_scope',
        field: 'scopes',
      })
  })

  it.each([
    ['malformed JSON', '{"scopes": ["crews:write"]', undefined],
    ['a list', '[]', undefined],
    ['an unknown tier', { tier: 'ROOT' }, 'tier'],
    ['a tier that is a number', { tier: 1 }, 'tier'],
    ['an unknown scope', { scopes: ['crews:read'] }, 'scopes.0'],
    ['no scope at all', { scopes: [] }, 'scopes'],
    ['one scope as text', { scopes: 'crews:write' }, 'scopes'],
    ['a lifetime below nothing', { expires_in_seconds: -1 }, 'expires_in_seconds'],
    ['half a second', { expires_in_seconds: 0.5 }, 'expires_in_seconds'],
    ['a lifetime beyond all dates', { expires_in_seconds: 1e15 }, 'expires_in_seconds'],
    ['a short administrative lifetime', { tier: 'ADMIN', expires_in_seconds: 59 }, 'expires_in_seconds'],
    ['a name of 101 letters', { name: 'x'.repeat(101) }, 'name'],
    ['a name with a bell', { name: 'ding\u0007' }, 'name'],
  ])('refuses %s', async (_, body, field) => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const answer = await it.call('OWNER', 'POST', '/auth/cli-token', body)
    expect({ status: answer.status, field: answer.body.field }).toEqual({ status: 400, field })
    expect(it.app.db.prepare('SELECT count(*) FROM cli_tokens').pluck().get()).toBe(1)
  })

  it('counts against the strict bucket, good token or not', async () => {
    const it = await daemon({ config: { rateLimitDisabled: false, authPerMinute: 1 } })
    await create(it)
    expect((await it.call('OWNER', 'POST', '/auth/cli-token')).status).toBe(429)
    expect((await it.call('OWNER', 'GET', '/auth/cli-tokens')).status).toBe(200)
  })
})

describe('tokens.list', () => {
  it('shows the caller tokens alone, newest first, revoked ones too', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    await create(it, undefined, 'MEMBER')
    it.person('OWNER')
    clock.advance(1000)
    const first = await create(it, { name: 'first', scopes: ['crews:write'], expires_in_seconds: 60 })
    clock.advance(1000)
    const second = await create(it, { name: 'second' })
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${second.id}`)
    const { data } = (await it.call('OWNER', 'GET', '/auth/cli-tokens')).body
    expect(data).toEqual([
      {
        id: second.id,
        name: 'second',
        tier: 'STANDARD',
        created_at: '2026-01-01T00:00:02Z',
        revoked_at: '2026-01-01T00:00:02Z',
      },
      {
        id: first.id,
        name: 'first',
        tier: 'STANDARD',
        created_at: '2026-01-01T00:00:01Z',
        expires_at: '2026-01-01T00:01:01Z',
        scopes: ['crews:write'],
      },
      expect.objectContaining({ name: 'test' }),
    ])
  })

  it('is 500 long when nobody says how long, and goes on from there', async () => {
    const it = await daemon()
    it.app.db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
         INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, created_at)
           SELECT 't' || i, ?, 'n' || i, 'h' || i, 'STANDARD', '2026-01-02T00:00:00Z' FROM n`,
      )
      .run(it.person('OWNER').userId)
    const names = async (query: string) =>
      (await it.call('OWNER', 'GET', `/auth/cli-tokens${query}`)).body.data.map(({ name }: { name: string }) => name)
    const first = await names('')
    expect([first.length, first[0], first.at(-1)]).toEqual([500, 'n500', 'n1'])
    expect(await names('?offset=500')).toEqual(['test'])
  })

  it('remembers when a token was last used', async () => {
    const it = await daemon()
    const { token } = await create(it)
    await it.call(null, 'GET', '/users/me', undefined, bearer(token))
    await it.app.idle()
    expect((await it.call('OWNER', 'GET', '/auth/cli-tokens')).body.data[0].last_used_at).toBe('2026-01-01T00:00:00Z')
  })
})

describe('tokens.validate', () => {
  it('tells whose token it is and how far it reaches', async () => {
    const it = await daemon()
    const { email, userId } = it.person('OWNER')
    const { id } = it.app.db.prepare('SELECT id FROM cli_tokens WHERE user_id = ?').get(userId) as { id: string }
    expect((await it.call('OWNER', 'GET', '/auth/cli-token/validate')).body).toEqual({
      valid: true,
      id,
      user_id: userId,
      user_email: email,
      tier: 'STANDARD',
    })
    const { token, expires_at } = await create(it, { scopes: ['crews:write'], expires_in_seconds: 60 })
    expect((await it.call(null, 'GET', '/auth/cli-token/validate', undefined, bearer(token))).body).toMatchObject({
      expires_at,
      scopes: ['crews:write'],
    })
  })

  it('tells a browser session whose it is', async () => {
    const it = await daemon()
    const { email, userId } = it.person('MEMBER')
    it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
    const web = browser(it)
    await web.signIn(email, knownPassword)
    const { body } = await web.call('GET', '/auth/cli-token/validate')
    expect(body).toEqual({ valid: true, user_id: userId, user_email: email })
  })

  it('works for a user without a name', async () => {
    const it = await daemon()
    const { token } = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    it.app.db.prepare('UPDATE users SET full_name = NULL').run()
    expect((await it.call(null, 'GET', '/auth/cli-token/validate', undefined, bearer(token))).status).toBe(200)
  })
})

describe('tokens.rotate', () => {
  const rotate = ({ call }: TestDaemon, id: string, body?: object, token?: string) =>
    call(token ? null : 'OWNER', 'POST', `/auth/cli-tokens/${id}/rotate`, body, token ? bearer(token) : {})

  it('gives a new one of the same name, tier, scopes and lifetime, and ends the old one', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const closed: string[] = []
    it.app.bus.on('revoked', (id) => closed.push(id))
    const old = await create(it, { name: 'ci', scopes: ['crews:write'], expires_in_seconds: 3600 })
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(old.token))).status).toBe(200)
    clock.advance(1_800_000)
    const { status, body } = await rotate(it, old.id)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        token: expect.stringMatching(/^svc_cli_[0-9a-f]{64}$/),
        id: expect.any(String),
        name: 'ci',
        tier: 'STANDARD',
        created_at: '2026-01-01T00:30:00Z',
        expires_at: '2026-01-01T01:30:00Z',
        scopes: ['crews:write'],
      },
    })
    expect(body.id).not.toBe(old.id)
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(old.token))).body.code).toBe('session_invalid')
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(body.token))).status).toBe(200)
    expect(closed).toEqual([old.id])
    expect(it.entries().slice(-2)).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        payload: { entity_id: body.id, metadata: { via: 'rotation', replaces: old.id } },
      },
      { entry_type: 'audit.entity_deleted', payload: { entity_id: old.id, metadata: { replaced_by: body.id } } },
    ])
  })

  it('takes another name', async () => {
    const it = await daemon()
    const { id } = await create(it, { name: 'ci' })
    expect((await rotate(it, id, { name: 'ci 2' })).body.name).toBe('ci 2')
  })

  it('makes none for a token that was revoked while it was asked', async () => {
    const it = await daemon()
    const [stolen, other] = [await create(it), await create(it, { name: 'ci' })]
    const [revoked, made] = await Promise.all([
      it.call('OWNER', 'DELETE', `/auth/cli-tokens/${stolen.id}`),
      rotate(it, other.id, undefined, stolen.token),
    ])
    expect([revoked.status, made.status]).toEqual([200, 401])
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(other.token))).status).toBe(200)
  })

  it('keeps the name of the old one when a blank one is given', async () => {
    const it = await daemon()
    const { id } = await create(it, { name: 'ci' })
    const { body } = await rotate(it, id, { name: '  ' })
    expect(body).toMatchObject({ name: 'ci' })
    expect(body).not.toHaveProperty('expires_at')
  })

  it('has one winner, however many come at the same time', async () => {
    const it = await daemon()
    const { id } = await create(it, { name: 'ci' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(it, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)])
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('token_ended')
    expect(
      it.app.db.prepare("SELECT count(*) FROM cli_tokens WHERE name = 'ci' AND revoked_at IS NULL").pluck().get(),
    ).toBe(1)
  })

  it('replaces an administrative token, for who may still make one', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const { id } = await create(it, { tier: 'ADMIN', expires_in_seconds: 7200 })
    expect((await rotate(it, id)).body).toMatchObject({
      tier: 'ADMIN',
      expires_at: '2026-01-01T02:00:00Z',
      token: expect.stringMatching(/^svc_admin_/),
    })
    const second = await create(it, { tier: 'ADMIN' })
    it.app.db.prepare("UPDATE workspace_members SET role = 'ADMIN' WHERE user_id = ?").run(it.person('OWNER').userId)
    expect((await rotate(it, second.id)).body).toMatchObject({ status: 403, code: 'insufficient_role' })
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(second.token))).status).toBe(200)
  })

  it('never reaches further or longer than the token in use', async () => {
    const it = await daemon()
    const wide = await create(it)
    const long = await create(it, { scopes: ['crews:write'] })
    const narrow = await create(it, { scopes: ['crews:*'], expires_in_seconds: 3600 })
    expect((await rotate(it, wide.id, undefined, narrow.token)).body).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    })
    expect((await rotate(it, long.id, undefined, narrow.token)).body).toMatchObject({
      scopes: ['crews:write'],
      expires_at: narrow.expires_at,
    })
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(wide.token))).status).toBe(200)
  })

  it('answers alike for foreign and unknown ones', async () => {
    const it = await daemon()
    const { id } = await create(it, undefined, 'MEMBER')
    for (const tokenId of [id, 'cnone00000000000000000000'])
      expect((await rotate(it, tokenId)).body).toMatchObject({ status: 404, code: 'not_found', field: 'tokenId' })
  })
})

describe('tokens.uses', () => {
  const use = (it: TestDaemon, token: string, path: string) =>
    it.call(null, 'GET', path, undefined, { ...bearer(token), 'user-agent': 'curl/8' })

  it('shows every use of an administrative token, newest first, in pages', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock, config: { adminTokenKey: key } })
    const { id, token } = await create(it, { tier: 'ADMIN' })
    await use(it, token, '/users/me')
    clock.advance(1500)
    await use(it, token, '/workspaces?limit=5')
    const { body } = await it.call('OWNER', 'GET', `/auth/cli-tokens/${id}/uses`)
    expect(body).toEqual([
      {
        used_at: '2026-01-01T00:00:01.500Z',
        remote_addr: '127.0.0.1',
        user_agent: 'curl/8',
        path: '/api/v1/workspaces',
      },
      { used_at: '2026-01-01T00:00:00.000Z', remote_addr: '127.0.0.1', user_agent: 'curl/8', path: '/api/v1/users/me' },
    ])
    expect((await it.call('OWNER', 'GET', `/auth/cli-tokens/${id}/uses?limit=1&offset=1`)).body).toEqual([body[1]])
  })

  it('are those of that token alone', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const [one, other] = [await create(it, { tier: 'ADMIN' }), await create(it, { tier: 'ADMIN' })]
    await use(it, one.token, '/users/me')
    await use(it, other.token, '/workspaces')
    const { body } = await it.call('OWNER', 'GET', `/auth/cli-tokens/${other.id}/uses`)
    expect(body.map(({ path }: { path: string }) => path)).toEqual(['/api/v1/workspaces'])
  })

  it('are none for a standard token, and nobody else asks', async () => {
    const it = await daemon()
    const { id, token } = await create(it)
    await use(it, token, '/users/me')
    expect((await it.call('OWNER', 'GET', `/auth/cli-tokens/${id}/uses`)).body).toEqual([])
    expect((await it.call('ADMIN', 'GET', `/auth/cli-tokens/${id}/uses`)).body).toMatchObject({
      status: 404,
      field: 'tokenId',
    })
  })
})

describe('tokens.revoke', () => {
  it('CLI token: active -> revoked on DELETE; what it holds open closes at once, and the journal tells', async () => {
    const it = await daemon()
    const closed: string[] = []
    it.app.bus.on('revoked', (id) => closed.push(id))
    const { token, id } = await create(it)
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(token))).status).toBe(200)
    expect(await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'revoked' },
    })
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(token))).body.code).toBe('session_invalid')
    expect(closed).toEqual([id])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      actor_type: 'user',
      actor_id: it.person('OWNER').userId,
      payload: { entity_type: 'cli_token', entity_id: id },
    })
  })

  it('ends all tokens of a user who is shut out, at once and for the journal, and nobody else’s', async () => {
    const it = await daemon()
    const { userId } = it.person('OWNER')
    const elsewhere = it.stranger().workspace
    const made = [await create(it), await create(it)]
    const status = async (token: string) => (await it.call(null, 'GET', '/users/me', undefined, bearer(token))).status
    expect([await status(made[0].token), await status(made[1].token)]).toEqual([200, 200])
    const [{ id: ended }] = made
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${ended}`)
    const closed: string[] = []
    it.app.bus.on('revoked', (id) => closed.push(id))
    const before = it.entries().length
    it.app.writeNow(() => revokeAll(it.app, userId, { via: 'host' }))
    expect([await status(made[1].token), (await it.call('MEMBER', 'GET', '/users/me')).status]).toEqual([401, 200])
    const told = it.entries().slice(before)
    expect(told.map(({ actor_type, payload }) => [actor_type, payload?.['entity_id']])).toEqual(
      closed.map((id) => ['system', id]),
    )
    expect(closed).toHaveLength(2)
    expect(closed).toContain(made[1].id)
    expect(closed).not.toContain(ended)
    expect(it.entries(elsewhere), 'what concerns the user alone').toEqual([])
  })

  it('ends all when the host signs a user out with them, and none without', async () => {
    const it = await daemon()
    const { userId: id, email } = it.person('MEMBER')
    const user = { id, email, locked_until: null, two_factor_at: null }
    const { token } = it.person('MEMBER')
    const status = async () => (await it.call(null, 'GET', '/users/me', undefined, bearer(token))).status
    invalidate(it.app, [user], false)
    expect(await status()).toBe(200)
    invalidate(it.app, [user], true)
    expect(await status()).toBe(401)
    expect(it.entries().at(-1)).toMatchObject({
      actor_type: 'system',
      payload: { entity_type: 'cli_token', metadata: { via: 'host' } },
    })
  })

  it('ends all when the owner of the address takes the account over, and says why', async () => {
    const it = await daemon()
    const { userId: id, email } = it.person('MEMBER')
    const made = await create(it, undefined, 'MEMBER')
    const metadata = { changed: ['email_verified_at' as const], via: 'idp' as const, sessions: 0, tokens: 1 }
    it.app.writeNow(() =>
      it.app.journalIn([it.workspace], fact('user.reclaimed', { entity_id: id, name: email, metadata }, byUser(id))),
    )
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(made.token))).status).toBe(401)
    const ended = it.entries().filter(({ entry_type }) => entry_type === 'audit.entity_deleted')
    expect(ended.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({
        entity_id: made.id,
        metadata: { user_id: id, email, tier: 'STANDARD', reason: 'address_proved' },
      }),
    )
  })

  it('may be said again, to no further effect', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    it.person('OWNER')
    const { id } = await create(it)
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${id}`)
    const before = it.entries().length
    clock.advance(5000)
    expect(await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'revoked' },
    })
    expect((await it.call('OWNER', 'GET', '/auth/cli-tokens')).body.data[0].revoked_at).toBe('2026-01-01T00:00:00Z')
    expect(it.entries()).toHaveLength(before)
  })

  it('answers alike for foreign and unknown ones', async () => {
    const it = await daemon()
    const { id, token } = await create(it, undefined, 'MEMBER')
    for (const tokenId of [id, 'cnone00000000000000000000']) {
      expect((await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${tokenId}`)).body).toMatchObject({
        status: 404,
        code: 'not_found',
        field: 'tokenId',
      })
    }
    expect((await it.call(null, 'GET', '/users/me', undefined, bearer(token))).status).toBe(200)
  })

  it('lets a token end itself', async () => {
    const it = await daemon()
    const { token, id } = await create(it)
    expect((await it.call(null, 'DELETE', `/auth/cli-tokens/${id}`, undefined, bearer(token))).status).toBe(200)
    expect((await it.call(null, 'DELETE', `/auth/cli-tokens/${id}`, undefined, bearer(token))).status).toBe(401)
  })
})

describe('endOf', () => {
  it.each([
    [{ tier: 'STANDARD', wanted: 0, maker: null }, null],
    [{ tier: 'STANDARD', wanted: 30, maker: null }, 1030],
    [{ tier: 'STANDARD', wanted: 0, maker: 1500 }, 1500],
    [{ tier: 'STANDARD', wanted: 600, maker: 1500 }, 1500],
    [{ tier: 'ADMIN', wanted: 0, maker: null }, 87_400],
    [{ tier: 'ADMIN', wanted: 999_999_999, maker: null }, 605_800],
  ])('%j ends at %s', (given, end) => expect(endOf({ ...given, now: 1000 })).toBe(end))
})
