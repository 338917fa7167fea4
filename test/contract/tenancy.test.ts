import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { daemon, type TestDaemon } from '#test'
import { furnish } from '../support/furnish.ts'

const absent = 'cnone00000000000000000000'
const common = (async () => {
  const it = await daemon({ shared: true, config: { publicUrl: 'https://muster.example' } })
  const [mine, theirs] = [it.person('OWNER'), it.stranger()]
  return {
    it,
    mine,
    theirs,
    own: await furnish(it, mine, 'own'),
    second: await furnish(it, mine, 'second'),
    foreign: await furnish(it, theirs, 'foreign'),
  }
})()

/** Names that belong to no workspace, and where a user's own things live. An account is at a provider. */
const free = new Set([
  'accountId',
  'workspaceId',
  'key',
  'name',
  'sessionId',
  'linkId',
  'emoji',
  'version',
  'provider',
  'slot',
  'slug',
])
/** What any signed-in user may see of another, and what all workspaces share. */
const openToAll = new Set(['users.avatar', 'skills.show'])
/** The invitation of a workspace of one's own is not an invitation to oneself. */
const forInvited = new Set(['invitations.accept', 'invitations.decline'])

/** Bodies that are accepted where the ids are right. An operation with a body and an id needs one. */
const bodies: Record<string, object> = {
  'admin.purgeData': { reason: 'x' },
  'agents.update': { description: 'x' },
  'agents.askPreview': {},
  'agents.propose': {},
  'agents.rehire': { reason: 'x' },
  'agents.setAvatar': { svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  'agents.setLearning': { enabled: true, reason: 'x' },
  'approvals.cancel': {},
  'approvals.decide': { status: 'denied' },
  'assignments.cancel': {},
  'channels.allow': { agent_id: 'own:agentId' },
  'channels.test': {},
  'channels.update': { enabled: false },
  'chats.create': {},
  'chats.rename': { title: 'x' },
  'chats.react': { emoji: '👍' },
  'chats.invite': { user_id: 'own:userId' },
  'chats.send': { content: 'x' },
  'chats.steer': { message: 'x' },
  'chats.search': { query: 'x' },
  'checkpoints.create': { label: 'x' },
  'checkpoints.fork': { label: 'x' },
  'checkpoints.rewind': {},
  'checkpoints.forkMission': { checkpoint_id: 'own:checkpointId' },
  'credentials.assign': { env_var_name: 'OTHER', credential_id: 'own:credentialId' },
  'credentials.replace': { description: 'x' },
  'credentials.rotate': { value: 'z' },
  'credentials.decideUse': { decision: 'once' },
  'credentials.enforceScopes': {},
  'credentials.test': { value: 'z' },
  'credentials.update': { description: 'x' },
  'crews.addMember': { user_id: 'own:userId', role: 'MEMBER' },
  'crews.replace': { description: 'x' },
  'crews.setMember': { role: 'MEMBER' },
  'crews.update': { description: 'x' },
  'escalations.cancel': {},
  'escalations.resolve': { resolution: 'x' },
  'keeper.resolve': { decision: 'DENY' },
  'inbox.act': { action: 'dismiss' },
  'inbox.update': { state: 'read' },
  'journal.priority': { priority: 'pin' },
  'consolidate.approve': {},
  'consolidate.reject': {},
  'issues.comment': { body: 'x' },
  'issues.create': { title: 'x' },
  'issues.relate': { target_identifier: 'own:targetIdentifier', relation_type: 'blocks' },
  'issues.review': { action: 'approve' },
  'issues.update': { title: 'x' },
  'labels.update': { color: '#123' },
  'milestones.create': { name: 'x' },
  'milestones.update': { name: 'x' },
  'missions.addTask': { title: 'x' },
  'missions.create': { title: 'x', lead_agent_id: 'own:leadId' },
  'missions.plan': {},
  'missions.update': { title: 'x' },
  'missions.updateTask': { title: 'x' },
  'members.setCapabilities': { capabilities: [] },
  'members.update': { role: 'VIEWER' },
  'memory.restore': { path: 'agent:own/AGENT.md' },
  'persona.set': { content: 'x' },
  'persona.setCrew': { content: 'x' },
  'persona.suggest': { content: 'x' },
  'persona.decide': { approve: false },
  'projects.update': { icon: 'x' },
  'rooms.continue': { kind: 'channel', title: 'x', agent_id: 'own:agentId', client_id: 'x' },
  'rooms.read': {},
  'rooms.send': { content: 'x', client_id: 'x' },
  'policies.set': { autonomy_level: 'guided', behavior_mode: 'warn' },
  'ports.revoke': {},
  'manifests.apply': { documents: [] },
  'skills.assign': { skill_id: 'own:skillId' },
  'managed.grant': { user_id: 'x', apps: [] },
  'integrations.update': { icon: 'x' },
  'integrations.createInCrew': { name: 'x', endpoint: 'https://x.example/mcp' },
  'integrations.updateInCrew': { icon: 'x' },
  'integrations.bind': { mcp_server_id: 'own:serverId', mcp_server_scope: 'crew' },
  'integrations.rebind': { enabled: true },
  'integrations.setTool': { enabled: false },
  'integrations.setToolInCrew': { enabled: false },
  'integrations.refreshTools': { tools: [] },
  'integrations.refreshToolsInCrew': { tools: [] },
  'integrations.decideTools': { approve: true },
  'integrations.decideToolsInCrew': { approve: true },
  'tokens.rotate': {},
  'automations.update': { name: 'x' },
  'routines.appearance': { icon: 'x' },
  'routines.approve': {},
  'routines.dryRun': {},
  'routines.reject': {},
  'routines.replay': {},
  'routines.rollback': { version: 1 },
  'routines.run': {},
  'routines.signal': { event_type: 'x' },
  'schedules.update': { name: 'x' },
  'webhooks.update': { name: 'x' },
  'triage.update': { name: 'x' },
  'tripwires.plant': { kind: 'file', name: '.env.production' },
  'tripwires.rearm': {},
  'plans.update': { icon: 'x' },
  'workflows.update': { icon: 'x' },
  'waitpoints.approve': { approved: true },
}

/** Queries without which nothing is looked up. */
const queries: Record<string, string> = {
  'blame.show': '?path=x',
  'checkpoints.diff': '?path=x',
  'files.download': '?path=x',
  'files.save': '?path=x',
  'memory.version': '?path=agent:own/AGENT.md',
  'policies.simulate': '?autonomy_level=trusted',
}

const rule = { name: 'x', pattern: 'x', match_type: 'exact' }

/** Bodies that name something by id: each is tried with a foreign and with an absent one. */
const references: [operation: string, member: string, of: string, body: (id: string) => object][] = [
  ['agents.create', 'crew_id', 'crewId', (crew_id) => ({ name: 'New', slug: 'new', crew_id })],
  ['agents.hire', 'crew_id', 'crewId', (crew_id) => ({ crew_id, template_slug: 'security-audit', reason: 'x' })],
  [
    'agents.hire',
    'parent_lead_id',
    'agentId',
    (parent_lead_id) => ({ crew_id: 'own:crewId', template_slug: 'security-audit', reason: 'x', parent_lead_id }),
  ],
  ['agents.update', 'crew_id', 'crewId', (crew_id) => ({ crew_id })],
  [
    'credentials.create',
    'crew_ids',
    'crewId',
    (id) => ({ name: 'new', type: 'SECRET', value: 'x', scope: 'CREW', crew_ids: [id] }),
  ],
  ['credentials.update', 'crew_ids', 'crewId', (id) => ({ scope: 'CREW', crew_ids: [id] })],
  ['credentials.replace', 'crew_ids', 'crewId', (id) => ({ scope: 'CREW', crew_ids: [id] })],
  [
    'credentials.assign',
    'credential_id',
    'credentialId',
    (credential_id) => ({ credential_id, env_var_name: 'OTHER' }),
  ],
  ['checkpoints.forkMission', 'checkpoint_id', 'checkpointId', (checkpoint_id) => ({ checkpoint_id })],
  ['crews.connect', 'from_crew_id', 'crewId', (id) => ({ from_crew_id: id, to_crew_id: 'own:crewId' })],
  ['crews.connect', 'to_crew_id', 'crewId', (id) => ({ from_crew_id: 'own:crewId', to_crew_id: id })],
  ['crews.addMember', 'user_id', 'userId', (user_id) => ({ user_id, role: 'MEMBER' })],
  [
    'escalations.resolve',
    'redirect_to',
    'slug',
    (redirect_to) => ({ resolution: 'x', action: 'redirect', redirect_to }),
  ],
  ['issues.bulk', 'ids', 'issueId', (id) => ({ ids: [id], updates: { priority: 'low' } })],
  ['issues.create', 'project_id', 'projectId', (project_id) => ({ title: 'x', project_id })],
  ['issues.create', 'milestone_id', 'milestoneId', (milestone_id) => ({ title: 'x', milestone_id })],
  ['issues.create', 'parent_issue_id', 'identifier', (parent_issue_id) => ({ title: 'x', parent_issue_id })],
  ['issues.create', 'labels', 'labelId', (id) => ({ title: 'x', labels: [id] })],
  ['issues.create', 'assignee_id', 'agentId', (id) => ({ title: 'x', assignee_type: 'agent', assignee_id: id })],
  ['issues.create', 'assignee_id', 'userId', (id) => ({ title: 'x', assignee_type: 'user', assignee_id: id })],
  [
    'issues.relate',
    'target_identifier',
    'targetIdentifier',
    (id) => ({ target_identifier: id, relation_type: 'blocks' }),
  ],
  ['issues.update', 'project_id', 'projectId', (project_id) => ({ project_id })],
  [
    'keeper.ask',
    'requesting_agent_id',
    'agentId',
    (id) => ({ requesting_agent_id: id, credential_name: 'KEY', intent: 'read the page' }),
  ],
  ['missions.create', 'lead_agent_id', 'leadId', (lead_agent_id) => ({ title: 'x', lead_agent_id })],
  ['missions.addTask', 'assigned_agent_id', 'agentId', (assigned_agent_id) => ({ title: 'x', assigned_agent_id })],
  ['missions.addTask', 'depends_on', 'taskId', (id) => ({ title: 'x', depends_on: [id] })],
  ['missions.updateTask', 'assigned_agent_id', 'agentId', (assigned_agent_id) => ({ assigned_agent_id })],
  ['automations.preview', 'automation_id', 'automationId', (automation_id) => ({ automation_id })],
  ['channels.allow', 'agent_id', 'agentId', (agent_id) => ({ agent_id })],
  ['triage.create', 'crew_id', 'crewId', (id) => ({ ...rule, crew_id: id })],
  ['triage.create', 'assignee_id', 'agentId', (id) => ({ ...rule, assignee_id: id })],
  ['triage.create', 'project_id', 'projectId', (id) => ({ ...rule, project_id: id })],
  ['projects.create', 'lead_id', 'agentId', (lead_id) => ({ name: 'x', lead_type: 'agent', lead_id })],
  ['projects.create', 'lead_id', 'userId', (lead_id) => ({ name: 'x', lead_type: 'user', lead_id })],
  ['projects.update', 'lead_id', 'agentId', (lead_id) => ({ lead_type: 'agent', lead_id })],
  ['rooms.create', 'agent_id', 'agentId', (agent_id) => ({ kind: 'channel', title: 'x', agent_id, client_id: 'x' })],
  ['rooms.create', 'member_ids', 'userId', (id) => ({ kind: 'group', title: 'x', member_ids: [id], client_id: 'x' })],
  ['rooms.continue', 'agent_id', 'agentId', (agent_id) => ({ kind: 'channel', title: 'x', agent_id, client_id: 'x' })],
  ['rooms.continue', 'member_ids', 'userId', (id) => ({ kind: 'group', title: 'x', member_ids: [id], client_id: 'x' })],
  [
    'integrations.createInCrew',
    'workspace_mcp_server_id',
    'integrationId',
    (id) => ({ name: 'x', workspace_mcp_server_id: id }),
  ],
  [
    'integrations.bind',
    'mcp_server_id',
    'integrationId',
    (id) => ({ mcp_server_id: id, mcp_server_scope: 'workspace' }),
  ],
  [
    'integrations.bind',
    'credential_id',
    'credentialId',
    (id) => ({ mcp_server_id: 'own:serverId', mcp_server_scope: 'crew', credential_id: id }),
  ],
  ['integrations.rebind', 'credential_id', 'credentialId', (id) => ({ credential_id: id })],
  ['inbox.bulk', 'ids', 'itemId', (id) => ({ ids: [id], state: 'read' })],
  ['skills.approve', 'crew_id', 'crewId', (crew_id) => ({ crew_id, file_name: 'skill-learned-own.md' })],
  ['skills.reject', 'crew_id', 'crewId', (crew_id) => ({ crew_id, file_name: 'skill-learned-own.md' })],
]

/** Everything that is stored, but for when tokens were used. */
function stored({ app }: TestDaemon): string {
  const tables = app.db
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'cli_token%' ORDER BY name",
    )
    .pluck()
    .all()
  return JSON.stringify(tables.map((table) => [table, app.db.prepare(`SELECT * FROM "${table}"`).all()]))
}

