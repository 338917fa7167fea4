import { expect, it } from 'vitest'
import { endpoints } from '#contract'
import { byteLimit } from '#contract/fields'
import { type KindName, manifestKinds } from '#contract/manifest-kinds'
import { daemon, type TestDaemon } from '#test'
import { apply, exported } from '../../../support/manifests.ts'
import { skillText } from '../../../support/skills.ts'

type Json = Record<string, unknown>

/**
 * The longest texts that a member of an operation may take, of letters of two bytes; none where it takes no text. Names
 * have at most 100 characters or bytes, those of labels 50 characters, which their schemas leave to services.
 */
function longest(schema: Json): string[] {
  const types = [schema['type']].flat()
  if (!types.includes('string') || schema['enum'] || schema['format']) return []
  const bytes = schema[byteLimit] as number | undefined
  if (bytes !== undefined) return ['é'.repeat(bytes / 2)]
  const most = schema['maxLength'] as number | undefined
  return most === undefined ? ['é'.repeat(100), 'é'.repeat(50)] : ['é'.repeat(most), 'é'.repeat(most / 2)]
}

interface Maker {
  operation: string
  path(at: Place): string
  /** What is needed of one, whatever else it says. */
  body(slug: string, at: Place): Json
}

interface Place extends TestDaemon {
  project: string
  crew: string
}

const slugged = (slug: string): Json => ({ name: `The ${slug}`, slug })
const definition = (slug: string) => ({
  dsl_version: '1.0',
  name: slug,
  steps: [{ id: 'say', type: 'transform', transform: { input: { items: [1] }, expression: '.items' } }],
})
const stages = JSON.stringify([
  { name: 'é'.repeat(100), type: 'open', position: 1 },
  { name: 'Done', type: 'completed', position: 2 },
])

/** How the API makes each kind. Issues of files are made by files alone, and recipes are their parts. */
const makers: Partial<Record<KindName, Maker>> = {
  Label: { operation: 'labels.create', path: () => '/labels', body: (name) => ({ name, color: '#111111' }) },
  Project: { operation: 'projects.create', path: () => '/projects', body: (name) => ({ name }) },
  Milestone: {
    operation: 'milestones.create',
    path: ({ project }) => `/projects/${project}/milestones`,
    body: (name) => ({ name }),
  },
  CrewTemplate: {
    operation: 'templates.save',
    path: () => '/crew-templates/SLUG',
    body: (slug) => ({
      name: slug,
      category: 'ENGINEERING',
      agents: [{ name: 'Lead', slug: 'lead', agent_role: 'LEAD', system_prompt: 'é'.repeat(32_768) }],
    }),
  },
  WorkflowTemplate: {
    operation: 'workflows.create',
    path: () => '/workflow-templates',
    body: (name) => ({ name, template_json: stages }),
  },
  Crew: { operation: 'crews.create', path: () => '/crews', body: slugged },
  Agent: {
    operation: 'agents.create',
    path: () => '/agents',
    body: (slug, { crew }) => ({ ...slugged(slug), crew_id: crew }),
  },
  Credential: {
    operation: 'credentials.create',
    path: () => '/credentials',
    body: (name) => ({ name, type: 'SECRET', value: 'x' }),
  },
  Integration: {
    operation: 'integrations.create',
    path: () => '/integrations',
    body: (name) => ({
      name,
      transport: 'stdio',
      command: 'npx',
      args_json: JSON.stringify(Array(7).fill('é'.repeat(4096))),
      config_json: JSON.stringify({ headers: { [`X-${'a'.repeat(62)}`]: 'x'.repeat(1000) } }),
    }),
  },
  NotificationChannel: {
    operation: 'channels.create',
    path: () => '/notification-channels',
    body: (slug) => ({ slug, type: 'webhook', url: 'https://hooks.example.com/ops' }),
  },
  TriageRule: {
    operation: 'triage.create',
    path: () => '/triage-rules',
    body: (name) => ({ name, pattern: 'x', match_type: 'exact' }),
  },
  Routine: {
    operation: 'routines.save',
    path: ({ workspace }) => `/workspaces/${workspace}/pipelines/save`,
    body: (slug) => ({ slug, definition: definition(slug), skip_test_gate: true }),
  },
  Skill: {
    operation: 'skills.import',
    path: ({ workspace }) => `/workspaces/${workspace}/skills/import`,
    body: (slug) => ({ content: skillText(slug) }),
  },
}

/** Members that take none of these letters, whatever their length: words of a list, colors, times, addresses, JSON. */
const worded: Partial<Record<KindName, readonly string[]>> = {
  Label: ['color'],
  Project: ['color', 'start_date', 'target_date'],
  Milestone: ['target_date'],
  WorkflowTemplate: ['color'],
  Crew: ['runtime_image', 'issue_prefix'],
  Agent: [
    'agent_role',
    'llm_model',
    'cli_tools',
    'suggested_prompts',
    'ask_forms',
    'schedule_cron',
    'schedule_timezone',
  ],
  Integration: ['name', 'endpoint', 'command'],
  NotificationChannel: ['url'],
  Routine: ['definition'],
  Skill: ['content'],
}

