import { Type } from 'typebox'
import { audit, audits, entry } from './define.ts'

const Deletion = Type.Object({ with: Type.Optional(Type.Enum(['crew', 'workspace', 'review'])) })

export const agentFacts = {
  ...audits('agent', 'Agent'),
  'agent.deleted': audit('audit.entity_deleted', 'agent', Deletion, ({ name, entity_id, metadata }, { actor }) => {
    const called = `Agent ${name ?? entity_id}`
    if (metadata?.with === 'review') return `${called} was not approved, and deleted`
    return metadata?.with ? `${called} was deleted with its ${metadata.with}` : `${called} was deleted by ${actor}`
  }),
  /** The policy simulator knows by action and verdict what agents did without asking. */
  'agent.created_by_lead': entry(
    'audit.entity_created',
    'notice',
    Type.Object({
      action: Type.Literal('create'),
      entity_type: Type.Literal('agent'),
      entity_id: Type.String(),
      name: Type.String(),
      policy_action: Type.Literal('agent_create'),
      policy_verdict: Type.String(),
      autonomy_level: Type.String(),
    }),
    ({ name, policy_verdict }, { actor }) =>
      `Agent ${name} was created by ${actor}${policy_verdict === 'ask' ? ' and waits for review' : ''}`,
  ),
}
