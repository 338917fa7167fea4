import { Type } from 'typebox'
import { get, put } from './define.ts'
import { Id, page, Time } from './fields.ts'

export const autonomyLevels = ['strict', 'guided', 'trusted', 'full'] as const
export type AutonomyLevel = (typeof autonomyLevels)[number]
export const behaviorModes = ['warn', 'block'] as const
export type BehaviorMode = (typeof behaviorModes)[number]

/** How much a crew may do without asking. Specification part 3, "Policy". */
export const Policy = Type.Object({
  crew_id: Id,
  autonomy_level: Type.Enum([...autonomyLevels]),
  behavior_mode: Type.Enum([...behaviorModes]),
  set_by_user_id: Type.Optional(Type.String()),
  set_at: Type.Optional(Time),
  reason: Type.Optional(Type.String()),
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
}
