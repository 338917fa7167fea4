import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { catalogue } from '../../../../daemon/features/recipes/catalogue.ts'
import { everythingServer } from '../../../support/everything-server.ts'
import { fakeServer } from '../../../support/fake-server.ts'
import { apply, document, exported, richWorkspace, values } from '../../../support/manifests.ts'
import { recipeWithServer } from '../../../support/recipes.ts'
import { skillText } from '../../../support/skills.ts'
import { vendors } from '../../../support/vendors.ts'

type Json = Record<string, unknown>
const read = async (it: TestDaemon, path: string) => (await it.call('OWNER', 'GET', path)).body
const named = async (it: TestDaemon, path: string, slug: string): Promise<string> =>
  (await read(it, path)).find((one: { slug?: string; name: string }) => one.slug === slug || one.name === slug).id
const mistakes = async (it: TestDaemon, documents: Json[], body: Json = {}): Promise<string[]> =>
  (await apply(it, documents, body)).body.mistakes.map(
    ({ path, detail }: { path: unknown[]; detail: string }) => `${path.join('.')}: ${detail}`,
  )
const idle = { status: 200, body: { steps: [] } }
const crew = (spec: Json = {}) => document('Crew', 'web', { spec })

it('every kind may stand in any order, in lists and on its own', async () => {
  const [one, other] = [await daemon(), await daemon()]
  for (const [at, turn] of [
    [one, (list: Json[]) => list],
    [other, (list: Json[]) => list.reverse()],
  ] as const) {
    const { slug } = await read(at, `/workspaces/${at.workspace}`)
    const made = await apply(at, turn(richWorkspace(slug)), { values, skip_test_gate: true })
    expect(made.body.mistakes).toBeUndefined()
  }
  const [here, there] = [await exported(one), await exported(other)]
  expect(JSON.stringify(there.slice(1))).toBe(JSON.stringify(here.slice(1)))
  expect(here.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Integration', 'Issue']))
})

it('two applies of every kind at once leave one workspace', async () => {
  const it = await daemon()
  const { slug } = await read(it, `/workspaces/${it.workspace}`)
  const body = { values, skip_test_gate: true }
  const both = await Promise.all([1, 2].map(() => apply(it, richWorkspace(slug), body)))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await apply(it, richWorkspace(slug), body)).toMatchObject(idle)
})

