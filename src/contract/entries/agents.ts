import { Type } from 'typebox'
import { hireDecisions } from '../hires.ts'
import { autonomyLevels } from '../policies.ts'
import { audit, Changed, entry } from './define.ts'
import { named, quoted } from './quote.ts'

/** How the crew's policy judged the creation, when another agent created this one. The policy simulator reads it. */
const byPolicy = {
  policy_action: Type.Optional(Type.Literal('agent_create')),
  policy_verdict: Type.Optional(Type.Enum(['ask', 'inbox', 'notice', 'journal'])),
  autonomy_level: Type.Optional(Type.Enum([...autonomyLevels])),
}
const hirePolicy = { ...byPolicy, policy_action: Type.Optional(Type.Literal('ephemeral_spawn')) }
const judged = {
  crew_id: Type.String(),
  reason: Type.String(),
  ttl_minutes: Type.Integer(),
  decision: Type.Enum([...hireDecisions]),
  autonomy_level: Type.Enum([...autonomyLevels]),
}
const Hired = Type.Object({
  ...judged,
  crew_slug: Type.String(),
  template_slug: Type.String(),
  model: Type.Union([Type.String(), Type.Null()]),
  parent_lead: Type.Union([Type.String(), Type.Null()], { description: 'id of the LEAD that it works for' }),
  pending_review: Type.Boolean(),
})
const Rehired = Type.Object({
  ...judged,
  prior_expired_at: Type.Union([Type.String(), Type.Null()]),
  new_expires_at: Type.String(),
  was_ghost: Type.Boolean(),
})
const HireEnd = Type.Object({ crew_id: Type.Union([Type.String(), Type.Null()]), name: Type.String() })
const Demotion = Type.Object({
  changed: Type.Array(Type.String()),
  replaced_by: Type.String(),
  successor: Type.String({ description: 'slug of the agent that leads the crew now' }),
  successor_name: Type.String({ description: 'its name' }),
})
const Deletion = Type.Object({ with: Type.Optional(Type.Enum(['crew', 'workspace', 'review'])) })
const Status = Type.Object({
  status: Type.Enum(['IDLE', 'RUNNING', 'ERROR']),
  prev: Type.Enum(['IDLE', 'RUNNING', 'ERROR', 'PENDING_REVIEW']),
  details: Type.Optional(Type.String()),
})
const doing = { IDLE: 'is idle', RUNNING: 'is working', ERROR: 'has stopped with an error' }

export const agentFacts = {
  'agent.created': audit(
    'audit.entity_created',
    'agent',
    Changed,
    ({ policy_verdict }, { actor, agent }) =>
      `Agent ${agent} was created by ${actor}${policy_verdict === 'ask' ? ' and waits for approval' : ''}`,
    { more: byPolicy },
  ),
  'agent.updated': audit('audit.entity_updated', 'agent', Changed, ({ metadata }, { actor, agent }) => {
    const changed = metadata?.changed ?? []
    return `Agent ${agent} was changed by ${actor}${changed.length ? `: ${changed.join(', ')}` : ''}`
  }),
  'agent.demoted': audit(
    'audit.entity_updated',
    'agent',
    Demotion,
    ({ metadata: { successor_name } }, { actor, agent, crew }) =>
      `${actor} made agent ${named(successor_name)} the lead of crew ${crew} in place of agent ${agent}`,
  ),
  'agent.deleted': audit('audit.entity_deleted', 'agent', Deletion, ({ metadata }, { actor, agent }) => {
    const called = `Agent ${agent}`
    if (metadata?.with === 'review') return `${called} was deleted: its creation was not approved`
    return metadata?.with ? `${called} was deleted with its ${metadata.with}` : `${called} was deleted by ${actor}`
  }),
  'agent.hired': audit(
    'audit.entity_created',
    'agent',
    Hired,
    ({ metadata: { reason, pending_review } }, { actor, agent, crew }) =>
      `Agent ${agent} was hired by ${actor} for crew ${crew}${pending_review ? ' and waits for approval' : ''}: ` +
      quoted(reason),
    { action: 'agent.hired', more: hirePolicy },
  ),
  'agent.rehired': audit(
    'audit.entity_updated',
    'agent',
    Rehired,
    ({ metadata: { reason, was_ghost } }, { actor, agent }) =>
      `Agent ${agent} was hired ${was_ghost ? 'again' : 'for longer'} by ${actor}: ${quoted(reason)}`,
    { action: 'agent.rehired' },
  ),
  'agent.hire_approved': audit(
    'audit.entity_updated',
    'agent',
    HireEnd,
    (_, { actor, agent }) => `The hire of agent ${agent} was approved by ${actor}`,
    { action: 'agent.hire_approved' },
  ),
  'agent.hire_denied': audit(
    'audit.entity_updated',
    'agent',
    HireEnd,
    (_, { actor, agent }) => `The hire of agent ${agent} was denied by ${actor}`,
    { action: 'agent.hire_denied' },
  ),
  'agent.expired': audit(
    'audit.entity_updated',
    'agent',
    HireEnd,
    (_, { agent }) => `The time for which agent ${agent} was hired is over`,
    { action: 'agent.expired' },
  ),
  'agent.status_change': entry('agent.status_change', 'info', Status, ({ status, prev }, { actor, agent }) =>
    prev === 'PENDING_REVIEW' ? `${agent} was approved by ${actor} and may work` : `${agent} ${doing[status]}`,
  ),
  'agent.throttled': entry(
    'agent.throttled',
    'warn',
    Type.Object({ operation: Type.String(), refused: Type.Integer() }),
    ({ operation }, { agent }) => `${agent} called ${operation} more often than its limit allows`,
  ),
}
