import { Type } from 'typebox'
import { get, put } from './define.ts'
import { Id, page, Time } from './fields.ts'

export const autonomyLevels = ['strict', 'guided', 'trusted', 'full'] as const
export type AutonomyLevel = (typeof autonomyLevels)[number]
export const behaviorModes = ['warn', 'block'] as const
export type BehaviorMode = (typeof behaviorModes)[number]

/** How much a crew may do without asking. docs/rules/policies.md. */
export const Policy = Type.Object({
  crew_id: Id,
  autonomy_level: Type.Enum([...autonomyLevels]),
  behavior_mode: Type.Enum([...behaviorModes]),
  set_by_user_id: Type.Optional(Type.String()),
  set_at: Type.Optional(Time),
  reason: Type.Optional(Type.String()),
})

/** What a policy would have made of the past. Counts are of entries in the journal. */
const Simulation = Type.Object({
  crew_id: Id,
  autonomy_level: Type.Enum([...autonomyLevels]),
  behavior_mode: Type.Enum([...behaviorModes]),
  since: Time,
  until: Time,
  entries: Type.Integer({ description: 'read and judged by' }),
  truncated: Type.Boolean({
    description: 'the oldest of the period were not read; covered_since says how far back it went',
  }),
  covered_since: Type.Optional(Type.String()),
  decisions: Type.Object({
    total: Type.Integer({ description: 'made by people' }),
    granted: Type.Integer(),
    denied: Type.Integer(),
    still_asked: Type.Integer(),
    no_longer_asked: Type.Integer(),
    refused: Type.Integer({ description: 'would be refused without asking' }),
  }),
  held: Type.Object({
    total: Type.Integer({ description: 'asked about and decided by nobody' }),
    still_held: Type.Integer(),
    no_longer_held: Type.Integer(),
    refused: Type.Integer(),
  }),
  applied: Type.Object({
    total: Type.Integer({ description: 'done by agents without asking' }),
    newly_asked: Type.Integer(),
    refused: Type.Integer(),
  }),
  differences: Type.Array(
    Type.Object({
      entry_id: Type.String(),
      ts: Type.String(),
      entry_type: Type.String(),
      policy_action: Type.String(),
      outcome: Type.Enum(['granted', 'denied'], { description: 'what people decided' }),
      would: Type.Enum(['ask', 'inbox', 'notice', 'journal', 'refuse'], {
        description: 'what the policy would have done',
      }),
      summary: Type.String(),
    }),
    { description: 'decisions that the policy would have made otherwise, newest first, 100 at most' },
  ),
  differences_total: Type.Integer(),
  by_action: Type.Array(
    Type.Object({
      policy_action: Type.String(),
      verdict: Type.Enum(['ask', 'inbox', 'notice', 'journal', 'refuse']),
      granted: Type.Integer(),
      denied: Type.Integer(),
      held: Type.Integer(),
      applied: Type.Integer(),
    }),
  ),
})

export const policies = {
  list: get('/policies', {
    summary: 'List the policies of all crews, by the name of the crew',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Policy),
    throws: ['unavailable'],
  }),
  show: get('/crews/:crewId/policy', {
    summary: 'Show how much a crew may do without asking',
    access: 'VIEWER',
    reply: Policy,
    throws: ['not_found', 'unavailable'],
  }),
  set: put('/crews/:crewId/policy', {
    summary: 'Set how much a crew may do without asking',
    access: 'MANAGER',
    crew: 'crewId',
    scope: 'crews:write',
    stepUp: true,
    body: Type.Object({
      autonomy_level: Type.Enum([...autonomyLevels]),
      behavior_mode: Type.Enum([...behaviorModes]),
      reason: Type.Optional(Type.String({ maxLength: 2000, description: 'why; required for the level full' })),
    }),
    reply: Policy,
    journal: ['policy.changed'],
    throws: ['not_found', 'forbidden_pairing', 'reason_required'],
  }),
  simulate: get('/crews/:crewId/policy/simulate', {
    summary: 'Say what another policy would have made of what the journal holds',
    access: 'VIEWER',
    query: Type.Object({
      autonomy_level: Type.Enum([...autonomyLevels]),
      behavior_mode: Type.Optional(Type.Enum([...behaviorModes], { description: 'as it is now when absent' })),
      since: Type.Optional(Type.String({ description: 'RFC 3339; 30 days ago when absent' })),
    }),
    reply: Simulation,
    throws: ['not_found', 'unavailable', 'forbidden_pairing'],
  }),
}
