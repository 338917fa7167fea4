import type { Static } from 'typebox'
import {
  type Agent,
  type AgentDraft,
  type AgentRow as AgentListRow,
  type AgentStatus,
  adapterProviders,
  type agents,
  laterAgentMembers,
} from '#contract/agents'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import { allows, higher } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { crewRoles, roleInCrew } from '#kernel/auth/standing'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { refuseLater, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { paysWith } from '../credentials/delivery/service.ts'
import { givePlace } from '../crews/places/service.ts'
import { type AgentCounts, type AgentMembers, type AgentRow, queries } from './queries.ts'
import { memberNames, merge, searchText } from './rules.ts'

export type { AgentRow } from './queries.ts'

/** A live agent of the workspace, or `not_found`. */
export function findAgent({ db }: App, workspace: string, agentId: string): AgentRow {
  const row = queries(db).find.get(workspace, agentId)
  if (!row) throw problem('not_found', { detail: 'There is no such agent' })
  return row
}

/** A live agent, whatever its workspace: for the daemon's own work, never for a request. */
export const agentById = ({ db }: App, agentId: string): AgentRow | undefined => queries(db).byId.get(agentId)

/** The live agents of a crew, in the order in which they joined. */
export const agentsOfCrew = ({ db }: App, crewId: string) => queries(db).mates.all(crewId)

/** May this person create agents and see what pays for them? */
const isCreator = (actor: Actor) => actor.role !== null && allows('MANAGER', actor.role)

/** The row as clients see it, without what is told of a single agent only. */
function toAgentRow(row: AgentRow & AgentCounts, actor: Actor): Static<typeof AgentListRow> {
  const { crew_name, crew_slug, crew_color, crew_avatar_style, avatar_version, credentials, chats, ...members } = row
  const { mcp_config_json, created_by_user_id, owner_email, owner_name, last_active, ...rest } = members
  return {
    ...rest,
    avatar_url: avatar_version && avatarUrl(row, avatar_version),
    memory_enabled: row.memory_enabled === 1,
    schedule_cron: null,
    schedule_prompt: null,
    schedule_enabled: false,
    schedule_last_run: null,
    schedule_next_run: null,
    webhook_require_timestamp: false,
    ...(mcp_config_json && isCreator(actor) && { mcp_config_json }),
    crew:
      rest.crew_id !== null && crew_name !== null && crew_slug !== null
        ? { id: rest.crew_id, name: crew_name, slug: crew_slug, color: crew_color, avatar_style: crew_avatar_style }
        : null,
    _count: { skills: 0, credentials, chats },
    ...(created_by_user_id && { created_by_user_id }),
    ...(owner_email !== null && { owner: { full_name: owner_name, email: owner_email } }),
    ...(last_active !== null && { last_active_at: new Date(last_active).toISOString() }),
    ephemeral: false,
    expires_at: null,
    expired_at: null,
    parent_lead_id: null,
    hire_reason: null,
    pays_with: null,
  }
}

/** The address changes with the picture, so browsers may cache it. */
export const avatarUrl = ({ id, workspace_id }: Pick<AgentRow, 'id' | 'workspace_id'>, version: string): string =>
  `/api/v1/agents/${id}/avatar?v=${version}&workspace_id=${workspace_id}`

/** Rows of a list, each with what the caller's role in its crew shows. */
export function toAgentRows(app: App, rows: (AgentRow & AgentCounts)[], actor: Actor): Static<typeof AgentListRow>[] {
  const roles = crewRoles(app.db, actor)
  return rows.map((row) =>
    toAgentRow(row, { ...actor, role: higher(actor.role, (row.crew_id && roles.get(row.crew_id)) || null) }),
  )
}

export function toAgent(app: App, row: AgentRow, actor: Actor): Static<typeof Agent> {
  const provider = row.llm_provider ?? adapterProviders[row.cli_adapter]
  const counted = { ...row, ...queries(app.db).counts.get(row.id)! }
  return {
    ...toAgentRow(counted, actor),
    webhook_secret_set: false,
    pays_with: provider ? paysWith(app, actor, row.id, provider) : null,
  }
}

/** How events name an agent. */
const named = ({ id, slug, name }: AgentRow) => ({ agent_id: id, agent_slug: slug, agent_name: name })

/** Tells the workspace that an agent changed. */
export const tellChanged = (app: App, workspace: string, id: string): void =>
  tell(app, workspace, 'agent.updated', { id })

const tell = (app: App, workspace: string, type: string, payload: object): void =>
  app.broadcast({ channel: `workspace:${workspace}`, type, payload })

export function createAgent(app: App, { actor, body, now }: Call<typeof agents.create>): Reply<typeof agents.create> {
  refuseLater(body, laterAgentMembers)
  return toAgent(
    app,
    createFor(app, { workspace: actor.workspace, draft: body, status: 'IDLE', initiator: actor.id, now }),
    actor,
  )
}

interface Created {
  workspace: string
  draft: Static<typeof AgentDraft>
  status: 'IDLE' | 'PENDING_REVIEW'
  /** The person behind it; null when none is known. */
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
  if (members.crew_id) givePlace(app, members.crew_id, id, members.slug)
  tell(app, workspace, 'agent.created', { id, name: members.name, slug: members.slug, status })
  return findAgent(app, workspace, id)
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

/**
 * In its old crew the caller may change the agent; the new one has its own managers, whose shared files and keys it
 * will see.
 */
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
  refuseLater(body, laterAgentMembers)
  requireSome(body, [...memberNames, ...laterAgentMembers])
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
  if (members.crew_id) givePlace(app, members.crew_id, agentId, members.slug)
  tellChanged(app, actor.workspace, agentId)
  return toAgent(app, findAgent(app, actor.workspace, agentId), actor)
}

const membersOf = (row: AgentRow): AgentMembers => ({
  ...(Object.fromEntries(memberNames.map((name) => [name, row[name as keyof AgentRow]])) as unknown as AgentMembers),
  memory_enabled: row.memory_enabled === 1,
})

/**
 * The agent when this person may change it: managers, of the workspace or of the crew, only those that they created.
 */
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

/** A crew has one LEAD: a new one replaces the one before. */
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
    tellChanged(app, actor.workspace, id)
  }
}