const parametersOf = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!).filter((name) => !free.has(name))
const keyOf = (path: string, name: string) => (name === 'memberId' ? `${path.split('/')[1]}/memberId` : name)

const cases = endpoints
  .filter(
    ({ name, endpoint }) =>
      endpoint.access !== 'public' && endpoint.access !== 'internal' && !openToAll.has(name) && !forInvited.has(name),
  )
  .flatMap(({ name, endpoint }) => parametersOf(endpoint.path).map((parameter) => ({ name, endpoint, parameter })))

/** A refusal without what only repeats the request. */
const plain = (answer: { status: number; text: string }, id: string) => ({
  status: answer.status,
  text: answer.text.replaceAll(id, 'ID'),
})

async function ask(name: string, parameter: string | null, id: string, given?: object, as = {}) {
  const { it, own, ...people } = await common
  const mine = { ...people.mine, ...as }
  const { endpoint } = endpoints.find((known) => known.name === name)!
  const { path, method, kind } = endpoint
  const address = path.replace(/:(\w+)/g, (_, at: string) =>
    at === 'workspaceId' ? people.mine.workspace : at === parameter ? id : (own[keyOf(path, at)] ?? absent),
  )
  const url = address + (queries[name] ?? '')
  const body = given ?? bodies[name]
  const filled =
    body && JSON.parse(JSON.stringify(body).replace(/"own:(\w+)"/g, (_, at: string) => JSON.stringify(own[at])))
  if (kind !== 'stream') return it.call(mine, method, url, filled)
  const headers = { host: 'localhost', authorization: `Bearer ${mine.token}`, 'x-workspace-id': mine.workspace }
  const answer = await it.http.inject({ method: 'GET', url: `/api/v1${url}`, headers, payloadAsStream: true })
  if (answer.statusCode >= 300) return { status: answer.statusCode, text: (await answer.stream().toArray()).join('') }
  answer.stream().destroy()
  return { status: answer.statusCode, text: '' }
}

