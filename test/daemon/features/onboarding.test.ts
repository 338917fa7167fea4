import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const setup = {
  workspace_name: 'Research',
  preferred_language: 'de',
  cli_adapter: 'CLAUDE_CODE',
  llm_provider: 'ANTHROPIC',
  credential_name: 'main',
  credential_value: 'sk-ant-api03-abc',
  pairing_mode: false,
  telemetry_opt_in: true,
  crew_name: 'Web team',
  agent_name: 'Ada',
}
const none = { ...setup, credential_value: '', crew_name: '', agent_name: '' }

/** As the fixture leaves nothing in it, the workspace of the owner is the one to be set up. */
const start = async (options: Parameters<typeof daemon>[0] = {}) => {
  const it = await daemon(options)
  const ask = (body: object, who: Parameters<typeof it.call>[0] = 'OWNER') =>
    it.call(who, 'POST', '/onboarding/setup', body)
  return { ...it, ask }
}

/** For what is refused before it changes anything. */
const common = start({ shared: true })

describe('onboarding.setup', () => {
  it('names the empty workspace and fills it', async () => {
    const { call, ask, workspace, entries } = await start()
    const { status, body } = await ask(setup)
    const { crew_id, agent_id } = body
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        workspace_id: workspace,
        crew_id: expect.stringMatching(/^c[a-z0-9]{24}$/),
        agent_id: expect.stringMatching(/^c[a-z0-9]{24}$/),
        agent_ids: [agent_id],
        agent_count: 1,
      },
    })
    expect((await call('OWNER', 'GET', `/workspaces/${workspace}`)).body).toMatchObject({
      name: 'Research',
      preferred_language: 'de',
    })
    expect((await call('OWNER', 'GET', `/agents/${agent_id}`)).body).toMatchObject({
      name: 'Ada',
      slug: 'ada',
      crew: { id: crew_id, name: 'Web team', slug: 'web-team' },
      pays_with: { name: 'main' },
    })
    expect((await call('OWNER', 'GET', '/credentials')).body).toMatchObject([
      { name: 'main', type: 'API_KEY', provider: 'ANTHROPIC', scope: 'WORKSPACE' },
    ])
    const told = entries(workspace).map(({ entry_type, payload }) => `${entry_type} ${payload?.['name']}`)
    expect(told.slice(-4).sort()).toEqual([
      'audit.entity_created ada',
      'audit.entity_created main',
      'audit.entity_created web-team',
      expect.stringMatching(/^audit\.entity_updated /),
    ])
  })

  it('tells whoever looks at the workspace that it was renamed', async () => {
    const { app, ask, workspace } = await start()
    const heard: unknown[] = []
    app.bus.on('broadcast', ({ channel, type, payload }) => heard.push({ channel, type, payload }))
    await ask(none)
    expect(heard).toContainEqual({
      channel: `workspace:${workspace}`,
      type: 'workspace.updated',
      payload: { id: workspace },
    })
  })

  it('takes the token of a subscription for what it is', async () => {
    const { call, ask } = await start()
    await ask({ workspace_name: 'Research', credential_value: 'sk-ant-oat01-abc' })
    expect((await call('OWNER', 'GET', '/credentials')).body).toMatchObject([
      { name: 'ANTHROPIC key', type: 'AI_CLI_TOKEN', provider: 'ANTHROPIC' },
    ])
  })

  it('makes neither crew nor key where none is asked for', async () => {
    const { call, ask, workspace } = await start()
    expect(await ask(none)).toMatchObject({
      status: 201,
      body: { workspace_id: workspace, crew_id: null, agent_id: null, agent_ids: [], agent_count: 0 },
    })
    expect((await call('OWNER', 'GET', '/credentials')).body).toEqual([])
  })

  it('makes a workspace for who owns none that is empty', async () => {
    const { call, ask, workspace, entries } = await start()
    const { body } = await ask({ workspace_name: '研究' }, 'VIEWER')
    expect(body.workspace_id).not.toBe(workspace)
    expect((await call('VIEWER', 'GET', `/workspaces/${body.workspace_id}`)).body).toMatchObject({
      name: '研究',
      slug: expect.stringMatching(/^workspace-[a-z0-9]{8}$/),
      currentUserRole: 'OWNER',
    })
    expect(entries(body.workspace_id)).toMatchObject([
      { entry_type: 'audit.entity_created', payload: { entity_type: 'workspace' } },
    ])
    await call('OWNER', 'POST', '/crews', { name: 'Old', slug: 'old' })
    expect((await ask(setup)).body.workspace_id).not.toBe(workspace)
  })

  it('gives a workspace that it makes the language that was asked for', async () => {
    const { call, ask } = await start()
    const { body } = await ask({ workspace_name: 'Labor', preferred_language: 'de' }, 'VIEWER')
    expect((await call('VIEWER', 'GET', `/workspaces/${body.workspace_id}`)).body.preferred_language).toBe('de')
  })

  it.each([
    [{}, 'fr', ['name']],
    [{ preferred_language: ' ' }, 'fr', ['name']],
    [{ preferred_language: ' de ' }, 'de', ['name', 'preferred_language']],
  ])('with %j leaves the language at %s, and says so in the journal', async (given, language, changed) => {
    const { call, app, ask, workspace, entries } = await start()
    app.db.prepare("UPDATE workspaces SET preferred_language = 'fr'").run()
    await ask({ workspace_name: 'Research', ...given })
    expect(entries(workspace).map(({ payload }) => payload?.['metadata'])).toEqual([{ changed }])
    expect((await call('OWNER', 'GET', `/workspaces/${workspace}`)).body.preferred_language).toBe(language)
  })

  it('gives a workspace that it makes no language for a blank one', async () => {
    const { call, ask } = await start()
    const { body } = await ask({ workspace_name: 'Labor', preferred_language: '  ' }, 'VIEWER')
    expect((await call('VIEWER', 'GET', `/workspaces/${body.workspace_id}`)).body.preferred_language).toBeNull()
  })

  it('gives a workspace with a long name a slug of 50 characters', async () => {
    const { call, ask } = await start()
    const { body } = await ask({ workspace_name: 'x'.repeat(100) }, 'VIEWER')
    const { slug } = (await call('VIEWER', 'GET', `/workspaces/${body.workspace_id}`)).body
    expect(slug).toBe(`${'x'.repeat(41)}-${body.workspace_id.slice(-8)}`)
  })

  it.each([
    ['a crew', '/crews', { name: 'Old', slug: 'old' }],
    ['an agent', '/agents', { name: 'Ada', slug: 'ada' }],
    ['a key', '/credentials', { name: 'key', value: 'secret', type: 'SECRET' }],
  ])('leaves a workspace with %s alone, and takes the oldest empty one', async (_, path, body) => {
    const { app, call, ask, workspace } = await start()
    const setUp = async () => {
      app.db.prepare('UPDATE users SET onboarding_completed = 0').run()
      return (await ask(none)).body.workspace_id as string
    }
    const { id } = (await call('OWNER', 'POST', path, body)).body
    const made = await setUp()
    expect(made).not.toBe(workspace)
    await call('OWNER', 'DELETE', `${path}/${id}`)
    expect(await setUp()).toBe(workspace)
  })

  it.each([
    ['somebody else owns', 'MEMBER', 'UPDATE workspaces SET name = name'],
    ['is deleted', 'OWNER', "UPDATE workspaces SET deleted_at = 'x'"],
    ['asks for a second factor', 'OWNER', 'UPDATE workspaces SET require_two_factor = 1'],
  ] as const)('leaves an empty workspace alone that %s', async (_, role, state) => {
    const { app, ask, person, workspace } = await start()
    person('OWNER')
    app.db.prepare(state).run()
    const { status, body } = await ask(none, { ...person(role), workspace: '' })
    expect([status, body.workspace_id === workspace]).toEqual([201, false])
  })

  it('is done once, by each for themselves', async () => {
    const { call, ask } = await start()
    expect((await ask(none)).status).toBe(201)
    expect((await call('OWNER', 'GET', '/onboarding/status')).body).toEqual({ completed: true })
    expect((await ask(none)).body).toMatchObject({ status: 409, code: 'onboarding_completed' })
    expect((await ask(none, 'ADMIN')).status).toBe(201)
  })

  it.each([
    [{ workspace_name: ' ' }, 'workspace_name', 'workspace_name must have 2 to 100 characters'],
    [{ workspace_name: 'x' }, 'workspace_name', 'workspace_name must have 2 to 100 characters'],
    [{ workspace_name: '\u0958'.repeat(51) }, 'workspace_name', 'workspace_name must have 2 to 100 characters'],
    [{ preferred_language: 'Klingonese' }, 'preferred_language', /no language called/],
    [{ crew_name: 'x' }, 'crew_name', 'crew_name must have 2 to 100 characters'],
    [{ agent_name: 'x' }, 'agent_name', 'agent_name must have 2 to 100 bytes'],
    [{ agent_name: '' }, 'agent_name', 'crew_name and agent_name come together'],
    [{ crew_name: undefined }, 'crew_name', 'crew_name and agent_name come together'],
    [{ crew_template_slug: 'web' }, 'crew_template_slug', /not supported/],
    [{ cli_adapter: 'CURSOR_CLI' }, 'cli_adapter', /not supported/],
    [{ llm_provider: 'OLLAMA' }, 'llm_provider', /ANTHROPIC/],
    [{ llm_model: 'gpt-5' }, 'llm_model', /no model "gpt-5"/],
    [{ credential_value: 'a key' }, 'credential_value', /^credential_value must be printable/],
    [{ credential_name: '\u202eniam' }, 'credential_name', /direction of writing/],
    [{ telemetry_opt_in: 'yes' }, 'telemetry_opt_in', /boolean/],
  ])('refuses %j and leaves nothing behind', async (wrong, field, error) => {
    const { call, ask, workspace, entries } = await common
    const before = entries(workspace).length
    const { status, body } = await ask({ ...setup, ...wrong })
    expect({ status, field: body.field, error: body.error }).toEqual({
      status: 400,
      field,
      error: typeof error === 'string' ? error : expect.stringMatching(error),
    })
    expect(entries(workspace)).toHaveLength(before)
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
    expect((await call('OWNER', 'GET', '/onboarding/status')).body).toEqual({ completed: false })
  })
})
