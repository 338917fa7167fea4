import { describe, expect, it } from 'vitest'
import { fact } from '#contract/entries'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { storePolicy } from '../../../daemon/features/crews/service.ts'

const draft = { name: 'Backend', slug: 'backend' }

async function withCrew(body: object = draft, options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const { body: crew, status } = await it.call('OWNER', 'POST', '/crews', body)
  expect(status, JSON.stringify(crew)).toBe(201)
  return { ...it, crew: crew as { id: string; slug: string } & Record<string, unknown> }
}

function hear({ app, workspace }: TestDaemon) {
  const heard: { type: string; payload: unknown; inTransaction: boolean }[] = []
  app.bus.on('broadcast', ({ channel, type, payload }) => {
    if (channel === `workspace:${workspace}`) heard.push({ type, payload, inTransaction: app.db.inTransaction })
  })
  return heard
}

describe('crews.create', () => {
  it('answers with the whole crew, its defaults filled in', async () => {
    const { crew, workspace } = await withCrew()
    expect(crew).toEqual({
      id: expect.stringMatching(/^c[a-z0-9]{24}$/),
      workspace_id: workspace,
      ...draft,
      description: null,
      icon: null,
      color: null,
      container_memory_mb: 4096,
      container_cpus: 2,
      container_ttl_hours: null,
      network_mode: 'restricted',
      network_mode_enforced: true,
      network_mode_unenforced_reason: null,
      allowed_domains: [],
      allow_private_endpoints: false,
      runtime_image: null,
      avatar_style: null,
      issue_prefix: null,
      max_ephemeral_agents: 10,
      max_concurrent_agents: null,
      escalation_config: null,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      _count: { agents: 0, members: 0 },
    })
  })

  it('keeps what describes it, and shows its style with its agents', async () => {
    const { call, crew } = await withCrew()
    const told = { avatar_style: 'pixel', issue_prefix: 'WEB2', max_ephemeral_agents: 0 }
    expect((await call('ADMIN', 'PATCH', `/crews/${crew.id}`, told)).body).toMatchObject(told)
    const agent = (await call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })).body
    expect(agent.crew).toMatchObject({ id: crew.id, avatar_style: 'pixel' })
    const cleared = { avatar_style: null, issue_prefix: '' }
    expect((await call('ADMIN', 'PATCH', `/crews/${crew.id}`, cleared)).body).toMatchObject({
      avatar_style: null,
      issue_prefix: null,
      max_ephemeral_agents: 0,
    })
  })

  it('journals who made it and tells the workspace after the commit', async () => {
    const it = await daemon()
    const heard = hear(it)
    const { body } = await it.call('MANAGER', 'POST', '/crews', draft)
    expect(heard).toEqual([{ type: 'crew.created', payload: { id: body.id, ...draft }, inTransaction: false }])
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        severity: 'notice',
        actor_type: 'user',
        actor_id: it.person('MANAGER').userId,
        crew_id: body.id,
        summary: expect.stringMatching(/^Crew backend was created by \S+@example\.com$/),
        payload: { action: 'create', entity_type: 'crew', entity_id: body.id },
      },
    ])
  })

  it('says in words how large a number may be', async () => {
    const { call } = await daemon({ shared: true })
    const { body } = await call('OWNER', 'POST', '/crews', { ...draft, container_memory_mb: 262_145 })
    expect(body.detail).toBe('container_memory_mb must be at most 262144')
  })

  it.each([
    ['name', { slug: 'a1' }, 'missing_field'],
    ['slug', { name: 'Backend' }, 'missing_field'],
    ['name', { ...draft, name: 'x' }],
    ['name', { ...draft, name: '   x   ' }],
    ['name', { ...draft, name: 'é'.repeat(101) }],
    ['name', { ...draft, name: 'two\nlines' }],
    ['name', { ...draft, name: 'escape \u001b[31m' }],
    ['name', { ...draft, name: ['Backend'] }],
    ['name', { ...draft, name: null }],
    ['slug', { ...draft, slug: 'a' }],
    ['slug', { ...draft, slug: 'a'.repeat(51) }],
    ['slug', { ...draft, slug: 'Backend' }],
    ['slug', { ...draft, slug: '-backend' }],
    ['slug', { ...draft, slug: 'back end' }],
    ['slug', { ...draft, slug: 'backend\n' }],
    ['slug', { ...draft, slug: 'b\u0430ckend' }], // a Cyrillic look-alike
    ['slug', { ...draft, slug: 'ｂackend' }],
    ['slug', { ...draft, slug: 5 }],
    ['description', { ...draft, description: 5 }],
    ['description', { ...draft, description: 'x'.repeat(4001) }],
    ['color', { ...draft, color: 'red' }],
    ['color', { ...draft, color: 'Blue' }],
    ['container_memory_mb', { ...draft, container_memory_mb: 5 }],
    ['container_memory_mb', { ...draft, container_memory_mb: -1 }],
    ['container_memory_mb', { ...draft, container_memory_mb: 262145 }],
    ['container_memory_mb', { ...draft, container_memory_mb: 1024.5 }],
    ['container_memory_mb', { ...draft, container_memory_mb: '4096' }],
    ['container_cpus', { ...draft, container_cpus: 0.001 }],
    ['container_cpus', { ...draft, container_cpus: 513 }],
    ['container_cpus', { ...draft, container_cpus: true }],
    ['container_ttl_hours', { ...draft, container_ttl_hours: -1 }],
    ['network_mode', { ...draft, network_mode: 'open' }],
    ['network_mode', { ...draft, network_mode: null }],
    ['allowed_domains', { ...draft, allowed_domains: 'example.com' }],
    ['allowed_domains.0', { ...draft, allowed_domains: [5] }],
    ['allowed_domains.1', { ...draft, allowed_domains: ['example.com', 'https://example.com'] }],
    ['allowed_domains.0', { ...draft, allowed_domains: ['*'] }],
    ['allowed_domains.0', { ...draft, allowed_domains: ['a.*.com'] }],
    ['allowed_domains.0', { ...draft, allowed_domains: ['example.com:443'] }],
    ['allowed_domains.0', { ...draft, allowed_domains: ['exаmple.com'] }],
    ['allowed_domains.0', { ...draft, allowed_domains: [''] }],
    ['allowed_domains', { ...draft, network_mode: 'free', allowed_domains: ['example.com'] }],
    ['allow_private_endpoints', { ...draft, allow_private_endpoints: 'yes' }],
    ['allow_private_endpoints', { ...draft, allow_private_endpoints: true }],
    ['runtime_image', { ...draft, runtime_image: '--privileged' }],
    ['runtime_image', { ...draft, runtime_image: 'debian 12' }],
    ['devcontainer_config', { ...draft, devcontainer_config: '{}' }],
    ['services_json', { ...draft, services_json: [{ name: 'db' }] }],
    ['mcp_config_json', { ...draft, mcp_config_json: '{}' }],
    ['max_ephemeral_agents', { ...draft, max_ephemeral_agents: 101 }],
    ['max_ephemeral_agents', { ...draft, max_ephemeral_agents: -1 }],
    ['max_concurrent_agents', { ...draft, max_concurrent_agents: 0 }],
    ['max_concurrent_agents', { ...draft, max_concurrent_agents: 1001 }],
    ['issue_prefix', { ...draft, issue_prefix: 'web' }],
    ['issue_prefix', { ...draft, issue_prefix: '1WEB' }],
    ['issue_prefix', { ...draft, issue_prefix: 'ABCDEFGHIJK' }],
    ['avatar_style', { ...draft, avatar_style: 'x'.repeat(101) }],
  ])('refuses %s in %j', async (field, body, code = 'invalid_field') => {
    const { call, entries } = await daemon()
    const { status, body: answer } = await call('OWNER', 'POST', '/crews', body)
    expect({ status, code: answer.code, field: answer.field }).toEqual({ status: 400, code, field })
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
    expect(entries()).toEqual([])
  })

  it('quotes the beginning of what is no host name', async () => {
    const { call } = await daemon()
    const refusal = async (domain: string) =>
      (await call('OWNER', 'POST', '/crews', { ...draft, allowed_domains: [domain] })).body.detail
    expect(await refusal('https://example.com')).toMatch(/^"https:\/\/example\.com" is not a host name;/)
    expect(await refusal('é'.repeat(101))).toMatch(/^"é{100}" is not a host name;/)
  })

  it('says of a member of later versions that it is not supported yet', async () => {
    const { call } = await daemon()
    const { body } = await call('OWNER', 'POST', '/crews', { ...draft, mise_config: '[tools]' })
    expect(body.detail).toBe('mise_config is not supported by this version yet')
  })

  it('ignores members that nobody knows, and never stores them', async () => {
    const { crew, entries } = await withCrew({
      ...draft,
      favourite_food: 'cake',
      id: 'mine',
      workspace_id: 'other',
      services_json: null,
    })
    expect(crew.id).not.toBe('mine')
    expect(crew).not.toHaveProperty('favourite_food')
    expect(JSON.stringify(entries())).not.toContain('cake')
  })

  it('cleans names and domains', async () => {
    const { crew } = await withCrew({
      ...draft,
      name: '  Cafe\u0301 ',
      allowed_domains: ['Example.COM.', 'example.com', ' *.npmjs.org '],
      description: '  ',
    })
    expect(crew).toMatchObject({
      name: 'Caf\u00e9',
      allowed_domains: ['example.com', '*.npmjs.org'],
      description: null,
    })
  })

  it('warns of limits that are too tight, and takes 0 for the default', async () => {
    const { crew, call } = await withCrew({ ...draft, container_memory_mb: 2047, container_cpus: 0.49 })
    expect(crew['warnings']).toEqual([expect.stringContaining('2047'), expect.stringContaining('0.49')])
    const { body } = await call('OWNER', 'POST', '/crews', {
      name: 'Other',
      slug: 'other',
      container_memory_mb: 0,
      container_cpus: 0,
      container_ttl_hours: 0,
    })
    expect(body).toMatchObject({ container_memory_mb: 4096, container_cpus: 2, container_ttl_hours: 0 })
    expect(body).not.toHaveProperty('warnings')
  })

  it('lets a MANAGER leave private endpoints as they are', async () => {
    const { call } = await daemon()
    const answer = await call('MANAGER', 'POST', '/crews', { ...draft, allow_private_endpoints: false })
    expect([answer.status, answer.body.allow_private_endpoints]).toEqual([201, false])
  })

  it('takes private endpoints only from an administrator of a server that allows them', async () => {
    const { call } = await daemon({ config: { allowPrivateEndpoints: true } })
    const body = { ...draft, allow_private_endpoints: true }
    expect((await call('MANAGER', 'POST', '/crews', body)).body.code).toBe('insufficient_role')
    const made = (await call('ADMIN', 'POST', '/crews', body)).body
    expect(made.allow_private_endpoints).toBe(true)
    const change = async (to: object) =>
      (await call('ADMIN', 'PATCH', `/crews/${made.id}`, to)).body.allow_private_endpoints
    expect(await change({ description: 'Near the printer' })).toBe(true)
    expect(await change({ allow_private_endpoints: false })).toBe(false)
    expect(await change({ description: 'Far from it' })).toBe(false)
    const other = { name: 'Other', slug: 'other' }
    expect((await call('ADMIN', 'POST', '/crews', other)).body.allow_private_endpoints).toBe(false)
  })

  it('says when nothing enforces the network mode', async () => {
    const { crew } = await withCrew(
      { ...draft, runtime_image: 'debian:12' },
      { config: { containerProvider: 'process' } },
    )
    expect(crew).toMatchObject({
      network_mode_enforced: false,
      network_mode_unenforced_reason: expect.any(String),
      warnings: [expect.stringContaining('runtime_image')],
    })
  })

  it('gives a slug to one of two at the same time', async () => {
    const { call, entries } = await daemon()
    const answers = await Promise.all([1, 2, 3, 4].map(() => call('OWNER', 'POST', '/crews', draft)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'slug_taken', field: 'slug' })
    expect(entries()).toHaveLength(1)
  })

  it('gives the same slug to two workspaces, and again after a delete', async () => {
    const { call, crew, stranger } = await withCrew()
    expect((await call(stranger(), 'POST', '/crews', draft)).status).toBe(201)
    await call('OWNER', 'DELETE', `/crews/${crew.id}`)
    expect((await call('OWNER', 'POST', '/crews', draft)).status).toBe(201)
  })
})

