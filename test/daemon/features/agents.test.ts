import { describe, expect, it } from 'vitest'
import type { App } from '#kernel/app'
import { addPerson, daemon, fixedClock, type Person, type TestDaemon } from '#test'
import { setStatus } from '../../../daemon/features/agents/status/service.ts'

const draft = { name: 'Ada', slug: 'ada' }

type Call = TestDaemon['call']

async function crew(call: Call, slug: string): Promise<string> {
  const { body, status } = await call('OWNER', 'POST', '/crews', { name: slug, slug })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function agent(call: Call, body: object, who: Parameters<Call>[0] = 'OWNER') {
  const answer = await call(who, 'POST', '/agents', body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body as { id: string } & Record<string, unknown>
}

function hear({ app, workspace }: TestDaemon) {
  const heard: [type: string, payload: unknown][] = []
  app.bus.on('broadcast', ({ channel, type, payload }) => {
    expect(app.db.inTransaction).toBe(false)
    if (channel === `workspace:${workspace}`) heard.push([type, payload])
  })
  return heard
}

const mcp = JSON.stringify({ mcpServers: { files: { command: 'files', env: { TOKEN: 'hush' } } } })

describe('agents.create', () => {
  it('answers with the whole agent, its defaults filled in', async () => {
    const it = await daemon()
    const made = await agent(it.call, draft)
    expect(made).toEqual({
      id: expect.stringMatching(/^c[a-z0-9]{24}$/),
      workspace_id: it.workspace,
      crew_id: null,
      ...draft,
      description: null,
      role_title: null,
      agent_role: 'AGENT',
      lead_mode: null,
      status: 'IDLE',
      cli_adapter: 'CLAUDE_CODE',
      llm_provider: null,
      llm_model: null,
      system_prompt: null,
      avatar_seed: null,
      avatar_style: null,
      avatar_url: null,
      timeout_seconds: 1800,
      tool_profile: 'CODING',
      memory_enabled: false,
      cli_tools: null,
      schedule_cron: null,
      schedule_prompt: null,
      schedule_enabled: false,
      schedule_timezone: 'UTC',
      schedule_last_run: null,
      schedule_next_run: null,
      schedule_next_runs: [],
      webhook_require_timestamp: false,
      webhook_secret_set: false,
      crew: null,
      _count: { skills: 0, credentials: 0, chats: 0 },
      waiting_runs: 0,
      created_by_user_id: it.person('OWNER').userId,
      owner: { full_name: 'The OWNER', email: it.person('OWNER').email },
      ephemeral: false,
      expires_at: null,
      expired_at: null,
      parent_lead_id: null,
      hire_reason: null,
      suggested_prompts: null,
      ask_forms: null,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      pays_with: null,
    })
  })

  it('journals who made it and tells the workspace', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const heard = hear(it)
    const { id } = await agent(it.call, { ...draft, crew_id: crewId }, 'MANAGER')
    expect(heard).toEqual([['agent.created', { id, ...draft, status: 'IDLE' }]])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      actor_id: it.person('MANAGER').userId,
      agent_id: id,
      crew_id: crewId,
      payload: { action: 'create', entity_type: 'agent', entity_id: id },
    })
  })

  it('takes every member that has an effect', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const body = {
      ...draft,
      crew_id: crewId,
      agent_role: 'lead',
      lead_mode: 'passive',
      description: 'Two\nlines',
      role_title: 'Engineer',
      cli_adapter: 'CLAUDE_CODE',
      llm_provider: 'ANTHROPIC',
      system_prompt: 'Be brief.',
      avatar_seed: 'x',
      avatar_style: 'bots',
      timeout_seconds: 86400,
      tool_profile: 'MINIMAL',
      cli_tools: ' grep , Read',
      mcp_config_json: mcp,
    }
    expect(await agent(it.call, body)).toMatchObject({
      ...body,
      agent_role: 'LEAD',
      cli_tools: 'Read,Grep',
      crew: { name: 'backend', slug: 'backend', color: null, avatar_style: null },
    })
  })

  it.each([
    ['name', { slug: 'ada' }, 'missing_field'],
    ['slug', { name: 'Ada' }, 'missing_field'],
    ['name', { ...draft, name: 'A' }],
    ['name', { ...draft, name: 'é'.repeat(51) }], // 102 bytes
    ['name', { ...draft, name: 'x'.repeat(101) }],
    ['name', { ...draft, name: null }],
    ['name', { ...draft, name: 'A\u0000da' }],
    ['name', { ...draft, name: {} }],
    ['slug', { ...draft, slug: 'Ada' }],
    ['slug', { ...draft, slug: 'a' }],
    ['slug', { ...draft, slug: 'x'.repeat(51) }],
    ['slug', { ...draft, slug: '-ada' }],
    ['slug', { ...draft, slug: 'a/da' }],
    ['slug', { ...draft, slug: 'a%20' }],
    ['slug', { ...draft, slug: 'аda' }], // a Cyrillic look-alike
    ['slug', { ...draft, slug: 'ada ' }],
    ['slug', { ...draft, slug: null }],
    ['crew_id', { ...draft, crew_id: 'cnone00000000000000000000' }],
    ['crew_id', { ...draft, crew_id: 5 }],
    ['agent_role', { ...draft, agent_role: 'BOSS' }],
    ['agent_role', { ...draft, agent_role: 'ＬＥＡＤ' }],
    ['agent_role', { ...draft, agent_role: '' }],
    ['agent_role', { ...draft, agent_role: null }],
    ['agent_role', { ...draft, agent_role: 'LEAD' }], // without a crew
    ['lead_mode', { ...draft, lead_mode: 'active' }], // not a LEAD
    ['lead_mode', { ...draft, lead_mode: 'ACTIVE' }],
    ['cli_adapter', { ...draft, cli_adapter: 'claude_code' }],
    ['cli_adapter', { ...draft, cli_adapter: 'CURSOR_CLI' }],
    ['llm_provider', { ...draft, cli_adapter: 'CODEX_CLI', llm_provider: 'ANTHROPIC' }],
    ['llm_provider', { ...draft, cli_adapter: 'OPENCODE', llm_provider: 'OLLAMA' }],
    ['tool_profile', { ...draft, cli_adapter: 'CODEX_CLI', tool_profile: 'MINIMAL' }],
    ['tool_profile', { ...draft, cli_adapter: 'OPENCODE', tool_profile: 'MINIMAL' }],
    ['cli_tools', { ...draft, cli_adapter: 'CODEX_CLI', cli_tools: 'Read,Write' }],
    ['llm_model', { ...draft, cli_adapter: 'FACTORY_DROID' }],
    ['llm_model', { ...draft, cli_adapter: 'FACTORY_DROID', llm_provider: 'OPENAI', llm_model: 'gemini-2.5-pro' }],
    ['tool_profile', { ...draft, cli_adapter: 'FACTORY_DROID', llm_model: 'opus', tool_profile: 'MINIMAL' }],
    ['llm_provider', { ...draft, cli_adapter: 'FACTORY_DROID', llm_model: 'opus', llm_provider: 'FACTORY' }],
    ['cli_adapter', { ...draft, cli_adapter: null }],
    ['llm_provider', { ...draft, llm_provider: 'OPENAI' }],
    ['llm_provider', { ...draft, llm_provider: 'ACME' }],
    ['llm_model', { ...draft, llm_model: '--dangerous' }],
    ['llm_model', { ...draft, llm_model: 'a b' }],
    ['llm_model', { ...draft, llm_model: 7 }],
    ['tool_profile', { ...draft, tool_profile: 'full' }],
    ['timeout_seconds', { ...draft, timeout_seconds: -1 }],
    ['timeout_seconds', { ...draft, timeout_seconds: 86401 }],
    ['timeout_seconds', { ...draft, timeout_seconds: 1.5 }],
    ['timeout_seconds', { ...draft, timeout_seconds: '60' }],
    ['cli_tools', { ...draft, cli_tools: 'Read,Frobnicate' }],
    ['cli_tools', { ...draft, cli_tools: 'Read,,Bash' }],
    ['mcp_config_json', { ...draft, mcp_config_json: '{' }],
    ['mcp_config_json', { ...draft, mcp_config_json: '{}' }],
    ['mcp_config_json', { ...draft, mcp_config_json: '[]' }],
    ['mcp_config_json', { ...draft, mcp_config_json: '{"mcpServers":[]}' }],
    ['mcp_config_json', { ...draft, mcp_config_json: '{"mcpServers":{"x":"y"}}' }],
    [
      'mcp_config_json',
      { ...draft, mcp_config_json: JSON.stringify({ mcpServers: { x: { command: 'x'.repeat(65_536) } } }) },
    ],
    ['mcp_config_json', { ...draft, mcp_config_json: { mcpServers: {} } }],
    ['system_prompt', { ...draft, system_prompt: 'x'.repeat(65_537) }],
    ['system_prompt', { ...draft, system_prompt: 'nul \u0000' }],
    ['memory_enabled', { ...draft, memory_enabled: 'yes' }],
    ['schedule_cron', { ...draft, schedule_cron: '@reboot' }],
    ['suggested_prompts', { ...draft, suggested_prompts: `Hi\n${'x'.repeat(121)}` }],
    ['suggested_prompts', { ...draft, suggested_prompts: 'Hi\n'.repeat(9) }],
    ['ask_forms', { ...draft, ask_forms: '[{}]' }],
    ['ask_forms', { ...draft, ask_forms: [] }],
    ['webhook_require_timestamp', { ...draft, webhook_require_timestamp: 'yes' }],
  ])('refuses %s in %.120j', async (field, body, code = 'invalid_field') => {
    const { call, entries } = await daemon()
    const { status, body: answer } = await call('OWNER', 'POST', '/agents', body)
    expect({ status, code: answer.code, field: answer.field }).toEqual({ status: 400, code, field })
    expect((await call('OWNER', 'GET', '/agents')).body).toEqual([])
    expect(entries()).toEqual([])
  })

  it('names what this version supports instead', async () => {
    const { call } = await daemon()
    const { body } = await call('OWNER', 'POST', '/agents', { ...draft, cli_adapter: 'CURSOR_CLI' })
    expect(body.detail).toBe(
      'cli_adapter CURSOR_CLI is not supported by this version yet; ' +
        'it runs CLAUDE_CODE, CODEX_CLI, GEMINI_CLI, OPENCODE, FACTORY_DROID',
    )
  })

  it.each(['ANTHROPIC', 'OPENAI', 'GOOGLE'])(
    'works with the models of %s where its client does',
    async (llm_provider) => {
      const { call } = await daemon()
      const client = { cli_adapter: 'OPENCODE', llm_provider }
      expect(await agent(call, { ...draft, ...client })).toMatchObject(client)
    },
  )

  it.each([
    ['ANTHROPIC', 'claude-opus-4-8'],
    ['OPENAI', 'gpt-5'],
    ['ANTHROPIC', 'openai/gpt-5'],
  ])('works with FACTORY_DROID and %s by the model %s', async (llm_provider, llm_model) => {
    const { call } = await daemon()
    const client = { cli_adapter: 'FACTORY_DROID', llm_provider, llm_model }
    expect(await agent(call, { ...draft, ...client })).toMatchObject(client)
  })

  it('is refused tools that its client could not be kept to, whichever changes', async () => {
    const { call } = await daemon()
    const made = await agent(call, { ...draft, tool_profile: 'MINIMAL' })
    const change = (body: object) => call('OWNER', 'PATCH', `/agents/${made.id}`, body)
    const needs = 'CODEX_CLI cannot be kept from Bash, which these tools leave out; take a profile and tools with it'
    expect(await change({ cli_adapter: 'CODEX_CLI' })).toMatchObject({
      status: 400,
      body: { field: 'cli_adapter', detail: needs },
    })
    expect((await change({ cli_adapter: 'CODEX_CLI', tool_profile: 'CODING' })).status).toBe(200)
    expect(await change({ tool_profile: 'MINIMAL' })).toMatchObject({ status: 400, body: { field: 'tool_profile' } })
    expect(await change({ cli_tools: 'Read' })).toMatchObject({ status: 400, body: { field: 'cli_tools' } })
    expect((await change({ cli_tools: 'Bash' })).status).toBe(200)
  })

  it('takes any profile for a client that can be kept to it, with models of its vendor', async () => {
    const { call } = await daemon()
    const gemini = { cli_adapter: 'GEMINI_CLI', llm_provider: 'GOOGLE', tool_profile: 'MINIMAL', cli_tools: 'Read' }
    const made = await agent(call, { ...draft, ...gemini })
    expect(made).toMatchObject(gemini)
    expect(await call('OWNER', 'PATCH', `/agents/${made.id}`, { llm_provider: 'OPENAI' })).toMatchObject({
      status: 400,
      body: { field: 'llm_provider' },
    })
  })

  it.each([
    ['name', 'Al'],
    ['name', 'é'.repeat(50)],
    ['name', 'x'.repeat(100)],
    ['slug', 'ab'],
    ['slug', 'x'.repeat(50)],
    ['slug', '0-9_'],
    ['agent_role', 'agent'],
    ['tool_profile', 'MINIMAL'],
    ['tool_profile', 'CODING'],
    ['tool_profile', 'FULL'],
    ['timeout_seconds', 1],
  ])('takes the %s %j', async (field, value) => {
    const { call } = await daemon({ shared: true })
    const slug = `a${Math.random().toString(36).slice(2, 12)}`
    const stored = field === 'agent_role' ? 'AGENT' : value
    expect(await agent(call, { ...draft, slug, [field]: value })).toMatchObject({ [field]: stored })
  })

  it('takes what asks for nothing: 0 seconds, no schedule, empty lists', async () => {
    const it = await daemon()
    const made = await agent(it.call, {
      ...draft,
      timeout_seconds: 0,
      memory_enabled: false,
      schedule_enabled: false,
      schedule_cron: null,
      cli_tools: '',
      mcp_config_json: '',
    })
    expect(made).toMatchObject({ timeout_seconds: 1800, cli_tools: null })
    expect(made).not.toHaveProperty('mcp_config_json')
  })

  it('takes what is so already, by itself too', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, draft)
    const patch = async (body: object) => (await it.call('OWNER', 'PATCH', `/agents/${id}`, body)).body
    expect(await patch({ schedule_enabled: false })).toMatchObject({ id, schedule_enabled: false })
    expect(await patch({ schedule_enabled: true })).toMatchObject({ status: 400, field: 'schedule_enabled' })
    expect(await patch({})).toMatchObject({ status: 400, code: 'no_fields' })
  })

  it('takes what an older client sends for every blank: null', async () => {
    const it = await daemon()
    const blank = {
      crew_id: null,
      description: null,
      role_title: null,
      lead_mode: null,
      llm_provider: null,
      llm_model: null,
      system_prompt: null,
      avatar_seed: null,
    }
    expect(await agent(it.call, { ...draft, ...blank })).toMatchObject({
      agent_role: 'AGENT',
      cli_adapter: 'CLAUDE_CODE',
      llm_provider: null,
    })
  })

  it('keeps what describes it: memory, prompts, forms; empty text clears them', async () => {
    const it = await daemon()
    const form = {
      id: 'leave',
      label: 'Leave',
      template: '{{day}}',
      fields: [{ name: 'day', label: 'Day', type: 'date' }],
    }
    const told = { memory_enabled: true, suggested_prompts: ' Hi \r\n\r\nHo', ask_forms: JSON.stringify([form]) }
    const made = await agent(it.call, { ...draft, ...told })
    expect(made).toMatchObject({ memory_enabled: true, suggested_prompts: 'Hi\nHo' })
    expect(JSON.parse(made.ask_forms as string)).toEqual([{ ...form, attachment: 'none' }])
    const path = `/agents/${made.id}`
    const kept = (await it.call('OWNER', 'PATCH', path, { memory_enabled: false })).body
    expect(kept).toMatchObject({ memory_enabled: false, suggested_prompts: 'Hi\nHo', ask_forms: made.ask_forms })
    expect((await it.call('OWNER', 'PATCH', path, { suggested_prompts: '', ask_forms: '' })).body).toMatchObject({
      suggested_prompts: null,
      ask_forms: null,
    })
  })

  it('refuses the crew of another workspace as one that is absent', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const { body } = await it.call(it.stranger(), 'POST', '/agents', { ...draft, crew_id: crewId })
    expect(body).toMatchObject({ status: 400, field: 'crew_id', detail: 'There is no such crew' })
  })

  it('gives a slug and a lead to one of many at the same time', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const same = await Promise.all([1, 2, 3].map(() => it.call('OWNER', 'POST', '/agents', draft)))
    expect(same.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(same.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'slug_taken', field: 'slug' })
    const leads = await Promise.all(
      ['one', 'two', 'three'].map((slug) =>
        it.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crewId, agent_role: 'LEAD' }),
      ),
    )
    expect(leads.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(leads.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'lead_taken', field: 'agent_role' })
  })

  it('gives the slug of a deleted agent again', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, draft)
    await it.call('OWNER', 'DELETE', `/agents/${id}`)
    await agent(it.call, draft)
  })
})