describe('integrations', () => {
  const wiki = (spec: Json) => document('Integration', 'wiki', { spec })
  const token = crew({ credentials: [{ env: 'DEPLOY_TOKEN' }], agents: [{ slug: 'bob' }] })

  it('keep values that were given otherwise, which no export shows', async () => {
    const it = await daemon()
    const env_json = JSON.stringify({ OWN: 'hush', GIVEN: `\${DEPLOY_TOKEN}` })
    const server = { name: 'wiki', transport: 'stdio', command: 'npx', env_json }
    expect((await it.call('OWNER', 'POST', '/integrations', server)).status).toBe(201)
    const documents = await exported(it)
    expect(documents.at(-1)).toMatchObject({ spec: { env_mapping: { GIVEN: 'DEPLOY_TOKEN' } } })
    expect(JSON.stringify(documents)).not.toContain('hush')
    expect(await apply(it, documents)).toMatchObject(idle)
    const changed = wiki({ transport: 'stdio', command: 'npx', env_mapping: { OTHER: 'DEPLOY_TOKEN' } })
    expect(await apply(it, [changed])).toMatchObject({ status: 200, body: { changed: 1 } })
    const [shown] = await read(it, '/integrations')
    expect(Object.keys(JSON.parse(shown.env_json)).sort()).toEqual(['OTHER', 'OWN'])
    expect(await apply(it, [changed])).toMatchObject(idle)
  })

  it('keep what agents are given when they move, and lose what files take back', async () => {
    const it = await daemon()
    const bindings = [{ agent: 'bob', credential: 'DEPLOY_TOKEN' }]
    const bound = async () => read(it, `/agents/${await named(it, '/agents', 'bob')}/integrations`)
    await apply(it, [wiki({ endpoint: 'https://wiki.example.com/mcp', bindings }), token], { values })
    const moved = wiki({ endpoint: 'https://other.example.com/mcp', bindings })
    expect(await apply(it, [moved])).toMatchObject({ status: 200, body: { changed: 1 } })
    expect(await bound()).toMatchObject([{ credential_name: 'DEPLOY_TOKEN', cred_type: 'bearer' }])
    expect(await apply(it, [moved])).toMatchObject(idle)
    await apply(it, [wiki({ bindings: [{ agent: 'bob', enabled: false }] })])
    expect(await bound()).toMatchObject([{ credential_name: null, enabled: false }])
    await apply(it, [wiki({ bindings: [] })])
    expect(await bound()).toEqual([])
  })

  it('of a described crew that are not named are destroyed, those of the workspace are not', async () => {
    const it = await daemon()
    const server = (name: string) => ({ name, transport: 'stdio', command: 'npx' })
    await apply(it, [crew({ mcp_servers: [server('one'), server('two')] }), wiki({ endpoint: 'https://a.example/m' })])
    const named = crew({ mcp_servers: [server('two')] })
    expect((await apply(it, [named])).body).toMatchObject({ destroyed: 1 })
    expect((await read(it, '/integrations/crews')).map(({ name }: Json) => name)).toEqual(['two'])
    expect(await read(it, '/integrations')).toHaveLength(1)
  })

  it('are refused with the place of what is wrong', async () => {
    const it = await daemon()
    expect(
      await mistakes(it, [
        wiki({ endpoint: 'http://wiki.example.com' }),
        document('Integration', 'two', { spec: { transport: 'stdio' } }),
        document('Integration', 'three', {
          spec: { endpoint: 'https://a.example', config: { headers: { Authorization: 'Bearer hush' } } },
        }),
        document('Integration', 'four', { spec: { endpoint: 'https://a.example', bindings: [{ agent: 'nobody' }] } }),
        crew({ mcp_servers: [{ name: 'five', replaces: 'none', endpoint: 'https://a.example' }] }),
      ]),
    ).toEqual([
      expect.stringMatching(/^spec\.endpoint: endpoint must be an https address/),
      expect.stringMatching(/^spec\.command: A server over stdio needs command/),
      expect.stringMatching(/^spec\.config: Bind a credential/),
      'spec.bindings: There is no agent "nobody"',
      'spec.mcp_servers.0.replaces: There is no integration of the workspace "none"',
    ])
  })
})

it('skills of every length of name are exported so that they can be applied', async () => {
  const [one, other] = [await daemon(), await daemon()]
  for (const name of ['q', 'r'.repeat(64), 'a-b']) {
    const body = { content: skillText(name) }
    expect((await one.call('OWNER', 'POST', `/workspaces/${one.workspace}/skills/import`, body)).status).toBe(201)
  }
  const documents = (await exported(one)).filter(({ kind }) => kind === 'Skill')
  expect(await apply(other, documents)).toMatchObject({ status: 200, body: { created: 3 } })
  expect((await exported(other)).filter(({ kind }) => kind === 'Skill')).toEqual(documents)
})

