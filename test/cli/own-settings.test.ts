import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { expandAlias, wordsOf } from '../../cli/alias.ts'
import { readProject, withProject } from '../../cli/project.ts'
import { type Cli, cli, cliFor } from '../support/cli.ts'
import { fakeServer, json } from '../support/fake-server.ts'

const write = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text, { mode: 0o600 })
}
const project = ({ home }: Cli, text: string) => write(join(home, '.muster.yaml'), text)
const settings = ({ home }: Cli) => join(home, '.config/muster/settings.yaml')

async function office(variables: Record<string, string> = {}) {
  const it = await daemon()
  const { body: crew } = await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })
  return cliFor(it, 'OWNER', variables)
}

describe('a project’s file', () => {
  it('is found upwards, the nearest alone', () => {
    const { home } = cli()
    mkdirSync(join(home, 'a/b'), { recursive: true })
    writeFileSync(join(home, '.muster.yaml'), 'crew: far\nagent: ada\n')
    expect(readProject(join(home, 'a/b'))).toEqual({ crew: 'far', agent: 'ada', file: join(home, '.muster.yaml') })
    writeFileSync(join(home, 'a/.muster.yaml'), 'crew: near\n')
    expect(readProject(join(home, 'a/b'))).toEqual({ crew: 'near', file: join(home, 'a/.muster.yaml') })
  })

  const show = {
    id: 'crews:show',
    args: { crew: { required: true } },
    flags: { output: { type: 'option', char: 'o' } },
  }
  const ask = { id: 'ask', args: { agent: { required: true }, prompt: {} }, flags: { chat: { type: 'option' } } }
  const create = { id: 'agents:create', args: { name: { required: true } }, flags: { crew: { type: 'option' } } }
  it.each([
    ['names the crew that is left out', show, [], ['web']],
    ['is not asked where a crew is named', show, ['other'], ['other']],
    ['takes the value of a flag for no name', show, ['-o', 'json'], ['web', '-o', 'json']],
    ['names the agent of a question', ask, ['What now?'], ['ada', 'What now?']],
    ['is not asked where an agent is named', ask, ['grace', 'What now?'], ['grace', 'What now?']],
    ['is where agents are made', create, ['Ada'], ['Ada', '--crew=web']],
    ['makes way for the flag', create, ['Ada', '--crew', 'other'], ['Ada', '--crew', 'other']],
    ['deletes nothing', { ...show, id: 'crews:remove' }, ['--yes'], ['--yes']],
    ['changes nothing', { ...show, id: 'crews:update' }, ['--name=x'], ['--name=x']],
    ['narrows no list', { id: 'agents:list', args: {}, flags: { crew: { type: 'option' } } }, [], []],
  ])('%s', (_, command, argv, words) =>
    expect(withProject(argv, command, { crew: 'web', agent: 'ada' })).toEqual(words),
  )

  it.each([
    ['agent: "--server=http://127.0.0.1:1"', 'cannot take "--server=http://127.0.0.1:1" as its agent'],
    ['crew: "-o"', 'cannot take "-o" as its crew'],
    ['context: "a b"', 'cannot take "a b" as its context'],
    ['agent: "ada\\u001b]0;x\\u0007b"', 'cannot take "adab" as its agent'],
  ])('gives no flags: %s', async (text, why) => {
    const server = await fakeServer((_, reply) => json(reply, []))
    const muster = cli({ SVC_SERVER: server.url, SVC_TOKEN: 'secret' })
    project(muster, `${text.replace('http://127.0.0.1:1', server.url)}\n`)
    const { code, stderr } = await muster.run('ask', 'What now?')
    expect(code).toBe(2)
    expect(stderr.replace(server.url, 'http://127.0.0.1:1')).toContain(why)
    expect(server.seen).toEqual([])
  })

  it('is a short file, and nothing whose reading would not end', () => {
    const { home } = cli()
    const file = join(home, '.muster.yaml')
    symlinkSync('/dev/zero', file)
    expect(readProject(home)).toEqual({})
    rmSync(file)
    execFileSync('mkfifo', [file])
    expect(readProject(home)).toEqual({})
    rmSync(file)
    writeFileSync(file, `crew: ${'x'.repeat(5000)}\n`)
    expect(readProject(home)).toEqual({})
  })

  it('serves commands', async () => {
    const muster = await office()
    expect(await muster.run('crews', 'show', '--json=slug')).toMatchObject({ code: 2 })
    project(muster, 'crew: web\nagent: ada\n')
    expect(JSON.parse((await muster.run('crews', 'show', '--json=slug')).stdout)).toEqual({ slug: 'web' })
    expect(JSON.parse((await muster.run('agents', 'show', '--json=slug')).stdout)).toEqual({ slug: 'ada' })
    expect(await muster.run('logs')).toMatchObject({ code: 0, stderr: '' })
    expect(await muster.run('crews', 'show', 'other')).toMatchObject({ code: 3 })
    expect(await muster.run('crews', 'remove', '--yes')).toMatchObject({ code: 2 })
  })

  it('names a context, behind flags and variables', async () => {
    const muster = cli()
    write(
      join(muster.home, '.config/muster/config.yaml'),
      'current: one\ncontexts:\n  one:\n    server: "http://127.0.0.1:1"\n  two:\n    server: "http://127.0.0.1:2"\n',
    )
    const server = async (variables: Record<string, string> = {}, ...flags: string[]) => {
      Object.assign(muster.env, variables)
      const { stdout } = await muster.run('config', 'list', '--origin', '--json', ...flags)
      for (const name of Object.keys(variables)) delete muster.env[name]
      const { value, origin } = JSON.parse(stdout).find((row: { setting: string }) => row.setting === 'server')
      return `${value} ${origin}`
    }
    expect(await server()).toBe('http://127.0.0.1:1 context')
    project(muster, 'context: two\n')
    expect(await server()).toBe('http://127.0.0.1:2 project')
    expect(await server({ SVC_CONTEXT: 'one' })).toBe('http://127.0.0.1:1 environment')
    expect(await server({ SVC_CONTEXT: 'two' }, '--context', 'one')).toBe('http://127.0.0.1:1 context')
    expect(await server({ SVC_CONTEXT: 'one', SVC_SERVER: 'http://127.0.0.1:3' })).toBe(
      'http://127.0.0.1:3 environment',
    )
    project(muster, 'context: three\n')
    expect(await muster.run('crews')).toMatchObject({ stderr: expect.stringContaining('There is no context "three".') })
  })

  it.each([
    ['token: secret\n', 'has an unknown member "token"'],
    ['crew:\n  name: web\n', 'must name one crew'],
    ['- web\n', 'is not a list of names'],
  ])('refuses %j', async (text, why) => {
    const muster = cli()
    project(muster, text)
    const { code, stderr } = await muster.run('contexts')
    expect(code).toBe(2)
    expect(stderr).toContain(why)
    expect(stderr).not.toContain('secret')
  })

  it.skipIf(process.getuid?.() !== 0)('of another user is left alone', async () => {
    const { chownSync } = await import('node:fs')
    const { home } = cli()
    mkdirSync(join(home, 'shared/mine'), { recursive: true })
    writeFileSync(join(home, 'shared/.muster.yaml'), 'crew: trap\n')
    chownSync(join(home, 'shared/.muster.yaml'), 12_345, 12_345)
    expect(readProject(join(home, 'shared/mine'))).toEqual({})
  })
})

