import { spawn } from 'node-pty'
import { describe, expect, it } from 'vitest'
import { asciiMarks, hasUnicode } from '../../../cli/output/marks.ts'
import { pagerOf } from '../../../cli/output/pager.ts'
import { colored } from '../../../cli/output/theme.ts'
import { cli } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { sampleId, sampleServer } from '../../support/sample-server.ts'

const variables = (server: { url: string }) => ({ SVC_SERVER: server.url, SVC_TOKEN: 't', SVC_WORKSPACE: 'backend' })

describe('colours', () => {
  it.each<[Record<string, string>, boolean, boolean]>([
    [{}, true, false],
    [{ NO_COLOR: '1' }, false, false],
    [{ NO_COLOR: '1', CLICOLOR_FORCE: '1' }, false, false],
    [{ CLICOLOR: '0' }, false, false],
    [{ CLICOLOR: '1' }, true, false],
    [{ CLICOLOR_FORCE: '1' }, true, true],
    [{ CLICOLOR_FORCE: '0' }, true, false],
    [{ CLICOLOR_FORCE: '1', CLICOLOR: '0' }, true, true],
    [{ FORCE_COLOR: '1' }, true, true],
    [{ FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, false, false],
    [{ SVC_FORCE_TTY: '80' }, true, true],
    [{ TERM: 'dumb' }, false, false],
  ])('with %j: %s at a terminal, %s elsewhere', (env, atTerminal, elsewhere) => {
    expect([colored({ isTTY: true }, env), colored({ isTTY: false }, env)]).toEqual([atTerminal, elsewhere])
  })
})

describe('the pager', () => {
  it.each<[Record<string, string>, string]>([
    [{}, 'less'],
    [{ PAGER: 'more' }, 'more'],
    [{ PAGER: 'more', SVC_PAGER: 'bat' }, 'bat'],
    [{ PAGER: 'more', SVC_PAGER: '' }, ''],
  ])('with %j is "%s"', (env, pager) => expect(pagerOf(env)).toBe(pager))
})

describe('marks', () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ LC_ALL: 'C' }, false],
    [{ LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, false],
    [{ LC_ALL: 'C.UTF-8' }, true],
    [{ LANG: 'de_DE.utf8' }, true],
    [{ LANG: 'C' }, false],
    [{ LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, true],
  ])('with %j may be Unicode: %s', (env, may) => expect(hasUnicode(env)).toBe(may))

  it('keep their width, and what people wrote', () => expect(asciiMarks('✓ Zoë … ──→ “x”')).toBe('+ Zoë ~ --> "x"'))

  it('are ASCII at such a terminal, and only there', async () => {
    const { screen, run } = cli({ ...variables(await sampleServer()), LC_ALL: 'C' })
    for (const line of [['inbox', 'list'], ['crews', 'stop', 'backend'], ['doctor'], ['--help']]) {
      const shown = screen([...line, '--no-color', '--no-input'], { cols: 60 })
      await shown.ended
      expect(shown.text()).toMatch(/^[\t\r\n -~]*$/)
    }
    expect((await run('crews', 'stop', 'backend')).stderr).toContain('✓')
  })
})

describe('SVC_FORCE_TTY', () => {
  it('gives a pipe what a terminal of that width gets', async () => {
    const { run } = cli({ ...variables(await sampleServer()), SVC_FORCE_TTY: '50', NO_COLOR: '1' })
    const { stdout, stderr } = await run('inbox', 'list')
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^ID +KIND +TITLE +AGE$/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50)
    expect(stderr).toContain('Left out: ')
    expect((await run('inbox', 'list', '-o', 'wide')).stdout).toContain(sampleId)
    const ascii = cli({ ...variables(await sampleServer()), SVC_FORCE_TTY: '50', NO_COLOR: '1', LC_ALL: 'C' })
    expect((await ascii.run('inbox', 'list')).stdout).toMatch(/^[\n -~]*$/)
  })
})

describe('the number of a row', () => {
  const bin = new URL('../../../bin/muster.js', import.meta.url).pathname
  const inTerminal = (script: string, env: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const pty = spawn('sh', ['-c', script.replaceAll('muster', `${process.execPath} ${bin}`)], { env, cols: 120 })
      let text = ''
      pty.onData((data) => (text += data))
      pty.onExit(() => resolve(text))
    })

  it('stands for that of the list shown last in this terminal', async () => {
    const items = ['a', 'b', 'c'].map((letter) => ({
      id: `ibx_run_c${letter.repeat(24)}`,
      title: letter,
      state: 'unread',
    }))
    const server = await fakeServer(({ url }, reply) => {
      const one = items.find(({ id }) => url.endsWith(id))
      if (one) return json(reply, { ...one, kind: 'run', priority: 'low', body_md: `This is ${one.title}.` })
      json(reply, url.includes('/inbox') ? { rows: items.map((it) => ({ ...it, kind: 'run', priority: 'low' })) } : [])
    })
    const { env, screen } = cli({ ...variables(server), NO_COLOR: '1' })
    const shown = await inTerminal('muster inbox list; muster crews; muster inbox show 2; muster inbox show 4', env)
    expect(shown).toContain('This is b.')
    expect(shown).toContain('No list with a row 4 was shown in this terminal.')
    // Another terminal has shown nothing.
    const other = screen(['inbox', 'show', '2'])
    expect(await other.ended).toBe(2)
  })
})

describe('flags', () => {
  it.each([
    [['--crew', 'backend', 'agents'], 0],
    [['-o', 'json', 'crews'], 0],
    [['--json=id', 'crews'], 0],
    [['-v'], 0],
    [['-q'], 2],
    [['--bogus'], 2],
    [['--context', 'nope', 'crews'], 3],
    [['crews', '--context', 'nope', '--json'], 3],
    [['crews', '--limt', '3'], 2],
    [['crews', '--all', '--limit', '3'], 2],
    [['crews', '--limit', '0'], 2],
    [['crews', '-o', 'xml'], 2],
    [['journal', 'list', '--severity', 'bogus'], 2],
    [['journal', 'list', '--actor', 'bogus'], 2],
    [['runs', 'list', '--page', 'x'], 2],
  ])('%j ends with %i', async (line, code) => {
    const { run } = cli(variables(await sampleServer()))
    const ran = await run(...line)
    expect(ran.code).toBe(code)
    expect(ran.stderr).not.toContain('There is no command')
    if (code) expect(ran).toMatchObject({ stdout: '', stderr: expect.stringMatching(/Error|exit_code/) })
  })

  it('name what stopped by its slug, whatever it was called', async () => {
    const { run } = cli(variables(await sampleServer()))
    for (const line of [
      ['crews', 'stop', 'backend'],
      ['agents', 'stop', 'backend'],
      ['agents', 'stop', 'c0mjuohs005e6fu6qxd87qvyr'],
    ])
      expect((await run(...line)).stdout).toBe('backend\n')
  })
})
