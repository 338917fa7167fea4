import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { apply, document, exported, richWorkspace, values } from '../../../support/manifests.ts'
import { skillText } from '../../../support/skills.ts'

const shown = async (it: TestDaemon) => (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}`)).body
const agents = async (it: TestDaemon): Promise<string[]> =>
  (await it.call('OWNER', 'GET', '/agents')).body.map(({ slug }: { slug: string }) => slug).sort()

/** A crew with agents of these names. */
const crew = (slug: string, ...names: string[]) =>
  document('Crew', slug, { spec: { agents: names.map((name) => ({ slug: name })) } })
const all = { values, skip_test_gate: true }

describe('a whole workspace', () => {
  it('is made by one apply, left as it is by a second, and recorded under one trace', async () => {
    const it = await daemon()
    const documents = richWorkspace((await shown(it)).slug)
    const made = await apply(it, documents, all)
    expect(made).toMatchObject({ status: 200, body: { created: 20, changed: 1, destroyed: 0, needs: [] } })
    expect(made.headers['muster-unchanged']).toBeUndefined()
    const { trace_id } = made.body
    const traced = it.entries().filter((entry) => entry.trace_id === trace_id)
    expect(traced.at(-1)).toMatchObject({
      payload: { action: 'apply', metadata: { created: 20, changed: 1, destroyed: 0 } },
      summary: `Files were applied by ${it.person('OWNER').email}: 20 created, 1 changed, 0 destroyed`,
    })
    expect(traced.length).toBeGreaterThan(21)
    const before = it.entries().length
    const again = await apply(it, documents, all)
    expect(again.body).toMatchObject({ steps: [], created: 0, changed: 0, destroyed: 0, unchanged: 21, trace_id: null })
    expect(again.headers['muster-unchanged']).toBe('true')
    expect(it.entries().length).toBe(before)
    expect(JSON.stringify([made.body, it.entries()])).not.toContain(values.DEPLOY_TOKEN)
    expect((await shown(it)).preferred_language).toBe('German')
  })

  it('exports to the same after it was applied to an empty server', async () => {
    const [one, other] = [await daemon(), await daemon()]
    await apply(one, richWorkspace((await shown(one)).slug), all)
    const documents = await exported(one)
    const { slug } = await shown(other)
    documents[0]!['metadata'] = { ...(documents[0]!['metadata'] as object), slug }
    const made = await apply(other, documents, all)
    expect(made.body.mistakes).toBeUndefined()
    expect(await apply(other, documents, all)).toMatchObject({ body: { steps: [] } })
    expect(JSON.stringify(await exported(other))).toBe(JSON.stringify(documents))
    expect(JSON.stringify(documents)).not.toContain(values.DEPLOY_TOKEN)
  })
})

describe('the plan', () => {
  it('says what would be done, and changes nothing', async () => {
    const it = await daemon()
    await apply(it, [crew('web', 'ada', 'bob'), crew('docs', 'eve')])
    const documents = [
      document('Crew', 'web', { metadata: { name: 'The web' }, spec: { agents: [{ slug: 'ada' }, { slug: 'cyd' }] } }),
    ]
    const before = it.entries().length
    const { status, body } = await apply(it, documents, {}, '?dry_run=true')
    expect({ status, before: it.entries().length }).toEqual({ status: 200, before })
    expect(body.body).toMatchObject({ created: 1, changed: 1, destroyed: 1, unchanged: 1 })
    expect(body.body.steps).toEqual([
      { action: 'destroy', kind: 'Agent', name: 'bob', document: null, changes: [] },
      {
        action: 'change',
        kind: 'Crew',
        name: 'web',
        document: 0,
        changes: [{ member: 'metadata.name', from: 'web', to: 'The web' }],
      },
      { action: 'create', kind: 'Agent', name: 'cyd', document: 0, changes: [{ member: 'spec.crew', to: 'web' }] },
    ])
    expect(await agents(it)).toEqual(['ada', 'bob', 'eve'])
    expect(await apply(it, documents, { digest: body.body.digest })).toMatchObject({ status: 200 })
    expect(await agents(it)).toEqual(['ada', 'cyd', 'eve'])
  })

  it('is refused when the workspace has changed since', async () => {
    const it = await daemon()
    const documents = [crew('web', 'ada')]
    const { digest } = (await apply(it, documents, {}, '?dry_run=true')).body.body
    await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    expect(await apply(it, documents, { digest })).toMatchObject({ status: 409, body: { code: 'plan_outdated' } })
    expect(await agents(it)).toEqual([])
  })

  it('is carried out once by two who apply it at the same time', async () => {
    const it = await daemon()
    const documents = [crew('web', 'ada', 'bob')]
    const { digest } = (await apply(it, documents, {}, '?dry_run=true')).body.body
    const both = await Promise.all([apply(it, documents, { digest }), apply(it, documents, { digest })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await agents(it)).toEqual(['ada', 'bob'])
  })

  it('counts for nothing what services write in another form', async () => {
    const it = await daemon()
    const documents = [
      document('Crew', 'web', { spec: { devcontainer: { memory_mb: 0, allowed_domains: ['EXAMPLE.com'] } } }),
    ]
    await apply(it, documents)
    expect((await apply(it, documents, {}, '?dry_run=true')).body).toMatchObject({
      body: { steps: [], unchanged: 1 },
      entries: [],
    })
  })
})

describe('the mode', () => {
  it('upsert takes no credential from crews of other files, as replace does', async () => {
    const it = await daemon()
    const asking = (slug: string) => document('Crew', slug, { spec: { credentials: [{ env: 'GH_TOKEN' }] } })
    const given = { values: { GH_TOKEN: 'x-value' } }
    const reach = async () => {
      const [{ scope, crew_ids }] = (await it.call('OWNER', 'GET', '/credentials')).body
      const crews = (await it.call('OWNER', 'GET', '/crews')).body as { id: string; slug: string }[]
      return [
        scope,
        crews
          .filter(({ id }) => crew_ids.includes(id))
          .map(({ slug }) => slug)
          .sort(),
      ]
    }
    for (const slug of ['web', 'ops']) expect((await apply(it, [asking(slug)], given)).status).toBe(200)
    expect(await reach()).toEqual(['CREW', ['ops', 'web']])
    for (const slug of ['web', 'ops']) expect((await apply(it, [asking(slug)])).body).toMatchObject({ steps: [] })
    expect((await apply(it, [asking('ops')], { mode: 'replace' })).body).toMatchObject({ changed: 1, destroyed: 1 })
    expect(await reach()).toEqual(['CREW', ['ops']])
    const { slug } = await shown(it)
    const whole = document('Workspace', slug, { spec: { credentials: [{ env: 'GH_TOKEN' }] } })
    expect((await apply(it, [whole])).body).toMatchObject({ changed: 1 })
    expect((await apply(it, [asking('ops')])).body).toMatchObject({ steps: [] })
    expect(await reach()).toEqual(['WORKSPACE', []])
  })

  it('upsert destroys agents of the crews that are described, unless nothing is to be destroyed', async () => {
    const it = await daemon()
    await apply(it, [crew('web', 'ada', 'bob'), crew('docs', 'eve')])
    await apply(it, [crew('web', 'ada')], { delete: false })
    expect(await agents(it)).toEqual(['ada', 'bob', 'eve'])
    await apply(it, [document('Crew', 'web')])
    expect(await agents(it)).toEqual(['ada', 'bob', 'eve'])
    await apply(it, [crew('web', 'ada')])
    expect(await agents(it)).toEqual(['ada', 'eve'])
  })

  it('replace destroys all that is not named, of the kinds that are', async () => {
    const it = await daemon()
    const label = document('Label', 'bug', { metadata: { color: '#fff' } })
    await apply(it, [crew('web', 'ada'), crew('docs', 'eve'), label])
    const { body } = await apply(it, [crew('web', 'ada', 'eve')], { mode: 'replace' })
    expect(body).toMatchObject({ created: 0, changed: 1, destroyed: 1 })
    expect(await agents(it)).toEqual(['ada', 'eve'])
    expect((await it.call('OWNER', 'GET', '/labels')).body).toMatchObject([{ name: 'bug' }])
  })

  it('strict takes what is there only as it is', async () => {
    const it = await daemon()
    await apply(it, [crew('web', 'ada')])
    expect(await apply(it, [crew('web', 'ada'), crew('docs')], { mode: 'strict' })).toMatchObject({ status: 200 })
    const other = document('Crew', 'web', { metadata: { name: 'Other' } })
    expect(await apply(it, [other], { mode: 'strict' })).toMatchObject({
      status: 422,
      body: {
        mistakes: [
          { document: 0, path: ['metadata', 'slug'], detail: 'Crew web is there already, and differs in name' },
        ],
      },
    })
  })
})

describe('mistakes', () => {
  const mistakesOf = async (it: TestDaemon, documents: Record<string, unknown>[], body = {}) => {
    const answer = await apply(it, documents, body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'manifest_invalid' } })
    expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
    return answer.body.mistakes.map((it: { document: number; path: unknown[]; detail: string }) => [
      it.document,
      it.path.join('.'),
      it.detail,
    ])
  }

  it('are all told, and nothing is changed', async () => {
    const it = await daemon()
    const documents = [
      { ...crew('web', 'ada'), apiVersion: 'v2', extra: 1 },
      document('Crew', 'Web!', { spec: { devcontainer: { memory_mb: 'much', gpus: 1 } } }),
      document('Label', 'bug'),
      document('InstanceSetting', 'one'),
      document('Nothing', 'one'),
      crew('docs', 'eve'),
    ]
    expect(await mistakesOf(it, documents)).toEqual([
      [0, 'extra', 'extra is unknown here'],
      [0, 'apiVersion', 'apiVersion must be svc/v1'],
      [1, 'metadata.slug', 'metadata.slug must be a-z, 0-9, _ and -, 2 to 50 characters'],
      [1, 'spec.devcontainer.gpus', 'spec.devcontainer.gpus is unknown here'],
      [1, 'spec.devcontainer.memory_mb', 'spec.devcontainer.memory_mb must be either integer or null'],
      [2, 'metadata.color', 'metadata.color is required'],
      [3, 'kind', expect.stringMatching(/^The kind InstanceSetting is not taken\. Settings of the whole server/)],
      [4, 'kind', expect.stringContaining('kind must be one of Workspace, Label')],
    ])
  })

  it('of the rules are told with their place, those that follow from others are not', async () => {
    const it = await daemon()
    const documents = [
      crew('docs', 'eve'),
      document('Crew', 'web', {
        spec: {
          devcontainer: { allowed_domains: ['https://x'] },
          agents: [{ slug: 'ada' }, { slug: 'bob', cli_tools: 'Fly' }],
        },
      }),
      document('Agent', 'cyd', { spec: { crew: 'nowhere' } }),
      document('Agent', 'dee', { spec: { env_refs: ['NOTHING'] } }),
      crew('docs'),
    ]
    expect(await mistakesOf(it, documents)).toEqual([[4, 'metadata.slug', 'Crew docs is described twice']])
    expect(await mistakesOf(it, documents.slice(0, 4))).toEqual([
      [1, 'spec.devcontainer.allowed_domains.0', expect.stringContaining('is not a host name')],
      [2, 'spec.crew', 'There is no crew "nowhere"'],
      [3, 'spec.env_refs', 'There is no credential "NOTHING"'],
    ])
  })

  it('in the middle leave nothing behind', async () => {
    const it = await daemon()
    const before = it.entries().length
    await mistakesOf(it, [
      crew('web', 'ada'),
      crew('docs', 'eve'),
      document('Agent', 'bob', { spec: { agent_role: 'LEAD' } }),
    ])
    expect(it.entries().length).toBe(before)
    expect(await agents(it)).toEqual([])
  })
})

describe('the size of a text is counted in bytes', () => {
  const prompt = (text: string) => document('Crew', 'web', { spec: { agents: [{ slug: 'ada', prompt: text }] } })
  const project = (text: string) => document('Project', 'site', { metadata: { description: text } })
  const template = (text: string) =>
    document('CrewTemplate', 'pair', {
      spec: {
        category: 'ENGINEERING',
        agents: [{ name: 'Lead', slug: 'lead', agent_role: 'LEAD', system_prompt: text }],
      },
    })
  const skill = (text: string) => document('Skill', 'greet', { spec: { inline: text } })
  const head = skillText('greet')
  /** Text of exactly so many bytes, of which most characters have three. */
  const ofBytes = (most: number) => '\u2603'.repeat(Math.floor(most / 3)) + 'x'.repeat(most % 3)
  const ofSkill = (most: number) => head + ofBytes(most - Buffer.byteLength(head))

  it.each<[string, (text: string) => Record<string, unknown>, (most: number) => string, number, string]>([
    ['a prompt', prompt, ofBytes, 65_536, 'spec.agents.0.prompt'],
    ['a description', project, ofBytes, 8192, 'metadata.description'],
    ['a prompt of a template', template, ofBytes, 65_536, 'spec.agents.0.system_prompt'],
    ['a SKILL.md', skill, ofSkill, 512 * 1024, 'spec.inline'],
  ])('of %s', async (_, documentOf, textOf, most, place) => {
    const it = await daemon()
    const refused = await apply(it, [documentOf(textOf(most + 1))])
    expect(refused).toMatchObject({ status: 422, body: { code: 'manifest_invalid' } })
    expect(refused.body.mistakes.map((it: { path: unknown[] }) => it.path.join('.'))).toEqual([place])
    expect(await apply(it, [documentOf(textOf(most))])).toMatchObject({ status: 200 })
  })
})

describe('values of credentials', () => {
  const documents = [
    document('Crew', 'web', {
      spec: {
        credentials: [
          { env: 'TOKEN', label: 'A token', help_url: 'https://example.com' },
          { env: 'MAYBE', required: false },
        ],
      },
    }),
  ]

  it('are asked for by the plan, and needed by the apply', async () => {
    const it = await daemon()
    const { body } = await apply(it, documents, {}, '?dry_run=true')
    expect(body.body.needs).toEqual([
      { env: 'TOKEN', label: 'A token', help_url: 'https://example.com', required: true },
    ])
    const refused = await apply(it, documents)
    expect(refused.body.mistakes).toEqual([
      {
        document: 0,
        path: ['spec', 'credentials', 0, 'env'],
        detail: 'The new credential TOKEN has no value; values are never in files',
      },
    ])
    const made = await apply(it, documents, { values: { TOKEN: 'x', OTHER: 'y' }, digest: body.body.digest })
    expect(made).toMatchObject({ status: 200, body: { created: 2 } })
    expect((await it.call('OWNER', 'GET', '/credentials')).body).toMatchObject([{ name: 'TOKEN', scope: 'CREW' }])
    expect(await apply(it, documents)).toMatchObject({ status: 200, body: { steps: [] } })
  })
})

it('is for those alone who may do each part of it', async () => {
  const it = await daemon()
  const path = `/workspaces/${it.workspace}/apply`
  const label = document('Label', 'bug', { metadata: { color: '#fff' } })
  expect((await it.call('MEMBER', 'POST', path, { documents: [label] })).status).toBe(403)
  expect((await it.call('MANAGER', 'POST', path, { documents: [label] })).status).toBe(200)
  const changed = document('Label', 'bug', { metadata: { color: '#000' } })
  const refused = await it.call('MANAGER', 'POST', path, { documents: [changed] })
  expect(refused).toMatchObject({
    status: 422,
    body: { mistakes: [{ detail: 'It cannot be changed: This needs the role ADMIN or above; yours is MANAGER' }] },
  })
})
