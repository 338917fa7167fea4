import { Type } from 'typebox'
import { agentStatuses } from './agents.ts'
import { builtInTemplates } from './crew-templates.ts'
import { post } from './define.ts'
import { Id, line, nullable, prose, Ref, Time } from './fields.ts'

/** What the crew's policy makes of a hire, from `strict` to `full`. */
export const hireDecisions = ['rejected', 'inbox_approve', 'auto_log_journal', 'auto_journal'] as const
export type HireDecision = (typeof hireDecisions)[number]

export const defaultHireMinutes = 30
export const longestHireMinutes = 1440

const minutes = Type.Integer({
  description: `Minutes that it stays: ${defaultHireMinutes} unless positive, ${longestHireMinutes} at most`,
})
const reason = prose(2000)
const model = line(200)

/** A hired agent: it stays for a while and then becomes a ghost, which keeps its history and cannot work. */
export const Hire = Type.Object({
  id: Id,
  crew_id: Id,
  workspace_id: Id,
  slug: Type.String(),
  name: Type.String(),
  status: Type.Enum(agentStatuses),
  ephemeral: Type.Boolean({ description: 'Always true' }),
  expires_at: Time,
  expired_at: nullable(Type.String({ description: 'Always null' })),
  parent_lead_id: nullable(Id),
  hire_reason: Type.String({ description: 'A line for each time that it was hired' }),
  pending_review: Type.Boolean(),
  inbox_item_id: Type.Optional(Type.String({ description: 'The item that asks people, while they are asked' })),
  approval_id: Type.Optional(Id),
  decision: Type.Enum([...hireDecisions]),
})

const assigned = ['audit.entity_created', 'credential.auto_assign_failed', 'credential.auto_assign_empty'] as const

export const hires = {
  hire: post('/agents/hire', {
    summary: 'Hire an agent for a while, as far as the policy of the crew allows',
    access: 'MANAGER',
    crew: 'body.crew_id',
    scope: 'agents:write',
    held: true,
    body: Type.Object({
      crew_id: Type.Optional(nullable(Id)),
      crew_slug: Type.Optional(nullable(Type.String({ description: 'Instead of crew_id' }))),
      template_slug: Type.String({ maxLength: 64, description: 'The crew template whose LEAD it is like' }),
      reason,
      ttl_minutes: Type.Optional(nullable(minutes)),
      model: Type.Optional(nullable(model)),
      parent_lead_id: Type.Optional(nullable(Type.String({ description: 'The LEAD of the crew that it works for' }))),
    }),
    reply: Hire,
    journal: [...assigned, 'approval.requested'],
    throws: ['not_found', 'policy_refused', 'hire_quota', 'unavailable'],
  }),
  rehire: post('/agents/:agentId/rehire', {
    summary: 'Hire a hired agent again, or for longer',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    status: 200,
    body: Type.Object({ reason, ttl_minutes: Type.Optional(nullable(minutes)) }),
    reply: Hire,
    journal: ['audit.entity_updated', ...assigned, 'approval.requested'],
    throws: ['not_found', 'policy_refused', 'hire_quota', 'unavailable'],
  }),
  approveHire: post('/agents/:agentId/approve-hire', {
    summary: 'Approve the hire of an agent that waits for review',
    access: 'MANAGER',
    crew: 'agentId',
    workspace: 'agent',
    scope: 'agents:write',
    status: 200,
    reply: Type.Object({ id: Id, status: Type.Enum(agentStatuses), crew_id: nullable(Id) }),
    journal: ['approval.granted', 'approval.timeout', 'audit.entity_updated', ...assigned],
    throws: ['not_found', 'hire_settled'],
  }),
  spawn: post('/internal/agents/hire', {
    summary: 'Hire an agent for the LEAD of its crew, as far as the crew’s policy allows',
    access: 'internal',
    held: true,
    agent: {
      route: '/spawn',
      tool: 'hire_agent',
      says:
        'For the LEAD of a crew alone: hire an agent into it for a limited time. Depending on how much the crew may ' +
        'do, it is there at once (status IDLE), waits until people approve it (PENDING_REVIEW), or is refused.',
      members: {
        template_slug: `What it is good at, one of: ${builtInTemplates.join(', ')}`,
        reason: 'Why the crew needs it, on one line; people decide by this',
        ttl_minutes: `Minutes that it stays: ${defaultHireMinutes} unless stated, ${longestHireMinutes} at most`,
        model: 'Its model, if not the one of the template',
      },
      rate: { agent: 10, crew: 20 },
    },
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Type.String({ maxLength: 64, description: 'The LEAD' }),
      run_id: Type.Optional(nullable(Ref)),
      template_slug: Ref,
      reason: line(2000),
      ttl_minutes: Type.Optional(nullable(minutes)),
      model: Type.Optional(nullable(model)),
    }),
    reply: Type.Object({
      id: Id,
      slug: Type.String(),
      crew_id: Id,
      status: Type.Enum(agentStatuses),
      expires_at: Time,
      approval_id: Type.Optional(Id),
    }),
    journal: [...assigned, 'approval.requested'],
    throws: ['not_found', 'not_the_lead', 'policy_refused', 'hire_quota', 'rate_limited', 'unavailable'],
  }),
}