describe('agents.list', () => {
  const people = [
    { name: 'Ada', slug: 'ada', role_title: 'Backend Engineer' },
    { name: 'Ödön', slug: 'odon', role_title: 'Tester' },
    { name: '100% Sure', slug: 'sure_thing' },
  ]

  async function three() {
    const clock = fixedClock()
    const it = await daemon({ clock })
    for (const body of people) {
      await agent(it.call, body)
      clock.advance(1000)
    }
    const list = async (query: string) => {
      const { body, headers } = await it.call('VIEWER', 'GET', `/agents${query}`)
      const window = [headers['x-total-count'], headers['x-limit'], headers['x-offset']].map(Number)
      return { slugs: body.map(({ slug }: { slug: string }) => slug), window }
    }
    return { ...it, list }
  }

  it('is newest first and says which window it is', async () => {
    const { list } = await three()
    expect(await list('')).toEqual({ slugs: ['sure_thing', 'odon', 'ada'], window: [3, 100, 0] })
    expect(await list('?limit=1&offset=1')).toEqual({ slugs: ['odon'], window: [3, 1, 1] })
    expect(await list('?limit=-1&offset=-1')).toEqual({ slugs: ['sure_thing', 'odon', 'ada'], window: [3, 100, 0] })
    expect(await list('?limit=500')).toMatchObject({ window: [3, 500, 0] })
    expect(await list('?limit=501')).toMatchObject({ window: [3, 500, 0] })
    expect(await list('?limit=0')).toMatchObject({ window: [3, 100, 0] })
    expect(await list('?limit=ten&offset=x')).toMatchObject({ window: [3, 100, 0] })
    expect(await list('?offset=3&include_setup=1')).toEqual({ slugs: [], window: [3, 100, 3] })
  })

  it.each([
    ['ADA', ['ada']],
    ['engineer', ['ada']],
    ['%20engin', ['ada']],
    ['%C3%B6D%C3%B6', ['odon']],
    ['o%CC%88do%CC%88', ['odon']], // the same letter, decomposed
    ['%25', ['sure_thing']],
    ['_', ['sure_thing']],
    ['e_thing', ['sure_thing']],
    ['*', []],
    ['', ['sure_thing', 'odon', 'ada']],
  ])('finds %s in name, slug and role title', async (q, slugs) => {
    const { list } = await three()
    expect(await list(`?q=${q}`)).toEqual({ slugs, window: [slugs.length, 100, 0] })
  })

  it('filters by crew, and shows another workspace nothing', async () => {
    const it = await three()
    const crewId = await crew(it.call, 'backend')
    await agent(it.call, { name: 'In crew', slug: 'in-crew', crew_id: crewId })
    expect(await it.list(`?crew_id=${crewId}`)).toEqual({ slugs: ['in-crew'], window: [1, 100, 0] })
    expect(await it.list('?crew_id=cnone00000000000000000000')).toMatchObject({ slugs: [] })
    expect((await it.call(it.stranger(), 'GET', `/agents?crew_id=${crewId}`)).body).toEqual([])
  })

  it('counts the chats of each agent', async () => {
    const it = await daemon()
    const [one, two] = [await agent(it.call, draft), await agent(it.call, { name: 'Grace', slug: 'grace' })]
    for (const session_id of ['a', 'b'])
      expect((await it.call('MEMBER', 'POST', `/agents/${one.id}/chats`, { session_id })).status).toBe(201)
    const count = async (id: string) => (await it.call('VIEWER', 'GET', `/agents/${id}`)).body._count.chats
    expect([await count(one.id), await count(two.id)]).toEqual([2, 0])
  })

  it('keeps tool configuration, which can hold secrets, from those who may not change agents', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, { ...draft, mcp_config_json: mcp })
    for (const role of ['VIEWER', 'MEMBER'] as const) {
      expect((await it.call(role, 'GET', '/agents')).text).not.toContain('hush')
      expect((await it.call(role, 'GET', `/agents/${id}`)).text).not.toContain('hush')
    }
    expect((await it.call('MANAGER', 'GET', `/agents/${id}`)).body.mcp_config_json).toBe(mcp)
    expect(JSON.stringify(it.entries())).not.toContain('hush')
  })
})

