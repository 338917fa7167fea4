import { Type } from 'typebox'
import { connectionDirections, connectionStatuses } from '../crew-connections.ts'
import { audit } from './define.ts'

const Connection = Type.Object({
  from_crew_id: Type.String(),
  to_crew_id: Type.String(),
  from_slug: Type.String(),
  to_slug: Type.String(),
  direction: Type.Enum([...connectionDirections]),
  status: Type.Enum([...connectionStatuses]),
})
const Removal = Type.Object({ ...Connection.properties, with: Type.Optional(Type.Enum(['crew', 'review'])) })
type Ends = { from_slug: string; to_slug: string; direction: string }

/** `handing work to ops`, `handing work to each other`. */
const hands = ({ from_slug, to_slug, direction }: Ends): string =>
  direction === 'bidirectional'
    ? `Crews ${from_slug} and ${to_slug} may hand work to each other`
    : `Crew ${from_slug} may hand work to crew ${to_slug}`

export const crewConnectionFacts = {
  'crew_connection.created': audit('audit.entity_created', 'crew_connection', Connection, ({ metadata }, { actor }) =>
    metadata.status === 'PENDING_REVIEW'
      ? `${actor} asked to connect crew ${metadata.from_slug} with crew ${metadata.to_slug}`
      : `${hands(metadata)}: ${actor} connected them`,
  ),
  'crew_connection.updated': audit(
    'audit.entity_updated',
    'crew_connection',
    Connection,
    ({ metadata }, { actor }) => `${hands(metadata)}: ${actor} changed their connection`,
  ),
  'crew_connection.deleted': audit('audit.entity_deleted', 'crew_connection', Removal, ({ metadata }, { actor }) => {
    const between = `The connection of crews ${metadata.from_slug} and ${metadata.to_slug}`
    if (metadata.with === 'crew') return `${between} was removed with one of them`
    return metadata.with === 'review' ? `${between} was not approved` : `${between} was removed by ${actor}`
  }),
}
