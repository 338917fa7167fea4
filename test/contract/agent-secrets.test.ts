import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { closing } from '#test'
import { agentKey } from '../../daemon/runtime/agent-keys.ts'
import { type AgentAtWork, agentAtWork } from '../support/agent-at-work.ts'
import { bodiesWith } from '../support/agent-bodies.ts'
import { vendors } from '../support/vendors.ts'

/** Each way of writing it looks different: a quote, a backslash, a letter beyond ASCII, signs of base64 and of URLs. */
const secret = 'Kq"7\\ä/+s3cr-t&Z'
const bytes = Buffer.from(secret)
const escaped = JSON.stringify(secret).slice(1, -1)
const written: Record<string, string> = {
  'as it is': secret,
  'escaped for JSON': escaped,
  'escaped for JSON in JSON': JSON.stringify(escaped).slice(1, -1),
  'in a URL': encodeURIComponent(secret),
  'in hex': bytes.toString('hex'),
  'in HEX': bytes.toString('hex').toUpperCase(),
  'in base64': bytes.toString('base64').replaceAll('=', ''),
  'in base64 for URLs': bytes.toString('base64url'),
}

const called = endpoints.filter(({ endpoint }) => endpoint.agent)

/**
 * What makes a body one that is accepted; the generic part puts the secret everywhere else. A new operation needs its
 * line here.
 */
const needed: Record<string, (form: string) => Record<string, unknown>[]> = {
  'agents.connectedCrews': () => [{}],
  'agents.proposeConnection': () => [{ to_crew: 'ops' }],
  'agents.propose': () => [{ slug: 'bob', llm_model: 'claude-sonnet-4-6' }],
  'agents.spawn': () => [{ template_slug: 'security-audit', model: 'claude-sonnet-4-6' }],
  'asks.park': () => [{}],
  'assignments.create': () => [{ target: 'ned', crew: 'backend' }],
  'assignments.results': () => [{ assignment_id: 'cmade' }],
  'missions.propose': (form) => [
    { title: form, tasks: [{ id: 'a', title: form, description: form }] },
    { description: form, tasks: [{ id: 'a', title: 'A', depends_on: [] }] },
  ],
  'deliveries.mine': () => [{}],
  'deliveries.send': () => [{ channel_id: 'nch_open' }],
  'escalations.create': (form) => [
    { type: 'TEXT' },
    { type: 'TEXT' },
    { type: 'LINK', metadata: `https://example.com/${encodeURIComponent(form)}?${form}` },
    { type: 'LINK', metadata: { url: `https://example.com/?key=${form}` } },
    {
      type: 'CREDENTIAL',
      metadata: { name: `my ${form}`.slice(0, 100), provider: 'NONE', [form]: form, value: 'another-0815' },
    },
    {
      type: 'CREDENTIAL',
      metadata: JSON.stringify({ name: `my ${form} too`.slice(0, 100), [form]: form, value: 'another-4711' }),
    },
  ],
  'keeper.request': (form) => [{ intent: `read the page ${form}`, credential_name: 'DEPLOY', credential_id: '' }],
  'keeper.execute': (form) => [
    {
      intent: `read the page ${form}`,
      credential_name: 'DEPLOY',
      credential_id: '',
      command: 'gh pr list',
      env_var: 'GH_TOKEN',
    },
  ],
  'memory.readMemory': () => [{ path: 'AGENT.md' }],
  'memory.writeMemory': () => [{ path: 'AGENT.md', parent_sha: undefined }],
  'memory.appendMemory': () => [{ shared: true }],
  'memory.searchMemory': () => [{ limit: 1, scope: '' }],
  'memory.searchConversations': () => [{ limit: 1 }],
  'notes.acknowledge': () => [{ receipt: 'r' }],
  'notes.take': () => [{}],
  'peers.query': () => [{ target: 'bo' }],
  'peers.readMessages': () => [{ limit: 1 }],
  'peers.sendMessage': () => [{ to_crew: 'ops' }],
  'peers.standup': () => [{ since: '24h' }],
  'persona.propose': (form) => [{ content: `I am ${form}` }],
  'ports.expose': () => [{ port: 3000 }],
  'runs.reportConfidence': () => [{ confidence: 0.5 }],
  'skills.author': () => [{ slug: 'made' }],
  'skills.compose': () => [{ slug: 'made', model: 'claude-sonnet-4-6' }],
}

/** A model says what it was told, as a skill; others answer nothing. */
const asModel: Parameters<typeof vendors>[1] = ({ url, body }, reply) => {
  if (!url.endsWith('/v1/messages')) return void reply.end()
  const [{ content }] = JSON.parse(body).messages
  const text = `---\nname: x\ndescription: Use when ${'it'.repeat(20)}\n---\n${content}`
  reply.end(JSON.stringify({ content: [{ type: 'text', text }], stop_reason: 'end_turn' }))
}

