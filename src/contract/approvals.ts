import { Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, nullable, page, prose, Time } from './fields.ts'

export const approvalKinds = [
  'tool_call',
  'cost_threshold',
  'destructive_op',
  'target_environment',
  'custom',
  'ephemeral_hire',
  'autonomy_gate',
] as const
export type ApprovalKind = (typeof approvalKinds)[number]
export const approvalStatuses = ['pending', 'approved', 'denied', 'timeout', 'cancelled'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

const maybe = nullable(Type.String())

/**
 * Something that takes effect only when people say so, its members in both spellings that clients read.
 * docs/rules/decisions.md, "Approvals".
 */
export const Approval = Type.Object({
  id: Id,
  workspace_id: Id,
  crew_id: maybe,
  agent_id: maybe,
  mission_id: maybe,
  requested_by: Type.Optional(Type.String({ description: 'Id of the agent, or the person, that wants it' })),
  kind: Type.Enum([...approvalKinds]),
  reason: Type.String(),
  payload: Type.Record(Type.String(), Type.Unknown()),
  status: Type.Enum([...approvalStatuses]),
  decided_by: maybe,
  decided_at: maybe,
  decision_comment: maybe,
  comment: nullable(Type.String({ description: 'The same as decision_comment' })),
  timeout_at: maybe,
  created_at: Time,
  ID: Id,
  WorkspaceID: Id,
  CrewID: Type.String({ description: 'Empty when there is none, as for the next three' }),
  AgentID: Type.String(),
  MissionID: Type.String(),
  RequestedBy: Type.String(),
  Kind: Type.Enum([...approvalKinds]),
  Reason: Type.String(),
  Payload: Type.Record(Type.String(), Type.Unknown()),
  Status: Type.Enum([...approvalStatuses]),
  DecidedBy: Type.String({ description: 'Empty when nobody decided' }),
  DecidedAt: maybe,
  DecisionComment: Type.String({ description: 'Empty without a comment' }),
  TimeoutAt: maybe,
  CreatedAt: Time,
  TimeoutSecs: Type.Integer({ description: 'Always 0' }),
})

const deciding = { access: 'ADMIN', scope: 'workspace:admin', status: 200 } as const

export const approvals = {
  list: get('/approvals', {
    summary: 'List what waits for an approval, newest first',
    access: 'VIEWER',
    workspace: 'only',
    query: Type.Object({ ...page, status: Type.Optional(Type.Enum([...approvalStatuses, 'all'])) }),
    reply: Type.Object({
      rows: Type.Array(Approval),
      status: Type.String({ description: 'The status that was asked for; empty for all' }),
      count: Type.Integer({ description: 'rows in this page' }),
    }),
  }),
  show: get('/approvals/:approvalId', {
    summary: 'Show what waits for an approval, or what became of it',
    access: 'VIEWER',
    reply: Approval,
    throws: ['not_found'],
  }),
  decide: post('/approvals/:approvalId/decide', {
    summary: 'Approve or deny; what follows from it happens at once',
    ...deciding,
    workspace: 'approval',
    body: Type.Object({ status: Type.Enum(['approved', 'denied']), comment: Type.Optional(prose(4000)) }),
    reply: Type.Object({ status: Type.Enum([...approvalStatuses]), decided_by: Id }),
    journal: [
      'approval.granted',
      'approval.denied',
      'approval.timeout',
      'agent.status_change',
      'audit.entity_created',
      'audit.entity_updated',
      'audit.entity_deleted',
      'credential.auto_assign_failed',
      'credential.auto_assign_empty',
    ],
    throws: ['not_found', 'approval_settled', 'approval_undecidable'],
  }),
  cancel: post('/approvals/:approvalId/cancel', {
    summary: 'Withdraw a request for approval: what it asked for does not happen',
    ...deciding,
    body: Type.Object({ reason: Type.Optional(prose(4000)) }),
    bodyOptional: true,
    reply: Type.Object({ status: Type.Enum([...approvalStatuses]), cancelled_by: Id }),
    journal: ['approval.cancelled', 'approval.timeout', 'audit.entity_updated', 'audit.entity_deleted'],
    throws: ['not_found', 'approval_settled'],
  }),
}
