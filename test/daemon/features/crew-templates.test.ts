import { describe, expect, it } from 'vitest'
import { builtInTemplates } from '#contract/crew-templates'
import { daemon } from '#test'
import { builtIn as templateOf } from '../../../daemon/features/crew-templates/built-in.ts'
import { fakeServer } from '../../support/fake-server.ts'
import { skillText } from '../../support/skills.ts'

const lead = { name: 'Lead', slug: 'lead', agent_role: 'LEAD', system_prompt: 'Lead.' }
const own = { name: 'Ours', category: 'RESEARCH', agents: [{ ...lead, slug: 'helper', agent_role: 'AGENT' }, lead] }

describe('crew templates', () => {
  it.each(builtInTemplates)('%s has a LEAD first, three to five agents, and prompts worth reading', (slug) => {
    const { agents, name, description, icon, color, category } = templateOf(slug)!
    expect(agents.map(({ agent_role }) => agent_role)).toEqual(['LEAD', ...agents.slice(1).map(() => 'AGENT')])
    expect(agents.length).toBeGreaterThanOrEqual(3)
    expect(agents.length).toBeLessThanOrEqual(5)
    expect(new Set(agents.map((agent) => agent.slug)).size).toBe(agents.length)
    for (const { system_prompt, llm_model } of agents) {
      expect(system_prompt.length).toBeGreaterThan(500)
      expect(llm_model).toMatch(/\S/)
    }
    expect([name, description, icon, color, category].every(Boolean)).toBe(true)
  })

  it('are listed with those that come with Muster first, by category and name', async () => {
    const it = await daemon()
    await it.call('MANAGER', 'PUT', '/crew-templates/ours', own)
    const rows = (await it.call('VIEWER', 'GET', '/crew-templates')).body as Record<string, string>[]
    expect(rows).toHaveLength(builtInTemplates.length + 1)
    const order = rows.slice(0, -1).map(({ category, name }) => `${category} ${name}`)
    expect(order).toEqual([...order].sort())
    expect(rows.at(-1)).toMatchObject({ slug: 'ours', is_builtin: false, description: null })
  })

  it('of a workspace stand in for those that come with Muster, and leave when they are deleted', async () => {
    const it = await daemon()
    const show = async () => (await it.call('VIEWER', 'GET', '/crew-templates/security-audit')).body
    expect(await show()).toMatchObject({ name: 'Security audit', is_builtin: true })
    const saved = await it.call('MANAGER', 'PUT', '/crew-templates/security-audit', own)
    expect(saved.body.agents.map(({ slug }: { slug: string }) => slug)).toEqual(['lead', 'helper'])
    expect(await show()).toMatchObject({ name: 'Ours', is_builtin: false })
    expect((await it.call('VIEWER', 'GET', '/crew-templates')).body).toHaveLength(builtInTemplates.length)
    expect((await it.call('MANAGER', 'DELETE', '/crew-templates/security-audit')).status).toBe(204)
    expect(await show()).toMatchObject({ name: 'Security audit' })
    const again = await it.call('MANAGER', 'DELETE', '/crew-templates/security-audit')
    expect([again.status, again.body.code]).toEqual([403, 'builtin_kept'])
  })

  it('of a workspace are its own, and an unknown one is 404', async () => {
    const it = await daemon()
    await it.call('MANAGER', 'PUT', '/crew-templates/ours', own)
    const there = it.stranger()
    for (const path of ['/crew-templates/ours', '/crew-templates/none'])
      expect((await it.call(there, 'GET', path)).status).toBe(404)
    expect((await it.call(there, 'POST', '/crew-templates/ours/deploy', { crew_name: 'New' })).status).toBe(404)
    expect((await it.call(there, 'DELETE', '/crew-templates/ours')).status).toBe(404)
  })

  it.each([
    ['no LEAD', { ...own, agents: [own.agents[0]] }, 'agents'],
    ['two LEADs', { ...own, agents: [lead, { ...lead, slug: 'second' }] }, 'agents'],
    ['two agents of one slug', { ...own, agents: [lead, { ...lead, agent_role: 'AGENT' }] }, 'agents.1.slug'],
    ['a model of another vendor', { ...own, agents: [{ ...lead, llm_provider: 'OLLAMA' }] }, 'agents.0.llm_provider'],
    ['no category', { ...own, category: undefined }, 'category'],
  ])('with %s are refused', async (_, body, field) => {
    const it = await daemon({ shared: true })
    const { status, body: answer } = await it.call('MANAGER', 'PUT', '/crew-templates/ours', body)
    expect([status, answer.field]).toEqual([400, field])
  })

  it('that are stored again as they are leave no entry', async () => {
    const it = await daemon()
    const save = () => it.call('MANAGER', 'PUT', '/crew-templates/ours', own)
    await save()
    const before = (await it.call('OWNER', 'GET', '/journal/count')).body
    expect((await save()).status).toBe(200)
    expect((await it.call('OWNER', 'GET', '/journal/count')).body).toEqual(before)
  })
})

