import type { agentMemory } from '#contract/agent-memory'
import type { Reply } from '#contract/define'
import type { MemoryTier } from '#contract/memory'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { type AgentRow, callerOf } from '../../agents/service.ts'
import { searchOwn } from '../../chats/search/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { raise } from '../../inbox/service.ts'
import { consult, policyOf } from '../../policies/service.ts'
import { dailyFile, learnedDayOf, mainFile, named, pinsFile } from '../names.ts'
import { type Owner, ofAgent, ofCrew, ofWorkspace, placeAt } from '../places.ts'
import { coveredBy, type Found, noteSearch, searchMemory } from '../search/service.ts'
import { appended, filesOf, type Place, readFile, store } from '../service.ts'

/** The agent that calls, whose memory is switched on. */
function rememberer(app: App, body: { workspace_id: string; crew_id: string; agent_id: string }): AgentRow {
  const agent = callerOf(app, body)
  if (agent.memory_enabled !== 1) throw problem('memory_off')
  return agent
}

function ownerAs(app: App, agent: AgentRow, tier: MemoryTier): Owner {
  if (tier === 'agent') return ofAgent(agent)
  if (tier === 'workspace') return ofWorkspace(agent.workspace_id)
  const crew = agent.crew_id ? crewCalled(app, agent.workspace_id, agent.crew_id) : undefined
  if (!crew) throw problem('not_found', { field: 'path', detail: 'You are in no crew' })
  return ofCrew(crew)
}

/** A file as agents name it: `AGENT.md` of their own, `crew/CREW.md`, `workspace/WORKSPACE.md`, or a whole path. */
function placeOf(app: App, agent: AgentRow, path: string): { place: Place; tier: MemoryTier } {
  const shaped = /^(?:(crew|workspace)[/:]|agent:)?(.*)$/s.exec(path)!
  const tier = (shaped[1] as MemoryTier | undefined) ?? 'agent'
  const owner = ownerAs(app, agent, tier)
  const rest = path.startsWith(owner.prefix) ? path.slice(owner.prefix.length) : shaped[2]!
  if (!named(tier, rest)) {
    const detail = `There is no memory file ${path}: ${mainFile(tier)}, daily/YYYY-MM-DD.md and topics/NAME.md are`
    throw problem('invalid_field', { field: 'path', detail })
  }
  return { place: placeAt(owner, rest), tier }
}

export function read(app: App, { body }: Call<typeof agentMemory.readMemory>): Reply<typeof agentMemory.readMemory> {
  const agent = rememberer(app, body)
  if (!body.path) return { files: listed(app, agent) }
  const { place } = placeOf(app, agent, body.path)
  const file = readFile(app, place.owner_id, place.name)
  if (!file) throw problem('not_found', { field: 'path', detail: `Nothing is remembered in ${place.path}` })
  const { content, sha256 } = file
  return { path: place.path, content, bytes: Buffer.byteLength(content), sha256 }
}

function listed(app: App, agent: AgentRow) {
  const owners = [
    ofAgent(agent),
    ...(agent.crew_id ? [ownerAs(app, agent, 'crew')] : []),
    ofWorkspace(agent.workspace_id),
  ]
  return owners
    .flatMap(({ owner_id, prefix }) =>
      filesOf(app, owner_id).map(({ name, bytes, written_at }) => ({ path: `${prefix}${name}`, bytes, written_at })),
    )
    .slice(0, 500)
}

export function write(app: App, { body, now }: Call<typeof agentMemory.writeMemory>) {
  const agent = rememberer(app, body)
  const { place, tier } = placeOf(app, agent, body.path)
  if (isPeoples(tier, place.name))
    throw problem('invalid_field', { field: 'path', detail: `Only people write ${place.name}` })
  const { content, parent_sha: expected } = body
  return storing(app, agent, { place, tier, content, action: 'write', now, expected })
}