describe('stored settings', () => {
  it('stand in for variables, and say so', async () => {
    const muster = cli()
    expect((await muster.run('config', 'get', 'pager')).stdout).toBe('less\n')
    expect(await muster.run('config', 'set', 'pager', 'less -S')).toMatchObject({ code: 0 })
    expect((await muster.run('config', 'get', 'pager')).stdout).toBe('less -S\n')
    const row = async () =>
      JSON.parse((await muster.run('config', 'list', '--json')).stdout).find(
        (it: { setting: string }) => it.setting === 'pager',
      )
    expect(await row()).toMatchObject({ value: 'less -S', origin: 'settings' })
    muster.env['SVC_PAGER'] = 'more'
    expect(await row()).toMatchObject({ value: 'more', origin: 'environment' })
    delete muster.env['SVC_PAGER']
    expect(await muster.run('config', 'unset', 'pager')).toMatchObject({ code: 0 })
    expect(await row()).toMatchObject({ value: 'less', origin: 'default' })
    expect(await muster.run('config', 'unset', 'pager')).toMatchObject({ code: 2 })
  })

  it('are checked when they are set', async () => {
    const muster = cli()
    expect(await muster.run('config', 'set', 'pagr', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no setting "pagr"; there are http_timeout, no_color, no_input, pager.'),
    })
    expect(await muster.run('config', 'set', 'http_timeout', 'soon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('http_timeout must be a duration such as 10s, 5m or 2h, not "soon".'),
    })
  })

  it('are readable by their owner alone, and refused when they are no settings', async () => {
    const muster = cli()
    await muster.run('config', 'set', 'http_timeout', '5s')
    expect(statSync(settings(muster)).mode & 0o777).toBe(0o600)
    expect(readFileSync(settings(muster), 'utf8')).toContain('"http_timeout": "5s"')
    write(settings(muster), 'colour: red\n')
    expect(await muster.run('contexts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has an unknown member "colour"'),
    })
    expect(await muster.run('--version')).toMatchObject({ code: 0 })
    expect(await muster.run('--help')).toMatchObject({ code: 0 })
  })
})