describe('agents.show', () => {
  it('leaves out who made an agent where nobody knows it', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, draft)
    it.app.db.prepare('UPDATE agents SET created_by_user_id = NULL').run()
    const shown = (await it.call('VIEWER', 'GET', `/agents/${id}`)).body
    expect(shown).not.toHaveProperty('created_by_user_id')
    expect(shown).not.toHaveProperty('owner')
  })
})

describe('agents.update', () => {
  it('changes what it names and nothing else', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock })
    const made = await agent(it.call, { ...draft, description: 'old', role_title: 'Tester' })
    const heard = hear(it)
    clock.advance(1000)
    const { body } = await it.call('ADMIN', 'PATCH', `/agents/${made.id}`, {
      name: 'Grace',
      description: null,
      timeout_seconds: 60,
      status: 'ERROR',
      id: 'x',
    })
    expect(body).toEqual({
      ...made,
      name: 'Grace',
      description: null,
      timeout_seconds: 60,
      updated_at: '2026-01-01T00:00:01Z',
    })
    expect(heard).toEqual([['agent.updated', { id: made.id }]])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      payload: { metadata: { changed: ['name', 'description', 'timeout_seconds'] } },
    })
  })

  it.each([
    [{ cli_adapter: '' }, 'cli_adapter'],
    [{ cli_adapter: null }, 'cli_adapter'],
    [{ llm_provider: null }, 'llm_provider'],
    [{ llm_provider: '' }, 'llm_provider'],
    [{ tool_profile: null }, 'tool_profile'],
    [{ agent_role: null }, 'agent_role'],
    [{ agent_role: 5 }, 'agent_role'],
    [{ lead_mode: null }, 'lead_mode'],
    [{ lead_mode: '' }, 'lead_mode'],
    [{ lead_mode: 'active' }, 'lead_mode'],
    [{ crew_id: 5 }, 'crew_id'],
    [{ crew_id: 'cnone00000000000000000000' }, 'crew_id'],
    [{ agent_role: 'LEAD' }, 'agent_role'],
    [{ name: null }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ timeout_seconds: null }, 'timeout_seconds'],
    [{ mcp_config_json: 'x' }, 'mcp_config_json'],
    [{ schedule_enabled: true }, 'schedule_enabled'],
  ])('refuses %j', async (body, field) => {
    const it = await daemon()
    const made = await agent(it.call, draft)
    expect((await it.call('OWNER', 'PATCH', `/agents/${made.id}`, body)).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field,
    })
    expect((await it.call('OWNER', 'GET', `/agents/${made.id}`)).body).toEqual(made)
  })

  it('needs something to change', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, draft)
    for (const body of [{}, { status: 'RUNNING' }])
      expect((await it.call('OWNER', 'PATCH', `/agents/${id}`, body)).body.code).toBe('no_fields')
  })

  const form = {
    id: 'leave',
    label: 'Leave',
    template: '{{day}}',
    fields: [{ name: 'day', label: 'Day', type: 'date' }],
  }
  const told = { suggested_prompts: 'Hi', ask_forms: JSON.stringify([form]) }

  it.each([
    { suggested_prompts: null },
    { suggested_prompts: ' \r\n\t ' },
    { ask_forms: null },
    { ask_forms: '' },
    { ask_forms: ' \n' },
    { ask_forms: ' [] ' },
    { ask_forms: 'null' },
  ])('clears what nothing is left of: %j', async (body) => {
    const { call } = await daemon({ shared: true })
    const slug = `a${Math.random().toString(36).slice(2, 12)}`
    const made = await agent(call, { ...draft, slug, ...told })
    const [name] = Object.keys(body)
    expect((await call('OWNER', 'PATCH', `/agents/${made.id}`, body)).body).toMatchObject({
      ...made,
      [name!]: null,
      updated_at: expect.any(String),
    })
  })

  it.each([
    [{ suggested_prompts: `Hi\n${'x'.repeat(121)}` }, 'line 2'],
    [{ ask_forms: JSON.stringify([form, { ...form, id: 'other', template: '{{night}}' }]) }, '"other"'],
    [{ ask_forms: JSON.stringify([form, { ...form, id: 'other', template: '{{night}}' }]) }, '{{night}}'],
  ])('writes nothing when %.30j is refused, and says where: %s', async (body, where) => {
    const it = await daemon()
    const made = await agent(it.call, { ...draft, ...told })
    const before = it.entries().length
    const refused = await it.call('OWNER', 'PATCH', `/agents/${made.id}`, { name: 'Grace', ...body })
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining(where) } })
    expect((await it.call('OWNER', 'GET', `/agents/${made.id}`)).body).toEqual(made)
    expect(it.entries()).toHaveLength(before)
  })

  it('narrows a profile whatever tools were named, and keeps them for a wider one', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, { ...draft, cli_tools: 'bash,Read' })
    const patch = (body: object) => it.call('OWNER', 'PATCH', `/agents/${id}`, body)
    expect((await patch({ tool_profile: 'MINIMAL' })).body).toMatchObject({
      tool_profile: 'MINIMAL',
      cli_tools: 'Read,Bash',
    })
    expect((await patch({ tool_profile: 'CODING' })).body).toMatchObject({
      tool_profile: 'CODING',
      cli_tools: 'Read,Bash',
    })
    expect((await patch({ cli_tools: 'Frobnicate' })).body).toMatchObject({
      status: 400,
      field: 'cli_tools',
      detail: expect.stringContaining('NotebookEdit'),
    })
  })

  it('makes a LEAD and the one before an AGENT in one step', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const before = await agent(it.call, { ...draft, crew_id: crewId, agent_role: 'LEAD' })
    const next = await agent(it.call, { name: 'Grace', slug: 'grace', crew_id: crewId })
    const heard = hear(it)
    const { body } = await it.call('OWNER', 'PATCH', `/agents/${next.id}`, { agent_role: 'Lead' })
    expect(body).toMatchObject({ agent_role: 'LEAD', lead_mode: 'active' })
    expect((await it.call('OWNER', 'GET', `/agents/${before.id}`)).body).toMatchObject({
      agent_role: 'AGENT',
      lead_mode: null,
    })
    expect(heard).toEqual([
      ['agent.updated', { id: before.id }],
      ['agent.updated', { id: next.id }],
    ])
    expect(it.entries().at(-2)).toMatchObject({
      agent_id: before.id,
      entry_type: 'audit.entity_updated',
      summary: `${it.person('OWNER').email} made agent Grace the lead of crew backend in place of agent Ada`,
      payload: { metadata: { replaced_by: next.id } },
    })
  })

  it('leaves the LEAD in place when the rest of the change is refused', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const before = await agent(it.call, { ...draft, crew_id: crewId, agent_role: 'LEAD' })
    const next = await agent(it.call, { name: 'Grace', slug: 'grace', crew_id: crewId })
    expect((await it.call('OWNER', 'PATCH', `/agents/${next.id}`, { agent_role: 'LEAD', slug: 'ada' })).body.code).toBe(
      'slug_taken',
    )
    expect((await it.call('OWNER', 'GET', `/agents/${before.id}`)).body.agent_role).toBe('LEAD')
  })

  it('does not let a LEAD walk into a crew that has one, or out of every crew', async () => {
    const it = await daemon()
    const [one, two] = [await crew(it.call, 'one'), await crew(it.call, 'two')]
    await agent(it.call, { ...draft, crew_id: one, agent_role: 'LEAD' })
    const { id } = await agent(it.call, { name: 'Grace', slug: 'grace', crew_id: two, agent_role: 'LEAD' })
    const patch = async (body: object) => (await it.call('OWNER', 'PATCH', `/agents/${id}`, body)).body
    expect(await patch({ crew_id: one })).toMatchObject({ status: 409, code: 'lead_taken' })
    expect(await patch({ crew_id: '' })).toMatchObject({ status: 400, field: 'crew_id' })
    expect(await patch({ crew_id: one, agent_role: 'LEAD' })).toMatchObject({ crew_id: one, agent_role: 'LEAD' })
    expect(await patch({ crew_id: '', agent_role: 'AGENT' })).toMatchObject({
      crew_id: null,
      crew: null,
      agent_role: 'AGENT',
      lead_mode: null,
    })
  })
})

