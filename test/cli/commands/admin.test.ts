import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { migrate, openDatabase } from '#kernel/db'
import { closing, migrations } from '#test'
import { cli } from '../../support/cli.ts'
import { startMusterd } from '../../support/musterd.ts'

const password = 'correct horse battery'

/** A server with one user, and the command line on its machine. The daemon runs until it is stopped. */
async function installation() {
  const it = cli({ SVC_CONTAINER_PROVIDER: 'process', SVC_PORT: '0', SVC_LOG_LEVEL: 'error' })
  const dir = join(it.home, 'data')
  it.env['SVC_DATA_DIR'] = dir
  const daemon = await startMusterd(it.env)
  closing({ close: () => daemon.kill() })
  const server = `unix://${dir}/musterd.sock`
  const first = await createClient({ server }).bootstrap.create({ body: { full_name: 'Ada Lovelace', email: 'ada@example.com', password } })
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
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`A daemon works on ${env['SVC_DATA_DIR']}`) })
    expect(refused.stderr).toContain('Next: muster down')
    expect(JSON.parse((await run('admin', 'list-users', '--json')).stderr)).toMatchObject({ code: 'daemon_running', exit_code: 1 })
    await daemon.kill()
    expect(await run('admin', 'list-users')).toMatchObject({ code: 0, stderr: '' })
  })

  it('holds the daemon’s own lock, so that no daemon starts beside it', async () => {
    const { dir, daemon, run } = await installation()
    await daemon.stop()
    const program = `import Database from 'better-sqlite3'
      const db = new Database(process.argv[1]); db.pragma('locking_mode = EXCLUSIVE'); db.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program, join(dir, 'musterd.lock')], { stdio: ['ignore', 'pipe', 'inherit'] })
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
    expect(await run('admin', 'list-users')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be used: file is not a database') })
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
      { id: first.user_id, email: 'ada@example.com', full_name: 'Ada Lovelace', home_role: 'OWNER', workspaces: 1, locked_until: null, two_factor: false },
      { email: 'bob@example.com', home_role: null, workspaces: 0, locked_until, two_factor: true },
      { email: 'eve@example.com', full_name: null, locked_until: null, last_sign_in_at: null },
    ])
    expect((await run('admin', 'list-users', '--locked-only', '-q')).stdout).toBe('bob@example.com\n')
    expect((await run('admin', 'list-users')).stdout.split('\n')[1]).toBe(`bob@example.com\tBob\t${all[1].id}\t\t${locked_until}\t\ttrue`)
    expect(await run('admin', 'list-users', '--limit', '2', '-o', 'name')).toEqual({
      code: 0,
      stdout: 'ada@example.com\nbob@example.com\n',
      stderr: '2 of 3; --limit N shows more.\n',
    })
  })
})

describe('muster admin promote', () => {
  it('raises a member or lets a stranger in, never lowers anybody, and leaves the journal whole', async () => {
    const { dir, daemon, run, first, env, server } = await installation()
    await daemon.stop()
    const eve = addUser(dir, 'eve@example.com')
    const promote = async (...words: string[]) => JSON.parse((await run('admin', 'promote', '--email', 'EVE@example.com', '--json', ...words)).stdout)
    expect(await promote('--role', 'member')).toMatchObject({ email: 'eve@example.com', role: 'MEMBER', previous_role: null, changed: true })
    expect(await promote()).toMatchObject({ role: 'OWNER', previous_role: 'MEMBER', changed: true })
    expect(await promote('--role', 'viewer', '-w', first.workspace_id)).toMatchObject({ role: 'OWNER', previous_role: 'OWNER', changed: false })
    expect(await run('admin', 'promote', '--email', 'nobody@example.com')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster admin list-users'),
    })
    expect(await run('admin', 'promote', '--email', 'eve@example.com', '-w', 'nowhere')).toMatchObject({ code: 3, stderr: expect.stringContaining('nowhere') })
    expect(await run('admin', 'promote', '--email', 'eve')).toMatchObject({ code: 2, stderr: expect.stringContaining('email address') })

    const again = await startMusterd(env)
    closing({ close: () => again.kill() })
    const client = createClient({ server, token: first.cli_token, workspace: first.workspace_id })
    expect(await client.members.list({ workspaceId: first.workspace_id, query: {} })).toMatchObject([{ role: 'OWNER' }, { user_id: eve, role: 'OWNER' }])
    expect(await client.journal.verify({})).toMatchObject({ valid: true })
    const { entries } = await client.journal.list({ query: { limit: 2 } })
    expect(entries.map(({ entry_type, actor_type, payload }) => [entry_type, actor_type, payload])).toMatchObject([
      ['audit.entity_updated', 'system', { entity_type: 'workspace_member', metadata: { user_id: eve, role: 'OWNER', previous_role: 'MEMBER', via: 'host' } }],
      ['audit.entity_created', 'system', { action: 'create', metadata: { role: 'MEMBER', previous_role: null } }],
    ])
    expect(entries[0]!.summary).toContain('on the host')
  })
})
