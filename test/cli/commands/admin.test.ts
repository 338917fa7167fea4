import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { createClient } from '#client'
import { migrate, openDatabase } from '#kernel/store/db'
import { closing, migrations } from '#test'
import { cli } from '../../support/cli.ts'
import { type Musterd, startMusterd } from '../../support/musterd.ts'

// Each starts several processes, one of them again and again.
vi.setConfig({ testTimeout: 120_000 })

const password = 'correct horse battery'

/** A server with one user, and the command line on its machine. The daemon runs until it is stopped. */
async function installation() {
  const it = cli({ SVC_CONTAINER_PROVIDER: 'process', SVC_PORT: '0', SVC_LOG_LEVEL: 'error' })
  const dir = join(it.home, 'data')
  it.env['SVC_DATA_DIR'] = dir
  const daemon = await startMusterd(it.env)
  closing({ close: () => daemon.kill() })
  const server = `unix://${dir}/musterd.sock`
  const first = await createClient({ server }).bootstrap.create({
    body: { full_name: 'Ada Lovelace', email: 'ada@example.com', password },
  })
  const client = createClient({ server, token: first.cli_token, workspace: first.workspace_id })
  return { ...it, dir, daemon, server, first, client }
}

/** The database itself, with no daemon running. */
function open(dir: string) {
  const db = new Database(join(dir, 'muster.db'))
  closing(db)
  return db
}

const at = (seconds: number) => `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}Z`

/** Adds somebody who was never here. */
function addUser(dir: string, email: string, members: Record<string, unknown> = {}): string {
  const db = open(dir)
  const id = `c${Math.random().toString(36).slice(2).padEnd(24, '0').slice(0, 24)}`
  const row = { id, email, full_name: null, created_at: at(0), updated_at: at(0), ...members }
  const names = Object.keys(row)
  db.prepare(`INSERT INTO users (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`).run(row)
  return id
}

