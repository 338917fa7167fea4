import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cli, cliFor } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { folder, head } from '../../support/manifest-files.ts'
import { apply, document, exported } from '../../support/manifests.ts'
import { recipeWithServer } from '../../support/recipes.ts'
import { skillText } from '../../support/skills.ts'

const web = `${head('Crew', 'web')}spec:
  agents:
    - slug: ada
      prompt_file: prompts/ada.md
    - slug: bob
`

describe('muster apply', () => {
  it('shows the plan, applies it, and finds nothing to do the next time', async () => {
    const { run, pipe } = await cliFor(await daemon())
    const at = folder({ 'web.yaml': web, 'prompts/ada.md': 'You are Ada.\n', 'notes.txt': 'not read' })
    expect(await run('diff', '-f', at)).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('+ Agent ada is created'),
    })
    const unasked = await pipe('', 'apply', '-f', at)
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('repeat the command with --yes') })
    expect(await run('agents', 'list', '-o', 'name')).toMatchObject({ stdout: '' })
    expect((await run('apply', '-f', at, '--dry-run')).stderr).toContain('This was a dry run')
    const applied = await run('apply', '-f', at, '--yes')
    expect(applied).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('3 to create, 0 to change, 0 to destroy'),
    })
    expect(JSON.parse((await run('agents', 'show', 'ada', '--json')).stdout).system_prompt).toBe('You are Ada.\n')
    expect(await run('diff', '-f', at)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to do: all 3'),
    })
    expect(await run('apply', '-f', at)).toMatchObject({ code: 0 })
    const piped = await pipe(
      web.replace('prompt_file: prompts/ada.md', 'role_title: Lead'),
      'diff',
      '-f',
      '-',
      '--json',
    )
    expect(JSON.parse(piped.stdout).steps).toMatchObject([{ action: 'change', kind: 'Agent', name: 'ada' }])
  })

  it('tells of a server of a recipe that does not answer by file, line and column, and changes nothing', async () => {
    const { url } = await fakeServer((_, reply) => reply.writeHead(500).end())
    const { run } = await cliFor(await daemon({ config: { integrationHosts: [new URL(url).host] } }))
    const slug = recipeWithServer(url)
    const at = folder({
      'crew.yaml': `# A crew\n${head('Recipe', slug)}`,
      secrets: 'ANTHROPIC_API_KEY=a\nGH_TOKEN=b\n',
    })
    const place = /crew\.yaml:5:3: The MCP server code-review\/remote cannot be used/
    const differs = await run('diff', '-f', join(at, 'crew.yaml'))
    expect([differs.code, differs.stdout]).toEqual([2, expect.stringMatching(/Warning: .*crew\.yaml:5:3: The MCP/)])
    const applied = await run('apply', '-f', join(at, 'crew.yaml'), '--yes', '--secrets-file', join(at, 'secrets'))
    expect([applied.code, applied.stderr]).toEqual([7, expect.stringMatching(place)])
    expect(applied.stderr).toContain('Nothing was changed')
    expect((await run('crews', 'list', '-o', 'name')).stdout).toBe('')
  })

  it('asks at a terminal, and changes nothing when the answer is no', async () => {
    const { screen, run } = await cliFor(await daemon())
    const at = folder({ 'web.yaml': head('Crew', 'web') })
    const shown = screen(['apply', '-f', at])
    await shown.until(/Apply this\?/)
    shown.type('n\r')
    expect(await shown.ended).toBe(1)
    expect((await run('crews', 'list', '-o', 'name')).stdout).toBe('')
  })

  it('asks for a value at a terminal, and does not show what is typed', async () => {
    const { screen, run } = await cliFor(await daemon())
    const spec = 'spec:\n  credentials:\n    - { env: TOKEN, label: A token }\n'
    const shown = screen(['apply', '-f', folder({ 'web.yaml': `${head('Crew', 'web')}${spec}` }), '--yes'])
    await shown.until(/Value of TOKEN \(A token\)/)
    shown.type('hush-0815\r')
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('Applied: 2 created')
    expect(shown.text()).not.toContain('hush-0815')
    expect((await run('credentials', 'list', '-o', 'name')).stdout).toContain('TOKEN')
  })

  it('takes values from the environment or a file of secrets, and shows them nowhere', async () => {
    const it = await daemon()
    const at = folder({
      'web.yaml': `${head('Crew', 'web')}spec:\n  credentials:\n    - env: TOKEN\n      label: For deploys\n`,
      secrets: '\uFEFFTOKEN=hush=hush\r\n# ours\r\n',
    })
    const { run } = await cliFor(it)
    const refused = await run('apply', '-f', join(at, 'web.yaml'), '--yes')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('TOKEN (For deploys) has no value') })
    const applied = await run('apply', '-f', join(at, 'web.yaml'), '--yes', '--secrets-file', join(at, 'secrets'))
    expect(applied.code).toBe(0)
    expect(applied.stdout + applied.stderr).not.toContain('hush')
    const exported = await run('export')
    expect(exported.stdout).toContain('env: TOKEN')
    expect(exported.stdout).not.toContain('hush')
  })

  it('has what the session of the README makes, from one file', async () => {
    const it = await daemon()
    const { run } = await cliFor(it, 'OWNER', { ANTHROPIC_API_KEY: 'sk-demo' })
    const at = folder({
      'session.yaml': `${head('Crew', 'backend')}  name: Backend
spec:
  credentials:
    - env: ANTHROPIC_API_KEY
      type: API_KEY
      provider: ANTHROPIC
      label: demo key
  agents:
    - slug: grace
      name: Grace
      role_title: Writes code
      env_refs: [ANTHROPIC_API_KEY]
`,
    })
    expect(await run('apply', '-f', at, '--yes', '--from-env')).toMatchObject({ code: 0 })
    const shown = async (...line: string[]) => JSON.parse((await run(...line, '--json')).stdout)
    expect(await shown('crews', 'list')).toMatchObject([{ name: 'Backend', slug: 'backend' }])
    expect(await shown('agents', 'list')).toMatchObject([{ name: 'Grace', slug: 'grace', role_title: 'Writes code' }])
    expect(await shown('credentials', 'assigned', 'grace')).toMatchObject([
      { env_var_name: 'ANTHROPIC_API_KEY', credential_type: 'API_KEY', credential_provider: 'ANTHROPIC' },
    ])
    expect(await run('diff', '-f', at)).toMatchObject({ code: 0 })
  })

  it('takes skills from folders, with their scripts', async () => {
    const { run } = await cliFor(await daemon())
    const at = folder({
      'skill.yaml': `${head('Skill', 'greet')}spec:\n  path: greet\n`,
      'greet/SKILL.md': skillText('greet'),
      'greet/scripts/hello.sh': 'echo hello\n',
    })
    expect(await run('apply', '-f', at, '--yes')).toMatchObject({ code: 0 })
    expect((await run('skills', 'show', 'greet', '--json')).stdout).toContain('scripts/hello.sh')
    expect(await run('diff', '-f', at)).toMatchObject({ code: 0 })
  })

  it('exports to the same bytes after an export was applied', async () => {
    const [one, other] = [await daemon(), await daemon()]
    const [here, there] = [await cliFor(one), await cliFor(other)]
    const at = folder({ 'web.yaml': web, 'prompts/ada.md': 'You are Ada.\n\nWork well: "quoted", #hash\n' })
    await here.run('apply', '-f', at, '--yes')
    const slug = (await other.call('OWNER', 'GET', `/workspaces/${other.workspace}`)).body.slug
    const { stdout } = await here.run('export')
    const own = stdout.replace(/(kind: Workspace\nmetadata:\n {2}name: .*\n {2}slug: ).*/, `$1${slug}`)
    expect(await there.pipe(own, 'apply', '-f', '-', '--yes')).toMatchObject({ code: 0 })
    expect((await there.run('export')).stdout).toBe(own)
  })

  it('takes what an export in JSON wrote, with the places of its mistakes', async () => {
    const { run, pipe } = await cliFor(await daemon())
    await run('apply', '-f', folder({ 'web.yaml': web, 'prompts/ada.md': 'You are Ada.\n' }), '--yes')
    const { stdout } = await run('export', '-o', 'json')
    expect(await pipe(stdout, 'diff', '-f', '-')).toMatchObject({ code: 0 })
    const { stderr } = await pipe(stdout.replace('"slug": "web"', '"slug": 5'), 'diff', '-f', '-')
    expect(stderr).toMatch(/standard input:\d{2}:\d+: metadata\.slug must be string/)
  })

  it('exports more than one file takes into a folder, which can be applied', async () => {
    const [one, other] = [await daemon(), await daemon()]
    const [here, there] = [await cliFor(one), await cliFor(other)]
    const agents = Array.from({ length: 70 }, (_, n) => ({ slug: `agent-${n}`, prompt: `${n}\n${'é'.repeat(32_000)}` }))
    const skills = Array.from({ length: 9 }, (_, n) =>
      document('Skill', `big-${n}`, { spec: { inline: skillText(`big-${n}`, {}, `# Big\n${'x'.repeat(500_000)}\n`) } }),
    )
    const made = await apply(one, [document('Crew', 'web', { spec: { agents } }), ...skills])
    expect(made.status).toBe(200)
    expect(Buffer.byteLength((await here.run('export')).stdout)).toBeGreaterThan(8 * 1024 * 1024)
    const to = join(folder({}), 'workspace')
    expect(await here.run('export', '--to', to)).toMatchObject({ code: 0, stderr: expect.stringContaining('Wrote') })
    expect(readdirSync(to)).toEqual(['prompts', 'workspace-2.yaml', 'workspace.yaml'])
    expect(readdirSync(join(to, 'prompts'))).toHaveLength(70)
    for (const name of ['workspace.yaml', 'workspace-2.yaml'])
      expect(statSync(join(to, name)).size).toBeLessThanOrEqual(4 * 1024 * 1024)
    expect((await here.run('export', '--to', to)).code).toBe(2)
    const { slug } = (await other.call('OWNER', 'GET', `/workspaces/${other.workspace}`)).body
    const first = readFileSync(join(to, 'workspace.yaml'), 'utf8')
    writeFileSync(
      join(to, 'workspace.yaml'),
      first.replace(/(kind: Workspace\nmetadata:\n {2}name: .*\n {2}slug: ).*/, `$1${slug}`),
    )
    expect(await there.run('apply', '-f', to, '--yes')).toMatchObject({ code: 0 })
    const [mine, theirs] = [await exported(one), await exported(other)]
    expect(JSON.stringify(theirs.slice(1))).toBe(JSON.stringify(mine.slice(1)))
  })
})

