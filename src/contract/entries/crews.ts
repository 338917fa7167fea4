import { Type } from 'typebox'
import { roles } from '../roles.ts'
import { audit, audits } from './define.ts'

const Wish = Type.Object({ container: Type.Enum(['running', 'stopped']) })
const Deletion = Type.Object({ with: Type.Optional(Type.Literal('workspace')) })
const Role = Type.Union([Type.Enum([...roles]), Type.Null()])
const Member = Type.Object({ user_id: Type.String(), role: Role, from: Type.Optional(Role) })
const as = (role: string | null) => (role ? ` as ${role}` : '')

export const crewFacts = {
  ...audits('crew', 'Crew'),
  'crew.deleted': audit('audit.entity_deleted', 'crew', Deletion, ({ name, entity_id, metadata }, { actor }) =>
    metadata?.with
      ? `Crew ${name ?? entity_id} was deleted with its ${metadata.with}`
      : `Crew ${name ?? entity_id} was deleted by ${actor}`,
  ),
  'crew.start_requested': audit(
    'audit.entity_updated',
    'crew',
    Wish,
    (_, { actor, crew }) => `Starting crew ${crew} was requested by ${actor}`,
  ),
  'crew.stop_requested': audit(
    'audit.entity_updated',
    'crew',
    Wish,
    (_, { actor, crew }) => `Stopping crew ${crew} was requested by ${actor}`,
  ),
  // Their name is the e-mail address of the person.
  'crew_member.created': audit(
    'audit.entity_created',
    'crew_member',
    Member,
    ({ name, metadata }, { actor, crew }) => `${name} was added to crew ${crew}${as(metadata.role)} by ${actor}`,
  ),
  'crew_member.updated': audit('audit.entity_updated', 'crew_member', Member, ({ name, metadata }, { actor, crew }) =>
    metadata.role
      ? `${name} was made ${metadata.role} in crew ${crew} by ${actor}`
      : `The role of ${name} in crew ${crew} was taken back by ${actor}`,
  ),
  'crew_member.deleted': audit(
    'audit.entity_deleted',
    'crew_member',
    Member,
    ({ name }, { actor, crew }) => `${name} was removed from crew ${crew} by ${actor}`,
  ),
}