describe('--no-input', () => {
  it('refuses what would be asked at a terminal, and names the flag to give', async () => {
    const muster = await office()
    const screen = muster.screen(['escalations', 'purge', 'web', '--no-input'])
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain('Not asked, because of --no-input.')
    expect(screen.text()).toContain('--confirm web')
  })

  it('is stored or set by a variable as well', async () => {
    const muster = await office({ SVC_NO_INPUT: '1' })
    const screen = muster.screen(['escalations', 'purge', 'web'])
    expect(await screen.ended).toBe(2)
  })
})

describe('aliases', () => {
  it.each([
    ['crews list', ['-q'], ['crews', 'list', '-q']],
    ['ask ada "Review $1" --chat $2', ['this', 'c1', '-v'], ['ask', 'ada', 'Review this', '--chat', 'c1', '-v']],
    ['ask $@ --thinking', ['ada', 'Go on'], ['ask', 'ada', 'Go on', '--thinking']],
    ['ask ada \'It is "so"\'', [], ['ask', 'ada', 'It is "so"']],
  ])('%j with %j', (text, args, words) => expect(expandAlias(text, args)).toEqual(words))

  it('need the arguments that they name', () => expect(() => expandAlias('ask $2', ['a'])).toThrow('needs 2 arguments'))
  it('close their quotation marks', () => expect(() => wordsOf('ask "ada')).toThrow('A quotation mark is open'))

  it('are set, used, listed and removed', async () => {
    const muster = await office()
    expect(await muster.run('alias', 'set', 'mine', 'crews list --json=slug')).toMatchObject({ code: 0 })
    expect(JSON.parse((await muster.run('mine')).stdout)).toEqual([{ slug: 'web' }])
    expect((await muster.run('mine', '--help')).stdout).toBe('muster mine stands for muster crews list --json=slug\n')
    expect((await muster.run('alias', 'list')).stdout).toBe('mine\tcrews list --json=slug\n')
    expect(await muster.run('alias', 'remove', 'mine')).toMatchObject({ code: 0 })
    expect(await muster.run('alias', 'remove', 'mine')).toMatchObject({ code: 3 })
    expect(await muster.run('mine')).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no command') })
  })

  it.each([
    [['crews', 'agents'], '"crews" is a command already.'],
    [['crew', 'agents'], '"crew" is a command already.'],
    [['x', 'nothing here'], '"nothing here" is not a command of muster.'],
    [['X!', 'crews'], 'small letters, digits and dashes'],
  ])('refuse %j', async (args, why) =>
    expect(await cli().run('alias', 'set', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) }),
  )
})

