import type { agentLeads } from '#contract/agent-leads'
import { fact } from '#contract/entries'
import type { AutonomyLevel } from '#contract/policies'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { openRequests, requestApproval } from '../../approvals/service.ts'
import { raise } from '../../inbox/service.ts'
import { consult, policyOf, type Verdict } from '../../policies/service.ts'
import { type AgentRow, agentsOfCrew, callerOf, createFor } from '../service.ts'

/** Limits against loops: an agent's open requests, and the size of a crew past which agents add no agents. */
const openAtMost = 20
const crewAtMost = 50

type Proposed = Call<typeof agentLeads.propose>

/**
 * Creates an agent for the LEAD of a crew: at once, held back until people approve it, or not at all.
 */
export function propose(app: App, { body, now }: Proposed) {
  const { workspace_id: workspace, crew_id: crew, agent_id, run_id: run, reason, ...draft } = body
  const lead = leadOf(app, body)
  const verdict = consult(app, { workspace, crew, action: 'agent_create' })
  const { level } = policyOf(app, workspace, crew)
  if (verdict === 'refuse') {
    const extra = { reason: 'autonomy_level', crew_id: crew, autonomy_level: level, policy_action: 'agent_create' }
    throw problem('policy_refused', { detail: `The crew is ${level}: only people create its agents`, extra })
  }
  if (openRequests(app, workspace, agent_id) >= openAtMost || agentsOfCrew(app, crew).length >= crewAtMost)
    throw problem('rate_limited', { detail: 'Agents have asked for enough agents: work with those that there are' })
  const held = verdict === 'ask'
  const status = held ? ('PENDING_REVIEW' as const) : ('IDLE' as const)
  const made = createFor(app, {
    workspace,
    draft: { ...draft, crew_id: crew },
    status,
    initiator: lead.created_by_user_id,
    now,
  })
  note(app, body, { made, policy_verdict: verdict, autonomy_level: level })
  const why = reason?.trim() || `@${lead.slug} wants the agent ${made.name} (@${made.slug})`
  const sender = { type: 'agent' as const, id: lead.id, name: lead.name }
  const about = {
    target: 'agent',
    target_id: made.id,
    agent_id: made.id,
    agent_name: made.name,
    autonomy_level: level,
    policy_action: 'agent_create',
  }
  if (held) {
    const card = {
      title: `${lead.name} wants a new agent: ${made.name}`,
      body: [why, made.system_prompt].filter(Boolean).join('\n\n---\n\n'),
      sender,
    }
    const approval = requestApproval(app, {
      workspace,
      crew,
      agent: made.id,
      run,
      by: lead.id,
      kind: 'autonomy_gate',
      reason: why,
      payload: about,
      card,
      now,
    })
    return { id: made.id, slug: made.slug, crew_id: crew, status, approval_id: approval }
  }
  if (verdict === 'inbox') {
    const card = {
      title: `${lead.name} created the agent ${made.name}`,
      body: why,
      sender,
      payload: { subkind: 'autonomy', ...about, crew_id: crew },
    }
    raise(app, { ...card, workspace, kind: 'message', source: made.id, target: { role: 'MANAGER' }, now })
  }
  return { id: made.id, slug: made.slug, crew_id: crew, status }
}

/** Names action and verdict: by them the policy simulator knows what a crew did without asking. */
function note(
  app: App,
  { workspace_id, crew_id, agent_id }: Proposed['body'],
  { made, ...judged }: { made: AgentRow; policy_verdict: Exclude<Verdict, 'refuse'>; autonomy_level: AutonomyLevel },
): void {
  const payload = { entity_id: made.id, name: made.slug, policy_action: 'agent_create', ...judged } as const
  const about = { workspace_id, crew_id, agent_id: made.id, actor_type: 'agent', actor_id: agent_id } as const
  app.journal(fact('agent.created', payload, about))
}

/** The agent that calls, which must lead its crew. */
export function leadOf(app: App, body: Pick<Proposed['body'], 'workspace_id' | 'crew_id' | 'agent_id'>): AgentRow {
  const lead = callerOf(app, body)
  if (lead.agent_role !== 'LEAD' || lead.status === 'PENDING_REVIEW' || lead.expired_at !== null)
    throw problem('not_the_lead')
  return lead
}