async function place(): Promise<Place> {
  const there = await daemon()
  const made = async (path: string, body: Json) => (await there.call('OWNER', 'POST', path, body)).body.id as string
  return {
    ...there,
    project: await made('/projects', { name: 'é'.repeat(100) }),
    crew: await made('/crews', { name: 'Crew', slug: 'a'.repeat(50) }),
  }
}

it('what the API takes at its limits is exported so that it can be applied to an empty server', async () => {
  const it = await place()
  const refused: Partial<Record<KindName, string[]>> = {}
  let number = 0
  for (const [kind, { operation, path, body }] of Object.entries(makers) as [KindName, Maker][]) {
    const { endpoint } = endpoints.find(({ name }) => name === operation)!
    const { properties } = endpoint.body as unknown as { properties: Record<string, Json> }
    const members = Object.keys(manifestKinds[kind].members).filter((member) => properties[member])
    for (const member of ['', ...members]) {
      const texts = member ? longest(properties[member]!) : ['']
      if (!texts.length) continue
      const made = async (text: string) => {
        const slug = `${kind.toLowerCase()}-${++number}`
        const marked = member === 'name' ? `${number}${text.slice(`${number}`.length)}` : text
        const whole = { ...body(slug, it), ...(member && { [member]: marked }) }
        const method = operation === 'templates.save' ? 'PUT' : 'POST'
        return (await it.call('OWNER', method, path(it).replace('SLUG', slug), whole)).status < 300
      }
      let isMade = false
      for (const text of texts) isMade ||= await made(text)
      if (!isMade) refused[kind] = [...(refused[kind] ?? []), member]
    }
  }
  expect(refused).toEqual(worded)
  await applied(it)
}, 120_000)

it('names at their limits, and any name of a credential, are exported so that they can be applied', async () => {
  const it = await place()
  const ok = async (path: string, body: Json, method: 'POST' | 'PUT' = 'POST') => {
    const { status, text } = await it.call('OWNER', method, path, body)
    expect(status, text).toBeLessThan(300)
    return JSON.parse(text)
  }
  const W = `/workspaces/${it.workspace}`
  const skill = 's'.repeat(64)
  const { skill_id } = await ok(`${W}/skills/import`, { content: skillText(skill) })
  await ok(`${W}/skills/import`, { content: skillText('x') })
  const routine = 'r'.repeat(64)
  await ok(`${W}/pipelines/save`, { slug: routine, definition: definition(routine), skip_test_gate: true })
  const agent = await ok('/agents', { name: 'A'.repeat(100), slug: 'b'.repeat(50), crew_id: it.crew })
  await ok(`/agents/${agent.id}/skills`, { skill_id })
  const long = 'É'.repeat(255)
  const secrets = []
  for (const name of ['deploy key', long, 'gh-token'])
    secrets.push(await ok('/credentials', { name, type: 'SECRET', value: 'x' }))
  const server = await ok('/integrations', { name: 'wiki', endpoint: 'https://wiki.example.com/mcp' })
  await ok(`/agents/${agent.id}/integrations`, {
    mcp_server_id: server.id,
    mcp_server_scope: 'workspace',
    credential_id: secrets[1].id,
    cred_type: 'bearer',
  })
  const documents = await applied(it)
  const [first] = documents as [{ spec: { credentials: { env: string }[] } }]
  expect(first.spec.credentials.map(({ env }) => env).sort()).toEqual(['deploy key', 'gh-token', long].sort())
})

/** Applies the export to an empty server, which then exports the same. */
async function applied(it: TestDaemon): Promise<Json[]> {
  const documents = await exported(it)
  const other = await daemon()
  const { slug } = (await other.call('OWNER', 'GET', `/workspaces/${other.workspace}`)).body
  const moved = documents.map((one) =>
    one['kind'] === 'Workspace' ? { ...one, metadata: { ...(one['metadata'] as Json), slug } } : one,
  )
  const wishes = { skip_test_gate: true }
  const plan = await apply(other, moved, wishes, '?dry_run=true')
  expect(plan.body.mistakes).toBeUndefined()
  const values = Object.fromEntries(plan.body.body.needs.map(({ env }: { env: string }) => [env, 'x-0815-x']))
  const made = await apply(other, moved, { ...wishes, values })
  expect([made.status, made.body.mistakes]).toEqual([200, undefined])
  expect(JSON.stringify(await exported(other))).toBe(JSON.stringify(moved))
  return documents
}