/** Signs in as a browser does: the cookies, or null when the server says no. */
async function signIn({ url }: Musterd, email: string, password: string): Promise<string | null> {
  const cookiesOf = (reply: Response) => reply.headers.getSetCookie().map((line) => line.split(';', 1)[0]!)
  const csrf = await fetch(`${url}/api/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const reply = await fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: cookiesOf(csrf).join('; ') },
    body: JSON.stringify({ csrfToken, email, password }),
  })
  return ((await reply.json()) as { ok: boolean }).ok ? cookiesOf(reply).join('; ') : null
}

const statusOf = async ({ url }: Musterd, headers: Record<string, string>) =>
  (await fetch(`${url}/api/v1/users/me`, { headers })).status

describe('muster admin', () => {
  it('makes nothing where there is no data', async () => {
    const { run, home, env } = cli()
    const ran = await run('admin', 'list-users')
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('There is no Muster data in ') })
    expect(ran.stderr).toContain('SVC_DATA_DIR')
    expect(existsSync(join(home, '.local'))).toBe(false)
    const empty = join(home, 'empty')
    mkdirSync(empty)
    env['SVC_DATA_DIR'] = empty
    expect((await run('admin', 'list-users')).code).toBe(1)
    expect(readdirSync(empty)).toEqual([])
  })

  it('leaves the data to a daemon that runs, and says how to go on', async () => {
    const { run, daemon, env } = await installation()
    const refused = await run('admin', 'promote', '--email', 'ada@example.com')
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`A daemon works on ${env['SVC_DATA_DIR']}`),
    })
    expect(refused.stderr).toContain('Next: muster down')
    expect(JSON.parse((await run('admin', 'list-users', '--json')).stderr)).toMatchObject({
      code: 'daemon_running',
      exit_code: 1,
    })
    await daemon.kill()
    expect(await run('admin', 'list-users')).toMatchObject({ code: 0, stderr: '' })
  })

  it('holds the daemon’s own lock, so that no daemon starts beside it', async () => {
    const { dir, daemon, run } = await installation()
    await daemon.stop()
    const program = `import Database from 'better-sqlite3'
      const db = new Database(process.argv[1]); db.pragma('locking_mode = EXCLUSIVE'); db.exec('BEGIN EXCLUSIVE');
        console.log('held'); setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program, join(dir, 'musterd.lock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    closing({ close: () => holder.kill('SIGKILL') })
    await once(holder.stdout, 'data')
    expect((await run('admin', 'list-users')).code).toBe(1)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect((await run('admin', 'list-users')).code).toBe(0)
  })

  it.skipIf(process.getuid!() !== 0)('does not touch the data of another user', async () => {
    const { dir, daemon, run } = await installation()
    await daemon.stop()
    const before = readdirSync(dir).sort()
    chownSync(dir, 4711, 4711)
    const refused = await run('admin', 'list-users')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to the user with the id 4711') })
    expect(refused.stderr).toContain(`Next: sudo -u '#4711' env SVC_DATA_DIR=${dir} muster admin`)
    chownSync(dir, 0, 0)
    chownSync(join(dir, 'muster.db'), 4711, 4711)
    expect((await run('admin', 'list-users')).code).toBe(1)
    expect(readdirSync(dir).sort()).toEqual(before)
  })

  it('leaves behind what a daemon leaves behind, readable by its owner alone', async () => {
    const { dir, daemon, run } = await installation()
    await daemon.stop()
    const before = readdirSync(dir).sort()
    await run('admin', 'promote', '--email', 'ada@example.com')
    expect(readdirSync(dir).sort()).toEqual(before)
    for (const name of ['muster.db', 'encryption.key']) expect(statSync(join(dir, name)).mode & 0o777, name).toBe(0o600)
  })

  it('brings an older database up to date, as the daemon does', async () => {
    const { run, home, env } = cli()
    env['SVC_DATA_DIR'] = home
    const db = openDatabase(join(home, 'muster.db'))
    closing(db)
    migrate(db, migrations.slice(0, 1), 'before')
    expect(await run('admin', 'list-users', '--json')).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(db.prepare('SELECT count(*) FROM migrations').pluck().get()).toBe(migrations.length)
  })

  it('refuses a database that a newer version wrote', async () => {
    const { dir, daemon, run } = await installation()
    await daemon.stop()
    const db = open(dir)
    db.exec("UPDATE migrations SET name = '9999-later.sql' WHERE name = (SELECT max(name) FROM migrations)")
    const refused = await run('admin', 'list-users')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('written by a newer version') })
    expect(refused.stderr).not.toContain('    at ')
  })

  it('refuses a file that is no database', async () => {
    const { run, home, env } = cli()
    env['SVC_DATA_DIR'] = home
    writeFileSync(join(home, 'muster.db'), 'this is not a database, not at all, not even nearly one')
    expect(await run('admin', 'list-users')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is damaged: it does not begin as a database does'),
    })
  })

  it('speaks of this machine alone', async () => {
    const { run } = cli()
    expect(await run('admin', 'list-users', '--server', 'https://muster.example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('takes no --server'),
    })
  })
})

describe('muster admin list-users', () => {
  it('tells of everybody, or of who is locked out', async () => {
    const { dir, daemon, run, first } = await installation()
    await daemon.stop()
    const locked_until = at(900)
    addUser(dir, 'bob@example.com', { full_name: 'Bob', locked_until, two_factor_at: at(-60), created_at: at(60) })
    addUser(dir, 'eve@example.com', { locked_until: at(-5), created_at: at(120) })
    const all = JSON.parse((await run('admin', 'list-users', '--json')).stdout)
    expect(all).toMatchObject([
      {
        id: first.user_id,
        email: 'ada@example.com',
        full_name: 'Ada Lovelace',
        home_role: 'OWNER',
        workspaces: 1,
        locked_until: null,
        two_factor: false,
      },
      { email: 'bob@example.com', home_role: null, workspaces: 0, locked_until, two_factor: true },
      { email: 'eve@example.com', full_name: null, locked_until: null, last_sign_in_at: null },
    ])
    expect((await run('admin', 'list-users', '--locked-only', '-q')).stdout).toBe('bob@example.com\n')
    expect((await run('admin', 'list-users')).stdout.split('\n')[1]).toBe(
      `bob@example.com\tBob\t\ttrue\t${locked_until}\t\t${all[1].created_at}`,
    )
    expect(await run('admin', 'list-users', '--limit', '2', '-o', 'name')).toEqual({
      code: 0,
      stdout: 'ada@example.com\nbob@example.com\n',
      stderr: '2 of 3; --all shows every one.\n',
    })
  })
})