/** Whether people alone write a file: pins, personas, and the rules of a crew, each of which they approved. */
const isPeoples = (tier: MemoryTier, name: string): boolean =>
  name === pinsFile || named(tier, name)?.readOnly === true || (tier === 'crew' && learnedDayOf(name) !== null)

export function appendDaily(app: App, { body, now }: Call<typeof agentMemory.appendMemory>) {
  const agent = rememberer(app, body)
  const tier = body.shared ? 'crew' : 'agent'
  const place = placeAt(ownerAs(app, agent, tier), dailyFile(now))
  const line = `- ${now.slice(11, 16)} ${body.content.trim()}`
  return storing(app, agent, { place, tier, content: appended(app, place, line), action: 'append', now })
}

interface Storing {
  place: Place
  tier: MemoryTier
  content: string
  action: 'write' | 'append'
  /** Hash of the text that is to be replaced; empty where there must be none. */
  expected?: string | undefined
  now: string
}

/** Own notes reach the agent alone, and are its to write; those of its crew are as the crew's policy says. */
function storing(app: App, agent: AgentRow, { place, tier, content, ...how }: Storing) {
  const verdict = tier === 'agent' ? 'journal' : sharing(app, agent, tier)
  const stored = store(app, place, content, { actor: { actor_type: 'agent', actor_id: agent.id }, ...how })
  if (verdict === 'inbox' && 'changed' in stored && stored.changed) tell(app, agent, place, how.now)
  return stored
}

function sharing(app: App, { workspace_id: workspace, crew_id: crew }: AgentRow, tier: MemoryTier): string {
  if (tier === 'workspace' || !crew)
    throw problem('policy_refused', {
      detail: 'Only people write the memory of the workspace',
      extra: { reason: 'autonomy_level', policy_action: 'memory_write' },
    })
  const verdict = consult(app, { workspace, crew, action: 'memory_write' })
  if (verdict !== 'ask' && verdict !== 'refuse') return verdict
  const { level } = policyOf(app, workspace, crew)
  throw problem('policy_refused', {
    detail: `The crew is ${level}: people write its memory. Write it to your own, and tell them`,
    extra: { reason: 'autonomy_level', crew_id: crew, autonomy_level: level, policy_action: 'memory_write' },
  })
}

function tell(app: App, { id, name, workspace_id, crew_id }: AgentRow, { path }: Place, now: string): void {
  raise(app, {
    workspace: workspace_id,
    kind: 'message',
    source: `${id}:${path}`,
    title: `${name} wrote ${path}`,
    body: `Look at it: muster memory diff ${path}`,
    sender: { type: 'agent', id, name },
    payload: { subkind: 'autonomy', target: 'memory', agent_id: id, crew_id, path, policy_action: 'memory_write' },
    target: { role: 'MANAGER' },
    now,
  })
}

export async function prepareSearch(app: App, { body }: Call<typeof agentMemory.searchMemory>): Promise<Found> {
  const agent = rememberer(app, body)
  return searchMemory(app, body.query, coveredBy(agent, body.scope ?? ''), Math.min(Math.max(body.limit ?? 10, 1), 50))
}

export function commitSearch(
  app: App,
  { body }: Call<typeof agentMemory.searchMemory>,
  found: Found,
): Reply<typeof agentMemory.searchMemory> {
  const agent = rememberer(app, body)
  noteSearch(app, found, coveredBy(agent, body.scope ?? ''), { actor_type: 'agent', actor_id: agent.id })
  return { hits: found.hits.map(({ id, text, at }) => ({ id, text, at })) }
}

export async function searchTalks(
  app: App,
  { body }: Call<typeof agentMemory.searchConversations>,
): Promise<Reply<typeof agentMemory.searchConversations> | Problem> {
  const agent = rememberer(app, body)
  const hits = await searchOwn(app, agent, body.query, Math.min(Math.max(body.limit ?? 10, 1), 50))
  return { hits }
}
