import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { hires } from '#contract/hires'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { openRequests, postponeRequest, requestAbout } from '../../approvals/service.ts'
import { templateFor } from '../../crew-templates/service.ts'
import { itemId } from '../../inbox/service.ts'
import { policyOf } from '../../policies/service.ts'
import { broadcast } from '../broadcasts.ts'
import { leadOf } from '../leads/service.ts'
import { type AgentRow, createFor, findAgent } from '../service.ts'
import { ask } from './asking.ts'
import { type CrewRow, queries } from './queries.ts'
import { clientFor, decisionAt, lineOf, minutesOf, oneLine, reasonOf } from './rules.ts'
import { slugFor } from './slug.ts'

/** Requests of one agent that may be open at once, against loops. */
const openAtMost = 20

export function hire(app: App, { actor, body, now }: Call<typeof hires.hire>): Reply<typeof hires.hire> {
  const crew = crewNamed(app, actor.workspace, body)
  const lead = body.parent_lead_id ? parentLead(app, actor.workspace, crew, body.parent_lead_id) : null
  return take(app, { ...body, reason: oneLine(body.reason), actor, crew, lead, now })
}

/** Hires an agent for the LEAD of a crew. What it says is stored as it came: its secrets are taken out already. */
export function spawn(app: App, { actor, body, now }: Call<typeof hires.spawn>): Reply<typeof hires.spawn> {
  const { workspace_id: workspace, crew_id, agent_id, run_id = null } = body
  const lead = leadOf(app, body)
  if (openRequests(app, workspace, agent_id) >= openAtMost)
    throw problem('rate_limited', { detail: 'Agents have asked for enough agents: work with those that there are' })
  const crew = crewNamed(app, workspace, { crew_id })
  const agent = { ...actor, type: 'agent' as const, id: agent_id, workspace }
  const { id, slug, status, expires_at, approval_id } = take(app, {
    ...body,
    actor: agent,
    crew,
    lead,
    run: run_id,
    now,
  })
  return { id, slug, crew_id, status, expires_at, ...(approval_id && { approval_id }) }
}

interface Wanted {
  actor: Actor
  crew: CrewRow
  /** The LEAD that it works for. */
  lead: AgentRow | null
  /** The run in which it asks. */
  run?: string | null
  template_slug: string
  reason: string
  ttl_minutes?: number | null
  model?: string | null
  now: string
}

function take(app: App, it: Wanted): Reply<typeof hires.hire> {
  const { actor, crew, lead, run = null, now } = it
  const { workspace } = actor
  const template = templateFor(app, workspace, it.template_slug)
  if (!template) throw problem('not_found', { field: 'template_slug', detail: 'There is no such crew template' })
  const level = levelFor(app, workspace, crew)
  const reason = reasonOf(it.reason)
  checkQuota(app, crew)
  const minutes = minutesOf(it.ttl_minutes)
  const model = it.model?.trim() || template.agents[0]!.llm_model
  const held = level === 'guided'
  const made = createFor(app, {
    workspace,
    draft: {
      ...clientFor(model),
      name: template.name,
      slug: slugFor(app, workspace, template.slug),
      crew_id: crew.id,
      llm_model: model,
      role_title: template.agents[0]!.role_title,
      system_prompt: template.agents[0]!.system_prompt,
      memory_enabled: true,
    },
    status: held ? 'PENDING_REVIEW' : 'IDLE',
    initiator: actor.type === 'user' ? actor.id : (lead?.created_by_user_id ?? null),
    now,
  })
  const expires_at = wholeSeconds(app.clock() + minutes * 60_000)
  queries(app.db).hire.run({ id: made.id, expires_at, lead: lead?.id ?? null, line: lineOf(now, 'hire', reason) })
  const metadata = {
    crew_id: crew.id,
    crew_slug: crew.slug,
    template_slug: template.slug,
    ttl_minutes: minutes,
    reason,
    model,
    parent_lead: lead?.id ?? null,
    decision: decisionAt(level),
    autonomy_level: level,
    pending_review: held,
  }
  const policy = { policy_action: 'ephemeral_spawn', policy_verdict: verdicts[level], autonomy_level: level } as const
  const about = { workspace_id: workspace, crew_id: crew.id, agent_id: made.id, ...actorOf(actor) }
  app.journal(fact('agent.hired', { entity_id: made.id, name: made.slug, ...policy, metadata }, about))
  const { id, name, slug } = made
  broadcast(app, workspace, 'agent.hired', { id, crew_id: crew.id, name, slug, ephemeral: 'true' })
  if (held) ask(app, { actor, lead, crew, agent: findAgent(app, workspace, id), run, reason, minutes, now })
  return present(app, findAgent(app, workspace, id), level)
}

const verdicts = { guided: 'ask', trusted: 'notice', full: 'journal' } as const