describe('muster admin promote', () => {
  it('raises a member or lets a stranger in, never lowers anybody, and leaves the journal whole', async () => {
    const { dir, daemon, run, first, env, server } = await installation()
    await daemon.stop()
    const eve = addUser(dir, 'eve@example.com')
    const promote = async (...words: string[]) =>
      JSON.parse((await run('admin', 'promote', '--email', 'EVE@example.com', '--json', ...words)).stdout)
    expect(await promote('--role', 'member')).toMatchObject({
      email: 'eve@example.com',
      role: 'MEMBER',
      previous_role: null,
      changed: true,
    })
    expect(await promote()).toMatchObject({ role: 'OWNER', previous_role: 'MEMBER', changed: true })
    expect(await promote('--role', 'viewer', '-w', first.workspace_id)).toMatchObject({
      role: 'OWNER',
      previous_role: 'OWNER',
      changed: false,
    })
    expect(await run('admin', 'promote', '--email', 'nobody@example.com')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster admin list-users'),
    })
    expect(await run('admin', 'promote', '--email', 'eve@example.com', '-w', 'nowhere')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nowhere'),
    })
    expect(await run('admin', 'promote', '--email', 'eve')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('email address'),
    })

    const again = await startMusterd(env)
    closing({ close: () => again.kill() })
    const client = createClient({ server, token: first.cli_token, workspace: first.workspace_id })
    expect(await client.members.list({ workspaceId: first.workspace_id, query: {} })).toMatchObject([
      { role: 'OWNER' },
      { user_id: eve, role: 'OWNER' },
    ])
    expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
    const { entries } = await client.journal.list({ query: { limit: 2 } })
    expect(entries.map(({ entry_type, actor_type, payload }) => [entry_type, actor_type, payload])).toMatchObject([
      [
        'audit.entity_updated',
        'system',
        {
          entity_type: 'workspace_member',
          metadata: { user_id: eve, role: 'OWNER', previous_role: 'MEMBER', via: 'host' },
        },
      ],
      ['audit.entity_created', 'system', { action: 'create', metadata: { role: 'MEMBER', previous_role: null } }],
    ])
    expect(entries[0]!.summary).toContain('on the host')
  })
})

