import { verify } from '@node-rs/bcrypt'
import { describe, expect, it, vi } from 'vitest'
import { createPasswords } from '#kernel/auth/passwords'
import { daemon, type TestDaemon } from '#test'
import { defaultWorkspace } from '../../../daemon/features/accounts/rules.ts'
import { mailServer } from '../../support/mail-server.ts'

const ada = { full_name: 'Ada Lovelace', email: 'Ada@Example.com', password: 'correct horse' }

/** A daemon that allows sign-up. Hashing is cheap unless a test is about it. */
async function open({ cost = 4, ...more }: Parameters<typeof daemon>[0] & { cost?: number } = {}) {
  const it = await daemon({ ...more, config: { allowSignup: true, ...more.config } })
  Object.assign(it.app, { passwords: createPasswords(cost) })
  return it
}

const signUp = ({ call }: TestDaemon, more: object = {}) => call(null, 'POST', '/auth/signup', { ...ada, ...more })
const count = ({ app }: TestDaemon, table: string) => app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
const contents = ({ app }: TestDaemon) =>
  ['users', 'workspaces', 'workspace_members', 'cli_tokens', 'journal'].map((table) =>
    app.db.prepare(`SELECT * FROM ${table}`).all(),
  )

/** A daemon with a mail server. */
async function mailing(more: Parameters<typeof daemon>[0] = {}) {
  const mail = await mailServer()
  const config = {
    smtpUrl: `smtp://127.0.0.1:${mail.port}`,
    mailerFrom: 'muster@example.com',
    publicUrl: 'https://muster.example.com/somewhere',
    ...more.config,
  }
  const it = await open({ ...more, config })
  return { ...it, mail }
}

