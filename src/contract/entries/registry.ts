import { Type } from 'typebox'
import { audit } from './define.ts'

/** The registry of MCP servers. docs/integrations.md. */
export const registryFacts = {
  'mcp_registry.sync_started': audit(
    'audit.entity_updated',
    'mcp_registry',
    Type.Object({}),
    (_, { actor }) => `The registry of MCP servers was fetched anew, as ${actor} asked`,
    { severity: 'info' },
  ),
}