describe('muster admin reset-password', () => {
  const better = 'another horse, another battery'

  it('sets the password, opens the account and ends its sessions; the journal stays whole', async () => {
    const { dir, daemon, env, run, pipe, first, client } = await installation()
    const cookie = await signIn(daemon, 'ada@example.com', password)
    expect(await statusOf(daemon, { cookie: cookie! })).toBe(200)
    const started = await fetch(`${daemon.url}/api/v1/auth/pair/start`, {
      method: 'POST',
      headers: { cookie: cookie! },
    })
    const { code } = (await started.json()) as { code: string }
    await daemon.stop()
    const db = open(dir)
    db.prepare('UPDATE users SET failed_login_count = 10, last_failed_login_at = @at, locked_until = @until').run({
      at: at(0),
      until: at(900),
    })
    db.prepare("INSERT INTO verification_tokens VALUES ('v', @user, 'h', 'password_reset', @now, @end, NULL)").run({
      user: first.user_id,
      now: at(0),
      end: at(900),
    })

    const done = await pipe(`${better}\n`, 'admin', 'reset-password', '--email', 'Ada@example.com', '--password-stdin')
    expect(done).toEqual({
      code: 0,
      stdout: 'ada@example.com\n',
      stderr: '✓ ada@example.com has a new password. The account is no longer locked. 2 sessions were ended.\n',
    })
    expect(
      db.prepare('SELECT password_hash, failed_login_count, last_failed_login_at, locked_until FROM users').get(),
    ).toEqual({
      password_hash: expect.stringMatching(/^\$2[aby]\$12\$/),
      failed_login_count: 0,
      last_failed_login_at: null,
      locked_until: null,
    })
    expect(db.prepare('SELECT count(*) FROM verification_tokens').pluck().get()).toBe(0)
    const [session] = JSON.parse((await run('admin', 'sessions', 'list', '--json')).stdout)
    expect(session).toMatchObject({ email: 'ada@example.com', revoked_reason: 'admin_force', ip: '127.0.0.1' })
    expect((await run('admin', 'sessions', '--active-only', '-q')).stdout).toBe('')
    expect(JSON.parse((await run('admin', 'list-users', '--json')).stdout)).toMatchObject([
      { locked_until: null, last_sign_in_at: session.created_at },
    ])

    const again = await startMusterd(env)
    closing({ close: () => again.kill() })
    expect(await statusOf(again, { cookie: cookie! })).toBe(401)
    expect(await signIn(again, 'ada@example.com', password)).toBeNull()
    expect(await signIn(again, 'ada@example.com', better)).not.toBeNull()
    expect((await client.pairing.redeem({ body: { code } }).catch((error) => error.problem)).code).toBe('invalid_code')
    expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
    const { entries } = await client.journal.list({ query: { limit: 20 } })
    const told = entries.filter(({ summary }) => summary.includes('on the host'))
    const ada = { user_id: first.user_id, email: 'ada@example.com' }
    expect(
      told.map(({ actor_type, actor_id, payload }) => [
        actor_type,
        actor_id,
        payload!['entity_type'],
        payload!['metadata'],
      ]),
    ).toEqual([
      ['system', undefined, 'session', { ...ada, reason: 'admin_force' }],
      ['system', undefined, 'session', { ...ada, reason: 'admin_force' }],
      ['system', undefined, 'user', { changed: ['password', 'locked_until'], via: 'host' }],
    ])
    expect(JSON.stringify(entries)).not.toContain(better)
  })

  it('takes the password from standard input alone, and shows it nowhere', async () => {
    const { dir, daemon, run, pipe, screen } = await installation()
    await daemon.stop()
    expect(await run('admin', 'reset-password', '--email', 'ada@example.com', '--password', better)).toMatchObject({
      code: 2,
    })
    const words = ['admin', 'reset-password', '--email', 'ada@example.com']
    for (const [given, why] of [
      ['short', 'at least 8 characters'],
      ['x'.repeat(73), 'exceed 72 bytes'],
      ['password123', 'most common'],
      ['', 'nothing came'],
    ] as const)
      expect(await pipe(given, ...words), given).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
    expect(open(dir).prepare("SELECT count(*) FROM journal WHERE doc LIKE '%on the host%'").pluck().get()).toBe(0)
    const shown = screen(words)
    await shown.until(/New password for ada@example.com/)
    shown.type(`${better}\r`)
    await shown.until(/New password for ada@example.com again/)
    shown.type(`${better}\r`)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('has a new password')
    expect(shown.text()).not.toContain(better)
  })

  it('turns the second factor off when asked, and says when it is still on', async () => {
    const { dir, daemon, env, pipe, first } = await installation()
    await daemon.stop()
    const db = open(dir)
    const row = { user: first.user_id, now: at(0) }
    db.prepare('UPDATE users SET two_factor_at = @now WHERE id = @user').run(row)
    db.prepare(
      "INSERT INTO totp_secrets (id, user_id, secret, confirmed, created_at) VALUES ('t', @user, 'sealed', 1, @now)",
    ).run(row)
    db.prepare("INSERT INTO recovery_codes VALUES (@user, 'h', @now)").run(row)
    const reset = (...words: string[]) =>
      pipe(better, 'admin', 'reset-password', '--email', 'ada@example.com', ...words)
    expect(await reset()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The second factor is still asked for; --disable-two-factor'),
    })
    const between = await startMusterd(env)
    expect(await signIn(between, 'ada@example.com', better)).toBeNull()
    await between.stop()
    expect(await reset('--disable-two-factor')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/The second factor is off\. There were no open sessions\.\n$/),
    })
    expect(
      db.prepare('SELECT (SELECT count(*) FROM totp_secrets) + (SELECT count(*) FROM recovery_codes)').pluck().get(),
    ).toBe(0)
    const again = await startMusterd(env)
    closing({ close: () => again.kill() })
    expect(await signIn(again, 'ada@example.com', better)).not.toBeNull()
  })

  it('is done or not done, wherever it is killed', async () => {
    const { dir, daemon, env, first } = await installation()
    await daemon.stop()
    const db = open(dir)
    const addSession = db.prepare(
      `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
        VALUES (@id, @user, @now, @now, @end, 'j')`,
    )
    /** What belongs together: the hash, open sessions, entries of resets. */
    const state = () => ({
      hash: db.prepare('SELECT password_hash FROM users').pluck().get() as string,
      open: db.prepare('SELECT count(*) FROM user_sessions WHERE revoked_at IS NULL').pluck().get() as number,
      told: db
        .prepare("SELECT count(*) FROM journal WHERE doc LIKE '%The password of % was reset%'")
        .pluck()
        .get() as number,
    })
    const program = new URL('../../../bin/musterd.js', import.meta.url).pathname
    const input = JSON.stringify({ email: 'ada@example.com', password: better })
    const attempt = (timeout: number | undefined) =>
      spawnSync(process.execPath, [program, 'admin', 'reset-password'], {
        env,
        input,
        timeout,
        killSignal: 'SIGKILL',
        encoding: 'utf8',
      })
    addSession.run({ id: 'whole', user: first.user_id, now: at(0), end: at(900) })
    const started = Date.now()
    expect(JSON.parse(attempt(undefined).stdout)).toMatchObject({ reply: { sessions: 2 } })
    const whole = Date.now() - started
    const ends = new Set<string>()
    for (let n = 1; n <= 10; n++) {
      addSession.run({ id: `s${n}`, user: first.user_id, now: at(0), end: at(900) })
      const before = state()
      attempt(Math.max(1, Math.round((whole * n) / 8)))
      const after = state()
      const done = after.hash !== before.hash
      ends.add(done ? 'new' : 'old')
      expect(after).toEqual(done ? { hash: after.hash, open: 0, told: before.told + 1 } : before)
    }
    expect(ends).toContain('old')
    const again = await startMusterd(env)
    closing({ close: () => again.kill() })
    const client = createClient({
      server: `unix://${dir}/musterd.sock`,
      token: first.cli_token,
      workspace: first.workspace_id,
    })
    expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
    expect(await signIn(again, 'ada@example.com', better)).not.toBeNull()
  })
})

