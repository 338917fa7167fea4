import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { mostTripwires, type TripPlace, type tripwires } from '#contract/tripwires'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { findCrew } from '../crews/service.ts'
import { itemId, raise, settle } from '../inbox/service.ts'
import { recall } from '../journal/service.ts'
import { type Listed, queries, type Row, type TripRow } from './queries.ts'
import { contentHash, contentOf, nameFault, newValue, shapeOf } from './rules.ts'

type Shown = Reply<typeof tripwires.plant>

const rowOf = (id: string) => `tripwires:${id}`

const shown = ({
  id,
  crew_id,
  kind,
  name,
  shape,
  state,
  created_by_user_id,
  created_at,
  open_trips,
}: Listed): Shown => ({
  id,
  crew_id,
  kind,
  name,
  shape,
  state,
  created_by: created_by_user_id,
  created_at,
  open_trips,
})

export const list = (app: App, { actor, crewId }: Call<typeof tripwires.list>): Reply<typeof tripwires.list> =>
  queries(app.db)
    .ofCrew.all(findCrew(app, actor.workspace, crewId).id)
    .map(shown)

export function show(app: App, call: Call<typeof tripwires.show>): Reply<typeof tripwires.show> {
  const row = found(app, call)
  return { ...shown(row), trips: queries(app.db).trips.all(row.id).map(tripOf) }
}

type Trip = Reply<typeof tripwires.show>['trips'][number]

const tripOf = ({ evidence_json, settled_by_user_id, false_alarm, ...row }: TripRow): Trip => ({
  id: row.id,
  agent_id: row.agent_id,
  run_id: row.run_id,
  place: row.place,
  detail: row.detail,
  events: JSON.parse(evidence_json) as Trip['events'],
  created_at: row.created_at,
  settled_at: row.settled_at,
  settled_by: settled_by_user_id,
  false_alarm: false_alarm === null ? null : false_alarm === 1,
})

export function plant(app: App, { actor, crewId, body, now }: Call<typeof tripwires.plant>): Shown {
  const crew = findCrew(app, actor.workspace, crewId)
  const { kind, name } = body
  const fault = nameFault(kind, name)
  if (fault) throw problem('invalid_field', { field: 'name', detail: fault })
  if (queries(app.db).ofCrew.all(crew.id).length >= mostTripwires)
    throw problem('tripwires_full', { detail: `A crew has at most ${mostTripwires} tripwires` })
  const id = newId(app.clock())
  const shape = body.shape ?? shapeOf(name)
  const stored = queries(app.db).insert.get({
    id,
    workspace_id: actor.workspace,
    crew_id: crew.id,
    kind,
    name,
    shape,
    ...sealed(app, { id, kind, name, shape }),
    state: 'armed',
    created_by_user_id: actor.id,
    created_at: now,
  })
  if (!stored) throw problem('name_taken', { field: 'name', detail: 'The crew has a tripwire of that name' })
  app.journal(
    fact('tripwire.planted', { tripwire_id: id, kind }, { ...aboutOf(actor.workspace, crew.id), ...actorOf(actor) }),
  )
  return shown(queries(app.db).find.get(crew.id, id)!)
}

/** A new value for a decoy, as it is stored. */
function sealed({ vault }: App, { id, kind, name, shape }: Pick<Row, 'id' | 'kind' | 'name' | 'shape'>) {
  if (!vault) throw problem('encryption_unavailable', { detail: 'This server has no encryption key to seal it with' })
  const value = newValue(shape)
  return {
    encrypted_value: vault.seal(value, rowOf(id)),
    content_hash: kind === 'file' ? contentHash(contentOf(name, shape, value)) : null,
  }
}

export function rearm(app: App, call: Call<typeof tripwires.rearm>): Shown {
  const { actor, body, now } = call
  const row = found(app, call)
  const false_alarm = body?.false_alarm === true
  const reason = body?.reason?.trim()
  const trips = settleTrips(app, row, { user: actor.id, false_alarm, now })
  if (trips === 0) throw problem('not_tripped')
  queries(app.db).keepFormer.run({ id: row.id, former: newId(app.clock()), now })
  // What agents have seen they would send again with what they remember: the next decoy is another.
  queries(app.db).rearm.run({ id: row.id, ...sealed(app, row) })
  const payload = { tripwire_id: row.id, kind: row.kind, trips, false_alarm, ...(reason && { reason }) }
  app.journal(fact('tripwire.rearmed', payload, { ...aboutOf(row.workspace_id, row.crew_id), ...actorOf(actor) }))
  return shown(queries(app.db).find.get(row.crew_id, row.id)!)
}

export function remove(app: App, call: Call<typeof tripwires.remove>): undefined {
  const { actor, now } = call
  const row = found(app, call)
  settleTrips(app, row, { user: actor.id, false_alarm: false, now })
  queries(app.db).remove.get({ id: row.id, now })
  const payload = { tripwire_id: row.id, kind: row.kind }
  app.journal(fact('tripwire.removed', payload, { ...aboutOf(row.workspace_id, row.crew_id), ...actorOf(actor) }))
}