describe('recipes', () => {
  const recipe = document('Recipe', 'code-review-crew', { spec: { crew: 'reviews' } })
  const keys = { ANTHROPIC_API_KEY: 'one', GH_TOKEN: 'two' }

  it('are their parts: crew, servers and the credentials that are missing', async () => {
    const it = await daemon()
    expect((await apply(it, [recipe], {}, '?dry_run=true')).body.body).toMatchObject({
      created: 4,
      needs: [{ env: 'ANTHROPIC_API_KEY', label: 'Anthropic API key' }, { env: 'GH_TOKEN' }],
    })
    expect(await apply(it, [recipe], { values: keys })).toMatchObject({ status: 200, body: { created: 4 } })
    expect(await apply(it, [recipe])).toMatchObject(idle)
    const documents = await exported(it)
    expect(documents.map(({ kind }) => kind)).toEqual(['Workspace', 'Crew'])
    expect(documents[1]).toMatchObject({
      spec: { mcp_servers: [{ name: 'github', env_mapping: { GITHUB_PERSONAL_ACCESS_TOKEN: 'GH_TOKEN' } }] },
    })
  })

  it.each(catalogue())('of the catalogue can all be applied: $slug', async ({ slug, credentials, mcp_servers }) => {
    const it = await daemon()
    const values = Object.fromEntries(credentials.map(({ env_var_name }) => [env_var_name, 'a-value']))
    const created = credentials.length + mcp_servers.length + 1
    expect(await apply(it, [document('Recipe', slug)], { values })).toMatchObject({ status: 200, body: { created } })
    expect(await apply(it, [document('Recipe', slug)])).toMatchObject(idle)
  })

  it('use credentials that are there as they are, and are refused by an unknown name', async () => {
    const it = await daemon()
    const own = { name: 'GH_TOKEN', type: 'SECRET', value: 'mine' }
    expect((await it.call('OWNER', 'POST', '/credentials', own)).status).toBe(201)
    expect(await apply(it, [recipe], { values: keys })).toMatchObject({ body: { created: 3, changed: 0 } })
    expect(await mistakes(it, [document('Recipe', 'none')])).toEqual(['metadata.slug: There is no recipe "none"'])
  })
})

describe('recipes with servers at addresses', () => {
  const keys = { ANTHROPIC_API_KEY: 'one', GH_TOKEN: 'two' }
  const allowing = (url: string) => daemon({ config: { integrationHosts: [new URL(url).host] } })
  const withServer = (url: string) => [
    document('Label', 'bug', { metadata: { color: '#111111' } }),
    document('Recipe', recipeWithServer(url), { spec: { crew: 'reviews' } }),
  ]

  it('are applied when a real one answers', async () => {
    const { url } = await everythingServer()
    const it = await allowing(url)
    const documents = withServer(url)
    expect((await apply(it, documents, {}, '?dry_run=true')).body.body).toMatchObject({ created: 6, warnings: [] })
    expect(await apply(it, documents, { values: keys })).toMatchObject({ status: 200, body: { created: 6 } })
  })

  it('are warned of in the plan, and refused before anything is changed, when one does not answer', async () => {
    const { url, seen } = await fakeServer((_, reply) => reply.writeHead(500).end())
    const it = await allowing(url)
    const documents = [...withServer(url), document('Recipe', 'remote-crew', { spec: { crew: 'others' } })]
    const warnings = ['reviews', 'others'].map((crew, at) => ({
      document: at + 1,
      path: ['metadata', 'slug'],
      detail: expect.stringMatching(new RegExp(`^The MCP server ${crew}/remote cannot be used: .*answered 500`)),
    }))
    const plan = (await apply(it, documents, {}, '?dry_run=true')).body.body
    expect(plan.warnings).toEqual(warnings)
    expect(plan.created).toBe(9)
    expect(new Set(seen.map(({ url }) => url)).size).toBe(1)
    const before = it.entries().length
    expect(await apply(it, documents, { values: keys, digest: plan.digest })).toMatchObject({
      status: 502,
      body: { code: 'server_unreachable', server: 'reviews/remote', mistakes: warnings },
    })
    expect([await read(it, '/crews'), await read(it, '/credentials'), await read(it, '/labels')]).toEqual([[], [], []])
    expect(it.entries().length).toBe(before)
  })

  it('are not asked before all values are there, nor once they are as the files say', async () => {
    const { url, seen } = await fakeServer((_, reply) => reply.writeHead(401).end())
    const it = await allowing(url)
    const documents = withServer(url)
    expect((await apply(it, documents)).body.code).toBe('manifest_invalid')
    expect(seen).toEqual([])
    expect(await apply(it, documents, { values: keys })).toMatchObject({ status: 200 })
    const asked = seen.length
    expect(await apply(it, documents)).toMatchObject(idle)
    expect(seen).toHaveLength(asked)
  })
})