it('has a body for every operation that takes one beside an id', () => {
  const needed = cases.filter(({ endpoint }) => endpoint.body).map(({ name }) => name)
  expect(needed.filter((name) => !bodies[name])).toEqual([])
})

/**
 * Where an absent one is not 404: an unknown chat reads as an empty one, a port that is not open cannot be closed, and
 * a card that is not there is deleted already.
 */
const otherwise: Record<string, number> = {
  'agents.removePeer, userId': 204,
  'attachments.remove, attachmentId': 204,
  'chats.uninvite, userId': 204,
  'chats.messages, chatId': 200,
  'ports.revoke, exposureId': 409,
}
/** The specification has 403 for what is below another parent. */
const refusedBelow = new Set(['attachments.create'])
/** Where one of its own looks the same: no picture, no such file, no messages yet. */
const without = new Set(['agents.avatar', 'agents.containerFiles', 'chats.messages', 'files.download'])

describe.each(cases)('$name, $parameter', ({ name, endpoint, parameter }) => {
  const key = keyOf(endpoint.path, parameter)
  const isLast = parametersOf(endpoint.path).at(-1) === parameter

  it('answers for a foreign one as for an absent one, and changes nothing', async () => {
    const { it, foreign } = await common
    const before = stored(it)
    expect(foreign[key], `no ${key} is furnished`).toBeTypeOf('string')
    const answers = [await ask(name, parameter, foreign[key]!), await ask(name, parameter, absent)]
    expect(plain(answers[0]!, foreign[key]!)).toEqual(plain(answers[1]!, absent))
    expect(answers[1]!.status).toBe(otherwise[`${name}, ${parameter}`] ?? 404)
    expect(stored(it)).toBe(before)
  })

  it.skipIf(parametersOf(endpoint.path).length < 2 || !isLast || refusedBelow.has(name))(
    'answers for one below another parent as for an absent one, and changes nothing',
    async () => {
      const { it, second } = await common
      const before = stored(it)
      const answers = [await ask(name, parameter, second[key]!), await ask(name, parameter, absent)]
      expect(plain(answers[0]!, second[key]!)).toEqual(plain(answers[1]!, absent))
      expect(stored(it)).toBe(before)
    },
  )

  it.skipIf(endpoint.method !== 'GET' || without.has(name))('answers otherwise for one of its own', async () => {
    expect((await ask(name, null, '')).status).not.toBe(404)
  })
})