describe('who may change an agent', () => {
  const manager = ({ app, workspace }: TestDaemon): Person => app.writeNow(() => addPerson(app, 'MANAGER', workspace))

  it('is a manager for their own agents, an administrator for all', async () => {
    const it = await daemon()
    const [mine, other] = [manager(it), manager(it)]
    const { id } = await agent(it.call, draft, mine)
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'Grace' } : undefined
      expect((await it.call(other, method, `/agents/${id}`, body)).body).toMatchObject({
        status: 403,
        code: 'insufficient_role',
      })
    }
    expect((await it.call(mine, 'PATCH', `/agents/${id}`, { name: 'Grace' })).status).toBe(200)
    expect((await it.call('ADMIN', 'PATCH', `/agents/${id}`, { name: 'Joan' })).status).toBe(200)
    expect((await it.call(mine, 'DELETE', `/agents/${id}`)).body).toEqual({ success: true })
  })

  it('is nobody from another workspace, to whom it does not exist', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, { ...draft, cli_adapter: 'CODEX_CLI' })
    const other = it.stranger()
    for (const [method, body] of [
      ['GET'],
      ['PATCH', { name: 'Grace' }],
      ['PATCH', { llm_model: 'gpt-4o' }],
      ['PATCH', { llm_model: 'claude-opus-5' }],
      ['DELETE'],
    ] as const) {
      const foreign = await it.call(other, method, `/agents/${id}`, body)
      const absent = await it.call(other, method, '/agents/cnone00000000000000000000', body)
      expect(foreign.status).toBe(404)
      expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' })
    }
  })

  it('needs the scope agents:write on a scoped token', async () => {
    const it = await daemon()
    const narrow = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace, { scopes: ['crews:write'] }))
    expect((await it.call(narrow, 'POST', '/agents', draft)).body.code).toBe('insufficient_scope')
    expect((await it.call(narrow, 'GET', '/agents')).status).toBe(200)
    expect((await it.call(narrow, 'POST', '/crews', draft)).status).toBe(201)
  })
})

