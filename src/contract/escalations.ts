import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { anyMembers, Id, nullable, page, prose, Ref, Time } from './fields.ts'

export const escalationTypes = ['TEXT', 'CREDENTIAL', 'LINK'] as const
export type EscalationType = (typeof escalationTypes)[number]
export const escalationStatuses = ['PENDING', 'RESOLVED', 'EXPIRED', 'CANCELLED'] as const
export type EscalationStatus = (typeof escalationStatuses)[number]
export const escalationActions = ['approve', 'reject', 'redirect'] as const
export type EscalationAction = (typeof escalationActions)[number]

/** How long the agent waits, and people may take. docs/rules/decisions.md, "Escalations". */
export const agentWaitsSeconds = 300
export const answerWithinSeconds = 7 * 86_400

const maybe = nullable(Type.String())

/** A question of an agent to people. docs/rules/decisions.md, "Escalations". */
export const Escalation = Type.Object({
  id: Id,
  crew_id: Id,
  type: Type.Enum([...escalationTypes]),
  from_name: Type.String(),
  from_slug: Type.String(),
  reason: Type.String(),
  context: maybe,
  metadata: nullable(
    Type.String({
      description: 'The address of a LINK; of a CREDENTIAL its name, type and provider as JSON, never the value',
    }),
  ),
  peer_conversation_id: maybe,
  chat_id: maybe,
  status: Type.Enum([...escalationStatuses]),
  resolution: nullable(Type.String({ description: 'What was answered; masked for a CREDENTIAL' })),
  action: nullable(Type.Enum([...escalationActions])),
  redirect_to: maybe,
  resolved_by: nullable(Type.Enum(['user', 'system'])),
  resolved_by_user_id: maybe,
  resolved_at: maybe,
  created_at: Time,
  credential_id: maybe,
  deadline_at: nullable(Type.String({ description: 'Until then the agent waits' })),
  answer_deadline_at: nullable(Type.String({ description: 'Until then people may answer' })),
  agent_gave_up_at: maybe,
  second_approver_required: Type.Optional(
    Type.Boolean({ description: 'Of a CREDENTIAL: who created the agent may not decide alone' }),
  ),
  second_approver_by_workspace: Type.Optional(Type.Boolean()),
  second_approver_by_tier: Type.Optional(Type.Boolean()),
})

/** What the agent is told. Without an answer it goes on, with a warning. */
export const EscalationOutcome = Type.Object({
  status: Type.Enum(['RESOLVED', 'EXPIRED', 'CANCELLED', 'UNANSWERED']),
  resolution: Type.String(),
  action: Type.String(),
  redirect_to: Type.Optional(maybe),
  warning: Type.Optional(Type.String()),
  agent_action: Type.Optional(Type.String()),
  still_open: Type.Optional(Type.Boolean({ description: 'People may still answer' })),
})

const deciding = { access: 'MANAGER', crew: 'escalationId', scope: 'crews:write' } as const

