import { Type } from 'typebox'
import { audit, audits, entry } from './define.ts'

const Container = Type.Object({
  container_id: Type.Union([Type.String(), Type.Null()]),
  error: Type.Optional(Type.String()),
})
const Wish = Type.Object({ container: Type.Enum(['running', 'stopped']) })
const Deletion = Type.Object({ with: Type.Optional(Type.Literal('workspace')) })

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
  'container.started': entry('container.started', 'info', Container, (_, { crew }) => `Crew ${crew} is running`),
  'container.stopped': entry('container.stopped', 'info', Container, (_, { crew }) => `Crew ${crew} has stopped`),
  'container.failed': entry(
    'container.failed',
    'error',
    Container,
    ({ error }, { crew }) => `The container of crew ${crew} failed: ${error ?? 'no reason was given'}`,
  ),
}
