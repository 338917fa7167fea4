import { Type } from 'typebox'
import { type AuditPayload, audit, audits, entry } from './define.ts'
import { quoted } from './quote.ts'

const Bound = Type.Object({
  server_id: Type.String(),
  scope: Type.Enum(['workspace', 'crew']),
  enabled: Type.Boolean(),
  credential_id: Type.Optional(Type.String()),
})

const Counts = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  held: Type.Integer(),
  left_out: Type.Integer(),
})
const Tool = Type.Object({
  server_id: Type.String(),
  enabled: Type.Boolean(),
  changed: Type.Array(Type.String()),
})
const Decided = Type.Object({ approved: Type.Boolean(), tools: Type.Array(Type.String()), count: Type.Integer() })
const Held = Type.Object({
  server_id: Type.String(),
  name: Type.String(),
  scope: Type.Enum(['workspace', 'crew']),
  tools: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }), {
    description: 'at most 20 of them',
  }),
  count: Type.Integer({ minimum: 1 }),
})

const tools = (count: number) => (count === 1 ? '1 tool' : `${count} tools`)

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
  'integration_tools.updated': audit(
    'audit.entity_updated',
    'integration_tools',
    Counts,
    (it) => `The tools of ${called(it)} were read: ${counted(it.metadata)}`,
  ),
  'integration_tool.updated': audit('audit.entity_updated', 'integration_tool', Tool, (it, { actor }) => {
    const what = it.metadata.enabled ? 'on' : 'off'
    const done = it.metadata.changed.includes('enabled') ? `switched ${what}` : 'described'
    return `The tool ${quoted(it.name)} of an integration was ${done} by ${actor}`
  }),
  'integration_tools.decided': audit(
    'audit.entity_updated',
    'integration_tools_decision',
    Decided,
    (it, { actor }) =>
      `${actor} ${it.metadata.approved ? 'approved' : 'refused'} ${tools(it.metadata.count)} of ${called(it)}`,
  ),
  'integration.tool_changed': entry('integration.tool_changed', 'warn', Held, ({ name, count, tools: [first] }) => {
    const what = first ? `, such as ${quoted(first.name)}: ${first.reason}` : ''
    return `${tools(count)} of integration ${quoted(name)} changed and cannot be used until people approve${what}`
  }),
}

const counted = ({ created, updated, removed, held }: Record<'created' | 'updated' | 'removed' | 'held', number>) =>
  [`${created} new`, `${updated} changed`, `${removed} gone`, `${held} held`].join(', ')
