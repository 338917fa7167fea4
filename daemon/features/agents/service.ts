import type { Static } from 'typebox'
import type { Agent, AgentDraft, AgentPatch, agents } from '#contract/agents'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { roleInCrew } from '#kernel/auth/standing'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { givePlace } from '../crews/places/service.ts'
import { broadcast, broadcastChange } from './broadcasts.ts'
import { secretWarnings } from './forms/secrets.ts'
import { type AgentBrief, type AgentMembers, type AgentRow, queries } from './queries.ts'
import { toAgent } from './rows.ts'

export { avatarUrl } from './rows.ts'

import { memberNames, merge, searchText } from './rules.ts'
import { scheduleMembers, setSchedule } from './schedules/service.ts'
import { setRequireTimestamp } from './webhooks/service.ts'

export type { AgentRow }

/** A live agent of the workspace, or `not_found`. */
export function findAgent({ db }: App, workspace: string, agentId: string): AgentRow {
  const row = queries(db).find.get(workspace, agentId)
  if (!row) throw problem('not_found', { detail: 'There is no such agent' })
  return row
}

/** The agent that calls, which must be in the crew that it names. */
export function callerOf(
  app: App,
  { workspace_id, crew_id, agent_id }: { workspace_id: string; crew_id: string; agent_id: string },
): AgentRow {
  const agent = findAgent(app, workspace_id, agent_id)
  if (agent.crew_id !== crew_id) throw problem('not_found', { field: 'agent_id' })
  return agent
}

/** A live agent of any workspace: for the daemon's own work, never for a request. */
export const agentById = ({ db }: App, agentId: string): AgentRow | undefined => queries(db).byId.get(agentId)

/** As `agentById`, for what is asked many times a second: where it is, and its own tool servers. */
export const agentInBrief = ({ db }: App, agentId: string): AgentBrief | undefined => queries(db).brief.get(agentId)

/** The live agent of a workspace with that slug. */
export function agentCalled(app: App, workspace: string, slug: string): AgentRow | undefined {
  const found = queries(app.db).bySlug.get(workspace, slug)
  return found && agentById(app, found.id)
}

/** The agents of a crew that may work, in the order in which they joined. */
export const agentsOfCrew = ({ db }: App, crewId: string) => queries(db).mates.all(crewId)

export function createAgent(app: App, { actor, body, now }: Call<typeof agents.create>): Reply<typeof agents.create> {
  const row = createFor(app, { workspace: actor.workspace, draft: body, status: 'IDLE', initiator: actor.id, now })
  return withWarnings(app, actor, row, body)
}

/** The agent, with what deserves a second look in what was stored now. */
function withWarnings(
  app: App,
  actor: Actor,
  row: AgentRow,
  { ask_forms }: Pick<Static<typeof AgentPatch>, 'ask_forms'>,
): Static<typeof Agent> {
  const warnings = ask_forms === undefined ? [] : secretWarnings(row.ask_forms)
  return { ...toAgent(app, row, actor), ...(warnings.length > 0 && { warnings }) }
}

interface Created {
  workspace: string
  draft: Static<typeof AgentDraft>
  status: 'IDLE' | 'PENDING_REVIEW'
  /** The person who caused it; null when unknown. */
  initiator: string | null
  now: string
}

export function createFor(app: App, { workspace, draft, status, initiator, now }: Created): AgentRow {
  const { llm_provider, lead_mode, ...given } = draft
  const members = merge({ ...given, ...(llm_provider && { llm_provider }), ...(lead_mode && { lead_mode }) })
  checkCrew(app, workspace, members.crew_id)
  const id = newId(app.clock())
  const made = queries(app.db).insert.get({
    ...stored(members),
    id,
    workspace_id: workspace,
    status,
    created_by_user_id: initiator,
    updated_at: now,
  })
  if (!made) throw conflict(app, workspace, id, members)
  setTriggers(app, id, draft)
  if (members.crew_id) givePlace(app, members.crew_id, id, members.slug)
  broadcast(app, workspace, 'agent.created', { id, name: members.name, slug: members.slug, status })
  return findAgent(app, workspace, id)
}

const triggerMembers = [...scheduleMembers, 'webhook_require_timestamp'] as const

