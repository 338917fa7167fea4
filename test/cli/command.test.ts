import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cli } from '../support/cli.ts'
import { fakeServer, json } from '../support/fake-server.ts'

const rows = [
  { id: 'c1', slug: 'api', name: 'The \u001b[31mAPI\u001b[0m', n: 1 },
  { id: 'c2', slug: 'web', name: 'Web\nfront', n: 2, more: { deep: true } },
]

async function served(
  answer: Parameters<typeof fakeServer>[0] = (_, reply) => json(reply, rows),
  variables: Record<string, string> = {},
) {
  const server = await fakeServer(answer)
  return { server, ...cli({ SVC_SERVER: server.url, SVC_TOKEN: 'svc_cli_test', ...variables }) }
}

const refusal = (status: number, code: string, more: object = {}) => ({
  type: 'about:blank',
  title: 'A title',
  status,
  code,
  instance: '/api/v1/crews',
  error: 'A detail.',
  detail: 'A detail.',
  ...more,
})

describe('exit codes', () => {
  it.each([
    [400, 2],
    [401, 4],
    [403, 4],
    [404, 3],
    [409, 5],
    [410, 5],
    [413, 2],
    [423, 5],
    [429, 6],
    [500, 7],
    [503, 7],
  ])('%i ends with %i', async (status, code) => {
    const { run } = await served((_, reply) => json(reply, refusal(status, 'whatever', { field: 'slug' }), status))
    const ran = await run('api', 'crews')
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toMatch(/^Error: A detail\. \(slug\)\n/)
  })

  it.each([
    ['no_credentials', 401, 'Next: muster login, since the token in use is no longer accepted'],
    ['workspace_required', 400, 'Next: muster workspaces list'],
    ['no_workspace', 401, 'Next: muster workspaces list'],
    ['rate_limited', 429, 'Next: wait 42 s'],
    ['internal', 500, 'request req-7\n  This is a fault of Muster. '],
  ])('%s names the next step', async (code, status, next) => {
    const { run } = await served((_, reply) =>
      json(reply, refusal(status, code), status, { 'x-request-id': 'req-7', 'retry-after': '42' }),
    )
    expect((await run('api', 'crews')).stderr).toContain(next)
  })

  it('tells programs the id of the request, whatever the refusal is', async () => {
    for (const status of [400, 401, 404, 409, 429, 500, 507]) {
      const { run } = await served((_, reply) =>
        json(reply, refusal(status, 'whatever'), status, { 'x-request-id': `req-${status}` }),
      )
      const { stderr } = await run('api', 'crews', '--json')
      expect(JSON.parse(stderr)).toMatchObject({ request_id: `req-${status}`, status })
    }
  })

  it('tells people of a full disk, with the id of the request', async () => {
    const { run } = await served((_, reply) =>
      json(reply, refusal(507, 'storage_full', { detail: 'The disk is full' }), 507, { 'x-request-id': 'req-8' }),
    )
    const { stderr } = await run('api', 'crews')
    expect(stderr).toMatch(
      /^Error: The disk is full\n[\s\S]*\n {2}Request req-8\nDocs: .*-disk-fails\nNext: muster doctor\n$/,
    )
  })

  it('8 when nothing answers, 2 for input that cannot be used, 0 when all went well', async () => {
    const { server, run } = await served()
    expect((await run('api', 'crews')).code).toBe(0)
    expect(await run('api', 'crews', '--nonsense')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Next: muster api --help'),
    })
    expect(await run('api', 'crews', '-o', 'xml')).toMatchObject({ code: 2 })
    expect(await run('api')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('METHOD is missing. Usage: muster api METHOD [PATH]\n'),
    })
    expect(await run('frobnicate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no command "muster frobnicate"'),
    })
    for (const [words, next] of [
      [['frobnicate', 'it'], 'Next: muster --help\n'],
      [['crews', 'frobnicate'], 'Next: muster crews --help\n'],
    ] as const)
      expect(await run(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(next) })
    await server.close()
    const away = await run('api', 'crews')
    expect(away).toMatchObject({ code: 8, stdout: '' })
    expect(away.stderr).toContain(`Nothing listens on ${server.url}`)
    expect(await run('api', 'crews', '-s', 'ftp://x')).toMatchObject({ code: 2 })
  })

  it('gives up after SVC_HTTP_TIMEOUT', async () => {
    const { run } = await served(() => {}, { SVC_HTTP_TIMEOUT: '50ms' })
    expect(await run('api', 'crews')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('did not answer within 0.05 s'),
    })
  })

  it('writes the problem itself on stderr for programs', async () => {
    const problem = refusal(404, 'not_found', { field: 'crew', detail: 'No \u009b2J such crew' })
    const { server, run } = await served((_, reply) => json(reply, problem, 404))
    for (const form of [['--json'], ['--json=id'], ['-o', 'json'], ['-o', 'ndjson'], ['--jq', '.']]) {
      const { stdout, stderr, code } = await run('api', 'crews', ...form)
      expect([code, stdout]).toEqual([3, ''])
      expect(stderr).not.toContain('\u009b')
      expect(JSON.parse(stderr)).toEqual({
        ...problem,
        message: 'No \u009b2J such crew',
        exit_code: 3,
        request_id: null,
        docs: 'docs/cli.md#names-and-ids',
      })
    }
    await server.close()
    expect(JSON.parse((await run('api', 'crews', '--json')).stderr)).toMatchObject({
      code: 'unreachable',
      instance: server.url,
      exit_code: 8,
    })
    expect(JSON.parse((await run('api', '--json', '--nonsense')).stderr)).toMatchObject({
      code: 'invalid_input',
      exit_code: 2,
    })
  })
})

