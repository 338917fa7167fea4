import { type Static, Type } from 'typebox'
import { escalationActions, escalationTypes } from '../escalations.ts'
import { auditOfAll, entry, type Names } from './define.ts'
import { named, quoted } from './quote.ts'

const text = Type.Optional(Type.String())

const Escalated = Type.Object({
  state: Type.Enum(['pending', 'resolved', 'expired', 'cancelled']),
  reason: Type.String(),
  context: text,
  escalation_type: Type.Enum([...escalationTypes]),
  from_slug: Type.String(),
  resolution: text,
  action: Type.Optional(Type.Enum([...escalationActions])),
  redirect_to: text,
  redirect_to_name: text,
  agent_still_waiting: Type.Optional(Type.Boolean()),
  agent_gave_up_at: text,
  auto_resolved: Type.Optional(Type.Boolean()),
  cancel_reason: text,
  warning: text,
  autonomy_level: text,
})

function answered(
  { action, reason, resolution = '', redirect_to_name, escalation_type }: Static<typeof Escalated>,
  { actor, agent }: Names,
): string {
  const decided = action === 'approve' ? 'approved' : 'rejected'
  if (escalation_type === 'CREDENTIAL')
    return `${actor} ${decided} the credential that ${agent} offered: ${quoted(reason)}`
  const other = redirect_to_name ? `agent ${named(redirect_to_name)}` : 'another agent'
  if (action === 'redirect') return `${actor} told ${agent} to ask ${other} instead: ${quoted(reason)}`
  if (action === 'reject') return `${actor} rejected ${agent}'s question ${quoted(reason)}: ${quoted(resolution)}`
  return `${actor} answered ${agent}'s question: ${quoted(resolution)}`
}

const Refusal = Type.Object({
  request_id: Type.String(),
  request_type: Type.Literal('credential_escalation'),
  credential_id: Type.Union([Type.String(), Type.Null()]),
  decision: Type.Literal('DENY'),
  reason: Type.String(),
  rule: Type.Literal('second_approver'),
  action: Type.Enum([...escalationActions]),
  initiator_known: Type.Boolean(),
})

export const escalationFacts = {
  'peer.escalation': entry('peer.escalation', 'notice', Escalated, (it, names) => {
    const { actor, agent } = names
    if (it.state === 'resolved') return answered(it, names)
    if (it.state === 'expired') return `Nobody answered ${agent} in time: ${quoted(it.reason)}`
    if (it.state === 'cancelled')
      return it.auto_resolved
        ? `${agent}'s question was withdrawn${it.cancel_reason ? ` (${it.cancel_reason})` : ''}: ${quoted(it.reason)}`
        : `${actor} withdrew ${agent}'s question: ${quoted(it.reason)}`
    return it.agent_still_waiting
      ? `${agent} asks: ${quoted(it.reason)}`
      : `${agent} goes on without an answer: ${quoted(it.reason)}`
  }),
  'keeper.decision': entry('keeper.decision', 'error', Refusal, ({ action, initiator_known }, { actor, agent }) =>
    initiator_known
      ? `${actor} may not ${action} the credential that ${agent} offers: the same person created ${agent}`
      : `${actor} may not ${action} the credential that ${agent} offers: it is not on record who created ${agent}`,
  ),
  'escalations.purged': auditOfAll(
    'audit.entity_deleted',
    'escalation',
    Type.Object({ deleted: Type.Integer() }),
    ({ metadata }, { actor, crew }) =>
      `${actor} deleted ${metadata.deleted} ${metadata.deleted === 1 ? 'question' : 'questions'} of crew ${crew}`,
  ),
}
