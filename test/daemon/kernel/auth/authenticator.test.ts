import { describe, expect, it } from 'vitest'
import { hashToken } from '#kernel/auth/authenticator'
import { addPerson, daemon, fixedClock, type TestDaemon } from '#test'

const key = 'cd'.repeat(32)
const me = async ({ call }: TestDaemon, authorization?: string, headers: Record<string, string> = {}) =>
  (
    await call(null, 'GET', '/users/me', undefined, {
      ...(authorization !== undefined && { authorization }),
      ...headers,
    })
  ).status
const adminToken = async ({ call }: TestDaemon): Promise<{ token: string; id: string }> =>
  (await call('OWNER', 'POST', '/auth/cli-token', { tier: 'ADMIN' })).body
const uses = ({ app }: TestDaemon) =>
  app.db.prepare<[], Record<string, string>>('SELECT * FROM cli_token_uses ORDER BY rowid').all()

describe('the header', () => {
  it.each([
    ['Bearer TOKEN', 200],
    ['bearer TOKEN', 200],
    ['BEARER   TOKEN ', 200],
    ['TOKEN', 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    ['Bearer TOKEN TOKEN', 401],
    ['Bearer TOKEN,', 401],
    ['BearerTOKEN', 401],
    ['Basic TOKEN', 401],
    ['Token TOKEN', 401],
  ])('"%s" is answered %i', async (text, status) => {
    const it = await daemon()
    expect(await me(it, text.replaceAll('TOKEN', it.person('MEMBER').token))).toBe(status)
  })

  it.each([
    'svc_cli_',
    'svc_cli_zz',
    `svc_cli_${'a'.repeat(63)}`,
    `svc_cli_${'a'.repeat(65)}`,
    `svc_cli_${'A'.repeat(64)}`,
    `svc_x_${'a'.repeat(64)}`,
    'x'.repeat(5000),
  ])('the token %s is not even looked up', async (token) => expect(hashToken(token, Buffer.alloc(32))).toBeNull())
})

describe('lookups', () => {
  it('are remembered for ten seconds', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { token, userId } = it.person('MEMBER')
    expect(await me(it, `Bearer ${token}`)).toBe(200)
    it.app.db.prepare("UPDATE cli_tokens SET revoked_at = 'x' WHERE user_id = ?").run(userId)
    clock.advance(9999)
    expect(await me(it, `Bearer ${token}`)).toBe(200)
    clock.advance(1)
    expect(await me(it, `Bearer ${token}`)).toBe(401)
  })

  it('that found nothing are remembered for thirty', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const token = `svc_cli_${'a'.repeat(64)}`
    expect(await me(it, `Bearer ${token}`)).toBe(401)
    const { userId } = it.person('MEMBER')
    it.app.db.prepare('UPDATE cli_tokens SET token_hash = ? WHERE user_id = ?').run(hashToken(token, null), userId)
    clock.advance(29_999)
    expect(await me(it, `Bearer ${token}`)).toBe(401)
    clock.advance(1)
    expect(await me(it, `Bearer ${token}`)).toBe(200)
  })

  it('of made-up tokens do not push out the real ones', async () => {
    const it = await daemon()
    const { token, userId } = it.person('MEMBER')
    await me(it, `Bearer ${token}`)
    it.app.db.prepare('DELETE FROM cli_tokens WHERE user_id = ?').run(userId)
    const request = (index: number) => ({
      authorization: `Bearer svc_cli_${index.toString(16).padStart(64, '0')}`,
      remoteAddress: null,
      userAgent: null,
      path: '/',
    })
    for (let index = 0; index < 20_000; index += 1) await it.app.auth.identify(request(index))
    expect(await me(it, `Bearer ${token}`)).toBe(200)
  })

  it('that the store cannot answer are a fault, not a bad token', async () => {
    const it = await daemon({ quiet: true })
    const { token } = it.person('MEMBER')
    it.app.db.exec('PRAGMA foreign_keys = OFF; DROP TABLE cli_tokens')
    expect(await me(it, `Bearer ${token}`)).toBe(500)
  })

  it('of memberships that the store cannot answer are a fault, not a refusal', async () => {
    const it = await daemon({ quiet: true })
    const owner = it.person('OWNER')
    expect((await it.call(owner, 'GET', `/workspaces/${it.workspace}`)).status).toBe(200)
    it.app.db.exec('PRAGMA foreign_keys = OFF; DROP TABLE workspace_members')
    expect((await it.call(owner, 'GET', `/workspaces/${it.workspace}`)).status).toBe(500)
  })
})