export const escalations = {
  list: get('/crews/:crewId/escalations', {
    summary: 'List the questions of a crew’s agents to people, newest first',
    access: 'VIEWER',
    query: Type.Object({
      ...page,
      status: Type.Optional(
        Type.Enum([...escalationStatuses, 'all', ''], {
          description: 'PENDING and RESOLVED unless stated: existing clients drop a list that has others',
        }),
      ),
    }),
    reply: Type.Array(Escalation),
    throws: ['not_found'],
  }),
  pending: get('/escalations/pending-count', {
    summary: 'Count the questions that nobody has answered yet',
    access: 'VIEWER',
    reply: Type.Object({ count: Type.Integer() }),
  }),
  show: get('/escalations/:escalationId', {
    summary: 'Show a question of an agent, and what became of it',
    access: 'VIEWER',
    reply: Escalation,
    throws: ['not_found'],
  }),
  resolve: patch('/escalations/:escalationId/resolve', {
    summary: 'Answer a question of an agent',
    ...deciding,
    body: Type.Object({
      resolution: prose(8000),
      action: Type.Optional(Type.Enum([...escalationActions], { default: 'approve' })),
      redirect_to: Type.Optional(
        Type.String({ maxLength: 50, description: 'With redirect: slug of another agent of the crew' }),
      ),
    }),
    reply: Type.Object({
      id: Id,
      status: Type.Enum([...escalationStatuses]),
      action: Type.Enum([...escalationActions]),
      agent_still_waiting: Type.Boolean(),
      agent_gave_up_at: Type.Optional(Time),
      note: Type.Optional(Type.String()),
    }),
    journal: [
      'peer.escalation',
      'keeper.decision',
      'audit.entity_created',
      'audit.entity_updated',
      'audit.entity_deleted',
    ],
    throws: ['not_found', 'escalation_settled', 'second_approver_required', 'name_taken', 'encryption_unavailable'],
  }),
  cancel: post('/escalations/:escalationId/cancel', {
    summary: 'Withdraw a question of an agent: it gets no answer',
    ...deciding,
    status: 200,
    body: Type.Object({ reason: Type.Optional(prose(2000)) }),
    bodyOptional: true,
    reply: Type.Object({ id: Id, status: Type.Enum([...escalationStatuses]) }),
    journal: ['peer.escalation', 'audit.entity_deleted'],
    throws: ['not_found', 'escalation_settled'],
  }),
  sweep: post('/escalations/sweep-expired', {
    summary: 'Expire the questions whose time to answer is over, now',
    access: 'ADMIN',
    scope: 'workspace:admin',
    status: 200,
    reply: Type.Object({ expired: Type.Integer() }),
    journal: ['peer.escalation', 'audit.entity_deleted'],
  }),
  purge: del('/crews/:crewId/escalations', {
    summary: 'Delete all questions of a crew’s agents; open ones are withdrawn',
    access: 'ADMIN',
    crew: 'crewId',
    scope: 'workspace:admin',
    status: 200,
    reply: Type.Object({ deleted: Type.Integer() }),
    journal: ['peer.escalation', 'audit.entity_deleted'],
    throws: ['not_found'],
  }),
  /** The agent's side: asked again under the same `call_id`, it is the same question. */
  create: post('/internal/escalations', {
    summary: 'Put a question of an agent before people',
    access: 'internal',
    agent: {
      route: '/escalate',
      tool: 'escalate',
      says:
        'Ask the people responsible for you to decide something, and wait up to five minutes for their answer. Use ' +
        'it before what is hard to undo, and when only a person can know. The result has status RESOLVED with ' +
        'resolution and action (approve, reject, or redirect with redirect_to: ask that agent instead), or ' +
        'UNANSWERED: then go on carefully and say at the end what you assumed.',
      members: {
        reason: 'The question in a sentence or two, so that it can be answered without knowing your work',
        context: 'What one must know to decide: what you found, the options, what you would do. Markdown',
        type:
          'TEXT unless stated. LINK: something to look at. CREDENTIAL: a secret that you made or found and that is ' +
          'to be kept',
        metadata:
          'For LINK the https address. For CREDENTIAL {name, type, provider, value}; write the value nowhere else',
      },
      rate: { agent: 10, crew: 40 },
      sealed: { within: 'metadata', member: 'value', when: ['type', 'CREDENTIAL'] },
    },
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Type.Optional(Ref),
      from_slug: Type.Optional(Type.String({ maxLength: 50, description: 'In place of agent_id' })),
      chat_id: Type.Optional(nullable(Ref)),
      run_id: Type.Optional(nullable(Ref)),
      call_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      reason: prose(4000),
      context: Type.Optional(prose(16_000)),
      type: Type.Optional(Type.Enum([...escalationTypes], { default: 'TEXT' })),
      metadata: Type.Optional(
        Type.Union([prose(60_000), anyMembers], {
          description: 'LINK: an https address. CREDENTIAL: {name, type, provider, value}, also as JSON text',
        }),
      ),
    }),
    reply: Type.Object({
      escalation_id: Id,
      status: Type.Enum([...escalationStatuses]),
      deadline_at: Time,
      timeout_seconds: Type.Integer(),
      answer_deadline_at: Time,
    }),
    journal: ['peer.escalation', 'audit.entity_created'],
    throws: ['not_found', 'rate_limited', 'name_taken', 'encryption_unavailable', 'private_room'],
  }),
  wait: get('/internal/escalations/:escalationId/wait', {
    summary: 'Wait until people answer, or the agent’s time is over',
    access: 'internal',
    reply: EscalationOutcome,
    throws: ['not_found', 'unavailable'],
  }),
}
