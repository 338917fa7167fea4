import { Type } from 'typebox'
import { roles } from '../roles.ts'
import { type AuditPayload, audit, audits } from './define.ts'

const Wish = Type.Object({ container: Type.Enum(['running', 'stopped']) })
const Deletion = Type.Object({ with: Type.Optional(Type.Literal('workspace')) })
const Role = Type.Union([Type.Enum([...roles]), Type.Null()])
const Member = Type.Object({ user_id: Type.String(), role: Role, from: Type.Optional(Role) })
const called = ({ name, entity_id }: AuditPayload) => name ?? entity_id
const as = (role: string | null) => (role ? ` as ${role}` : '')

export const crewFacts = {
  ...audits('crew', 'Crew'),
  'crew.deleted': audit('audit.entity_deleted', 'crew', Deletion, (it, { actor }) =>
    it.metadata?.with
      ? `Crew ${called(it)} was deleted with its ${it.metadata.with}`
      : `Crew ${called(it)} was deleted by ${actor}`,
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
  // The `name` of a crew member is the person's e-mail address.
  'crew_member.created': audit(
    'audit.entity_created',
    'crew_member',
    Member,
    (it, { actor, crew }) => `${called(it)} was added to crew ${crew}${as(it.metadata.role)} by ${actor}`,
  ),
  'crew_member.updated': audit('audit.entity_updated', 'crew_member', Member, (it, { actor, crew }) =>
    it.metadata.role
      ? `${called(it)} was made ${it.metadata.role} in crew ${crew} by ${actor}`
      : `The role of ${called(it)} in crew ${crew} was withdrawn by ${actor}`,
  ),
  'crew_member.deleted': audit(
    'audit.entity_deleted',
    'crew_member',
    Member,
    (it, { actor, crew }) => `${called(it)} was removed from crew ${crew} by ${actor}`,
  ),
}
