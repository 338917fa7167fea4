import { Type } from 'typebox'
import { type AuditPayload, audit, audits } from './define.ts'
import { quoted } from './quote.ts'

const Bound = Type.Object({
  server_id: Type.String(),
  scope: Type.Enum(['workspace', 'crew']),
  enabled: Type.Boolean(),
  credential_id: Type.Optional(Type.String()),
})

const called = ({ name, entity_id }: AuditPayload) => `integration ${quoted(name ?? entity_id)}`

/** MCP servers, and who may use them. docs/integrations.md. */
export const integrationFacts = {
  ...audits('integration', 'Integration', quoted),
  'integration_binding.created': audit('audit.entity_created', 'integration_binding', Bound, (it, { actor, agent }) =>
    it.metadata.enabled
      ? `${agent} was bound to ${called(it)} by ${actor}`
      : `The ${called(it)} was taken from ${agent} by ${actor}`,
  ),
  'integration_binding.updated': audit(
    'audit.entity_updated',
    'integration_binding',
    Bound,
    (it, { actor, agent }) => `What binds ${agent} to ${called(it)} was changed by ${actor}`,
  ),
  'integration_binding.deleted': audit(
    'audit.entity_deleted',
    'integration_binding',
    Bound,
    (it, { actor, agent }) => `${agent} is no longer bound to ${called(it)}, says ${actor}`,
  ),
}
