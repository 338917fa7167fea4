import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { addPerson, daemon, type TestDaemon } from '#test'
import { banner } from '../../../cli/output/banner.ts'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

/** A daemon without anybody, and a command line that knows its address alone. */
async function empty() {
  const it = await daemon()
  it.app.db.prepare('DELETE FROM workspaces').run()
  const url = await it.http.listen({ port: 0, host: '127.0.0.1' })
  return { it, url, ...cli({ SVC_SERVER: url }) }
}

const stored = (home: string) => parse(readFileSync(join(home, '.config/muster/config.yaml'), 'utf8'))

describe('muster init', () => {
  it('makes the first user and signs in, once', async () => {
    const { home, url, run, pipe } = await empty()
    const made = await pipe('correct horse battery\n', 'init', '--email', 'ada@example.com', '--name', 'Ada Lovelace')
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('✓ Created ada@example.com, owner of the workspace '),
    })
    const { current, contexts } = stored(home)
    expect(contexts[current]).toMatchObject({
      server: url,
      user: 'ada@example.com',
      token: expect.stringMatching(/^svc_cli_[0-9a-f]{64}$/),
    })
    expect(statSync(join(home, '.config/muster/config.yaml')).mode & 0o777).toBe(0o600)
    expect(made.stdout + made.stderr).not.toContain(contexts[current].token)
    expect((await run('sessions', '--json')).stdout).toBe('[]\n')
    expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({
      user_email: 'ada@example.com',
      server: url,
      workspace: { slug: contexts[current].workspace, role: 'OWNER' },
      workspaces_count: 1,
    })
    expect(await pipe('correct horse battery\n', 'init', '--email', 'eve@example.com', '--name', 'Eve')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: muster login'),
    })
  })

  it('asks a person for what is missing, and shows no password', async () => {
    const { home, screen } = await empty()
    const shown = screen(['init'])
    await shown.until(/email address/)
    shown.type('ada@example.com\r')
    await shown.until(/full name/)
    shown.type('Ada\r')
    await shown.until(/Your password/)
    shown.type('correct horse battery\r')
    await shown.until(/password again/)
    shown.type('correct horse battery\r')
    expect(await shown.ended).toBe(0)
    expect(shown.text()).not.toContain('correct')
    expect(stored(home).contexts[stored(home).current].user).toBe('ada@example.com')
  })

  it('asks again for what cannot be used', async () => {
    const { home, screen } = await empty()
    const shown = screen(['init'])
    for (const [question, answer] of [
      [/email address/, 'nobody'],
      [/such as ada@example\.com/, '\u0015ada@example.com'],
      [/full name/, ' '],
      [/at least one character/, '\u0015Ada'],
      [/Your password/, 'short'],
      [/at least 8 characters/, '\u0015correct horse battery'],
      [/password again/, 'another horse battery'],
      [/The passwords differ[\s\S]*Your password/, 'correct horse battery'],
      [/differ[\s\S]*password again/, 'correct horse battery'],
    ] as const) {
      await shown.until(question)
      shown.type(`${answer}\r`)
    }
    expect(await shown.ended).toBe(0)
    expect(stored(home).contexts[stored(home).current].user).toBe('ada@example.com')
  })

  it('asks nothing where no daemon runs', async () => {
    const shown = cli().screen(['init', '--no-color'])
    expect(await shown.ended).toBe(8)
    expect(shown.text()).toContain('Next: muster up')
    expect(shown.text()).not.toContain('email address')
  })

  it('asks nothing where there is a first user already, or another kind of server', async () => {
    const { url, pipe } = await empty()
    await pipe('correct horse battery', 'init', '--email', 'ada@example.com', '--name', 'Ada')
    const taken = cli({ SVC_SERVER: url }).screen(['init', '--no-color'])
    expect(await taken.ended).toBe(5)
    expect(taken.text()).toContain('Next: muster login')
    const { url: other } = await fakeServer((_, reply) => json(reply, { ok: true }))
    const foreign = cli({ SVC_SERVER: other }).screen(['init', '--no-color'])
    expect(await foreign.ended).toBe(8)
    expect(foreign.text()).toContain('is not a Muster server')
    expect(taken.text() + foreign.text()).not.toContain('email address')
  })

  it.each([
    [['--name', 'Ada'], 'long enough', '--email is missing'],
    [['--email', 'a@b.co', '--name', 'Ada'], 'short', 'at least 8 characters'],
    [['--email', 'a@b.co', '--name', 'Ada'], 'ü'.repeat(40), 'at most 72 bytes'],
    [['--email', 'a@b.co', '--name', 'Ada'], '', 'nothing came on standard input'],
    [['--email', 'nobody', '--name', 'Ada'], 'long enough', '--email cannot be "nobody". Enter an address such as'],
  ])('refuses %j with the password "%s"', async (flags, password, reason) => {
    const { pipe } = await empty()
    expect(await pipe(password, 'init', ...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
  })

  it('sends no password over an open line', async () => {
    const { pipe } = cli({ SVC_SERVER: 'http://muster.example:8080' })
    expect(await pipe('long enough', 'init', '--email', 'a@b.co', '--name', 'Ada')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not encrypted'),
    })
  })
})