describe('mistakes', () => {
  const nowhere = cli({ SVC_SERVER: 'http://127.0.0.1:9', SVC_TOKEN: 't', SVC_WORKSPACE: 'w' })
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    .concat('bcdefghi'.split('').map((it, n) => `${it}: &${it} [${Array(9).fill(`*${'abcdefghi'[n]}`).join(', ')}]`))
    .join('\n')

  it.each([
    ['two keys of one name', 'kind: Crew\nkind: Agent\n', 'x.yaml:2:1: Map keys must be unique'],
    ['tabs', 'metadata:\n\tslug: web\n', /x\.yaml:2:\d+: .*[Tt]abs/],
    ['what is no mapping', '- a\n', 'x.yaml:1:1: A document must be a mapping'],
    ['anchors that explode', bomb, 'x.yaml:1:1: Its anchors and aliases grow without bound'],
    ['what is no YAML', 'a: [b\n', /x\.yaml:\d+:\d+: /],
    ['nothing at all', '# nothing\n', 'There are no documents in'],
    ['a depth without end', `a: ${'['.repeat(20_000)}\n`, /x\.yaml:1:\d+: It is nested too deeply/],
    ['a member of all objects', 'kind: Label\n__proto__: { x: 1 }\n', 'x.yaml:2:1: No member may be called __proto__'],
  ])('of the form are told with their places: %s', async (_, text, told) => {
    const at = folder({ 'x.yaml': text })
    const { code, stderr } = await nowhere.run('apply', '-f', at, '--yes')
    expect(code).toBe(2)
    expect(stderr).toMatch(told instanceof RegExp ? told : new RegExp(told.replaceAll(/[.*]/g, '\\$&')))
  })

  it('are none where a file ends with the sign of a further document, or begins with the mark of UTF-8', async () => {
    const { run } = await cliFor(await daemon())
    const at = folder({
      'x.yaml': `\uFEFF${head('Crew', 'web')}---\n`,
      'y.yaml': `---\n${head('Crew', 'ops')}---\n~\n`,
    })
    expect(await run('diff', '-f', at)).toMatchObject({ code: 2, stdout: expect.stringContaining('2 to create') })
  })

  it('of one document are all told, in the order of the file', async () => {
    const { run } = await cliFor(await daemon())
    const lines = Array.from({ length: 30 }, (_, n) => `    - slug: a${n}\n      timeout_seconds: soon\n`)
    const prompts = ['first', 'second'].map(
      (slug) => `    - slug: ${slug}\n      prompt: "${'\u{1f468}\u200d\u{1f469}'.repeat(10_000)}"\n`,
    )
    const text = `${head('Crew', 'web')}spec:\n  agents:\n${[...lines, ...prompts].join('')}  nope: 1\n`
    const { stderr } = await run('diff', '-f', folder({ 'x.yaml': text }))
    expect(stderr).toContain('There are 33 mistakes')
    const places = [...stderr.matchAll(/x\.yaml:(\d+):\d+: (\S+)/g)].map(([, line, member]) => [Number(line), member])
    expect(places).toEqual([
      ...lines.map((_, n) => [8 + 2 * n, `spec.agents.${n}.timeout_seconds`]),
      [68, 'spec.agents.30.prompt'],
      [70, 'spec.agents.31.prompt'],
      [71, 'spec.nope'],
    ])
  })

  it('of a great many documents are counted, and the first of them told', async () => {
    const { run } = await cliFor(await daemon())
    const text = Array.from({ length: 300 }, (_, n) => head('Label', `l${n}`)).join('---\n')
    const { stderr } = await run('diff', '-f', folder({ 'x.yaml': text }))
    expect(stderr).toContain('There are 300 mistakes; nothing was changed, of which these are the first 200.')
    expect(stderr.match(/x\.yaml:/g)).toHaveLength(200)
  })

  it('of several files are told at once, each with file, line and column', async () => {
    const { run } = await cliFor(await daemon())
    const at = folder({
      'a.yaml':
        head('Crew', 'web') +
        'spec:\n  devcontainer:\n    memory_mb: much\n  agents:\n    - slug: ada\n      tools: x\n',
      'b.yaml': `${head('Label', 'bug')}---\n${head('Agent', 'eve')}spec:\n  crew: nowhere\n`,
    })
    const { code, stderr } = await run('apply', '-f', at, '--yes')
    expect(code).toBe(2)
    expect(stderr.split('\n').filter((line) => line.includes('.yaml:'))).toEqual([
      expect.stringMatching(/a\.yaml:7:5: spec\.devcontainer\.memory_mb must be/),
      expect.stringMatching(/a\.yaml:10:7: spec\.agents\.0\.tools is unknown here/),
      expect.stringMatching(/b\.yaml:4:3: metadata\.color is required/),
    ])
  })

  it.each([
    ['../outside.md', 'is not below the folder of the manifest'],
    ['link.md', 'is not below the folder of the manifest'],
    ['none.md', 'There is no file none.md'],
  ])('of texts: %s', async (file, told) => {
    const at = folder({ 'outside.md': 'secret', 'in/x.yaml': `${head('Agent', 'ada')}spec:\n  prompt_file: ${file}\n` })
    symlinkSync('../outside.md', join(at, 'in/link.md'))
    const { code, stderr } = await nowhere.run('apply', '-f', join(at, 'in'), '--yes')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
    expect(stderr).toContain('x.yaml:6:3: ')
  })

  it.each([
    ['a SKILL.md elsewhere', 'SKILL.md', 'There is no SKILL.md in'],
    ['a file elsewhere', 'notes.md', 'notes.md is no plain file'],
    ['a folder elsewhere', 'more', 'more is no plain file'],
  ])('of skills: a link to %s', async (_, name, told) => {
    const at = folder({
      'outside/SKILL.md': skillText('greet'),
      'in/x.yaml': `${head('Skill', 'greet')}spec:\n  path: greet\n`,
      'in/greet/run.sh': 'true\n',
      ...(name !== 'SKILL.md' && { 'in/greet/SKILL.md': skillText('greet') }),
    })
    symlinkSync(name === 'more' ? '../../outside' : '../../outside/SKILL.md', join(at, 'in/greet', name))
    const { code, stderr } = await nowhere.run('apply', '-f', join(at, 'in'), '--yes')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
    expect(stderr).toContain('x.yaml:6:3: ')
  })

  it.each([
    ['bytes that are no text', 'p.md', 'p.md is not text in UTF-8'],
    ['a folder', '.', 'is no plain file'],
    ['a number', '5', 'prompt_file must be a path'],
    ['nothing', '""', 'prompt_file must be a path'],
  ])('of prompts: %s', async (_, file, told) => {
    const at = folder({ 'x.yaml': `${head('Agent', 'ada')}spec:\n  prompt_file: ${file}\n` })
    writeFileSync(join(at, 'p.md'), Buffer.from([0x61, 0xff, 0xfe]))
    const { code, stderr } = await nowhere.run('apply', '-f', at, '--yes')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
    expect(stderr).toContain('x.yaml:6:3: ')
  })

  it('of size are told before anything is sent', async () => {
    const server = await fakeServer((_, reply) => json(reply, {}))
    const at = folder({ 'x.yaml': `a: ${'x'.repeat(4 * 1024 * 1024)}\n` })
    const { run } = cli({ SVC_SERVER: server.url, SVC_TOKEN: 't', SVC_WORKSPACE: 'w' })
    expect(await run('diff', '-f', at)).toMatchObject({ code: 2, stderr: expect.stringContaining('more than 4 MiB') })
    expect(server.seen).toEqual([])
  })
})

it('muster schema describes every kind that is taken', async () => {
  const { run } = await cliFor(await daemon())
  const schema = JSON.parse((await run('schema')).stdout)
  expect(schema.properties.kind.enum).toContain('Crew')
  expect(schema.allOf).toHaveLength(schema.properties.kind.enum.length)
  expect(JSON.stringify(schema)).toContain('prompt_file')
})