describe.each(references)('%s, body member %s', (name, _member, of, body) => {
  it('answers for a foreign one as for an absent one, and changes nothing', async () => {
    const { it, foreign } = await common
    const before = stored(it)
    const answers = [await ask(name, null, '', body(foreign[of]!)), await ask(name, null, '', body(absent))]
    expect(plain(answers[0]!, foreign[of]!)).toEqual(plain(answers[1]!, absent))
    expect(stored(it)).toBe(before)
  })
})

describe.each([
  ['agents.setAvatar', 'agentId'],
  ['agents.stop', 'agentId'],
  ['agents.approveHire', 'agentId'],
  ['approvals.decide', 'approvalId'],
  ['credentials.assign', 'agentId'],
  ['credentials.unassign', 'agentId'],
])('%s without a workspace', (name, parameter) => {
  const unnamed = { workspace: '' }

  it('answers for a foreign one as for an absent one, and changes nothing', async () => {
    const { it, foreign } = await common
    const before = stored(it)
    const [other, none] = [
      await ask(name, parameter, foreign[parameter]!, undefined, unnamed),
      await ask(name, parameter, absent, undefined, unnamed),
    ]
    expect(plain(other, foreign[parameter]!)).toEqual(plain(none, absent))
    expect(none.status).toBe(404)
    expect(stored(it)).toBe(before)
  })
})