describe('muster login', () => {
  const server = async () => {
    const it = await daemon()
    const url = await it.http.listen({ port: 0, host: '127.0.0.1' })
    return { it, url, person: it.person('MANAGER') }
  }

  it('stores a token from standard input, for that server', async () => {
    const { it, url, person } = await server()
    const { home, pipe, run } = cli()
    expect(await pipe(`${person.token}\n`, 'login', '-s', url, '--as', 'work')).toMatchObject({
      code: 0,
      stdout: 'work\n',
    })
    expect(stored(home)).toMatchObject({
      current: 'work',
      contexts: { work: { server: url, user: person.email, token: person.token } },
    })
    expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({
      user_email: person.email,
      workspace: { id: it.workspace, role: 'MANAGER' },
    })
    expect((await run('crews')).code).toBe(0)
  })

  it('keeps name and workspace when it is repeated, and takes the one that is named', async () => {
    const { it, url, person } = await server()
    const { home, pipe, run } = cli()
    const second = await run('-s', url, 'workspaces', 'list').then(() => addSecond(it, person.userId))
    await pipe(person.token, 'login', '-s', url, '-w', second)
    const name = stored(home).current
    expect(stored(home).contexts[name].workspace).toBe(second)
    await pipe(person.token, 'login')
    expect(stored(home)).toMatchObject({ current: name, contexts: { [name]: { workspace: second } } })
    await pipe(person.token, 'login', '--as', 'renamed')
    expect(Object.keys(stored(home).contexts)).toEqual(['renamed'])
    expect(await pipe(person.token, 'login', '-w', 'elsewhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('You belong to no workspace "elsewhere"'),
    })
  })

  it('stores nothing that the server does not accept', async () => {
    const { url } = await server()
    const { pipe, run } = cli()
    expect(await pipe('svc_cli_wrong', 'login', '-s', url)).toMatchObject({ code: 4 })
    expect(await pipe('two words', 'login', '-s', url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a token'),
    })
    expect(await pipe('', 'login', '-s', url)).toMatchObject({ code: 2 })
    expect((await run('contexts', '-q')).stdout).toBe('')
  })

  it('warns before a token travels openly', async () => {
    expect((await cli().pipe('t', 'login', '-s', 'http://muster.invalid')).stderr).toContain('not encrypted')
  })

  it('asks a person how', async () => {
    const { url, person } = await server()
    const shown = cli().screen(['login', '-s', url])
    await shown.until(/How do you want to sign in/)
    shown.type('\u001b[B\u001b[B\u001b[B\r')
    await shown.until(/Token for/)
    shown.type(`${person.token}\r`)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain(`Signed in to ${url} as ${person.email}`)
    expect(shown.text()).not.toContain(person.token)
  })

  it('is undone by logout, which leaves the server known', async () => {
    const { url, person } = await server()
    const { home, pipe, run } = cli()
    await pipe(person.token, 'login', '-s', url)
    expect(await run('logout')).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed out of') })
    expect(
      (await fetch(`${url}/api/v1/users/me`, { headers: { authorization: `Bearer ${person.token}` } })).status,
    ).toBe(401)
    expect(readFileSync(join(home, '.config/muster/config.yaml'), 'utf8')).not.toContain('svc_cli_')
    expect(await run('whoami')).toMatchObject({ code: 4, stderr: expect.stringContaining('Next: muster login\n') })
    expect((await run('logout')).stderr).toContain('No token is stored')
  })

  it('is undone here alone by logout --local', async () => {
    const { url, person } = await server()
    const { pipe, run } = cli()
    await pipe(person.token, 'login', '-s', url)
    expect(await run('logout', '--local')).toMatchObject({ code: 0, stderr: expect.stringContaining('stays valid') })
    expect(
      (await fetch(`${url}/api/v1/users/me`, { headers: { authorization: `Bearer ${person.token}` } })).status,
    ).toBe(200)
  })

  it('is undone by logout although the server knows the token no more, or answers no more', async () => {
    const { url, person, it } = await server()
    const { home, pipe, run } = cli()
    await pipe(person.token, 'login', '-s', url)
    const [gone, away] = [stored(home), stored(home)]
    it.app.db.prepare('UPDATE cli_tokens SET revoked_at = ?').run('2026-01-01T00:00:00Z')
    it.app.auth.forget((it.app.db.prepare('SELECT id FROM cli_tokens').get() as { id: string }).id)
    expect(await run('logout')).toMatchObject({ code: 0, stderr: expect.stringContaining('The token was revoked.') })
    away.contexts[gone.current].server = 'http://127.0.0.1:9'
    writeFileSync(join(home, '.config/muster/config.yaml'), JSON.stringify(away))
    const silent = await run('logout')
    expect(silent).toMatchObject({ code: 0, stderr: expect.stringContaining('could not be revoked') })
    expect(silent.stderr).toContain('stays valid')
    expect(readFileSync(join(home, '.config/muster/config.yaml'), 'utf8')).not.toContain('svc_cli_')
  })
})