it('a home that is no folder holds no settings', async () => {
  const { env, run } = await office()
  env['HOME'] = '/dev/null'
  expect(await run('crews', '-q')).toMatchObject({ code: 0, stdout: 'web\n', stderr: '' })
})

describe('extensions', () => {
  it('are programs on the PATH: listed, run with what follows, and their exit code is passed on', async () => {
    const muster = cli()
    const path = join(muster.home, 'bin/muster-hello')
    write(path, '#!/bin/sh\necho "hello $1 of $SVC_WORKSPACE"\nexit 7\n')
    chmodSync(path, 0o700)
    write(join(muster.home, 'bin/muster-data'), 'no program\n')
    Object.assign(muster.env, { PATH: `${join(muster.home, 'bin')}:${muster.env['PATH']}`, SVC_WORKSPACE: 'office' })
    expect(await muster.program.run('hello', 'Ada')).toEqual({ code: 7, stdout: 'hello Ada of office\n', stderr: '' })
    for (const words of [
      ['hello', '--help'],
      ['help', 'hello'],
    ])
      expect(await muster.program.run(...words)).toEqual({ code: 7, stdout: 'hello --help of office\n', stderr: '' })
    const help = (await muster.run('--help')).stdout
    expect(help).toContain('EXTENSIONS\n  hello  muster-hello on the PATH\n')
    expect(help).not.toContain('muster-data')
    expect(await muster.run('data')).toMatchObject({ code: 2 })
  })

  it('are looked for in absolute folders of the PATH alone, and by plain names', async () => {
    const muster = cli()
    for (const name of ['muster-trap', 'muster-\u001b]0;x', 'muster--x'])
      write(join(muster.home, 'here', name), '#!/bin/sh\necho trapped\n')
    for (const name of readdirSync(join(muster.home, 'here'))) chmodSync(join(muster.home, 'here', name), 0o700)
    const here = join(muster.home, 'here')
    muster.env['PATH'] = `.:${relative(process.cwd(), here)}:${muster.env['PATH']}`
    expect(await muster.program.run('trap')).toMatchObject({ code: 2, stdout: '' })
    expect((await muster.run('--help')).stdout).not.toContain('EXTENSIONS')
    muster.env['PATH'] = `${here}:${muster.env['PATH']}`
    expect((await muster.run('--help')).stdout).toContain('EXTENSIONS\n  trap  muster-trap on the PATH\n\n')
  })

  it('never replace a command', async () => {
    const muster = cli()
    const path = join(muster.home, 'bin/muster-contexts')
    write(path, '#!/bin/sh\necho stolen\n')
    chmodSync(path, 0o700)
    muster.env['PATH'] = `${join(muster.home, 'bin')}:${muster.env['PATH']}`
    expect((await muster.program.run('contexts')).stdout).not.toContain('stolen')
    expect((await muster.run('--help')).stdout).not.toContain('muster-contexts')
  })

  it('are listed by muster plugins, with what hides them', async () => {
    const muster = cli()
    const folders = ['bin', 'more'].map((name) => join(muster.home, name))
    for (const path of ['bin/muster-hello', 'bin/muster-crew', 'bin/muster-now', 'more/muster-hello']) {
      write(join(muster.home, path), '#!/bin/sh\n')
      chmodSync(join(muster.home, path), 0o700)
    }
    muster.env['PATH'] = [...folders, muster.env['PATH']].join(':')
    await muster.run('alias', 'set', 'now', 'ps')
    const [bin, more] = folders
    expect(JSON.parse((await muster.run('plugins', '--json')).stdout)).toEqual([
      { name: 'crew', path: `${bin}/muster-crew`, hidden_by: 'command' },
      { name: 'hello', path: `${bin}/muster-hello`, hidden_by: null },
      { name: 'hello', path: `${more}/muster-hello`, hidden_by: 'plugin' },
      { name: 'now', path: `${bin}/muster-now`, hidden_by: 'alias' },
    ])
    expect((await muster.run('plugins', '-o', 'table')).stdout).toContain('hidden by command')
    muster.env['PATH'] = bin!.replace(/bin$/, 'none')
    expect((await muster.run('plugins', '-o', 'table')).stderr).toContain('No plugins')
  })
})
