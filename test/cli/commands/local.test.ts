import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../cli/main.ts'
import { cli } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

const root = new URL('../../../', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

describe('muster version', () => {
  it('names this program at once', async () => {
    const { run } = cli()
    const line = `muster/${version} ${process.platform}-${process.arch} node-${process.version}\n`
    for (const words of [['--version'], ['-V'], ['-q', '--version']])
      expect(await run(...words)).toEqual({ code: 0, stdout: line, stderr: '' })
  })

  it('names the server too, when one answers', async () => {
    const server = await fakeServer((_, reply) =>
      json(reply, { status: 'ok', service: 'musterd', version: '9.8.7', uptime: 1 }),
    )
    const { run } = cli({ SVC_SERVER: server.url })
    expect(JSON.parse((await run('version', '--json')).stdout)).toEqual({
      client: version,
      server: '9.8.7',
      node: process.version,
    })
    await server.close()
    expect(await run('version', '--json=server')).toMatchObject({ code: 0, stdout: '{\n  "server": null\n}\n' })
  })

  it('warns a person when command and server are of different releases', async () => {
    const server = await fakeServer((_, reply) => json(reply, [], 200, { 'x-svc-server-version': '9.8.7' }))
    const { run, screen } = cli({ SVC_SERVER: server.url })
    const shown = screen(['api', 'crews'])
    await shown.ended
    expect(shown.text()).toContain('The server runs 9.8.7')
    expect((await run('api', 'crews')).stderr).toBe('')
  })
})

describe('muster status', () => {
  it('is not taken in by another kind of server', async () => {
    const { url } = await fakeServer((_, reply) => json(reply, { ok: true }))
    expect(await cli({ SVC_SERVER: url }).run('status')).toEqual({
      code: 8,
      stdout: '',
      stderr: expect.stringContaining(
        `Error: What answers at ${url} is not a Muster server\nDocs: docs/cli.md#which-server-as-whom-where\nNext: `,
      ),
    })
  })
})

describe('muster config list', () => {
  it('shows values and where they come from, but no secret', async () => {
    const { run } = cli({
      SVC_SERVER: 'http://elsewhere:1',
      SVC_TOKEN: 'very-secret',
      SVC_PORT: '4711',
      SVC_METRICS_TOKEN: 'also-secret',
    })
    const ran = await run('config', 'show', '--origin')
    expect(ran.stdout).toContain('server\tmuster\thttp://elsewhere:1\tenvironment\tSVC_SERVER\n')
    expect(ran.stdout).toContain('token\tmuster\t[set]\tenvironment\tSVC_TOKEN\n')
    expect(ran.stdout + ran.stderr).not.toMatch(/(very|also)-secret/)
    if (existsSync(join(root, 'dist/daemon/musterd.js')))
      expect(ran.stdout).toContain('server.port\tmusterd\t4711\tenvironment\tSVC_PORT\n')
    expect((await run('config', 'show', '--changed', '--jq', 'map(.origin) | index("default")')).stdout).toBe('null\n')
  })
})

describe('help', () => {
  const manifest = () => JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as Manifest

  it('is there for every command, with a summary and examples', async () => {
    for (const [id, { summary, examples, args, flags }] of Object.entries(manifest().commands)) {
      expect(summary, id).toMatch(/^[A-Z].{5,90}[^.]$/)
      expect(examples?.length, id).toBeGreaterThan(0)
      for (const it of [...Object.values(args), ...Object.values(flags)])
        expect(it.description ?? ('summary' in it && it.summary), `${id} ${it.name}`).toBeTruthy()
    }
  })

  it('names every command or its noun in the overview', async () => {
    const { run } = cli()
    const { stdout, code } = await run('--help')
    expect(code).toBe(0)
    expect(await run()).toEqual({ code: 0, stdout, stderr: '' })
    expect(await run('help')).toEqual({ code: 0, stdout, stderr: '' })
    for (const id of Object.keys(manifest().commands))
      expect(stdout).toMatch(new RegExp(`^  ${id.split(':')[0]}  `, 'm'))
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('explains a noun and a command, by any of its names', async () => {
    const { run } = cli()
    expect((await run('help', 'contexts')).stdout).toMatch(/COMMANDS\n {2}create +Store a server under a name\n/)
    const { stdout } = await run('context', 'rm', '--help')
    expect(stdout).toMatch(/^Forget a server and its token\n\nEXAMPLES\n {2}\$ muster contexts remove work\n/)
    expect(stdout).toContain('USAGE\n  $ muster contexts remove CONTEXT [FLAGS]\n')
    expect(stdout).toContain('Documentation: docs/cli/contexts.md\n')
    expect((await run('help', 'contexts', 'remove')).stdout).toBe(stdout)
    expect((await run('help', 'nonsense')).code).toBe(2)
  })
})

describe('completion', () => {
  const complete = async (run: ReturnType<typeof cli>['run'], ...words: string[]) => {
    const { stdout, stderr, code } = await run('__complete', ...words)
    expect(stderr).toBe('')
    return {
      code,
      values: stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0]),
    }
  }

  it('knows commands, flags and their values', async () => {
    const { run } = cli()
    expect((await complete(run, 'cont')).values).toEqual(['contexts'])
    expect((await complete(run, 'context', '')).values).toEqual(expect.arrayContaining(['list', 'use', 'remove']))
    expect((await complete(run, 'contexts', 'list', '--qu')).values).toEqual(['--quiet'])
    expect((await complete(run, 'contexts', 'list', '-o', 'n')).values).toEqual(['ndjson', 'name'])
    expect((await complete(run, 'contexts', 'list', '--output=n')).values).toEqual(['--output=ndjson', '--output=name'])
    expect((await complete(run, 'contexts', 'list', '--output', '=', 'n')).values).toEqual(['ndjson', 'name'])
    expect((await complete(run, 'runs', 'list', '--status', 'C')).values).toEqual(['COMPLETED', 'CANCELLED'])
    expect((await complete(run, 'completion', '')).values).toEqual(['bash', 'zsh', 'fish', 'powershell'])
    expect((await complete(run, 'contexts', 'list', '--quiet', '--qu')).values).toEqual([])
    expect((await complete(run, '')).values).toContain('api')
    // Another name of the same flag, whose value is no argument.
    const assign = ['credentials', 'assign']
    expect((await complete(run, ...assign, '--env')).values).toEqual(['--env-var-name'])
    expect((await complete(run, ...assign, '--variable', 'KEY', '--env')).values).toEqual([])
  })

  it('knows what the server has, and what it had when it is away', async () => {
    const server = await fakeServer((_, reply) =>
      json(reply, [{ slug: 'acme', name: 'A\u001b[2Jcme' }, { slug: 'other' }]),
    )
    const { run } = cli({ SVC_TOKEN: 't' })
    await run('contexts', 'create', 'work', '--url', server.url)
    expect((await complete(run, 'contexts', 'use', '')).values).toEqual(['work'])
    expect((await run('__complete', 'contexts', 'list', '--context', 'work', '-w', 'a')).stdout).toBe('acme\tAcme\n')
    expect(server.seen[0]).toMatchObject({ url: '/api/v1/workspaces' })
    await server.close()
    const again = ['contexts', 'list', '--context', 'work']
    expect(await complete(run, ...again, '-w', 'a')).toEqual({ code: 0, values: ['acme'] })
    expect(await complete(run, 'crews', 'show', '--context', 'work', '')).toEqual({ code: 1, values: [] })
  })

  it('gives the last answer of a slow server, and asks again behind the back of the person', async () => {
    const answers = ['old', undefined, 'new', 'new']
    const server = await fakeServer((_, reply) => {
      const slug = answers.shift()
      if (slug !== undefined) json(reply, [{ slug }])
    })
    const { home, program } = cli({ SVC_SERVER: server.url })
    const values = async () => (await program.run('__complete', 'crews', 'show', '')).stdout
    expect(await values()).toBe('old\t\n')
    expect(await values()).toBe('old\t\n')
    const folder = join(home, '.local/state/muster/completion')
    const kept = () => readdirSync(folder).filter((name) => name.endsWith('.json'))
    const text = () => readFileSync(join(folder, kept()[0]!), 'utf8')
    await expect.poll(text, { timeout: 20_000 }).toBe('[{"value":"new","about":""}]')
    expect(statSync(join(folder, kept()[0]!)).mode & 0o777).toBe(0o600)
    expect(await values()).toBe('new\t\n')
  })

  it('begins a new word after --next, for shells that drop empty ones', async () =>
    expect((await complete(cli().run, '--next', 'completion')).values).toEqual(['bash', 'zsh', 'fish', 'powershell']))

  it('knows the chats of the agent that was named before', async () => {
    const server = await fakeServer(({ url }, reply) =>
      json(reply, url.includes('/chats') ? [{ id: 'chat-1', title: 'Notes' }] : [{ id: 'c7', slug: 'ada' }]),
    )
    const { run } = cli({ SVC_SERVER: server.url })
    expect((await run('__complete', 'chats', 'rename', 'ada', '')).stdout).toBe('chat-1\tNotes\n')
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/v1/agents?q=ada', '/api/v1/agents/c7/chats'])
  })

  it('works in bash', async () => {
    const { env, run } = cli()
    const { stdout } = await run('completion', 'bash')
    const script = `muster() { "${process.execPath}" "${root}bin/muster.js" "$@"; }
${stdout}
COMP_WORDS=(muster contexts list --output = n); COMP_CWORD=5; _muster; echo "\${COMPREPLY[@]}"
COMP_WORDS=(muster cont); COMP_CWORD=1; _muster; echo "\${COMPREPLY[@]}"
COMP_WORDS=(muster contexts ""); COMP_CWORD=2; _muster; echo "\${COMPREPLY[@]}"`
    const ran = spawnSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toBe('ndjson name\ncontexts\ncreate list remove rename show use\n')
  })

  it.each(['zsh', 'fish'])('has a script for %s that its shell accepts', async (shell) => {
    const { home, run } = cli()
    const { stdout, code } = await run('completion', shell)
    expect(code).toBe(0)
    expect(stdout).toContain('muster __complete')
    const file = join(home, 'completion')
    writeFileSync(file, stdout)
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    if (!checked.error) expect([checked.status, checked.stderr]).toEqual([0, ''])
  })

  it('has a script for PowerShell', async () => {
    const { stdout } = await cli().run('completion', 'powershell')
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName muster -ScriptBlock {')
    expect(stdout).toContain('muster __complete @words')
    expect(stdout).toContain('$_ -split "`t", 2')
  })

  it.skipIf(spawnSync('fish', ['--version']).error)('works in fish', async () => {
    const { env, run } = cli()
    const { stdout } = await run('completion', 'fish')
    const script = `function muster; "${process.execPath}" "${root}bin/muster.js" $argv; end
${stdout}
complete -C 'muster cont' | string split -f 1 \\t
complete -C 'muster contexts list --output n' | string split -f 1 \\t | sort`
    const ran = spawnSync('fish', ['--no-config', '-c', script], { env, encoding: 'utf8' })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toBe('contexts\nname\nndjson\n')
  })

  it('refuses a shell that it does not know', async () =>
    expect(await cli().run('completion', 'tcsh')).toMatchObject({ code: 2 }))
})