describe('crews.list', () => {
  it('is newest first and windowed as lists are', async () => {
    const clock = fixedClock()
    const { call } = await daemon({ clock })
    for (const slug of ['one', 'two', 'three']) {
      await call('OWNER', 'POST', '/crews', { name: slug, slug })
      clock.advance(1000)
    }
    const slugs = async (query: string) =>
      (await call('VIEWER', 'GET', `/crews${query}`)).body.map((crew: { slug: string }) => crew.slug)
    expect(await slugs('')).toEqual(['three', 'two', 'one'])
    expect(await slugs('?limit=2')).toEqual(['three', 'two'])
    expect(await slugs('?limit=1&offset=1')).toEqual(['two'])
    expect(await slugs('?limit=0&offset=-5')).toEqual(['three', 'two', 'one'])
    expect(await slugs('?limit=x&offset=1.5')).toEqual(['three', 'two', 'one'])
    expect(await slugs('?limit=99999&offset=3')).toEqual([])
  })

  it('shows no deleted crews', async () => {
    const { call, crew } = await withCrew()
    const { id } = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body
    await call('OWNER', 'DELETE', `/crews/${crew.id}`)
    expect((await call('OWNER', 'GET', '/crews')).body).toMatchObject([{ id }])
  })

  it('shows nobody the crews of another workspace', async () => {
    const { call, stranger } = await withCrew()
    expect((await call(stranger(), 'GET', '/crews')).body).toEqual([])
  })
})

