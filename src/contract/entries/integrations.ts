import { Type } from 'typebox'
import { type AuditPayload, audit, audits, entry } from './define.ts'
import { quoted } from './quote.ts'

const Bound = Type.Object({
  server_id: Type.String(),
  scope: Type.Enum(['workspace', 'crew']),
  enabled: Type.Boolean(),
  credential_id: Type.Optional(Type.String()),
})

/** How calls of tools end: `refused` by Muster, `failed` by the tool itself, `error` without an answer of it. */
export const toolOutcomes = ['ok', 'failed', 'refused', 'error'] as const
export type ToolOutcome = (typeof toolOutcomes)[number]

const ToolCall = Type.Object({
  server_id: Type.Optional(Type.String()),
  server: Type.String({ description: 'Its name, as the agent said it' }),
  tool: Type.String({ description: 'Its name, as the agent said it' }),
  outcome: Type.Enum(toolOutcomes),
  reason: Type.Optional(Type.String({ description: 'Why there was no answer' })),
  duration_ms: Type.Integer(),
  arguments_hash: Type.String({ description: 'SHA-256 of the arguments as JSON' }),
  arguments: Type.Optional(Type.String({ description: 'The arguments as JSON, where the workspace asks for them' })),
})

const ends: Record<ToolOutcome, string> = {
  ok: 'called',
  failed: 'called, in vain,',
  refused: 'was refused',
  error: 'got no answer of',
}

const called = ({ name, entity_id }: AuditPayload) => `integration ${quoted(name ?? entity_id)}`

/** MCP servers, and who may use them. docs/integrations.md. */
export const integrationFacts = {
  ...audits('integration', 'Integration', quoted),
  'mcp.tool_call': entry(
    'mcp.tool_call',
    'info',
    ToolCall,
    ({ outcome, tool, server, reason }, { agent }) =>
      `${agent} ${ends[outcome]} the tool ${quoted(tool)} of ${quoted(server)}${reason ? `: ${quoted(reason)}` : ''}`,
  ),
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