function addSecond({ app }: TestDaemon, userId: string): string {
  return app.writeNow(() => {
    const other = addPerson(app, 'OWNER', addWorkspace(app))
    app.db.prepare('UPDATE workspace_members SET user_id = ? WHERE user_id = ?').run(userId, other.userId)
    return 'second'
  })
}

function addWorkspace({ db, now }: TestDaemon['app']): string {
  db.prepare(
    "INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES ('c0000000000000000000second', " +
      "'Second', 'second', ?, ?)",
  ).run(now(), now())
  return 'c0000000000000000000second'
}

describe('muster pair', () => {
  it('signs in another device', async () => {
    const it = await daemon()
    const mine = await cliFor(it, 'MEMBER')
    const { stdout, stderr, code } = await mine.run('pair', '--no-wait')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}\n$/)])
    expect(stderr).toContain('this machine only')
    const other = cli()
    const server = mine.env['SVC_SERVER']!
    expect(await other.run('login', '-s', server, '--code', stdout.trim().toLowerCase())).toMatchObject({ code: 0 })
    expect(JSON.parse((await other.run('whoami', '--json')).stdout).user_email).toBe(it.person('MEMBER').email)
    expect((await mine.run('pairing', 'poll', stdout.trim(), '--jq', '.status')).stdout).toBe('consumed\n')
    expect(await other.run('login', '-s', server, '--code', stdout.trim())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Next: muster pair'),
    })
  })

  it('shows the code large, with its command and a QR code, and waits until it is used', async () => {
    const it = await daemon({ clock: movingClock() })
    const mine = await cliFor(it, 'MEMBER')
    const shown = mine.screen(['pair', '--url', 'https://muster.example.com', '--no-color'], { rows: 60 })
    const text = await shown.until(/Waiting for the device, (10:00|9:5\d) left/)
    const code = /muster login -s https:\/\/muster\.example\.com --code (\S+)/.exec(text)![1]!
    expect(text.replaceAll('\r', '')).toContain(banner(code).replace(/^/gm, '  '))
    expect(text).toContain('▀▀▀▀▀▀▀')
    expect((await mine.run('pairing', 'redeem', code)).stdout).toMatch(/^svc_cli_[0-9a-f]{64}\n$/)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('The device is signed in.')
  })

  it('ends with 1 when the code expires, telling programs all of it', async () => {
    const it = await daemon({ clock: movingClock() })
    const mine = await cliFor(it, 'MEMBER')
    const ran = mine.run('pair', '--json', '--url', 'http://h')
    await expect.poll(() => it.app.db.prepare('SELECT count(*) AS n FROM cli_pairings').get()).toEqual({ n: 1 })
    it.clock.advance(11 * 60_000)
    const { code, stdout } = await ran
    expect(code).toBe(1)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { status: 'pending', command: expect.stringMatching(/^muster login -s http:\/\/h --code /) },
      { status: 'expired' },
    ])
  })
})