/** A daemon on a file, where the agent was given the secret. */
async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-secrets-'))
  closing({ close: () => rmSync(folder, { recursive: true, force: true }) })
  const it = await agentAtWork({ file: join(folder, 'muster.db') })
  await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { memory_enabled: true })
  await it.call('OWNER', 'PUT', '/memory/file', { path: 'agent:ada/AGENT.md', content: 'x' })
  const { body, status } = await it.call('OWNER', 'POST', '/credentials', {
    name: 'deploy',
    value: secret,
    type: 'SECRET',
  })
  expect(status).toBe(201)
  await it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, {
    credential_id: body.id,
    env_var_name: 'DEPLOY',
  })
  const ned = await it.mate('ned')
  it.app.db
    .prepare(
      `INSERT INTO assignments (id, workspace_id, crew_id, assigned_by_id, assigned_to_id, task, status, group_id,
        depth, parent_run_id, chain_origin, created_at)
       VALUES ('cmade', ?, ?, ?, ?, 'x', 'QUEUED', 'x', 1, 'x', 'x', '2026-01-01T00:00:00Z')`,
    )
    .run(it.workspace, it.crewId, it.agentId, ned)
  await it.mate('bo')
  const ops = await it.call('OWNER', 'POST', '/crews', { name: 'Operations', slug: 'ops' })
  await it.call('OWNER', 'POST', '/crew-connections', { from_crew_id: it.crewId, to_crew_id: ops.body.id })
  const model = { name: 'model', value: 'sk-ant-0815', type: 'API_KEY', provider: 'ANTHROPIC' }
  await it.call('OWNER', 'POST', '/credentials', model)
  await vendors(it, asModel)
  it.app.db
    .prepare(
      `INSERT INTO notification_channels (id, workspace_id, type, url, secret_enc, events_json, categories_json,
        min_priority, enabled, created_at, updated_at)
       VALUES ('nch_open', ?, 'webhook', 'https://example.com', ?, '[]', '[]', 'low', 1, '2026-01-01T00:00:00Z',
        '2026-01-01T00:00:00Z')`,
    )
    .run(it.workspace, it.app.vault!.seal('signs', 'notification_channels:nch_open'))
  await it.call('OWNER', 'POST', '/notification-channels/nch_open/agents', { agent_id: it.agentId })
  const heard: unknown[] = []
  it.app.bus.on('broadcast', (message) => void heard.push(message))
  it.app.bus.on('entry', (message) => void heard.push(message))
  return { ...it, folder, heard }
}

/** All that is stored, told and answered of what the agent sent. */
async function everything(it: Awaited<ReturnType<typeof place>>, answers: unknown[]): Promise<Buffer> {
  await it.app.idle()
  const lists = [
    '/inbox',
    '/approvals',
    '/journal',
    '/agents',
    `/crews/${it.crewId}/assignments`,
    `/crews/${it.crewId}/escalations`,
    `/crews/${it.crewId}/port-expose`,
    '/credentials',
    '/crew-messages',
    '/notification-deliveries',
    '/skills',
    `/crews/${it.crewId}/peer-conversations`,
    `/crews/${it.crewId}/standup`,
  ]
  const told = await Promise.all(lists.map(async (path) => (await it.call('OWNER', 'GET', path)).text))
  const files = readdirSync(it.folder).map((name) => readFileSync(join(it.folder, name)))
  return Buffer.concat([...files, Buffer.from([...told, JSON.stringify(it.heard), JSON.stringify(answers)].join('\n'))])
}

const shownIn = (all: Buffer, forms: Record<string, string>) =>
  Object.keys(forms).filter((how) => all.includes(Buffer.from(forms[how]!)))

/** Sends all bodies; questions that end a run each from a run of their own. */
async function send(it: AgentAtWork, route: string, bodies: object[]) {
  const answers = []
  for (const body of bodies)
    answers.push(await it.ask(route, body, { runId: route === '/ask-human' ? await newRun(it) : it.runId }))
  return answers
}

async function newRun(it: AgentAtWork): Promise<string> {
  const before = it.runtime.programs.size
  const { run_id } = await it.send(await it.openChat(), 'Work')
  await it.runtime.program(before)
  return run_id
}

describe.each(called)('$name', ({ name, endpoint }) => {
  const { route } = endpoint.agent!

  it.each(Object.entries(written))('keeps and tells nothing of a secret that the agent writes %s', async (_, form) => {
    const it = await place()
    const generic = bodiesWith(endpoint, form)
    const bodies = needed[name]!(form).map((base, index) => ({
      surplus: form,
      ...generic[index % generic.length],
      ...base,
    }))
    expect(JSON.stringify(bodies)).toContain(JSON.stringify(form).slice(1, -1))
    const answers = await send(it, route, bodies)
    expect(answers.map(({ status, body }) => [status < 300, status < 300 || body])).toEqual(
      bodies.map(() => [true, true]),
    )
    expect(shownIn(await everything(it, answers), written)).toEqual([])
  })

  it('refuses a secret where no other text may be, without repeating it', async () => {
    const it = await place()
    const { properties } = endpoint.body as unknown as { properties: Record<string, object> }
    const bodies = Object.keys(properties).map((member) => ({
      ...needed[name]!(secret)[0],
      [member]: { [secret]: [secret] },
    }))
    const answers = await send(it, route, bodies)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(shownIn(await everything(it, answers), written)).toEqual([])
  })

  it('says the same over HTTP', async () => {
    const it = await place()
    const [first] = needed[name]!(secret)
    const who = {
      workspace_id: it.workspace,
      crew_id: it.crewId,
      agent_id: it.agentId,
      run_id: it.runId,
      container_id: 'box',
    }
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const { status, text } = await it.call(
      null,
      'POST',
      endpoint.path,
      { ...bodiesWith(endpoint, secret)[0], ...first, ...who },
      token,
    )
    expect(status, text).toBe(endpoint.status)
    expect(shownIn(await everything(it, [text]), written)).toEqual([])
  })
})

