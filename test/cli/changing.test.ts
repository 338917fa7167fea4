import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { noContainer, noRuntime } from '#kernel/absent'
import { daemon } from '#test'
import type { Manifest } from '../../cli/main.ts'
import { already, commandLine, filled, next } from '../../cli/outcomes.ts'
import { idOf, resolve } from '../../cli/resolve.ts'
import { untried } from '../../cli/untried.ts'
import { cli, cliFor } from '../support/cli.ts'
import { fakeServer, json } from '../support/fake-server.ts'
import { furnish } from '../support/furnish.ts'
import { read } from '../support/typed.ts'

const { commands } = JSON.parse(readFileSync(new URL('../../oclif.manifest.json', import.meta.url), 'utf8')) as Manifest
const all = Object.values(commands)
const having = (flag: string) => all.filter(({ flags }) => flags[flag]).map(({ id }) => id)
const known = {
  valued: [],
  ids: Object.keys(commands),
  aliases: Object.fromEntries(
    all.flatMap(({ id, aliases, hiddenAliases }) => [...aliases, ...hiddenAliases].map((alias) => [alias, id])),
  ),
}

/** What comes next depends on how these end, so they say it themselves. */
const own = [
  'account:forgot',
  'account:reset',
  'ask',
  'board',
  'chat',
  'inbox',
  'init',
  'login',
  'pair',
  'pairing:redeem',
  'rooms:open',
]
/** Calls by which a command changes this machine: its files, its processes, the data folder of its daemon. */
const here = [
  /(?<![.]|private )(?:change(?:UserFile|Contexts)|signIn|start|mend|stop|new Unattended)\(/,
  /this\.ask\('(?:promote|reset-password|invalidate-sessions)'/,
]
const changesHere = ({ id }: { id: string }) =>
  here.some((call) => call.test(read(`cli/commands/${id.replaceAll(':', '/')}.ts`)))

describe('commands that change something', () => {
  it('take --dry-run and --error-unchanged, and no others do', () => {
    const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const named = endpoints
      .filter(({ endpoint, name }) => endpoint.method !== 'GET' && name !== 'chats.search')
      .flatMap(({ feature, op }) => idOf(`${kebab(feature)}:${kebab(op)}`, known) ?? [])
    expect(named.length).toBeGreaterThan(70)
    expect(named.filter((id) => !having('error-unchanged').includes(id))).toEqual([])
    expect(having('dry-run').filter((id) => /:(list|show|status|count)$/.test(id))).toEqual([])
  })

  it('take --dry-run, or stand in the table of those that cannot, with a reason', () => {
    const changing = all.filter((it) => it.flags['error-unchanged'] || changesHere(it)).map(({ id }) => id)
    expect(changing).toEqual(expect.arrayContaining(['config:set', 'contexts:use', 'up', 'doctor', 'admin:promote']))
    expect(changing.filter((id) => !commands[id]!.flags['dry-run']).sort()).toEqual(Object.keys(untried).sort())
    for (const reason of Object.values(untried)) expect(reason).toMatch(/^[a-z].{20,}[^.]$/)
  })

  it.each(Object.entries(untried))('%s says why it has no dry run', async (id, reason) => {
    const ran = await cli().run(...id.split(':'), '--dry-run')
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${reason}.`) })
  })

  it('have one next command each', () => {
    const expected = having('error-unchanged').filter((id) => ![...own, 'signup'].includes(id))
    expect(Object.keys(next).sort()).toEqual(expected.sort())
    expect(Object.keys(already).filter((id) => !expected.includes(id))).toEqual([])
  })

  it.each(Object.entries(next))('%s: muster %s can be typed', (id, line) => {
    const words = {
      ...Object.fromEntries([...Object.keys(commands[id]!.args), 'agent'].map((name) => [name, 'x'])),
      name: 'y',
    }
    const typed = commandLine(line, words)
    expect(typed, `${line} has a word that the command lacks`).toBeDefined()
    expect(typed).not.toMatch(/[{}]/)
    const request = resolve(typed!.split(' ').slice(1), known)
    if (request.kind !== 'run') throw new Error(`There is no command ${typed}`)
    const command = commands[request.id]!
    const given = request.argv.filter((word, at) => !word.startsWith('--') && !request.argv[at - 1]?.startsWith('--'))
    const args = Object.values(command.args)
    expect(given.length).toBeGreaterThanOrEqual(args.filter(({ required }) => required).length)
    expect(given.length).toBeLessThanOrEqual(args.length)
    for (const word of request.argv)
      if (word.startsWith('--')) expect(Object.keys(command.flags)).toContain(word.slice(2))
  })

  it.each(Object.entries(already).filter(([, sentence]) => sentence !== null))(
    '%s: %s names arguments of the command',
    (id, sentence) =>
      expect(
        filled(sentence!, Object.fromEntries(Object.keys(commands[id]!.args).map((name) => [name, 'x']))),
      ).toBeDefined(),
  )

  it('quote what a shell would take apart', () =>
    expect(commandLine('crews show {crew}', { crew: "it's here" })).toBe("muster crews show 'it'\\''s here'"))
})

describe('--dry-run', () => {
  it('tells in sentences what would be recorded and answered, and changes nothing', async () => {
    const it = await daemon()
    const { run } = await cliFor(it)
    const ran = await run('crews', 'create', 'Web team', '--dry-run')
    expect(ran).toMatchObject({ code: 0, stderr: 'This was a dry run: nothing was changed.\n' })
    expect(ran.stdout).toMatch(/^Would record: .*web-team.*\nWould answer: 201 \{.*"slug":"web-team".*\}\n$/)
    expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
  })

  it('gives programs the answer of the server', async () => {
    const { run } = await cliFor(await daemon())
    const ran = await run('crews', 'create', 'Web', '--dry-run', '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject({
      dry_run: true,
      status: 201,
      body: { slug: 'web' },
      entries: [{ entry_type: 'audit.entity_created' }],
    })
    expect((await run('crews', 'create', 'Web', '--dry-run', '--jq', '.status')).stdout).toBe('201\n')
  })

  it('asks nothing, and shows no secret and no file', async () => {
    const it = await daemon()
    const { run, home } = await cliFor(it)
    await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    expect(await run('crews', 'rm', 'web', '--dry-run')).toMatchObject({ code: 0 })
    const made = await run('tokens', 'create', 'ci', '--dry-run', '--output-file', `${home}/token`)
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Would answer: 200 {') })
    expect(made.stdout).not.toContain('svc_cli_')
    expect(() => readFileSync(`${home}/token`)).toThrow('ENOENT')
    expect((await it.call('OWNER', 'GET', '/crews')).body).toHaveLength(1)
  })

  it('tries each of several changes', async () => {
    const it = await daemon()
    const { run } = await cliFor(it)
    const { userId } = it.person('OWNER')
    const insert = it.app.db.prepare(
      `INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
       VALUES (?, ?, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'x')`,
    )
    for (const id of ['s_1', 's_2']) insert.run(id, userId)
    const ran = await run('sessions', 'revoke', '--all-others', '--dry-run', '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject([{ body: { id: 's_2' } }, { body: { id: 's_1' } }])
  })

  it('is for requests of one’s own too', async () => {
    const it = await daemon()
    const { run } = await cliFor(it)
    const ran = await run('api', 'POST', '/crews', '-d', 'name=Web', '-d', 'slug=web', '--dry-run', '--jq', '.status')
    expect(ran).toMatchObject({ code: 0, stdout: '201\n' })
    expect((await run('api', 'GET', '/crews', '--dry-run', '--jq', 'length')).stdout).toBe('0\n')
  })

  it('fails as the change would', async () => {
    const it = await daemon()
    await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    const { run } = await cliFor(it)
    expect(await run('crews', 'create', 'Web', '--dry-run')).toMatchObject({ code: 5, stdout: '' })
    expect(await run('crews', 'list', '--dry-run')).toMatchObject({ code: 2 })
  })

  it('says so when an older server has made the change', async () => {
    const server = await fakeServer((_, reply) => json(reply, { slug: 'web' }, 201))
    const { run } = cli({ SVC_SERVER: server.url, SVC_TOKEN: 'svc_cli_test' })
    expect(await run('crews', 'create', 'Web', '--dry-run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This server knows no dry runs: it has made the change'),
    })
  })
})

describe('--dry-run of what is stored on this machine', () => {
  it('tells the file and its members, and writes nothing', async () => {
    const { run, home } = cli()
    const settings = `${home}/.config/muster/settings.yaml`
    expect(await run('config', 'set', 'pager', 'less', '--dry-run')).toMatchObject({
      code: 0,
      stdout: `Would write ${settings}:\n  settings.pager: less (now nothing)\n`,
      stderr: 'This was a dry run: nothing was changed.\n',
    })
    expect(() => readFileSync(settings)).toThrow('ENOENT')
    await run('config', 'set', 'pager', 'less')
    const again = ['config', 'set', 'pager', 'less', '--dry-run']
    expect((await run(...again)).stdout).toBe('Would change nothing: it is so already.\n')
    const unset = await run('config', 'unset', 'pager', '--dry-run', '--json')
    expect(JSON.parse(unset.stdout)).toEqual({
      dry_run: true,
      file: settings,
      changes: [{ member: 'settings.pager', before: 'less', after: null }],
    })
    expect(await run('config', 'get', 'pager')).toMatchObject({ stdout: 'less\n' })
  })

  it('asks nothing, refuses as the change would, and shows no token', async () => {
    const { run, env } = cli()
    const store = (name: string) => run('contexts', 'create', name, '--url', 'http://127.0.0.1:1')
    await store('work')
    const file = `${env['HOME']}/.config/muster/config.yaml`
    const stored = readFileSync(file, 'utf8').replace(/^( *)server: .*$/m, '$&\n$1token: svc_cli_secret')
    writeFileSync(file, stored)
    const removed = await run('contexts', 'remove', 'work', '--dry-run')
    expect(removed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('contexts.work.token: nothing (now [set])'),
    })
    expect(await run('contexts', 'create', 'work', '--url', 'http://127.0.0.1:1', '--dry-run')).toMatchObject({
      code: 2,
    })
    expect(await run('alias', 'remove', 'none', '--dry-run')).toMatchObject({ code: 3 })
    const renamed = await run('contexts', 'rename', 'work', 'office', '--dry-run')
    expect(removed.stdout + renamed.stdout).not.toContain('svc_cli_secret')
    expect(readFileSync(file, 'utf8')).toBe(stored)
  })

  it('of muster logout tells what would be revoked, and what forgotten', async () => {
    const it = await daemon()
    const { env } = await cliFor(it)
    const { SVC_SERVER: server, SVC_TOKEN: token, ...rest } = env
    const { run, pipe } = cli(rest)
    const made = (await it.call('OWNER', 'POST', '/auth/cli-token', { name: 'laptop' })).body
    expect(token).toBeDefined()
    expect((await pipe(made.token, 'login', '-s', server!)).code).toBe(0)
    const { code, stdout } = await run('logout', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Would record: .*laptop.*\nWould answer: 200 [^\n]*\nWould write .*\n[\s\S]*token: nothing \(now \[set\]\)/,
    )
    expect(await run('whoami')).toMatchObject({ code: 0 })
  })
})

describe('what is so already', () => {
  it('is said, and is an exit code of its own when asked for', async () => {
    const { run } = await cliFor(await daemon())
    const set = (...flags: string[]) => run('preferences', 'set', 'theme', 'dark', ...flags)
    expect(await set('--error-unchanged')).toMatchObject({ code: 0, stderr: '✓ Stored preference theme.\n' })
    expect(await set()).toMatchObject({ code: 0, stderr: '✓ theme has that value already.\n' })
    expect(await set('--error-unchanged')).toMatchObject({ code: 9 })
    expect(await set('--dry-run')).toMatchObject({ code: 0, stdout: 'Would change nothing: it is so already.\n' })
    expect(await set('--dry-run', '--error-unchanged')).toMatchObject({ code: 9 })
  })

  it('holds for crews that run, roles that are held and tokens that were revoked', async () => {
    const it = await daemon()
    const running = async () => ({ ...noContainer, state: 'running' as const })
    it.app.runtime = { ...noRuntime, start: running, stop: async () => noContainer }
    const { id } = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
    const { email } = it.person('MEMBER')
    const token = (await it.call('OWNER', 'POST', '/auth/cli-token', { name: 'ci' })).body.id
    const { run } = await cliFor(it)
    const observe = (state: string) =>
      it.app.db.prepare('UPDATE crew_containers SET observed = ? WHERE crew_id = ?').run(state, id)
    const said = async (...args: string[]) => (await run(...args)).stderr

    expect(await said('crews', 'start', 'web')).toBe('✓ The container of web is running.\n')
    expect(await said('crews', 'start', 'web')).toBe('✓ The container of web is running.\n')
    observe('running')
    expect(await said('crews', 'start', 'web')).toBe('✓ Crew web is already running.\n')
    expect(await said('crews', 'stop', 'web')).toBe('✓ The container of web is not_configured.\n')
    observe('stopped')
    expect(await said('crews', 'stop', 'web')).toBe('✓ Crew web is already stopped.\n')
    expect(await said('members', 'set-role', email, 'member')).toBe(`✓ ${email} is member already.\n`)
    expect(await said('tokens', 'revoke', token, '--yes')).toBe(`✓ Revoked token ${token}.\n`)
    expect(await said('tokens', 'revoke', token, '--yes')).toBe(`✓ Token ${token} was revoked already.\n`)
  })
})

describe('deletions that take something along', () => {
  it('want the name, count what they end, and take --yes with a remark', async () => {
    const it = await daemon()
    await furnish(it, it.person('OWNER'), 'own')
    const { run } = await cliFor(it)
    const workspace = await run('workspaces', 'rm', it.workspace)
    expect(workspace.stderr).toContain(' This ends 1 run in progress. Not asked')
    const asked = await run('crews', 'rm', 'own')
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('Delete crew own with its 2 agents and its container? This ends 1 run in progress.')
    expect(asked.stderr).toContain('Next: repeat the command with --confirm own')
    expect(await run('crews', 'rm', 'own', '--confirm', 'other')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--confirm names "other", but this is "own".'),
    })
    const agent = await run('agents', 'rm', 'own', '--yes')
    expect(agent).toMatchObject({ code: 0, stderr: expect.stringContaining('--yes is deprecated here') })
    expect(await run('crews', 'rm', 'own', '--confirm', 'own')).toMatchObject({
      code: 0,
      stderr: '✓ Deleted crew own.\n',
    })
  })

  it('ask for the name at a terminal', async () => {
    const it = await daemon()
    await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    const { screen } = await cliFor(it)
    const wrong = screen(['crews', 'rm', 'web'])
    await wrong.until(/Type web to go on/)
    wrong.type('wev\r')
    expect(await wrong.ended).toBe(1)
    expect((await it.call('OWNER', 'GET', '/crews')).body).toHaveLength(1)
    const right = screen(['crews', 'rm', 'web'])
    await right.until(/Type web to go on/)
    right.type('web\r')
    await right.until(/Next: muster crews list/)
    expect(await right.ended).toBe(0)
  })
})

describe('crews stop', () => {
  it('counts what it ends: asks at a terminal, tells elsewhere', async () => {
    const it = await daemon()
    it.app.runtime = { ...noRuntime, stop: async () => noContainer }
    await furnish(it, it.person('OWNER'), 'own')
    const { run, screen } = await cliFor(it)
    const shown = screen(['crews', 'stop', 'own'])
    await shown.until(/Stop crew own\? This ends 1 run in progress\./)
    shown.type('n\r')
    expect(await shown.ended).toBe(1)
    expect((await run('crews', 'stop', 'own')).stderr).toContain('This ends 1 run in progress.\n')
  })
})

describe('the next command', () => {
  it('is told at a terminal alone, and not to programs', async () => {
    const it = await daemon()
    const { run, screen } = await cliFor(it)
    const shown = screen(['crews', 'create', 'Web'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('Next: muster agents create NAME --crew web')
    const quiet = screen(['crews', 'create', 'Two', '--json'])
    expect(await quiet.ended).toBe(0)
    expect(quiet.text()).not.toContain('Next:')
    expect((await run('crews', 'create', 'Three')).stderr).not.toContain('Next:')
  })
})