interface Settled {
  user: string
  false_alarm: boolean
  now: string
}

/** Settles what is open of a tripwire, with its cards; says how much that was. */
function settleTrips(app: App, { id, workspace_id }: Listed, { user, false_alarm, now }: Settled): number {
  const settled = queries(app.db).settle.all({ tripwire: id, user, false_alarm: Number(false_alarm), now })
  for (const trip of settled)
    settle(app, {
      workspace: workspace_id,
      id: itemId('escalation', trip.id),
      action: false_alarm ? 'false_alarm' : 'settled',
      by: user,
      now,
    })
  return settled.length
}

const aboutOf = (workspace_id: string, crew_id: string) => ({ workspace_id, crew_id, refs: { crew_id } })

function found(
  app: App,
  { actor, crewId, tripwireId }: Pick<Call<typeof tripwires.show>, 'actor' | 'crewId' | 'tripwireId'>,
): Listed {
  const row = queries(app.db).find.get(findCrew(app, actor.workspace, crewId).id, tripwireId)
  if (!row) throw problem('not_found', { field: 'tripwireId' })
  return row
}

/** A decoy with its value. */
export interface Decoy {
  id: string
  value: string
  /** A variable, where it is a credential. */
  variable: string | null
  /** Where it is a file. */
  file: { path: string; content: string } | null
}

/** The decoys of a crew; one that this server's key does not open is left out. */
export function decoysOf(app: App, crewId: string): Decoy[] {
  const { vault } = app
  if (!vault) return []
  return queries(app.db)
    .ofCrew.all(crewId)
    .flatMap(({ id, kind, name, shape, encrypted_value }) => {
      try {
        const value = vault.open(encrypted_value ?? '', rowOf(id))
        const file = kind === 'file' ? { path: name, content: contentOf(name, shape, value) } : null
        return [{ id, value, variable: kind === 'credential' ? name : null, file }]
      } catch {
        app.log.error({ tripwire: id }, 'A tripwire cannot be opened with this encryption key')
        return []
      }
    })
}

/** Decoy files that are to be taken away from the agents of a crew, by path and hash of their content. */
export const decoysGone = (app: App, crewId: string): { path: string; hash: string }[] =>
  queries(app.db)
    .gone.all(crewId)
    .flatMap(({ name, content_hash: hash }) => (hash === null ? [] : [{ path: name, hash }]))

export type TripEvent = Trip['events'][number]

/** Entries of a run that are kept as evidence. */
const mostEvents = 20

/** The last entries of a run, oldest first. */
export async function lastEvents(app: App, workspace: string, run: string): Promise<TripEvent[]> {
  const entries = await recall(app, workspace, { trace_id: run })
  const newest = entries.slice(0, mostEvents)
  return newest.map(({ ts, entry_type, summary }) => ({ ts, entry_type, summary })).reverse()
}

/** Who touched a decoy, and where it came to light. */
export interface Touch {
  crewId: string
  tripwireId: string
  agentId: string | null
  runId: string | null
  place: TripPlace
  detail: string
  /** What the run did before that, oldest first. */
  events: TripEvent[]
}

/** Puts it on record that a decoy was touched, once for a run, with a card for those who manage the crew. */
export function recordTrip(app: App, { crewId, tripwireId, agentId, runId, place, detail, events }: Touch): void {
  const row = queries(app.db).find.get(crewId, tripwireId)
  if (!row) return
  const { workspace_id, kind, name } = row
  const now = app.now()
  const id = newId(app.clock())
  const stored = queries(app.db).trip.get({
    id,
    tripwire_id: tripwireId,
    workspace_id,
    agent_id: agentId,
    run_id: runId,
    place,
    detail,
    evidence_json: JSON.stringify(events),
    created_at: now,
  })
  if (!stored) return
  queries(app.db).tripped.run(tripwireId)
  app.journal(
    fact(
      'tripwire.tripped',
      { tripwire_id: tripwireId, kind, name, trip_id: id, place, detail },
      {
        ...aboutOf(workspace_id, crewId),
        ...(agentId && { agent_id: agentId }),
        ...(runId && { trace_id: runId }),
        actor_type: 'orchestrator',
      },
    ),
  )
  raise(app, {
    workspace: workspace_id,
    kind: 'escalation',
    source: id,
    target: { role: 'MANAGER' },
    title: `A decoy was touched: ${name}`,
    body: `${detail}\n\nIts agent begins nothing until somebody decides: \`muster tripwires show\`.`,
    priority: 'urgent',
    blocking: true,
    attention: 'review',
    payload: { tripwire_id: tripwireId, trip_id: id, crew_id: crewId, agent_id: agentId, run_id: runId, place },
    run: runId,
    now,
  })
}
