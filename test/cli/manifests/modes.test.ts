import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cli, cliFor } from '../../support/cli.ts'
import { folder, head } from '../../support/manifest-files.ts'

const label = (slug: string, color: string) => head('Label', slug).concat(`  color: '${color}'\n`)

describe('the modes of muster apply', () => {
  it('--strict refuses what is there and differs, and --replace destroys what is not named', async () => {
    const { run } = await cliFor(await daemon())
    const at = folder({ 'one.yaml': `${label('bug', '#111111')}---\n${label('docs', '#222222')}` })
    expect(await run('apply', '-f', at, '--yes', '--strict')).toMatchObject({ code: 0 })
    const other = folder({ 'x.yaml': label('bug', '#333333') })
    const refused = await run('apply', '-f', join(other, 'x.yaml'), '--yes', '--strict')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/x\.yaml:4:3: Label bug is there already, and differs in color/)
    expect((await run('diff', '-f', other, '--strict')).code).toBe(2)
    expect(await run('diff', '-f', other, '--replace')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('- Label docs is destroyed'),
    })
    expect(await run('apply', '-f', other, '--yes', '--replace', '--no-delete')).toMatchObject({ code: 0 })
    expect((await run('labels', 'list', '-o', 'name')).stdout).toContain('docs')
    expect(await run('apply', '-f', other, '--yes', '--replace')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 destroyed'),
    })
    expect((await run('labels', 'list', '-o', 'name')).stdout).not.toContain('docs')
    expect(await run('apply', '-f', other, '--strict', '--replace')).toMatchObject({ code: 2 })
  })

  it('muster diff ends with 2 for each kind of difference, with 0 for none, and with others for faults', async () => {
    const { run, pipe } = await cliFor(await daemon())
    const text = label('bug', '#111111')
    const diff = async (given: string, ...more: string[]) => (await pipe(given, 'diff', '-f', '-', ...more)).code
    expect(await diff(text)).toBe(2)
    expect(await pipe(text, 'apply', '-f', '-', '--yes')).toMatchObject({ code: 0 })
    expect(await diff(text)).toBe(0)
    expect(await diff(text, '--json')).toBe(0)
    expect(await diff(label('bug', '#222222'), '--json')).toBe(2)
    expect((await run('diff', '-f', '/nowhere')).code).toBe(2)
    const away = cli({ SVC_SERVER: 'http://127.0.0.1:9', SVC_TOKEN: 't', SVC_WORKSPACE: 'w' })
    expect((await away.pipe(text, 'diff', '-f', '-')).code).toBe(8)
  })

  it('takes standard input beside files, and tells mistakes of it by that name', async () => {
    const { pipe, run } = await cliFor(await daemon())
    const at = folder({ 'crew.yaml': head('Crew', 'web') })
    const agent = `${head('Agent', 'ada')}spec:\n  crew: web\n`
    expect(await pipe(agent, 'apply', '-f', '-', '-f', at, '--yes')).toMatchObject({ code: 0 })
    expect((await run('agents', 'list', '-o', 'name')).stdout.trim()).toBe('ada')
    const wrong = await pipe(agent.replace('crew: web', 'crew: nowhere'), 'apply', '-f', '-', '--yes')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input:6:3: There is no crew') })
  })
})

const crew = (servers: string) => `${head('Crew', 'web')}spec:\n  mcp_servers:\n${servers}`

describe('kinds that lean on each other', () => {
  it('stand in any order and several files, with anchors, and take secrets of channels from a file', async () => {
    const { run } = await cliFor(await daemon())
    const at = folder({
      'a.yaml': [
        `${head('Issue', 'sub')}spec: { crew: web, parent: main, assignee: ada }\n`,
        `${head('Issue', 'main')}spec: { crew: web, labels: [bug] }\n`,
      ].join('---\n'),
      'b.yaml': crew('    - &it { name: one, transport: stdio, command: npx, args: [-y, a] }\n').concat(
        '    - name: two\n      transport: stdio\n      command: npx\n      args: &args [z, a]\n',
        '    - { name: three, transport: stdio, command: npx, args: *args }\n  agents: [{ slug: ada }]\n',
      ),
      'c.yaml': label('bug', '#111111'),
      secrets: 'CHANNEL_OPS=a secret of ours\n',
    })
    const { stdout } = await run('export')
    const channels = 'spec:\n  notification_channels:\n    - { slug: ops, type: webhook, url: "https://a.example/h" }\n'
    const more = folder({ 'workspace.yaml': `${stdout.split('\n---')[0]}\n${channels}` })
    const files = ['-f', at, '-f', more]
    const unfilled = await run('apply', ...files, '--yes')
    expect(unfilled).toMatchObject({ code: 2, stderr: expect.stringContaining('CHANNEL_OPS (what signs the webhook') })
    const applied = await run('apply', ...files, '--yes', '--secrets-file', join(at, 'secrets'))
    expect(applied).toMatchObject({ code: 0 })
    expect(await run('diff', ...files)).toMatchObject({ code: 0 })
    const exported = (await run('export')).stdout
    expect(exported).toContain('parent: main')
    expect(exported.match(/args:\n +- z\n +- a\n/g)).toHaveLength(2)
    expect(applied.stdout + applied.stderr + exported).not.toContain('a secret of ours')
  })

  it.each([
    [
      'a key that stands twice',
      '    - name: one\n      args: []\n      args: [x]\n',
      /x\.yaml:9:7: Map keys must be unique/,
    ],
    ['a tab', '    - name: one\n\t  args: []\n', /x\.yaml:\d+:\d+: /],
    [
      'an anchor that is not there',
      '    - name: one\n      args: *none\n',
      /x\.yaml:8:13: There is no anchor &none before it/,
    ],
    ['a secret in a variable', '    - name: one\n      env: { TOKEN: hush }\n', /x\.yaml:8:7: .*env is unknown here/],
  ])('of the form are refused with their places: %s', async (_, servers, told) => {
    const { run } = await cliFor(await daemon({ shared: true }))
    const { code, stderr } = await run('apply', '-f', folder({ 'x.yaml': crew(servers) }), '--yes')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(told) })
    expect(stderr).not.toContain('hush')
  })

  it('are refused with their places where they are not obeyed', async () => {
    const { run } = await cliFor(await daemon({ shared: true }))
    const text = `${head('Crew', 'web')}spec:\n  devcontainer:\n    features: {}\n  services: []\n`
    const { code, stderr } = await run('apply', '-f', folder({ 'x.yaml': text }), '--yes')
    expect(code).toBe(2)
    expect(stderr).toMatch(/x\.yaml:7:5: spec\.devcontainer\.features is not taken\. Features are not installed/)
    expect(stderr).toMatch(/x\.yaml:8:3: spec\.services is not taken\. Crews have no services/)
  })
})