describe('administrative tokens', () => {
  it('leave a record of each use, without the query', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const { token, id } = await adminToken(it)
    const headers = { 'user-agent': 'x'.repeat(300), 'x-forwarded-for': '198.51.100.7' }
    for (const path of ['/users/me?secret=1', '/auth/cli-tokens'])
      await it.call(null, 'GET', path, undefined, { authorization: `Bearer ${token}`, ...headers })
    expect(uses(it)).toMatchObject([
      {
        token_id: id,
        path: '/api/v1/users/me',
        remote_addr: '198.51.100.7',
        user_agent: 'x'.repeat(250),
        used_at: '2026-01-01T00:00:00.000Z',
      },
      { token_id: id, path: '/api/v1/auth/cli-tokens' },
    ])
  })

  it('keep 500 characters of a path, and nothing of a program that says nothing', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const { token } = await adminToken(it)
    const request = { remoteAddress: null, userAgent: null, path: `/${'x'.repeat(600)}` }
    await it.app.auth.identify({ authorization: `Bearer ${token}`, ...request })
    expect(uses(it)).toMatchObject([{ path: `/${'x'.repeat(499)}`, user_agent: null, remote_addr: null }])
  })

  it('do not work when the record cannot be kept', async () => {
    const it = await daemon({ config: { adminTokenKey: key }, quiet: true })
    const { token } = await adminToken(it)
    expect(await me(it, `Bearer ${token}`)).toBe(200)
    it.app.db.exec('DROP TABLE cli_token_uses')
    expect(await me(it, `Bearer ${token}`)).toBe(500)
  })

  it('do not work without the key, or with another one', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const { token, id } = await adminToken(it)
    expect(hashToken(token, null)).toBeNull()
    it.app.db.prepare('UPDATE cli_tokens SET token_hash = ? WHERE id = ?').run(hashToken(token, Buffer.alloc(32)), id)
    expect(await me(it, `Bearer ${token}`)).toBe(401)
  })

  it('of the standard tier leave none', async () => {
    const it = await daemon()
    await me(it, `Bearer ${it.person('OWNER').token}`)
    expect(uses(it)).toEqual([])
  })

  it('act with the role of their user and no more', async () => {
    const it = await daemon({ config: { adminTokenKey: key } })
    const { token } = await adminToken(it)
    it.app.db.prepare("UPDATE workspace_members SET role = 'VIEWER' WHERE user_id = ?").run(it.person('OWNER').userId)
    const { body } = await it.call(null, 'GET', `/workspaces/${it.workspace}`, undefined, {
      authorization: `Bearer ${token}`,
    })
    expect(body.currentUserRole).toBe('VIEWER')
  })
})

describe('the general bucket', () => {
  const limited = { config: { rateLimitDisabled: false, apiPerMinute: 2 } }
  it('spares valid tokens, and nobody else', async () => {
    const clock = fixedClock()
    const it = await daemon({ ...limited, clock })
    const { token } = it.person('MEMBER')
    const short = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
    it.app.db
      .prepare('UPDATE cli_tokens SET expires_at = ? WHERE user_id = ?')
      .run('2026-01-01T00:00:10Z', short.userId)
    const many = async (authorization: string) => {
      const statuses = []
      for (let time = 0; time < 4; time += 1) statuses.push(await me(it, authorization))
      return statuses
    }
    expect(await many(`Bearer ${token}`)).toEqual([200, 200, 200, 200])
    expect(await many(`Bearer ${short.token}`)).toEqual([200, 200, 200, 200])
    clock.advance(10_000)
    expect(await many(`Bearer ${short.token}`)).toEqual([401, 401, 429, 429])
  })
})

describe('the time of last use', () => {
  it('is written once a minute at most', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { token, userId } = it.person('MEMBER')
    const last = () => it.app.db.prepare('SELECT last_used_at FROM cli_tokens WHERE user_id = ?').pluck().get(userId)
    const use = async () => {
      await me(it, `Bearer ${token}`)
      await it.app.idle()
      return last()
    }
    expect(await use()).toBe('2026-01-01T00:00:00Z')
    clock.advance(59_000)
    expect(await use()).toBe('2026-01-01T00:00:00Z')
    clock.advance(1000)
    expect(await use()).toBe('2026-01-01T00:01:00Z')
  })

  it('is that of the token that was used alone', async () => {
    const it = await daemon()
    await it.call('OWNER', 'POST', '/auth/cli-token', { name: 'idle' })
    await me(it, `Bearer ${it.person('MEMBER').token}`)
    await it.app.idle()
    const idle = it.app.db.prepare("SELECT last_used_at FROM cli_tokens WHERE name = 'idle'").pluck().get()
    expect(idle).toBeNull()
  })
})

describe('holds', () => {
  it('is true until the token is revoked or runs out', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const { id } = (await it.call('OWNER', 'POST', '/auth/cli-token', { expires_in_seconds: 5 })).body
    expect([it.app.auth.holds(id), it.app.auth.holds('cnone')]).toEqual([true, false])
    clock.advance(5000)
    expect(it.app.auth.holds(id)).toBe(false)
    const revoked = (await it.call('OWNER', 'POST', '/auth/cli-token')).body.id
    expect(it.app.auth.holds(revoked)).toBe(true)
    await it.call('OWNER', 'DELETE', `/auth/cli-tokens/${revoked}`)
    expect(it.app.auth.holds(revoked)).toBe(false)
  })
})
