import { Type } from 'typebox'
import { audit, audits } from './define.ts'

const Deletion = Type.Object({ with: Type.Optional(Type.Enum(['crew', 'workspace', 'review'])) })

export const agentFacts = {
  ...audits('agent', 'Agent'),
  'agent.deleted': audit('audit.entity_deleted', 'agent', Deletion, ({ name, entity_id, metadata }, { actor }) => {
    const called = `Agent ${name ?? entity_id}`
    if (metadata?.with === 'review') return `${called} was not approved, and deleted`
    return metadata?.with ? `${called} was deleted with its ${metadata.with}` : `${called} was deleted by ${actor}`
  }),
}