describe('agents.remove', () => {
  it('happens once, tells the workspace and is on record', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, draft)
    const heard = hear(it)
    expect((await it.call('OWNER', 'DELETE', `/agents/${id}`)).body).toEqual({ success: true })
    expect((await it.call('OWNER', 'DELETE', `/agents/${id}`)).status).toBe(404)
    expect((await it.call('OWNER', 'GET', `/agents/${id}`)).status).toBe(404)
    expect(it.app.db.prepare('SELECT deleted_at FROM agents').pluck().all()).toEqual(['2026-01-01T00:00:00Z'])
    expect(heard).toEqual([['agent.deleted', { id }]])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      agent_id: id,
      summary: expect.stringMatching(/^Agent Ada was deleted by \S+@example\.com$/),
    })
  })

  it('comes to all agents of a deleted crew, each on record', async () => {
    const it = await daemon()
    const crewId = await crew(it.call, 'backend')
    const gone = [
      await agent(it.call, { ...draft, crew_id: crewId, agent_role: 'LEAD' }),
      await agent(it.call, { name: 'Grace', slug: 'grace', crew_id: crewId }),
    ]
    const kept = await agent(it.call, { name: 'Joan', slug: 'joan' })
    await it.call('OWNER', 'DELETE', `/crews/${crewId}`)
    expect((await it.call('OWNER', 'GET', '/agents')).body.map(({ id }: { id: string }) => id)).toEqual([kept.id])
    const deleted = it.entries().filter(({ entry_type, agent_id }) => entry_type === 'audit.entity_deleted' && agent_id)
    expect(deleted.map(({ agent_id }) => agent_id).sort()).toEqual(gone.map(({ id }) => id).sort())
  })
})