describe('texts of agents', () => {
  it('hold none of the daemon’s own secrets, nor the agent’s key', async () => {
    const it = await place()
    const { internalTokens } = it.app
    const tokens = [
      internalTokens.ofWorkspace(it.workspace),
      internalTokens.ofCrew(it.workspace, it.crewId),
      internalTokens.ofAgent(it.workspace, it.agentId),
      agentKey(it.app, it.agentId),
      ...internalTokens.about({ workspace: null, crew: null, agent: null }),
    ]
    const forms = Object.fromEntries(
      [...tokens, ...tokens.map((token) => token.split('.').at(-1)!)].map((token) => [token, token]),
    )
    const answers = await send(it, '/report-confidence', [{ confidence: 1, reason: Object.keys(forms).join(' ') }])
    expect(answers[0]!.status).toBe(202)
    expect(shownIn(await everything(it, answers), forms)).toEqual([])
  })

  it('are searched in the form in which they are stored', async () => {
    const it = await place()
    // The Kelvin sign becomes a K where names are brought into one form.
    const answers = await send(it, '/agents', [{ name: `I am ${secret.replace('K', '\u212a')}`, slug: 'kelvin' }])
    expect(answers).toMatchObject([{ status: 201 }])
    expect((await it.call('OWNER', 'GET', '/agents')).body.map(({ name }: { name: string }) => name)).toContain(
      'I am [redacted]',
    )
  })

  it.each(['\t', '\n', '\u200b'])(
    'are no addresses that a parser would put together: parted by %j',
    async (between) => {
      const it = await place()
      await it.call('OWNER', 'POST', '/credentials', { name: 'plain', value: 'plain-secret-1', type: 'SECRET' })
      const metadata = `https://example.com/?key=plain-${between}secret-1`
      expect(await send(it, '/escalate', [{ reason: 'Look', type: 'LINK', metadata }])).toMatchObject([
        { status: 400, body: { field: 'metadata' } },
      ])
    },
  )

  const offered = 'Offered"by\\ä-4711'
  it.each([
    ['an object', (it: object) => it],
    ['JSON text', (it: object) => JSON.stringify(it)],
  ])('hold an offered secret in one place alone, given as %s', async (_, given) => {
    const it = await place()
    const forms = {
      plain: offered,
      escaped: JSON.stringify(offered).slice(1, -1),
      base64: Buffer.from(offered).toString('base64').replaceAll('=', ''),
    }
    const everywhere = Object.values(forms).join(' ')
    const metadata = given({ name: `it is ${offered}`, type: 'SECRET', provider: 'NONE', value: offered })
    const answers = await send(it, '/escalate', [
      { reason: everywhere, context: everywhere, type: 'CREDENTIAL', metadata },
    ])
    expect(answers).toMatchObject([{ status: 200 }])
    expect(shownIn(await everything(it, answers), forms)).toEqual([])
    const [row] = (await it.call('OWNER', 'GET', `/crews/${it.crewId}/escalations`)).body
    await it.call('OWNER', 'PATCH', `/escalations/${row.id}/resolve`, { resolution: 'Kept' })
    const [made] = (await it.call('OWNER', 'GET', `/agents/${it.agentId}/credentials`)).body.filter(
      ({ credential_name }: { credential_name: string }) => credential_name === 'it is [redacted]',
    )
    expect(made).toMatchObject({ credential_status: 'ACTIVE' })
  })

  it('hold no offered secret, be it as short as a number', async () => {
    const it = await place()
    const metadata = { name: 'pin', type: 'SECRET', provider: 'NONE', value: '4711' }
    expect(
      await send(it, '/escalate', [{ reason: 'The number 4711 is new', type: 'CREDENTIAL', metadata }]),
    ).toMatchObject([{ status: 200 }])
    expect((await it.call('OWNER', 'GET', `/crews/${it.crewId}/escalations`)).body[0].reason).toBe(
      'The number [redacted] is new',
    )
  })

  it('may hold a secret in that place only beside the type that seals it', async () => {
    const it = await place()
    const metadata = { name: 'x', type: 'SECRET', provider: 'NONE', value: secret }
    const answers = await send(it, '/escalate', [
      { reason: 'Look', type: 'TEXT', metadata },
      { reason: 'Look', metadata },
      { reason: 'Look', type: 'TEXT', metadata: JSON.stringify(metadata) },
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(shownIn(await everything(it, answers), written)).toEqual([])
  })
})