export function removeAgent(app: App, { actor, agentId }: Call<typeof agents.remove>) {
  const { slug, crew_id } = editable(app, actor, agentId)
  retire(app, actor.workspace, agentId)
  return { success: true, id: agentId, slug, crew_id }
}

/** The row stays for the record. */
function retire(app: App, workspace: string, agentId: string): void {
  queries(app.db).remove.run(app.now(), app.now(), agentId)
  queries(app.db).dropAvatar.run(agentId)
  tell(app, workspace, 'agent.deleted', { id: agentId })
}

/** The agents of a deleted crew go with it, each with a fact of its own. */
export function removeCrewAgents(app: App, { payload, about }: Happened<'crew.deleted'>): void {
  for (const agent of queries(app.db).ofCrew.all(payload.entity_id)) removeWith(app, 'crew', agent, about)
}

/** The agents without a crew go with their workspace; the others go with their crews. */
export function removeFreeAgents(app: App, { payload, about }: Happened<'workspace.deleted'>): void {
  for (const agent of queries(app.db).free.all(payload.entity_id)) removeWith(app, 'workspace', agent, about)
}

function removeWith(
  app: App,
  owner: 'crew' | 'workspace',
  { id, slug }: { id: string; slug: string },
  { workspace_id, crew_id, ...about }: Happened['about'],
): void {
  retire(app, workspace_id!, id)
  const payload = { entity_id: id, name: slug, metadata: { with: owner } }
  app.journal(fact('agent.deleted', payload, { workspace_id: workspace_id!, crew_id, agent_id: id, ...acting(about) }))
}

/** Ends the review of an agent: it may work, or it is deleted. False when it is not under review. */
function endReview(app: App, { workspace_id, ...by }: Acting & { workspace_id: string }, id: string, fits: boolean) {
  const row = queries(app.db).find.get(workspace_id, id)
  if (row?.status !== 'PENDING_REVIEW') return false
  const about = { workspace_id, ...(row.crew_id && { crew_id: row.crew_id }), agent_id: id, ...by }
  if (fits) {
    queries(app.db).setStatus.run('IDLE', id)
    const payload = { status: 'IDLE', prev: 'PENDING_REVIEW', details: 'approved' } as const
    app.journal(fact('agent.status_change', payload, about))
    tell(app, workspace_id, 'agent.status', { ...named(row), status: 'IDLE' })
    return true
  }
  retire(app, workspace_id, id)
  app.journal(fact('agent.deleted', { entity_id: id, name: row.slug, metadata: { with: 'review' } }, about))
  return true
}

type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

/** Applies a decision on an agent under review; an effect that fails refuses the decision. */
export function settleReview(app: App, { name, payload, about }: Review): void {
  const { kind, target, target_id } = payload
  if (kind !== 'autonomy_gate' || target !== 'agent' || !target_id) return
  const granted = name === 'approval.granted'
  const done = endReview(app, { workspace_id: about.workspace_id!, ...acting(about) }, target_id, granted)
  if (granted && !done)
    throw problem('approval_undecidable', { detail: 'What this would let happen is gone, or was decided elsewhere' })
}

/**
 * Sets what an agent is doing, for the code that knows its runs. An agent that waits for review stays so. Journals the
 * change and tells the workspace; false when nothing changed.
 */
export function setStatus(
  app: App,
  agentId: string,
  status: Exclude<AgentStatus, 'PENDING_REVIEW'>,
  details?: string,
): boolean {
  const row = agentById(app, agentId)
  if (!row || row.status === status || row.status === 'PENDING_REVIEW') return false
  queries(app.db).setStatus.run(status, agentId)
  const payload = { status, prev: row.status, ...(details && { details }) }
  const { workspace_id, crew_id } = row
  const about = { workspace_id, ...(crew_id && { crew_id }), agent_id: agentId, actor_type: 'orchestrator' } as const
  app.journal(fact('agent.status_change', payload, about))
  tell(app, row.workspace_id, 'agent.status', { ...named(row), status })
  return true
}