describe('crews.show', () => {
  it('counts the agents and members that it has, and no others', async () => {
    const { call, crew, person } = await withCrew()
    const other = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    const add = (slug: string, crew_id: string) => call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id })
    const { id } = (await add('ada', crew.id)).body
    await add('bob', crew.id)
    await add('eve', other)
    const { userId } = person('MEMBER')
    for (const at of [crew.id, other]) await call('OWNER', 'POST', `/crews/${at}/members`, { user_id: userId })
    const counts = async () => (await call('VIEWER', 'GET', `/crews/${crew.id}`)).body._count
    expect(await counts()).toEqual({ agents: 2, members: 1 })
    await call('OWNER', 'DELETE', `/agents/${id}`)
    expect(await counts()).toEqual({ agents: 1, members: 1 })
  })

  it('warns of the data of a crew that needs attention', async () => {
    const { app, call, crew } = await withCrew()
    app.disk = { ...app.disk, warning: (id) => (id === crew.id ? 'It is nearly full' : null) }
    const show = async (id: string) => (await call('VIEWER', 'GET', `/crews/${id}`)).body
    const other = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    expect((await show(crew.id)).warnings).toEqual(['It is nearly full'])
    expect(await show(other)).not.toHaveProperty('warnings')
  })
})

describe('a crew of another workspace', () => {
  it.each([
    ['GET', ''],
    ['PATCH', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/container-start'],
    ['POST', '/container-stop'],
    ['GET', '/container-status'],
    ['GET', '/container-logs'],
  ])('is answered by %s %s as one that is absent', async (method, path) => {
    const { call, crew, stranger } = await withCrew()
    const body = ['PATCH', 'PUT'].includes(method) ? { name: 'Mine' } : undefined
    const other = stranger()
    const foreign = await call(other, method, `/crews/${crew.id}${path}`, body)
    const absent = await call(other, method, `/crews/cnone00000000000000000000${path}`, body)
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' })
    expect((await call('OWNER', 'GET', `/crews/${crew.id}`)).body.name).toBe('Backend')
  })
})

describe('crews.update', () => {
  it('keeps the description until another is given', async () => {
    const { call, crew } = await withCrew({ ...draft, description: 'The old one' })
    const describe = async (body: object) => (await call('ADMIN', 'PATCH', `/crews/${crew.id}`, body)).body.description
    expect(await describe({ color: 'blue' })).toBe('The old one')
    expect(await describe({ description: 'The new one' })).toBe('The new one')
  })

  it.each(['PATCH', 'PUT'])('%s changes what it names and nothing else', async (method) => {
    const clock = fixedClock()
    const it = await withCrew({ ...draft, description: 'old', color: 'blue' }, { clock })
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body
    const heard = hear(it)
    clock.advance(60_000)
    const { body, status } = await it.call('ADMIN', method, `/crews/${it.crew.id}`, {
      slug: 'api',
      description: '',
      container_memory_mb: 8192,
      unknown: 1,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...it.crew,
      slug: 'api',
      description: null,
      container_memory_mb: 8192,
      updated_at: '2026-01-01T00:01:00Z',
    })
    expect(heard).toEqual([{ type: 'crew.updated', payload: { id: it.crew.id }, inTransaction: false }])
    expect((await it.call('OWNER', 'GET', `/crews/${other.id}`)).body).toEqual(other)
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: { metadata: { changed: ['slug', 'description', 'container_memory_mb'] } },
    })
  })

  it('takes private endpoints only where the server allows them', async () => {
    const { call, crew } = await withCrew()
    const { body } = await call('OWNER', 'PATCH', `/crews/${crew.id}`, { allow_private_endpoints: true })
    expect(body).toMatchObject({ status: 400, code: 'invalid_field', field: 'allow_private_endpoints' })
  })

  it('refuses members of later versions, beside others or alone', async () => {
    const { call, crew } = await withCrew()
    for (const body of [{ mise_config: '[tools]' }, { description: 'New', mise_config: '[tools]' }])
      expect((await call('OWNER', 'PATCH', `/crews/${crew.id}`, body)).body).toMatchObject({
        status: 400,
        code: 'invalid_field',
        field: 'mise_config',
      })
    expect((await call('OWNER', 'GET', `/crews/${crew.id}`)).body.description).toBeNull()
  })

  it('needs something to change', async () => {
    const { call, crew } = await withCrew()
    for (const body of [{}, { unknown: 1 }])
      expect((await call('OWNER', 'PATCH', `/crews/${crew.id}`, body)).body.code).toBe('no_fields')
  })

  it('refuses the slug of another crew and leaves everything as it was', async () => {
    const { call, crew, entries } = await withCrew()
    await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })
    const before = entries().length
    const { body } = await call('OWNER', 'PATCH', `/crews/${crew.id}`, { name: 'New', slug: 'other' })
    expect(body).toMatchObject({ status: 409, code: 'slug_taken', field: 'slug' })
    expect((await call('OWNER', 'GET', `/crews/${crew.id}`)).body.name).toBe('Backend')
    const again = await call('OWNER', 'POST', '/crews', { name: 'New', slug: 'other' })
    expect(again.body).toMatchObject({ status: 409, code: 'slug_taken', field: 'slug' })
    expect(entries()).toHaveLength(before)
  })

  it('does not let domains lie about a free network', async () => {
    const { call, crew } = await withCrew({ ...draft, allowed_domains: ['example.com'] })
    expect((await call('OWNER', 'PATCH', `/crews/${crew.id}`, { network_mode: 'free' })).body).toMatchObject({
      code: 'invalid_field',
      field: 'allowed_domains',
    })
    expect(
      (await call('OWNER', 'PATCH', `/crews/${crew.id}`, { network_mode: 'free', allowed_domains: [] })).status,
    ).toBe(200)
  })
})