describe('agents.status and agents.load', () => {
  const set = (app: App, id: string, status: 'IDLE' | 'RUNNING' | 'ERROR') =>
    app.write(() => setStatus(app, id, status, 'why'))

  it('count every agent once; what neither runs nor failed is idle', async () => {
    const it = await daemon()
    expect((await it.call('VIEWER', 'GET', '/agents/crews-status')).body).toEqual({
      total: 0,
      running: 0,
      error: 0,
      idle: 0,
      queued: 0,
    })
    const ids: string[] = []
    for (const slug of ['one', 'two', 'three', 'four']) ids.push((await agent(it.call, { name: slug, slug })).id)
    await set(it.app, ids[0]!, 'RUNNING')
    await set(it.app, ids[1]!, 'ERROR')
    it.app.db.prepare("UPDATE agents SET status = 'PENDING_REVIEW' WHERE id = ?").run(ids[2])
    expect((await it.call('VIEWER', 'GET', '/agents/crews-status')).body).toEqual({
      total: 4,
      running: 1,
      error: 1,
      idle: 2,
      queued: 0,
    })
    const { body: load } = await it.call('VIEWER', 'GET', '/agent-load')
    expect(load).toHaveLength(4)
    expect(load.find(({ agent_id }: { agent_id: string }) => agent_id === ids[0])).toEqual({
      agent_id: ids[0],
      agent_name: 'one',
      agent_slug: 'one',
      agent_status: 'RUNNING',
      active_tasks: 0,
      pending_tasks: 0,
      completed_today: 0,
      tokens_used_today: 0,
      cost_usd_today: 0,
      unpriced_runs_today: 0,
      token_budget: 0,
    })
    expect((await it.call(it.stranger(), 'GET', '/agent-load')).body).toEqual([])
  })

  it('follow setStatus, which journals and tells each change once and never ends a review', async () => {
    const it = await daemon()
    const { id } = await agent(it.call, draft)
    const heard = hear(it)
    expect(await set(it.app, id, 'RUNNING')).toBe(true)
    expect(await set(it.app, id, 'RUNNING')).toBe(false)
    expect(heard).toEqual([['agent.status', { agent_id: id, agent_slug: 'ada', agent_name: 'Ada', status: 'RUNNING' }]])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'agent.status_change',
      agent_id: id,
      summary: 'Ada is working',
      payload: { status: 'RUNNING', prev: 'IDLE', details: 'why' },
    })
    it.app.db.prepare("UPDATE agents SET status = 'PENDING_REVIEW' WHERE id = ?").run(id)
    expect(await set(it.app, id, 'RUNNING')).toBe(false)
    expect((await it.call('VIEWER', 'GET', `/agents/${id}`)).body.status).toBe('PENDING_REVIEW')
  })
})