const movingClock = () => {
  let now = Date.now()
  return Object.assign(() => now, { advance: (ms: number) => (now += ms) })
}

describe('muster tokens', () => {
  it('makes, lists, checks and revokes', async () => {
    const it = await daemon()
    const { env, run } = await cliFor(it, 'MANAGER')
    const made = await run(
      'tokens',
      'create',
      'ci',
      '--expires',
      '30d',
      '--scope',
      'crews:write',
      '--scope',
      'agents:write',
    )
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^svc_cli_[0-9a-f]{64}\n$/),
      stderr: expect.stringMatching(/^Token c\w+ \(ci\) is good until 2026-/),
    })
    const token = made.stdout.trim()
    const checked = await cli({ ...env, SVC_TOKEN: token }).run('tokens', 'validate', '--json')
    expect(JSON.parse(checked.stdout)).toMatchObject({
      valid: true,
      tier: 'STANDARD',
      scopes: ['crews:write', 'agents:write'],
    })
    const { stdout } = await run('tokens', 'list', '--jq', '.[] | select(.name == "ci") | .id')
    expect((await run('tokens')).stdout).not.toContain('svc_cli_')
    expect(await run('tokens', 'revoke', stdout.trim(), '--yes')).toMatchObject({ code: 0 })
    expect((await run('tokens')).stdout).toMatch(new RegExp(`^ci\t${stdout.trim()}\t(revoked|active|unused)`))
    expect(await cli({ ...env, SVC_TOKEN: token }).run('whoami')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no longer accepted'),
    })
    expect(await run('tokens', 'create', 'x', '--scope', 'everything')).toMatchObject({ code: 2 })
    expect(await run('tokens', 'create', 'x', '--expires', 'soon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--expires must be a duration'),
    })
    expect(JSON.parse((await run('tokens', 'create', 'x', '--json')).stdout)).toMatchObject({
      name: 'x',
      token: expect.stringContaining('svc_cli_'),
    })
  })
})

describe('muster tokens rotate', () => {
  it('replaces a token, in a file for its owner alone', async () => {
    const it = await daemon()
    const { env, home, run } = await cliFor(it, 'MANAGER')
    const path = join(home, 'token')
    expect(await run('tokens', 'create', 'ci', '--output-file', path)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(path),
    })
    const old = readFileSync(path, 'utf8').trim()
    const { id } = JSON.parse((await cli({ ...env, SVC_TOKEN: old }).run('tokens', 'validate', '--json')).stdout)
    expect(await run('tokens', 'rotate', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(await run('tokens', 'rotate', id, '--yes', '--output-file', path)).toMatchObject({ code: 0, stdout: '' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const fresh = readFileSync(path, 'utf8')
    expect(fresh).toMatch(/^svc_cli_[0-9a-f]{64}\n$/)
    expect(await cli({ ...env, SVC_TOKEN: fresh.trim() }).run('whoami')).toMatchObject({ code: 0 })
    expect(await cli({ ...env, SVC_TOKEN: old }).run('whoami')).toMatchObject({ code: 4 })
    expect(await run('tokens', 'rotate', id, '-y')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: muster tokens create NAME'),
    })
  })

  it('changes nothing when the file cannot be written, and leaves no file when the server refuses', async () => {
    const it = await daemon()
    const { home, run } = await cliFor(it, 'MANAGER')
    const { id } = JSON.parse((await run('tokens', 'create', 'ci', '--json')).stdout)
    expect(await run('tokens', 'rotate', id, '-y', '--output-file', join(home, 'no', 'where'))).toMatchObject({
      code: 2,
    })
    expect(it.app.db.prepare('SELECT revoked_at FROM cli_tokens WHERE id = ?').pluck().get(id)).toBeNull()
    expect(await run('tokens', 'rotate', 'cnone', '-y', '--output-file', join(home, 'token'))).toMatchObject({
      code: 3,
    })
    expect(existsSync(join(home, 'token'))).toBe(false)
    expect(readdirSync(home).filter((name) => name.startsWith('token'))).toEqual([])
  })

  it('prints the new one where no file is asked for', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'MANAGER')
    const { id } = JSON.parse((await run('tokens', 'create', 'ci', '--json')).stdout)
    const rotated = await run('tokens', 'rotate', id, '-y', '--name', 'deploy')
    expect(rotated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^svc_cli_[0-9a-f]{64}\n$/),
      stderr: expect.stringContaining('(deploy)'),
    })
  })
})

