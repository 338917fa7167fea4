import { verify } from '@node-rs/bcrypt'
import { describe, expect, it } from 'vitest'
import { daemon, fixedClock } from '#test'

const ada = { full_name: 'Ada Lovelace', email: 'Ada@Example.com', password: 'correct horse' }

describe('bootstrap.create', () => {
  it('makes user, workspace and token, and journals all three', async () => {
    const { call, entries } = await daemon({ empty: true })
    const { status, body } = await call(null, 'POST', '/bootstrap', ada)
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['user_id', 'email', 'workspace_id', 'cli_token'])
    expect(body.email).toBe('ada@example.com')
    expect(body.cli_token).toMatch(/^svc_cli_[0-9a-f]{64}$/)
    const headers = { authorization: `Bearer ${body.cli_token}` }
    expect((await call(null, 'GET', '/users/me', undefined, headers)).body).toEqual({
      id: body.user_id,
      email: 'ada@example.com',
      full_name: 'Ada Lovelace',
      avatar_url: null,
    })
    expect((await call(null, 'GET', '/workspaces', undefined, headers)).body).toMatchObject([
      { id: body.workspace_id, name: "Ada Lovelace's Workspace", currentUserRole: 'OWNER' },
    ])
    expect((await call(null, 'GET', '/auth/cli-tokens', undefined, headers)).body.data).toMatchObject([
      { name: 'bootstrap', tier: 'STANDARD' },
    ])
    const written = entries(body.workspace_id)
    expect(
      written.map(({ entry_type, actor_id, payload }) => [entry_type, actor_id, payload?.['entity_type']]),
    ).toEqual(['user', 'workspace', 'cli_token', 'session'].map((kind) => ['audit.entity_created', body.user_id, kind]))
    expect(JSON.stringify(written)).not.toContain(body.cli_token)
  })

  it('stores a bcrypt hash of cost 12', async () => {
    const { call, app } = await daemon({ empty: true })
    await call(null, 'POST', '/bootstrap', ada)
    const { password_hash } = app.db.prepare<[], { password_hash: string }>('SELECT password_hash FROM users').get()!
    expect(password_hash).toMatch(/^\$2b\$12\$/)
    expect(await verify(ada.password, password_hash)).toBe(true)
  })

  it('lets one of many win', async () => {
    const { call, app } = await daemon({ empty: true })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        call(null, 'POST', '/bootstrap', { ...ada, email: `a${index}@example.com` }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410, 410, 410, 410, 410])
    const counts = ['users', 'workspaces', 'workspace_members', 'cli_tokens'].map((table) =>
      app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    )
    expect(counts).toEqual([1, 1, 1, 1])
  })

  it('says so before it looks at the body when there is a user', async () => {
    const { call, person } = await daemon()
    person('OWNER')
    const { status, body } = await call(null, 'POST', '/bootstrap', '{')
    expect({ status, code: body.code }).toEqual({ status: 410, code: 'already_initialized' })
  })

  it('closes when its window is over', async () => {
    const clock = fixedClock()
    const { call } = await daemon({ empty: true, clock, config: { bootstrapWindow: 60 } })
    clock.advance(60_001)
    expect((await call(null, 'POST', '/bootstrap', ada)).body).toMatchObject({ status: 410, code: 'bootstrap_closed' })
  })

  it('is open for ever without a window', async () => {
    const clock = fixedClock()
    const { call } = await daemon({ empty: true, clock })
    clock.advance(10 * 365 * 86_400_000)
    expect((await call(null, 'POST', '/bootstrap', ada)).status).toBe(201)
  })

  it('tells the set-up page', async () => {
    const { call } = await daemon({ empty: true })
    expect((await call(null, 'GET', '/system/setup-status')).body.needs_bootstrap).toBe(true)
    await call(null, 'POST', '/bootstrap', ada)
    expect((await call(null, 'GET', '/system/setup-status')).body.needs_bootstrap).toBe(false)
  })

  it.each([
    ['a name of one letter', { full_name: ' A ' }, 'full_name'],
    ['a name that is not text', { full_name: 7 }, 'full_name'],
    ['a name with a line break', { full_name: 'Ada\nLovelace' }, 'full_name'],
    ['a name of a few letters and many marks', { full_name: `Ada${'\u0301'.repeat(500)}` }, 'full_name'],
    ['an email without a domain', { email: 'ada@' }, 'email'],
    ['an email with a space', { email: 'a da@example.com' }, 'email'],
    ['a short password', { password: '1234567' }, 'password'],
    ['a password of 73 bytes', { password: 'x'.repeat(73) }, 'password'],
    ['a password of 37 letters and 74 bytes', { password: 'é'.repeat(37) }, 'password'],
    ['a common password', { password: 'Password123' }, 'password'],
    ['no password', { password: undefined }, 'password'],
  ])('refuses %s', async (_, wrong, field) => {
    const { call, app } = await daemon({ empty: true })
    const { status, body } = await call(null, 'POST', '/bootstrap', { ...ada, ...wrong })
    expect({ status, field: body.field }).toEqual({ status: 400, field })
    expect(app.db.prepare('SELECT count(*) FROM users').pluck().get()).toBe(0)
  })

  it('takes a password of 72 bytes, and tells it from a longer one', async () => {
    const { call, app } = await daemon({ empty: true })
    expect((await call(null, 'POST', '/bootstrap', { ...ada, password: 'x'.repeat(72) })).status).toBe(201)
    expect(
      await app.passwords.verify(
        'x'.repeat(72),
        String(app.db.prepare('SELECT password_hash FROM users').pluck().get()),
      ),
    ).toBe(true)
  })

  it('counts against the strict bucket', async () => {
    const { call } = await daemon({ empty: true, config: { rateLimitDisabled: false, authPerMinute: 2 } })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1)
      statuses.push((await call(null, 'POST', '/bootstrap', '{}')).status)
    expect(statuses).toEqual([400, 400, 429])
  })
})