describe('issues', () => {
  const form = document('Issue', 'form', { metadata: { name: 'The form' }, spec: { crew: 'web', status: 'TODO' } })
  const field = document('Issue', 'field', { spec: { crew: 'web', parent: 'form' } })
  const titles = async (it: TestDaemon) => (await read(it, '/issues')).map(({ title }: Json) => title).sort()

  it('go on as work moves them, and stay when they are over', async () => {
    const it = await daemon()
    await apply(it, [crew(), field, form])
    const [{ identifier, crew_id, status }] = (await read(it, '/issues')).filter(
      (one: Json) => one['title'] === 'The form',
    )
    expect(status).toBe('TODO')
    for (const next of ['IN_PROGRESS', 'DONE']) {
      const path = `/crews/${crew_id}/issues/${identifier}`
      expect((await it.call('OWNER', 'PATCH', path, { status: next })).status).toBe(200)
      expect(await apply(it, [field, form])).toMatchObject(idle)
    }
    expect((await exported(it)).map(({ metadata }) => (metadata as Json)['slug'])).not.toContain('form')
    await apply(it, [crew(), field], { mode: 'replace' })
    expect(await titles(it)).toEqual(['The form', 'field'])
  })

  it('that people filed are no matter of files, and those of files are destroyed by a replace', async () => {
    const it = await daemon()
    await apply(it, [crew(), field, form])
    const id = await named(it, '/crews', 'web')
    expect((await it.call('OWNER', 'POST', `/crews/${id}/issues`, { title: 'By hand' })).status).toBe(201)
    await apply(it, [document('Issue', 'new', { spec: { crew: 'web' } })], { mode: 'replace' })
    expect(await titles(it)).toEqual(['By hand', 'new'])
  })

  it('are refused with the place of what is wrong', async () => {
    const it = await daemon()
    await apply(it, [crew(), document('Crew', 'docs'), form])
    const bad = (slug: string, spec: Json) => document('Issue', slug, { spec: { crew: 'web', ...spec } })
    expect(
      await mistakes(it, [
        document('Issue', 'form', { spec: { crew: 'docs' } }),
        bad('i1', { milestone: 'beta' }),
        bad('i2', { parent: 'none' }),
        bad('i3', { labels: ['none'] }),
        bad('i4', { assignee: 'nobody' }),
        document('Issue', 'i5', { spec: { crew: 'none' } }),
      ]),
    ).toEqual([
      'spec.crew: An issue stays with its crew: give the new one another slug',
      'spec.milestone: Name the project of the milestone too',
      'spec.parent: There is no issue "none"',
      'spec.labels: There is no label "none"',
      'spec.assignee: There is no agent "nobody"',
      'spec.crew: There is no crew "none"',
    ])
    expect(await mistakes(it, [bad('i6', { status: 'DONE' })])).toEqual([expect.stringMatching(/^spec\.status: /)])
  })
})

