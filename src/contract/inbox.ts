import { Type } from 'typebox'
import { Decides } from './decisions.ts'
import { del, get, patch, post } from './define.ts'
import { Id, line, page, Time } from './fields.ts'
import { roles } from './roles.ts'

export const inboxKinds = [
  'waitpoint',
  'escalation',
  'failed_run',
  'message',
  'memory_consolidation',
  'run_needs_human',
  'schedule_missed',
  'schedule_circuit_breaker_tripped',
  'webhook_fire_failed',
  'automation_enqueue_failed',
] as const
export type InboxKind = (typeof inboxKinds)[number]
export const inboxStates = ['unread', 'read', 'resolved'] as const
export type InboxState = (typeof inboxStates)[number]
export const inboxPriorities = ['urgent', 'high', 'medium', 'low'] as const

const State = Type.Enum([...inboxStates])
const Kind = Type.Enum([...inboxKinds])
const Payload = Type.Record(Type.String(), Type.Unknown())

/** docs/rules/inbox.md, "Items". Members without a value are left out. */
export const InboxItem = Type.Object({
  id: Id,
  workspace_id: Id,
  kind: Kind,
  source_id: Id,
  title: Type.String(),
  state: State,
  priority: Type.Enum([...inboxPriorities]),
  blocking: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
  target_user_id: Type.Optional(Id),
  target_role: Type.Optional(Type.Enum([...roles])),
  body_md: Type.Optional(Type.String()),
  sender_type: Type.Optional(Type.String()),
  sender_id: Type.Optional(Id),
  sender_name: Type.Optional(Type.String()),
  avatar_seed: Type.Optional(Type.String()),
  avatar_style: Type.Optional(Type.String()),
  payload: Type.Optional(Payload),
  thread_key: Type.Optional(Type.String()),
  attention_class: Type.Optional(Type.String()),
  actions: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        label: Type.String(),
        effect: Type.Optional(Type.String()),
        irreversible: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  decides: Type.Optional(Decides),
  run_id: Type.Optional(Type.String({ description: 'the run that it is about' })),
  read_at: Type.Optional(Time),
  resolved_at: Type.Optional(Time),
  resolved_by_user_id: Type.Optional(Id),
  resolved_action: Type.Optional(Type.String()),
  second_approver_required: Type.Optional(Type.Boolean()),
  second_approver_by_workspace: Type.Optional(Type.Boolean()),
  second_approver_by_tier: Type.Optional(Type.Boolean()),
  security_level_label: Type.Optional(Type.String()),
})

/** What people should know before they decide about a credential. */
export const InboxEvidence = Type.Object({
  narrower_credential: Type.Optional(
    Type.Object({
      exists: Type.Boolean({ description: 'The agent reaches one of the same provider at a lower level' }),
      name: Type.Optional(Type.String()),
      security_level: Type.Optional(Type.Integer()),
    }),
  ),
})

const Action = Type.Optional(line(200))

export const inbox = {
  list: get('/inbox', {
    summary: 'List what waits for you, newest first, with counts',
    access: 'VIEWER',
    query: Type.Object({
      ...page,
      state: Type.Optional(Type.Enum([...inboxStates, 'active', 'all'])),
      kind: Type.Optional(Kind),
    }),
    reply: Type.Object({
      rows: Type.Array(InboxItem),
      count: Type.Integer({ description: 'rows in this page' }),
      unread_count: Type.Integer(),
      has_more: Type.Boolean(),
      active_by_kind: Type.Optional(Type.Record(Type.String(), Type.Integer())),
      decision_count: Type.Optional(Type.Integer({ description: 'unresolved items that block on a person' })),
    }),
  }),
  count: get('/inbox/count', {
    summary: 'Count what you have not read',
    access: 'VIEWER',
    reply: Type.Object({ unread_count: Type.Integer() }),
  }),
  show: get('/inbox/:itemId', {
    summary: 'Show an item with its text and payload',
    access: 'VIEWER',
    reply: Type.Object({
      ...InboxItem.properties,
      evidence: Type.Optional(InboxEvidence),
      source_missing: Type.Optional(
        Type.Boolean({ description: 'what it was about is gone; of waitpoints and escalations' }),
      ),
    }),
    throws: ['not_found'],
  }),
  update: patch('/inbox/:itemId', {
    summary: 'Mark an item read, unread or resolved; resolving the question of a run dismisses it',
    access: 'VIEWER',
    scope: 'workspace:admin',
    body: Type.Object({ state: State, resolved_action: Action }),
    reply: Type.Object({ id: Id, state: State }),
    journal: ['audit.entity_updated', 'run.cancelled'],
    throws: ['not_found', 'source_managed'],
  }),
  bulk: post('/inbox/bulk', {
    summary: 'Mark up to 500 items at once',
    access: 'VIEWER',
    scope: 'workspace:admin',
    status: 200,
    body: Type.Object({
      ids: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 500 }),
      state: State,
      resolved_action: Action,
    }),
    reply: Type.Object({
      updated: Type.Integer(),
      skipped: Type.Integer(),
      skipped_ids: Type.Array(Type.String()),
      not_found: Type.Array(Type.String()),
      state: State,
    }),
    journal: ['audit.entity_updated'],
  }),
  purge: del('/inbox', {
    summary: 'Delete all items of the workspace, or those of one kind, whoever they are for',
    access: 'ADMIN',
    scope: 'workspace:admin',
    status: 200,
    query: Type.Object({ kind: Type.Optional(Kind) }),
    reply: Type.Object({ deleted: Type.Integer() }),
    journal: ['audit.entity_deleted'],
  }),
}
