import { Type } from 'typebox'
import { del, get, post, put } from './define.ts'
import { Id, prose, Ref, Time } from './fields.ts'

/** Bytes of a persona at most. */
export const personaCap = 1500

/** Longer than a persona may be: the answer to that says by how much. */
const Content = prose(1_048_576)
const reading = { access: 'VIEWER', throws: ['not_found'] } as const
const History = {
  query: Type.Object({
    limit: Type.Optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description: '20; 100 at most' })),
  }),
  reply: Type.Object({
    entries: Type.Array(
      Type.Object({
        id: Id,
        sha256: Type.String(),
        bytes: Type.Integer(),
        written_at: Time,
        written_by: Type.String({ description: 'Id of a person or an agent' }),
        parent_sha: Type.Optional(Type.String({ description: 'What it replaced' })),
      }),
    ),
  }),
}
const measured = { content: Type.String(), bytes: Type.Integer(), cap_bytes: Type.Integer() }
const writing = {
  access: 'MANAGER',
  body: Type.Object({ content: Content }),
  journal: ['audit.entity_updated'],
  throws: ['not_found', 'body_too_large'],
} as const
const removing = { access: 'MANAGER', journal: ['audit.entity_deleted'], throws: ['not_found'] } as const

const Suggested = Type.Object({
  agent_id: Id,
  decision: Type.Enum(['inbox_approve', 'auto_journal']),
  bytes: Type.Integer(),
  rationale: Type.String(),
  timestamp: Time,
  applied: Type.Boolean(),
  pending: Type.Optional(Type.Boolean()),
  audit_id: Type.Optional(Type.String({ description: 'of the suggestion that waits for a decision' })),
  self_learning_gate: Type.Optional(Type.Literal('off')),
  reason: Type.Optional(Type.String({ description: 'why it waits' })),
})
const rationale = Type.Optional(prose(4000))

/** Who an agent is, as people write it: of its own, or of its whole crew. docs/persona.md. */
export const persona = {
  show: get('/agents/:agentId/persona', {
    summary: 'Show the persona of an agent: its own, that of its crew, or what follows from its role',
    ...reading,
    reply: Type.Object({
      agent_id: Id,
      layer: Type.Enum(['agent', 'crew']),
      from_default: Type.Boolean({ description: 'Nobody wrote one: it follows from name and role' }),
      ...measured,
    }),
  }),
  set: put('/agents/:agentId/persona', {
    summary: 'Write the persona of an agent',
    ...writing,
    crew: 'agentId',
    scope: 'agents:write',
    reply: Type.Object({ layer: Type.Literal('agent'), bytes: Type.Integer(), updated: Time }),
  }),
  reset: del('/agents/:agentId/persona', {
    summary: "Remove an agent's own persona, so that that of its crew counts",
    ...removing,
    crew: 'agentId',
    scope: 'agents:write',
  }),
  history: get('/agents/:agentId/persona/history', {
    summary: "List the versions of an agent's own persona, newest first",
    ...reading,
    ...History,
  }),
  suggest: post('/agents/:agentId/persona/suggest', {
    summary: 'Suggest a persona for an agent, as it may do itself',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    status: 200,
    body: Type.Object({ content: Content, rationale }),
    reply: Suggested,
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['not_found', 'body_too_large', 'policy_refused', 'rate_limited'],
  }),
  decide: post('/persona/suggestions/:auditId/decide', {
    summary: 'Take or refuse a persona that was suggested',
    access: 'MANAGER',
    scope: 'agents:write',
    status: 200,
    body: Type.Object({ approve: Type.Boolean(), comment: Type.Optional(prose(4000)) }),
    reply: Type.Object({
      audit_id: Id,
      agent_id: Id,
      approved: Type.Boolean(),
      applied: Type.Boolean(),
      bytes: Type.Integer(),
      decided_by: Type.String(),
    }),
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'approval_settled'],
  }),
  showCrew: get('/crews/:crewId/persona', {
    summary: 'Show the persona of a crew, which its agents have unless they have their own',
    ...reading,
    reply: Type.Object({ crew_id: Id, layer: Type.Literal('crew'), ...measured }),
  }),
  setCrew: put('/crews/:crewId/persona', {
    summary: 'Write the persona of a crew',
    ...writing,
    crew: 'crewId',
    scope: 'crews:write',
    reply: Type.Object({ layer: Type.Literal('crew'), bytes: Type.Integer(), updated: Time }),
  }),
  resetCrew: del('/crews/:crewId/persona', {
    summary: 'Remove the persona of a crew',
    ...removing,
    crew: 'crewId',
    scope: 'crews:write',
  }),
  crewHistory: get('/crews/:crewId/persona/history', {
    summary: 'List the versions of the persona of a crew, newest first',
    ...reading,
    ...History,
  }),
  propose: post('/internal/persona/suggest', {
    summary: 'Suggest a persona, for an agent itself',
    access: 'internal',
    status: 200,
    agent: {
      route: '/persona/suggest',
      tool: 'persona_suggest',
      says:
        'Suggest another persona for yourself: the short text that tells you who you are and how you work. Give the ' +
        'whole new text. People decide on it, unless your crew may do everything and you may change yourself; it ' +
        'holds from your next task on.',
      members: {
        content: `The whole new persona, at most ${personaCap} bytes`,
        rationale: 'Why; people decide by this, so always say it',
      },
      rate: { agent: 5, crew: 20 },
    },
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Type.String({ maxLength: 64, description: 'The agent that it is for' }),
      content: prose(16_000),
      rationale,
    }),
    reply: Suggested,
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['not_found', 'body_too_large', 'policy_refused', 'rate_limited'],
  }),
}