describe('notification channels', () => {
  const of = async (it: TestDaemon, ...notification_channels: Json[]) => [
    document('Workspace', (await read(it, `/workspaces/${it.workspace}`)).slug, { spec: { notification_channels } }),
  ]
  const ops = { slug: 'ops', type: 'webhook', url: 'https://hooks.example.com/ops' }

  it('need a value that no file holds and no answer shows', async () => {
    const it = await daemon()
    const documents = await of(it, ops, { slug: 'team-chat', type: 'shoutrrr', provider: 'slack' })
    expect((await apply(it, documents, {}, '?dry_run=true')).body.body.needs).toMatchObject([
      { env: 'CHANNEL_OPS', label: 'what signs the webhook ops', required: true },
      { env: 'CHANNEL_TEAM_CHAT', label: 'the service URL of the channel team-chat' },
    ])
    expect(await mistakes(it, documents)).toEqual([
      expect.stringContaining('The new channel ops has no value: CHANNEL_OPS is what signs'),
      expect.stringContaining('The new channel team-chat has no value'),
    ])
    const given = { CHANNEL_OPS: 'hush-one', CHANNEL_TEAM_CHAT: 'slack://hook:AAAAAAAA-BBBBBBBB-hushtwo@webhook' }
    const made = await apply(it, documents, { values: given })
    expect(made).toMatchObject({ status: 200, body: { created: 2 } })
    expect(JSON.stringify([made.body, await exported(it), it.entries()])).not.toMatch(/hush/)
    expect(await apply(it, documents)).toMatchObject(idle)
  })

  it('change what they tell of, but never where they lead', async () => {
    const it = await daemon()
    await apply(it, await of(it, ops), { values: { CHANNEL_OPS: 'x' } })
    const changed = { ...ops, min_priority: 'urgent', enabled: false }
    expect(await apply(it, await of(it, changed))).toMatchObject({ body: { changed: 1 } })
    expect((await read(it, '/notification-channels')).channels).toMatchObject([
      { slug: 'ops', min_priority: 'urgent', enabled: false },
    ])
    expect(await mistakes(it, await of(it, { ...ops, url: 'https://other.example.com' }))).toEqual([
      'spec.notification_channels.0.url: url cannot be changed: give the new channel another slug',
    ])
  })

  it('get a slug of their own when they are created otherwise', async () => {
    const it = await daemon()
    const create = (body: Json) => it.call('OWNER', 'POST', '/notification-channels', { ...ops, ...body })
    expect((await create({ slug: undefined })).body.slug).toBe('webhook')
    expect((await create({ slug: undefined })).body.slug).toBe('webhook-2')
    expect(await create({ slug: 'webhook' })).toMatchObject({ status: 409, body: { code: 'slug_taken' } })
    expect((await create({ slug: undefined, personal: true })).body.slug).toBeUndefined()
    expect(await apply(it, await exported(it))).toMatchObject(idle)
  })
})

it.each([
  ['devcontainer', { image: 'debian' }, 'spec.devcontainer.image is not taken. The image that a crew works in'],
  ['devcontainer', { features: {} }, 'spec.devcontainer.features is not taken. Features are not installed'],
  ['devcontainer', { env: {} }, 'spec.devcontainer.env is not taken. Containers are given no variables'],
  ['devcontainer', { mise: {} }, 'spec.devcontainer.mise is not taken. Tools are not installed'],
  ['services', [], 'spec.services is not taken. Crews have no services of their own'],
  ['files', [], 'spec.files is not taken. Files are not written into crews'],
])('what would not be obeyed is refused and named: %s %j', async (member, value, told) => {
  const it = await daemon({ shared: true })
  expect(await mistakes(it, [crew({ [member]: value })])).toEqual([expect.stringContaining(told)])
})

describe('skills by address', () => {
  const text = skillText('fetched')
  const digest = `sha256:${hash('sha256', text, 'hex')}`
  const source = 'https://skills.example.com/SKILL.md'
  const skill = (spec: Json) => document('Skill', 'fetched', { spec })

  it('are fetched once, and only as the text of their digest', async () => {
    const it = await daemon()
    const { arrived } = await vendors(it, (_, reply) => reply.end(text))
    const other = `sha256:${'0'.repeat(64)}`
    expect(await mistakes(it, [skill({ source, digest: other })])).toEqual([
      `spec.digest: What stands at the source has the digest ${digest}`,
    ])
    expect(await apply(it, [skill({ source, digest })])).toMatchObject({ status: 200, body: { created: 1 } })
    const times = arrived.length
    expect(await apply(it, [skill({ source, digest })])).toMatchObject(idle)
    expect(arrived.length).toBe(times)
    expect((await exported(it))[1]).toMatchObject({ kind: 'Skill', spec: { inline: text } })
    expect((await exported(it))[1]!['spec']).not.toHaveProperty('digest')
  })

  it.each([
    [{}, 'Give its text in inline, path or source'],
    [{ source, inline: text }, 'Give one of inline, path and source'],
    [{ source }, 'Give the digest of the text too: what stands at an address may change'],
    [{ inline: text, digest }, 'A digest belongs to a source'],
    [{ source, digest, ref: 'main' }, 'spec.ref is not taken. A source is one address'],
    [{ source: 'http://skills.example.com', digest }, 'url must be an https address'],
  ])('are refused with what is missing: %#', async (spec, told) => {
    const it = await daemon({ shared: true })
    expect(await mistakes(it, [skill(spec as Json)])).toEqual([expect.stringContaining(told)])
  })
})