describe('deploying a crew template', () => {
  const key = { name: 'key', value: 'sk-ant-api03-x', provider: 'ANTHROPIC', type: 'API_KEY' }

  it('makes the crew and its agents, which have a webhook secret and what pays for their model', async () => {
    const it = await daemon()
    await it.call('OWNER', 'POST', '/credentials', key)
    const made = await it.call('MEMBER', 'POST', '/crew-templates/security-audit/deploy', { crew_name: 'The Audit' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ crew_name: 'The Audit', crew_slug: 'the-audit', agent_count: 3 })
    const shown = await Promise.all(
      made.body.agent_ids.map(async (id: string) => (await it.call('OWNER', 'GET', `/agents/${id}`)).body),
    )
    expect(shown.map(({ slug, agent_role }) => [slug, agent_role])).toEqual([
      ['lead-the-audit', 'LEAD'],
      ['threats-the-audit', 'AGENT'],
      ['dependencies-the-audit', 'AGENT'],
    ])
    for (const agent of shown)
      expect(agent).toMatchObject({
        crew_id: made.body.crew_id,
        memory_enabled: true,
        timeout_seconds: 1800,
        webhook_secret_set: true,
        pays_with: { name: 'key' },
      })
    expect((await it.call('OWNER', 'GET', `/crews/${made.body.crew_id}`)).body).toMatchObject({ color: 'rose' })
  })

  it('gives agents their skills, those left out that are not there', async () => {
    const it = await daemon()
    const content = skillText('pdf')
    await it.call('MANAGER', 'POST', `/workspaces/${it.workspace}/skills/import`, { content })
    const agents = [{ ...lead, skills: ['pdf', 'none', 'pdf'] }, { ...own.agents[0] }]
    const saved = await it.call('MANAGER', 'PUT', '/crew-templates/ours', { ...own, agents })
    expect(saved.body.agents.map(({ skills }: { skills?: string[] }) => skills)).toEqual([
      ['pdf', 'none', 'pdf'],
      undefined,
    ])
    const { body } = await it.call('MEMBER', 'POST', '/crew-templates/ours/deploy', { crew_name: 'New' })
    const held = await Promise.all(
      body.agent_ids.map(async (id: string) => (await it.call('VIEWER', 'GET', `/agents/${id}/skills`)).body),
    )
    expect(held.map((rows) => rows.map((row: { skill: { slug: string } }) => row.skill.slug))).toEqual([['pdf'], []])
    const given = it.entries().filter(({ entry_type }) => entry_type === 'skill.assigned')
    expect(given).toMatchObject([{ agent_id: body.agent_ids[0], payload: { slug: 'pdf' } }])
  })

  it('changes nothing when the slug of the crew or of one agent is taken', async () => {
    const it = await daemon()
    await it.call('MANAGER', 'POST', '/agents', { name: 'Taken', slug: 'dependencies-audit' })
    const deploy = (body: object) => it.call('MEMBER', 'POST', '/crew-templates/security-audit/deploy', body)
    const refused = await deploy({ crew_name: 'Audit' })
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([409, 'slug_taken', 'crew_slug'])
    expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
    expect((await it.call('OWNER', 'GET', '/agents')).body).toHaveLength(1)
    expect((await deploy({ crew_name: 'Audit', crew_slug: 'other' })).status).toBe(201)
    expect((await deploy({ crew_name: 'Audit', crew_slug: 'other' })).body).toMatchObject({ field: 'crew_slug' })
    for (const crew_name of ['', 'x', '\u202ered'])
      expect((await deploy({ crew_name })).body).toMatchObject({
        status: 400,
        field: 'crew_name',
        detail: expect.stringMatching(/^crew_name /),
      })
  })

  it('makes the slug of the name where it is left out, null or empty', async () => {
    const it = await daemon()
    const slugs = await Promise.all(
      [{}, { crew_slug: null }, { crew_slug: '' }].map(async (more, n) => {
        const body = { crew_name: `Audit ${n}`, ...more }
        return (await it.call('MEMBER', 'POST', '/crew-templates/security-audit/deploy', body)).body.crew_slug
      }),
    )
    expect(slugs).toEqual(['audit-0', 'audit-1', 'audit-2'])
  })

  it('cuts slugs of agents to 50 characters', async () => {
    const it = await daemon()
    const body = { crew_name: 'X', crew_slug: 'c'.repeat(50) }
    const refused = await it.call('MEMBER', 'POST', '/crew-templates/ours/deploy', body)
    expect(refused.status).toBe(404)
    await it.call('MANAGER', 'PUT', '/crew-templates/ours', own)
    expect((await it.call('MEMBER', 'POST', '/crew-templates/ours/deploy', { ...body, crew_name: 'XY' })).status).toBe(
      201,
    )
    const rows = (await it.call('OWNER', 'GET', '/agents')).body as { slug: string }[]
    expect(rows.map(({ slug }) => slug).sort()).toEqual([`helper-${'c'.repeat(43)}`, `lead-${'c'.repeat(45)}`])
  })

  it('gives hires of an own template what its LEAD has', async () => {
    const it = await daemon()
    await it.call('MANAGER', 'PUT', '/crew-templates/ours', own)
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Crew', slug: 'crew' })).body
    const hired = await it.call('OWNER', 'POST', '/agents/hire', {
      crew_id: crew.id,
      template_slug: 'ours',
      reason: 'x',
    })
    expect((await it.call('OWNER', 'GET', `/agents/${hired.body.id}`)).body).toMatchObject({ system_prompt: 'Lead.' })
  })
})