/** The crew's level; a crew that is strict hires nobody. */
function levelFor(app: App, workspace: string, { id }: Pick<CrewRow, 'id'>) {
  const { level } = policyOf(app, workspace, id)
  if (level !== 'strict') return level
  const extra = { reason: 'autonomy_level', crew_id: id, autonomy_level: level, policy_action: 'ephemeral_spawn' }
  throw problem('policy_refused', { detail: 'The crew is strict: nobody is hired into it', extra })
}

function checkQuota(app: App, { id, max_ephemeral_agents: max }: CrewRow): void {
  const { n: live } = queries(app.db).live.get(id)!
  if (live < max) return
  throw problem('hire_quota', {
    detail: `${live} agents are hired into this crew, which may have ${max}`,
    extra: { reason: 'max_ephemeral_agents', crew_id: id, live, max },
  })
}

function crewNamed(
  app: App,
  workspace: string,
  { crew_id, crew_slug }: { crew_id?: string | null; crew_slug?: string | null },
): CrewRow {
  if (Boolean(crew_id) === Boolean(crew_slug))
    throw problem(crew_id ? 'invalid_field' : 'missing_field', {
      field: crew_id ? 'crew_slug' : 'crew_id',
      detail: 'Name the crew by exactly one of crew_id and crew_slug',
    })
  const crew = queries(app.db).crew.get({ workspace, id: crew_id || null, slug: crew_slug || null })
  if (!crew) throw problem('not_found', { detail: 'There is no such crew' })
  return crew
}

function parentLead(app: App, workspace: string, crew: CrewRow, id: string): AgentRow {
  const refused = problem('invalid_field', {
    field: 'parent_lead_id',
    detail: 'parent_lead_id must be the LEAD of that crew',
  })
  let lead: AgentRow
  try {
    lead = findAgent(app, workspace, id)
  } catch {
    throw refused
  }
  if (lead.crew_id !== crew.id || lead.agent_role !== 'LEAD' || lead.expired_at !== null) throw refused
  return lead
}

export function rehire(app: App, { actor, agentId, body, now }: Call<typeof hires.rehire>): Reply<typeof hires.rehire> {
  const before = findAgent(app, actor.workspace, agentId)
  if (!before.ephemeral) throw problem('not_found', { detail: 'Nobody hired that agent: it is there to stay' })
  if (!before.crew_id) throw problem('not_found', { detail: 'The agent has left the crew that hired it' })
  const crew = crewNamed(app, actor.workspace, { crew_id: before.crew_id })
  const level = levelFor(app, actor.workspace, crew)
  const reason = reasonOf(oneLine(body.reason))
  const was_ghost = before.expired_at !== null
  if (was_ghost) checkQuota(app, crew)
  const minutes = minutesOf(body.ttl_minutes)
  const wished = wholeSeconds(app.clock() + minutes * 60_000)
  // For longer: a short time never takes away what it has.
  const expires_at = !was_ghost && before.expires_at! > wished ? before.expires_at! : wished
  queries(app.db).rehire.run({ id: agentId, expires_at, line: lineOf(now, 'rehire', reason), now })
  const metadata = {
    reason,
    ttl_minutes: minutes,
    prior_expired_at: before.expired_at,
    new_expires_at: expires_at,
    was_ghost,
    crew_id: crew.id,
    decision: decisionAt(level),
    autonomy_level: level,
  }
  const about = { workspace_id: actor.workspace, crew_id: crew.id, agent_id: agentId, ...actorOf(actor) }
  app.journal(fact('agent.rehired', { entity_id: agentId, name: before.slug, metadata }, about))
  broadcast(app, actor.workspace, 'agent.rehired', { id: agentId, crew_id: crew.id, name: before.name, expires_at })
  const agent = findAgent(app, actor.workspace, agentId)
  if (agent.status === 'PENDING_REVIEW') askOn(app, { actor, crew, agent, run: null, reason, minutes, now })
  return present(app, agent, level)
}

/** What people are asked goes on as long as the hire; when it is over, they are asked again. */
function askOn(app: App, it: Omit<Parameters<typeof ask>[1], 'lead'>): void {
  const request = requestAbout(app, it.agent.id, 'ephemeral_hire')
  if (request) postponeRequest(app, request, it.agent.expires_at!)
  else ask(app, { ...it, lead: null })
}

function present(app: App, row: AgentRow, level: Parameters<typeof decisionAt>[0]): Reply<typeof hires.hire> {
  const { id, crew_id, workspace_id, slug, name, status, expires_at, parent_lead_id, hire_reason } = row
  const approval = requestAbout(app, id, 'ephemeral_hire')
  return {
    id,
    crew_id: crew_id!,
    workspace_id,
    slug,
    name,
    status,
    ephemeral: true,
    expires_at: expires_at!,
    expired_at: null,
    parent_lead_id,
    hire_reason: hire_reason!,
    pending_review: status === 'PENDING_REVIEW',
    ...(approval && { inbox_item_id: itemId('waitpoint', id), approval_id: approval }),
    decision: decisionAt(level),
  }
}