describe('the policy of a crew', () => {
  it('is stored for a live crew of the workspace alone', async () => {
    const { app, call, crew, person, stranger, workspace } = await withCrew()
    const other = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id as string
    const store = (at: string, id: string) =>
      app.writeNow(() =>
        storePolicy(app, {
          workspace: at,
          crew: id,
          level: 'strict',
          mode: 'block',
          reason: null,
          user: person('OWNER').userId,
          now: app.now(),
        }),
      )
    const levels = () => app.db.prepare('SELECT autonomy_level FROM crews ORDER BY rowid').pluck().all()
    expect([store(stranger().workspace, crew.id), store(workspace, 'none')]).toEqual([false, false])
    expect(levels()).toEqual(['guided', 'guided'])
    expect(store(workspace, crew.id)).toBe(true)
    expect(levels()).toEqual(['strict', 'guided'])
    await call('OWNER', 'DELETE', `/crews/${other}`)
    expect(store(workspace, other)).toBe(false)
  })
})

describe('the crews of a deleted workspace', () => {
  it('are deleted and told of, each once, and no others', async () => {
    const it = await withCrew()
    const { app, call, crew, workspace } = it
    const old = (await call('OWNER', 'POST', '/crews', { name: 'Old', slug: 'old' })).body.id
    await call('OWNER', 'DELETE', `/crews/${old}`)
    const other = it.stranger()
    const foreign = (await call(other, 'POST', '/crews', draft)).body.id
    const [known, heard] = [it.entries().length, hear(it)]
    const { userId } = it.person('OWNER')
    const about = { workspace_id: workspace, actor_type: 'user', actor_id: userId } as const
    app.writeNow(() => app.journal(fact('workspace.deleted', { entity_id: workspace, name: 'test' }, about)))
    const told = it
      .entries()
      .slice(known)
      .filter(({ payload }) => payload?.['entity_type'] === 'crew')
    expect(told).toMatchObject([
      {
        entry_type: 'audit.entity_deleted',
        actor_id: userId,
        crew_id: crew.id,
        payload: { entity_type: 'crew', entity_id: crew.id, name: 'backend', metadata: { with: 'workspace' } },
      },
    ])
    expect(heard.filter(({ type }) => type === 'crew.deleted').map(({ payload }) => payload)).toEqual([{ id: crew.id }])
    expect(app.db.prepare('SELECT id FROM crews WHERE deleted_at IS NULL').pluck().all()).toEqual([foreign])
  })
})