describe('muster tokens rotate of the stored token', () => {
  it('signs nobody out', async () => {
    const it = await daemon()
    const url = await it.http.listen({ port: 0, host: '127.0.0.1' })
    const { home, pipe, run } = cli()
    await pipe(it.person('MEMBER').token, 'login', '-s', url)
    const { id } = JSON.parse((await run('tokens', 'validate', '--json')).stdout)
    const rotated = await run('tokens', 'rotate', id, '--yes')
    expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining('uses the new token') })
    const { current, contexts } = stored(home)
    expect(`${contexts[current].token}\n`).toBe(rotated.stdout)
    expect((await run('whoami')).code).toBe(0)
  })
})

describe('muster tokens uses', () => {
  it('lists what an administrative token was used for', async () => {
    const it = await daemon({ config: { adminTokenKey: 'ab'.repeat(32) } })
    const { env, run } = await cliFor(it, 'OWNER')
    const made = JSON.parse((await run('tokens', 'create', 'ops', '--tier', 'admin', '--json')).stdout)
    await cli({ ...env, SVC_TOKEN: made.token }).run('users', 'me')
    const { stdout } = await run('tokens', 'uses', made.id)
    expect(stdout).toMatch(/^\/api\/v1\/users\/me\t127\.0\.0\.1\t/)
    expect(await run('tokens', 'uses', 'cnone')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Next: muster tokens list'),
    })
  })
})

describe('muster workspaces', () => {
  it('makes, lists, shows and chooses', async () => {
    const it = await daemon()
    const { home, env, run } = await cliFor(it, 'MEMBER')
    expect(await run('workspaces', 'create', 'Second Line', '--language', 'de')).toMatchObject({
      code: 0,
      stdout: 'second-line\n',
    })
    expect((await run('workspaces', '-q')).stdout.split('\n')).toContain('second-line')
    expect(JSON.parse((await run('workspaces', 'show', 'second-line', '--json')).stdout)).toMatchObject({
      name: 'Second Line',
      currentUserRole: 'OWNER',
    })
    expect(JSON.parse((await run('workspace', 'show', '--json')).stdout)).toMatchObject({
      id: it.workspace,
      currentUserRole: 'MEMBER',
    })
    expect((await run('workspaces', 'use', 'second-line')).code).toBe(0)
    expect(Object.values(stored(home).contexts)).toEqual([{ server: env['SVC_SERVER'], workspace: 'second-line' }])
    expect(await run('workspaces', 'use', 'nowhere')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('muster workspaces list'),
    })
    expect((await run('members', '-q')).stdout).toBe(`${it.person('MEMBER').email}\n`)
    expect((await cli({ SVC_SERVER: env['SVC_SERVER']!, SVC_TOKEN: env['SVC_TOKEN']! }).run('crews')).stderr).toContain(
      'Next: muster workspaces list',
    )
  })

  it('tells who is signed in, also to a workspace of others', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, { ...it.stranger(), workspace: it.workspace })
    const { stdout } = await run('whoami')
    expect(stdout).toContain('User\towner-')
    expect(JSON.parse((await run('whoami', '--json')).stdout).workspace).toBeNull()
    expect((await run('users', 'me', '--jq', '.full_name')).stdout).toBe('The OWNER\n')
  })
})

describe('muster system', () => {
  it('says how the daemon is, without a token', async () => {
    const { run } = await empty()
    expect((await run('system', 'health', '--jq', '.status')).stdout).toBe('ok\n')
    expect((await run('system', 'setup', '--jq', '.needs_bootstrap')).stdout).toBe('true\n')
    expect((await run('system', 'alive', '--jq', '.service')).stdout).toBe('muster\n')
    expect((await run('system', 'ready', '--jq', '.status')).stdout).toBe('true\n')
    expect((await run('system', 'metrics')).stdout).toContain('# HELP')
    expect((await run('system', 'openapi', '--jq', '.openapi')).stdout).toMatch(/^3\.1/)
    expect(await run('system', 'version')).toMatchObject({ code: 4 })
  })
})