describe('muster admin invalidate-sessions', () => {
  it('signs one user out everywhere, tokens too when asked', async () => {
    const { daemon, env, run, first, client } = await installation()
    const cookie = (await signIn(daemon, 'ada@example.com', password))!
    await daemon.stop()
    const one = ['admin', 'invalidate-sessions', '--email', 'ada@example.com']
    // The first user was signed in already when it was made.
    expect(await run(...one)).toMatchObject({ code: 0, stderr: '✓ Ended 2 sessions of 1 user.\n' })
    expect(await run(...one)).toMatchObject({ code: 0, stderr: '✓ Ended 0 sessions of 0 users.\n' })
    const between = await startMusterd(env)
    expect(await statusOf(between, { cookie })).toBe(401)
    expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
    const { entries } = await client.journal.list({ query: { limit: 3 } })
    const ended = { entity_type: 'session', metadata: { reason: 'admin_invalidate' } }
    expect(entries).toMatchObject([
      { actor_type: 'system', summary: 'A session of ada@example.com was ended on the host', payload: ended },
      { actor_type: 'system', payload: ended },
      {
        actor_type: 'system',
        summary: 'ada@example.com was signed out on the host: 2 sessions and 0 tokens ended',
        payload: { metadata: { sessions: 2, tokens: 0 } },
      },
    ])
    await between.stop()
    expect(JSON.parse((await run(...one, '--tokens', '--json')).stdout)).toEqual({ users: 1, sessions: 0, tokens: 1 })
    const again = await startMusterd(env)
    closing({ close: () => again.kill() })
    expect(await statusOf(again, { authorization: `Bearer ${first.cli_token}` })).toBe(401)
  })

  it('asks before it signs everybody out', async () => {
    const { dir, daemon, run, screen } = await installation()
    await signIn(daemon, 'ada@example.com', password)
    await daemon.stop()
    expect(await run('admin', 'invalidate-sessions')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    const asked = screen(['admin', 'invalidate-sessions'])
    await asked.until(/Sign everybody out\?/)
    asked.type('n\r')
    expect(await asked.ended).toBe(1)
    const live = open(dir).prepare('SELECT count(*) FROM user_sessions WHERE revoked_at IS NULL').pluck()
    expect(live.get()).toBe(2)
    expect(await run('admin', 'invalidate-sessions', '--yes')).toMatchObject({
      code: 0,
      stderr: '✓ Ended 2 sessions of 1 user.\n',
    })
    expect(live.get()).toBe(0)
  })
})
