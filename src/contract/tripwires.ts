import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, nullable, prose, Time } from './fields.ts'

export const tripwireKinds = ['credential', 'file'] as const
export type TripwireKind = (typeof tripwireKinds)[number]
export const tripwireStates = ['armed', 'tripped'] as const
/** What a decoy looks like. */
export const tripwireShapes = ['aws', 'github', 'model', 'slack', 'ssh', 'stripe'] as const
export type TripwireShape = (typeof tripwireShapes)[number]
/** Where a decoy came to light. */
export const tripPlaces = ['output', 'call', 'request'] as const
export type TripPlace = (typeof tripPlaces)[number]

/** Tripwires of one crew. */
export const mostTripwires = 20

/** A decoy in a crew. Its value is shown to nobody. docs/tripwires.md. */
export const Tripwire = Type.Object({
  id: Id,
  crew_id: Id,
  kind: Type.Enum([...tripwireKinds]),
  name: Type.String({ description: 'The variable, or the path below the home of each agent' }),
  shape: Type.Enum([...tripwireShapes]),
  state: Type.Enum([...tripwireStates]),
  created_by: nullable(Type.String({ description: 'Id of a person' })),
  created_at: Time,
  open_trips: Type.Integer({ description: 'How often it was touched since people decided last' }),
})

const Trip = Type.Object({
  id: Id,
  agent_id: nullable(Id),
  run_id: nullable(Id),
  place: Type.Enum([...tripPlaces], {
    description: 'output: in what the run printed; call: in a call of its; request: in what it sent to the outside',
  }),
  detail: Type.String(),
  events: Type.Array(Type.Object({ ts: Type.String(), entry_type: Type.String(), summary: Type.String() }), {
    description: 'The last entries of the run before that, oldest first',
  }),
  created_at: Time,
  settled_at: nullable(Time),
  settled_by: nullable(Type.String({ description: 'Id of a person' })),
  false_alarm: nullable(Type.Boolean()),
})

const managing = { access: 'MANAGER', crew: 'crewId', scope: 'crews:write' } as const

export const tripwires = {
  list: get('/crews/:crewId/tripwires', {
    summary: 'List the tripwires of a crew, newest first',
    access: 'MANAGER',
    crew: 'crewId',
    reply: Type.Array(Tripwire),
    throws: ['not_found'],
  }),
  show: get('/crews/:crewId/tripwires/:tripwireId', {
    summary: 'Show a tripwire, and who touched it with the evidence that is kept',
    access: 'MANAGER',
    crew: 'crewId',
    reply: Type.Object({
      ...Tripwire.properties,
      trips: Type.Array(Trip, { description: 'Newest first, 50 at most' }),
    }),
    throws: ['not_found'],
  }),
  plant: post('/crews/:crewId/tripwires', {
    summary: 'Plant a decoy in a crew; agents have it from their next run on',
    ...managing,
    body: Type.Object({
      kind: Type.Enum([...tripwireKinds]),
      name: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'a variable such as STRIPE_SECRET_KEY, or a path below the home of each agent',
      }),
      shape: Type.Optional(Type.Enum([...tripwireShapes], { description: 'by the name when absent' })),
    }),
    reply: Tripwire,
    journal: ['tripwire.planted'],
    throws: ['not_found', 'invalid_field', 'name_taken', 'tripwires_full', 'encryption_unavailable'],
  }),
  rearm: post('/crews/:crewId/tripwires/:tripwireId/rearm', {
    summary: 'Settle what a tripwire noticed, arm it again, and let its agents work again',
    ...managing,
    status: 200,
    body: Type.Object({
      false_alarm: Type.Optional(Type.Boolean({ description: 'nothing bad was meant' })),
      reason: Type.Optional(prose(2000)),
    }),
    bodyOptional: true,
    reply: Tripwire,
    journal: ['tripwire.rearmed'],
    throws: ['not_found', 'not_tripped', 'encryption_unavailable'],
  }),
  remove: del('/crews/:crewId/tripwires/:tripwireId', {
    summary: 'Remove a tripwire, and let agents work again that it stopped',
    ...managing,
    journal: ['tripwire.removed'],
    throws: ['not_found'],
  }),
}