/** Stores when the agent begins by itself, and how it may be called. */
function setTriggers(
  app: App,
  agentId: string,
  body: Pick<Static<typeof AgentPatch>, (typeof triggerMembers)[number]>,
): void {
  setSchedule(app, agentId, body)
  setRequireTimestamp(app, agentId, body.webhook_require_timestamp)
}

const stored = (members: AgentMembers) => ({
  ...members,
  memory_enabled: members.memory_enabled ? (1 as const) : (0 as const),
  search: searchText(members),
})

function checkCrew({ db }: App, workspace: string, crewId: string | null): void {
  if (crewId && !queries(db).liveCrew.get(workspace, crewId))
    throw problem('invalid_field', { field: 'crew_id', detail: 'There is no such crew' })
}

/** Refuses a move into a crew that the caller does not manage: the agent would see its shared files and keys. */
function mayJoin(app: App, actor: Actor, crewId: string | null): void {
  checkCrew(app, actor.workspace, crewId)
  const role = membership(app.db, actor.workspace, actor.id)?.role ?? null
  const there = crewId ? roleInCrew(app.db, { ...actor, role }, crewId) : actor.role
  if (!(there && allows('MANAGER', there)))
    throw problem('insufficient_role', { field: 'crew_id', detail: 'Only a MANAGER of that crew lets agents join it' })
}

function conflict({ db }: App, workspace: string, id: string, { slug }: AgentMembers): Problem {
  const holder = queries(db).bySlug.get(workspace, slug)
  if (holder && holder.id !== id)
    return problem('slug_taken', { field: 'slug', detail: `Another agent has the slug "${slug}"` })
  return problem('lead_taken', { field: 'agent_role' })
}

export function updateAgent(
  app: App,
  { actor, body, now, agentId }: Call<typeof agents.update>,
): Reply<typeof agents.update> {
  const before = editable(app, actor, agentId)
  requireSome(body, [...memberNames, ...triggerMembers])
  const members = merge(body, membersOf(before))
  if (members.crew_id !== before.crew_id) mayJoin(app, actor, members.crew_id)
  if (body.agent_role !== undefined && members.agent_role === 'LEAD')
    demoteOthers(app, actor, members.crew_id!, { id: agentId, slug: members.slug, name: members.name })
  const changed = queries(app.db).update.get({
    ...stored(members),
    id: agentId,
    workspace_id: actor.workspace,
    updated_at: now,
  })
  if (!changed) throw conflict(app, actor.workspace, agentId, members)
  if (members.avatar_seed !== before.avatar_seed || members.avatar_style !== before.avatar_style)
    queries(app.db).dropAvatar.run(agentId)
  setTriggers(app, agentId, body)
  if (members.crew_id) givePlace(app, members.crew_id, agentId, members.slug)
  broadcastChange(app, actor.workspace, agentId)
  return withWarnings(app, actor, findAgent(app, actor.workspace, agentId), body)
}

const membersOf = (row: AgentRow): AgentMembers => ({
  ...(Object.fromEntries(memberNames.map((name) => [name, row[name as keyof AgentRow]])) as unknown as AgentMembers),
  memory_enabled: row.memory_enabled === 1,
})

/** An agent that the caller may change: a MANAGER, of the workspace or of the crew, only agents that they created. */
export function editable(app: App, actor: Actor, agentId: string): AgentRow {
  const row = findAgent(app, actor.workspace, agentId)
  if (actor.role === 'MANAGER' && row.created_by_user_id !== actor.id) {
    throw problem('insufficient_role', {
      detail:
        'A MANAGER may change only agents that they created; other agents need the role ADMIN, ' +
        'in the workspace or in the crew',
    })
  }
  return row
}

/** A crew has one LEAD: a new one demotes the other. */
function demoteOthers(app: App, actor: Actor, crewId: string, successor: Pick<AgentRow, 'id' | 'slug' | 'name'>): void {
  for (const { id, slug } of queries(app.db).demote.all(app.now(), crewId, successor.id)) {
    const metadata = {
      changed: ['agent_role', 'lead_mode'],
      replaced_by: successor.id,
      successor: successor.slug,
      successor_name: successor.name,
    }
    const about = { workspace_id: actor.workspace, crew_id: crewId, agent_id: id, ...actorOf(actor) }
    app.journal(fact('agent.demoted', { entity_id: id, name: slug, metadata }, about))
    broadcastChange(app, actor.workspace, id)
  }
}