describe('accounts.create', () => {
  it('makes an account with a workspace of its own, and journals both', async () => {
    const it = await open({ empty: true, cost: 12 })
    const { status, body, headers } = await signUp(it)
    expect(status).toBe(202)
    expect(body).toEqual({ ok: true, message: expect.any(String) })
    expect(headers['set-cookie']).toBeUndefined()
    const user = it.app.db.prepare('SELECT * FROM users').get() as Record<string, string>
    expect(user).toMatchObject({ email: 'ada@example.com', full_name: 'Ada Lovelace', email_verified_at: null })
    expect(user['password_hash']).toMatch(/^\$2b\$12\$/)
    expect(await verify(ada.password, user['password_hash']!)).toBe(true)
    const [workspace] = it.app.db
      .prepare('SELECT w.*, m.role, m.user_id FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id')
      .all() as [Record<string, string>]
    expect(workspace).toMatchObject({ name: "Ada Lovelace's Workspace", role: 'OWNER', user_id: user['id'] })
    expect(workspace['slug']).toBe(`ada-${workspace['id']!.slice(0, 8)}`)
    expect(
      it
        .entries(workspace['id']!)
        .map(({ entry_type, actor_id, payload }) => [entry_type, actor_id, payload?.['entity_type']]),
    ).toEqual([
      ['audit.entity_created', user['id'], 'user'],
      ['audit.entity_created', user['id'], 'workspace'],
    ])
    expect(count(it, 'cli_tokens')).toBe(0)
  })

  it('gives the first user of a server the server, as bootstrap would, and nobody after', async () => {
    const it = await open({ empty: true })
    await signUp(it)
    await signUp(it, { email: 'eve@example.com' })
    const homes = it.app.db.prepare(
      'SELECT u.email, w.home FROM users u JOIN workspace_members m ON m.user_id = u.id JOIN workspaces w ON ' +
        'w.id = m.workspace_id ORDER BY u.rowid',
    )
    expect(homes.all()).toEqual([
      { email: 'ada@example.com', home: 1 },
      { email: 'eve@example.com', home: 0 },
    ])
    expect((await it.call(null, 'POST', '/bootstrap', ada)).status).toBe(410)
  })

  it('makes no first user when the time for it is over', async () => {
    const it = await open({ empty: true, config: { bootstrapWindow: 60 } })
    it.clock.advance(60_001)
    expect((await signUp(it)).body).toMatchObject({
      status: 403,
      code: 'signup_disabled',
      error: expect.stringContaining('SVC_ALLOW_SIGNUP'),
    })
    const before = await open({ empty: true, config: { bootstrapWindow: 60 } })
    await before.call(null, 'POST', '/bootstrap', ada)
    before.clock.advance(60_001)
    expect((await signUp(before, { email: 'eve@example.com' })).status).toBe(202)
  })

  it('enters every workspace that invites the address instead, in the role given there', async () => {
    const it = await open()
    const other = it.stranger()
    for (const [who, workspace, email, role] of [
      ['ADMIN', it.workspace, 'ada@example.com', 'MANAGER'],
      [other, other.workspace, 'ADA@example.com', 'VIEWER'],
      [other, other.workspace, 'eve@example.com', 'ADMIN'],
    ] as const)
      expect((await it.call(who, 'POST', `/workspaces/${workspace}/invitations`, { email, role })).status).toBe(201)
    const workspaces = count(it, 'workspaces')
    expect((await signUp(it)).status).toBe(202)
    expect(count(it, 'workspaces')).toBe(workspaces)
    const { id } = it.app.db.prepare("SELECT id FROM users WHERE email = 'ada@example.com'").get() as { id: string }
    const roles = it.app.db.prepare('SELECT workspace_id, role FROM workspace_members WHERE user_id = ?').all(id) as {
      workspace_id: string
      role: string
    }[]
    expect(Object.fromEntries(roles.map(({ workspace_id, role }) => [workspace_id, role]))).toEqual({
      [it.workspace]: 'MANAGER',
      [other.workspace]: 'VIEWER',
    })
    for (const workspace of [it.workspace, other.workspace])
      expect(
        it.entries(workspace).map(({ payload }) => [payload?.['action'], payload?.['entity_type']]),
      ).toContainEqual(['create', 'user'])
  })

  it('keeps invitations open when the account cannot be stored', async () => {
    const it = await open({ quiet: true })
    await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'ada@example.com' })
    it.app.db.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON workspace_members BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    )
    expect((await signUp(it)).status).toBe(500)
    it.app.db.exec('DROP TRIGGER broken')
    expect((await it.call('ADMIN', 'GET', `/workspaces/${it.workspace}/invitations`)).body).toMatchObject([
      { email: 'ada@example.com' },
    ])
    expect(count(it, 'users')).toBe(1)
  })

  it('gives a workspace of its own when the invitation is over', async () => {
    const it = await open()
    await it.call('ADMIN', 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'ada@example.com' })
    it.clock.advance(7 * 86_400_000)
    const workspaces = count(it, 'workspaces') as number
    await signUp(it)
    expect(count(it, 'workspaces')).toBe(workspaces + 1)
  })

  it('is refused before the body is read unless the server allows it, and the set-up page knows', async () => {
    const closed = await daemon()
    const { status, body } = await closed.call(null, 'POST', '/auth/signup', '{')
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'signup_disabled' })
    expect(body.error).toContain('SVC_ALLOW_SIGNUP')
    expect((await closed.call(null, 'GET', '/system/setup-status')).body.allow_signup).toBe(false)
    expect((await (await open()).call(null, 'GET', '/system/setup-status')).body.allow_signup).toBe(true)
  })

  it('answers a taken address with the same bytes, and writes nothing', async () => {
    const it = await open()
    const first = await signUp(it)
    const before = contents(it)
    const second = await signUp(it, { email: 'ADA@example.COM', full_name: 'Eve', password: 'another password' })
    expect(contents(it)).toEqual(before)
    expect([second.status, second.text]).toEqual([first.status, first.text])
    const without = ({ 'x-request-id': _, date: __, ...rest }: Record<string, unknown>) => rest
    expect(without(second.headers)).toEqual(without(first.headers))
  })

  it('tells the owner of a taken address by mail, and nobody else', async () => {
    const it = await mailing()
    await signUp(it)
    await it.app.mailer.idle()
    expect(it.mail.arrived).toEqual([])
    await signUp(it, { full_name: 'Click https://evil.example' })
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(1)
    const [mail] = it.mail.arrived
    expect(mail).toMatchObject({ to: ['ada@example.com'], headers: { subject: 'You already have a Muster account' } })
    expect(mail!.text).toContain('Hello Ada Lovelace,')
    expect(mail!.raw).not.toContain('evil')
  })

  it('fills nobody’s mailbox: five such notices an hour', async () => {
    const it = await mailing({ config: { rateLimitDisabled: false, authPerMinute: 1000 } })
    for (let time = 0; time < 7; time += 1) await signUp(it)
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(5)
    it.clock.advance(12 * 60_000)
    await signUp(it)
    await it.app.mailer.idle()
    expect(it.mail.arrived).toHaveLength(6)
  })

  it('logs the attempt without the address when there is no mail', async () => {
    const it = await open()
    const info = vi.spyOn(it.app.log, 'info')
    await signUp(it)
    expect(info).not.toHaveBeenCalled()
    await signUp(it)
    expect(info.mock.calls).toEqual([
      [{ to: it.app.mailer.mark('ada@example.com') }, expect.stringContaining('Sign-up')],
    ])
    expect(JSON.stringify(info.mock.calls)).not.toContain('ada@')
  })

  it('lets one of many win, and none of them know', async () => {
    const it = await open({ empty: true })
    const answers = await Promise.all(Array.from({ length: 6 }, () => signUp(it)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(['users', 'workspaces', 'workspace_members'].map((table) => count(it, table))).toEqual([1, 1, 1])
  })

  it('gives people whose addresses begin alike different workspaces, however fast they come', async () => {
    const it = await open({ empty: true })
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => signUp(it, { email: `ada@${name}.example` })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    const slugs = it.app.db.prepare('SELECT slug FROM workspaces').pluck().all() as string[]
    expect(new Set(slugs).size).toBe(3)
    for (const slug of slugs) expect(slug).toMatch(/^ada-[a-z0-9]{8}$/)
  })

  it.each(['users', 'workspaces', 'workspace_members', 'journal'])(
    'leaves nothing half-written when %s cannot be written',
    async (table) => {
      const it = await open({ quiet: true })
      const before = contents(it)
      it.app.db.exec(`CREATE TRIGGER broken BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
      const { status, body } = await signUp(it)
      expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' })
      expect(contents(it)).toEqual(before)
      it.app.db.exec('DROP TRIGGER broken')
      expect((await signUp(it)).status).toBe(202)
      expect(count(it, 'users')).toBe(1)
    },
  )

  it.each([
    ['a name of one letter', { full_name: ' A ' }, 'full_name'],
    ['a name with a line break', { full_name: 'Ada\r\nBcc: eve@example.com' }, 'full_name'],
    ['a name that cannot be seen', { full_name: '\u200b\u3164\u200b' }, 'full_name'],
    ['a name that turns the writing around', { full_name: '\u202eecilA' }, 'full_name'],
    ['a name of 101 letters', { full_name: 'x'.repeat(101) }, 'full_name'],
    ['an address without a domain', { email: 'ada@' }, 'email'],
    ['an address with a name', { email: 'Ada <ada@example.com>' }, 'email'],
    ['two addresses', { email: 'ada@example.com,eve@example.com' }, 'email'],
    ['a Cyrillic letter in the address', { email: 'аda@example.com' }, 'email'],
    ['a Cyrillic letter in the domain', { email: 'ada@exаmple.com' }, 'email'],
    ['a full-width at sign', { email: 'ada＠example.com' }, 'email'],
    ['an invisible character in the address', { email: 'ada\u200b@example.com' }, 'email'],
    ['a dotless i', { email: 'adı@example.com' }, 'email'],
    ['a Kelvin sign, whose lower case is a plain k', { email: '\u212a@example.com' }, 'email'],
    ['an address of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, 'email'],
    ['a short password', { password: '1234567' }, 'password'],
    ['a password of 73 bytes', { password: 'x'.repeat(73) }, 'password'],
    ['a password of 37 letters and 74 bytes', { password: 'é'.repeat(37) }, 'password'],
    ['a common password', { password: 'password123' }, 'password'],
    ['a password that is a number', { password: 12345678 }, 'password'],
    ['no name', { full_name: undefined }, 'full_name'],
    ['first what stands first', { full_name: 'A', email: 'ada', password: 'x' }, 'full_name'],
    ['then the address', { email: 'ada', password: 'x' }, 'email'],
  ])('refuses %s', async (_, wrong, field) => {
    const it = await open({ empty: true })
    const { status, body } = await signUp(it, wrong)
    expect({ status, field: body.field }).toEqual({ status: 400, field })
    expect(count(it, 'users')).toBe(0)
  })

  it('counts against the strict bucket', async () => {
    const it = await open({ config: { rateLimitDisabled: false, authPerMinute: 2 } })
    const statuses: number[] = []
    for (let time = 0; time < 3; time += 1) statuses.push((await it.call(null, 'POST', '/auth/signup', '{}')).status)
    expect(statuses).toEqual([400, 400, 429])
  })
})

describe('defaultWorkspace', () => {
  it.each([
    ['ada', 'ada-cabcdefg'],
    ['Ada.B+c_d'.toLowerCase(), 'ada-b-c-d-cabcdefg'],
    ['...', 'workspace-cabcdefg'],
    ['x'.repeat(64), `${'x'.repeat(41)}-cabcdefg`],
  ])('gives %s a slug', (local, slug) =>
    expect(defaultWorkspace('Ada', `${local}@example.com`, 'cabcdefg').slug).toBe(slug),
  )
  it('keeps the name within its bound', () =>
    expect([...defaultWorkspace('é'.repeat(100), 'a@b.cd', 'cabcdefg').name]).toHaveLength(100))
})