describe('crews.remove', () => {
  it('leaves every other crew as it is, with its members', async () => {
    const { call, crew, person } = await withCrew()
    const other = (await call('OWNER', 'POST', '/crews', { name: 'Other', slug: 'other' })).body.id
    await call('OWNER', 'POST', `/crews/${other}/members`, { user_id: person('MEMBER').userId })
    const show = async () => (await call('OWNER', 'GET', `/crews/${other}`)).body
    const before = await show()
    await call('OWNER', 'DELETE', `/crews/${crew.id}`)
    expect(before._count.members).toBe(1)
    expect(await show()).toEqual(before)
  })

  it('hides the crew, wishes its container away and tells the workspace', async () => {
    const it = await withCrew()
    const heard = hear(it)
    const { body, status } = await it.call('ADMIN', 'DELETE', `/crews/${it.crew.id}`)
    expect({ status, body }).toEqual({ status: 200, body: { success: true } })
    expect((await it.call('OWNER', 'GET', `/crews/${it.crew.id}`)).status).toBe(404)
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crew.id}`)).status).toBe(404)
    expect(heard.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'crew.deleted', payload: { id: it.crew.id } },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      summary: expect.stringMatching(/^Crew backend was deleted by \S+@example\.com$/),
      crew_id: it.crew.id,
    })
    expect(it.entries()).toHaveLength(2)
  })
})