describe('results', () => {
  it('come in every form', async () => {
    const { run } = await served()
    const out = async (...flags: string[]) => (await run('api', 'crews', ...flags)).stdout
    expect(JSON.parse(await out('--json'))).toEqual(rows)
    expect(JSON.parse(await out('--json=slug,more.deep'))).toEqual([
      { slug: 'api', 'more.deep': null },
      { slug: 'web', 'more.deep': true },
    ])
    expect(
      (await out('-o', 'ndjson'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
    expect(parse(await out('-o', 'yaml'))).toEqual(rows)
    expect(await out('-o', 'name')).toBe('api\nweb\n')
    expect(await out('-q')).toBe('api\nweb\n')
    expect(await out('--jq', '.[] | .slug, .n')).toBe('api\n1\nweb\n2\n')
    expect(await out('--jq', 'map({slug})')).toBe('[{"slug":"api"},{"slug":"web"}]\n')
    expect(await out('--json=slug', '--jq', '.[0]')).toBe('{"slug":"api"}\n')
  })

  it('says what jq dislikes', async () => {
    const { run } = await served()
    expect(await run('api', 'crews', '--jq', '.[')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^\{.*"message":"--jq: syntax error, unexpected INVALID_CHARACTER"/),
    })
    expect(await run('api', 'crews', '--jq', '.x.y')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot index'),
    })
  })

  it('refuses members that nothing has', async () => {
    const { run } = await served()
    const choices = 'choose from id, more, n, name, slug.'
    for (const flag of ['--json=slug,slgu', '--template={{.slug}} {{.slgu}}'])
      expect(JSON.parse((await run('api', 'crews', flag)).stderr)).toMatchObject({
        code: 'invalid_input',
        message: `There is no member "slgu"; ${choices}`,
        exit_code: 2,
      })
    expect(JSON.parse((await run('api', 'crews', '--json=more.deep', '-o', 'ndjson')).stdout.split('\n')[1]!)).toEqual({
      'more.deep': true,
    })
  })

  it.each([
    [['--template', '{{.slug}}\\t{{.n}}'], 'api\t1\nweb\t2\n'],
    [['--template', '{{range .}}{{.slug}} {{end}}'], 'api web \n'],
    [['--template', '{{if .more}}{{json .more}}{{else}}-{{end}}'], '-\n{"deep":true}\n'],
    [['--json=n', '--jq', '.[].n'], '1\n2\n'],
    [['--json=n', '-o', 'ndjson'], '{"n":1}\n{"n":2}\n'],
    [['--json=n', '-o', 'yaml'], '- n: 1\n- n: 2\n'],
    [['-o', 'tsv'], 'c1\tapi\tThe API\t1\t\nc2\tweb\tWeb front\t2\t{"deep":true}\n'],
  ])('writes %j', async (flags, stdout) => {
    const { run } = await served()
    expect(await run('api', 'crews', ...flags)).toEqual({ code: 0, stdout, stderr: '' })
  })

  it.each([
    [['--jq', '.', '-o', 'yaml'], '--jq cannot be combined with -o yaml.'],
    [['--jq', '.', '--template', '{{.}}'], '--jq and --template cannot be combined.'],
    [['--template', '{{.n}}', '-o', 'name'], '--template cannot be combined with -o name.'],
    [['--json', '-o', 'table'], '--json cannot be combined with -o table.'],
    [['--json=n', '-o', 'name'], '--json cannot be combined with -o name.'],
    [['--jq', '.['], '--jq: syntax error'],
    [['--template', '{{range .}}'], '{{range}} without {{end}}'],
    [['--template', '{{.n'], '{{ without }}'],
    [['--template', '{{end}}'], '{{end}} without {{range}} or {{if}}'],
    [['--template', '{{printf .n}}'], '"{{printf .n}}" is none of'],
  ])('refuses %j before it asks the server', async (flags, reason) => {
    const { server, run } = await served()
    const { code, stdout, stderr } = await run('api', 'crews', ...flags)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr.startsWith('{') ? stderr : JSON.stringify({ message: stderr })).message).toContain(reason)
    expect(server.seen).toEqual([])
  })

  it('shows requests, and never the token, with -v', async () => {
    const { run } = await served((_, reply) => json(reply, rows, 200, { 'x-request-id': 'req-9' }))
    const { stderr } = await run('api', 'crews', '-v')
    expect(stderr).toMatch(/^GET \/api\/v1\/crews 200 \d+ ms req-9\n$/)
    expect(stderr).not.toContain('svc_cli_test')
  })

  it('sends the workspace that was asked for', async () => {
    const { server, run } = await served()
    await run('-w', 'acme', 'api', 'crews')
    expect(server.seen[0]?.headers).toMatchObject({ 'x-workspace-id': 'acme', authorization: 'Bearer svc_cli_test' })
  })
})