describe('the suggestion of a crew', () => {
  const member = { name: 'Lead', slug: 'lead', role_title: 'Leads', agent_role: 'LEAD', system_prompt: 'Lead.' }
  const crew = { crew_name: 'A', crew_slug: 'a', description: 'd', agents: [member, { ...member, slug: 'two' }] }

  async function suggesting(text: string, key = true) {
    const answer = { content: [{ type: 'text', text }], stop_reason: 'end_turn' }
    const there = await fakeServer((_, reply) => void reply.end(JSON.stringify(answer)))
    const it = await daemon({ config: { vendor: { 'models.anthropic_url': there.url } } })
    if (key)
      await it.call('OWNER', 'POST', '/credentials', {
        name: 'key',
        value: 'sk-x',
        type: 'API_KEY',
        provider: 'ANTHROPIC',
      })
    const ask = (description: string) => it.call('MEMBER', 'POST', '/crew-ai-suggest', { description })
    return { ...it, ask }
  }

  it('is what the model says, without anything being created', async () => {
    const it = await suggesting(`Here it is: ${JSON.stringify(crew)} Good luck!`)
    const { status, body } = await it.ask('Keep our API documented')
    expect([status, body]).toEqual([200, crew])
    expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
  })

  it.each([
    ['no JSON', 'I cannot'],
    ['one agent', JSON.stringify({ ...crew, agents: [member] })],
    ['seven agents', JSON.stringify({ ...crew, agents: Array(7).fill(member) })],
    ['an unknown role', JSON.stringify({ ...crew, agents: [member, { ...member, agent_role: 'BOSS' }] })],
    ['a name of one letter', JSON.stringify({ ...crew, agents: [member, { ...member, name: 'x' }] })],
    ['a slug that cannot be used', JSON.stringify({ ...crew, agents: [member, { ...member, slug: '../x' }] })],
  ])('with %s is 502', async (_, text) => {
    const it = await suggesting(text)
    const { status, body } = await it.ask('Keep our API documented')
    expect([status, body.code]).toEqual([502, 'no_suggestion'])
  })

  it('needs a description of 10 to 2000 characters, and an API key', async () => {
    const it = await suggesting(JSON.stringify(crew), false)
    expect((await it.ask('too short')).status).toBe(400)
    expect((await it.ask(`   short${' '.repeat(20)}`)).body).toMatchObject({ status: 400, field: 'description' })
    expect((await it.ask('x'.repeat(2001))).status).toBe(400)
    const { status, body } = await it.ask('Keep our API documented')
    expect([status, body.code]).toEqual([422, 'no_model_key'])
  })
})