it('refuses a certificate that is not trusted', async () => {
  const server = await fakeServer((_, reply) => json(reply, rows), 'tls')
  const { run } = cli({ SVC_SERVER: server.url, SVC_TOKEN: 'secret' })
  expect(await run('api', 'crews')).toMatchObject({
    code: 8,
    stderr: expect.stringContaining(`The certificate of ${server.url} is not trusted`),
  })
  expect(server.seen).toEqual([])
})

it('says that a server answers without TLS', async () => {
  const server = await fakeServer((_, reply) => json(reply, rows))
  const secure = server.url.replace('http:', 'https:')
  expect(await cli({ SVC_SERVER: secure, SVC_TOKEN: 'secret' }).run('api', 'crews')).toMatchObject({
    code: 8,
    stderr: expect.stringContaining(`Error: ${secure} answers without TLS: its address begins with http://\n`),
  })
})

const named = { title: 'No such resource', field: 'itemId', detail: undefined }
it.each([
  [
    ['crews', 'update', 'web'],
    400,
    'no_fields',
    { title: 'Nothing was given', detail: 'Name a_b' },
    'Nothing was given.',
  ],
  [['crews', 'list'], 403, 'not_a_member', {}, 'There is no workspace "acme" of which you are a member.'],
  [['workspaces', 'use', 'lab'], 403, 'not_a_member', {}, 'There is no workspace "lab" of which you are a member.'],
  [['inbox', 'show', 'nope'], 404, 'not_found', named, 'There is no such item.'],
] as const)('%j refused with %i %s is told in the words of a person', async (line, status, code, more, what) => {
  const { run } = await served(({ method }, reply) =>
    code === 'no_fields' && method === 'GET'
      ? json(reply, [{ id: 'c1', slug: 'web' }])
      : json(reply, refusal(status, code, more), status),
  )
  const { stderr } = await run('-w', 'acme', ...line)
  expect(stderr).toMatch(/^Error: .*\n(Docs: .*\n)?Next: muster .*\n$/)
  expect(stderr).toContain(`Error: ${what}\n`)
})

it('tells of a configuration that cannot be read what is wrong and what to do', async () => {
  const { home, run } = cli()
  const path = join(home, '.config/muster/config.yaml')
  mkdirSync(join(path, '..'), { recursive: true })
  for (const [text, what] of [
    ['foo: [bar\n', 'is not valid YAML: Flow sequence in block collection'],
    ['contexts: 3\n', 'must hold contexts by name'],
  ] as const) {
    writeFileSync(path, text, { mode: 0o600 })
    const { code, stderr } = await run('crews')
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 2, lines: 3 })
    expect(stderr).toContain(`The configuration ${path} ${what}`)
    expect(stderr).toContain(`Next: correct or remove ${path}\n`)
  }
})

describe('on a terminal', () => {
  const text = '\u001b]0;pwned\u0007\u001b[31mred\u009b2J\n'

  it('shows colours, and nothing that a server might have smuggled in', async () => {
    const { screen } = await served((_, reply) => json(reply, [{ slug: text }]))
    const shown = screen(['api', 'crews'])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('\u001b[36m"slug"')
    expect(shown.text()).toContain('\\u001b]0;pwned\\u0007')
    for (const flags of [['--jq', '.[].slug'], ['-o', 'yaml'], ['-o', 'name'], ['-q']]) {
      const plain = screen(['api', 'crews', '--no-color', ...flags])
      expect(await plain.ended).toBe(0)
      expect(plain.text()).not.toMatch(/[\u001b\u0007\u009b]/)
    }
  })

  it.each<Record<string, string>>([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('has no colours with %j', async (env) => {
    const { screen } = await served()
    const shown = screen(['api', 'crews'], { env })
    await shown.ended
    expect(shown.text()).not.toContain('\u001b[36m')
  })

  it('cleans raw text, and leaves it alone in a pipe', async () => {
    const { run, screen } = await served((_, reply) => reply.end(text))
    expect((await run('api', '/metrics')).stdout).toBe(text)
    const shown = screen(['api', '/metrics'])
    await shown.ended
    expect(shown.text()).toBe('red\r\n')
  })

  it('cleans what a problem says', async () => {
    const { screen } = await served((_, reply) => json(reply, refusal(404, 'x', { detail: text, title: text }), 404))
    const shown = screen(['api', 'crews', '--no-color'])
    expect(await shown.ended).toBe(3)
    expect(shown.text()).not.toMatch(/[\u001b\u0007\u009b]/)
  })
})
