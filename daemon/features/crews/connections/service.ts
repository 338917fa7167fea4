import type { Static } from 'typebox'
import type { ConnectionStatus, CrewConnection, crewConnections } from '#contract/crew-connections'
import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { queries as crewQueries } from '../queries.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof CrewConnection>

/** Whether agents of a crew may hand work to those of another: within one crew, or along a connection. */
export function mayDelegate({ db }: App, fromCrewId: string, toCrewId: string): boolean {
  if (fromCrewId === toCrewId) return true
  const row = queries(db).between.get({ one: fromCrewId, other: toCrewId })
  if (row?.status !== 'ACTIVE') return false
  return row.direction === 'bidirectional' || row.from_crew_id === fromCrewId
}

export function list({ db }: App, { actor, query }: Call<typeof crewConnections.connections>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(db).list.all(actor.workspace, limit, offset)
}

export function connect(app: App, { actor, body, now }: Call<typeof crewConnections.connect>): Shown {
  return store(app, { workspace: actor.workspace, ...body, status: 'ACTIVE', by: actorOf(actor), now })
}

export interface Wanted {
  workspace: string
  from_crew_id: string
  to_crew_id: string
  direction?: Shown['direction']
  status: ConnectionStatus
  by: Acting
  now: string
}

/** Connects two crews, or makes their connection what is wanted. */
export function store(app: App, { workspace, direction = 'bidirectional', by, now, ...wanted }: Wanted): Row {
  const { between, insert, update, find } = queries(app.db)
  const { from_crew_id, to_crew_id, status } = wanted
  checkCrews(app, workspace, from_crew_id, to_crew_id)
  const before = between.get({ one: from_crew_id, other: to_crew_id })
  const next = { id: before?.id ?? newId(app.clock()), from_crew_id, to_crew_id, direction, status }
  if (before && isSame(before, next)) return before
  if (before) update.run(next)
  else insert.run({ ...next, workspace_id: workspace, now })
  const row = find.get(workspace, next.id)!
  app.journal(fact(`crew_connection.${before ? 'updated' : 'created'}`, told(row), about(workspace, row, by)))
  tell(app, workspace, row)
  return row
}

function checkCrews({ db }: App, workspace: string, from: string, to: string): void {
  for (const [field, id] of [
    ['from_crew_id', from],
    ['to_crew_id', to],
  ] as const)
    if (!crewQueries(db).find.get(workspace, id)) throw problem('not_found', { field, detail: 'There is no such crew' })
  if (from === to)
    throw problem('invalid_field', { field: 'to_crew_id', detail: 'A crew needs no connection with itself' })
}

type Shape = Pick<Row, 'from_crew_id' | 'direction' | 'status'>

/** Which of two crews is the first does not matter where both hand work to each other. */
const isSame = (before: Shape, next: Shape): boolean =>
  before.direction === next.direction &&
  before.status === next.status &&
  (next.direction === 'bidirectional' || before.from_crew_id === next.from_crew_id)

export function disconnect(app: App, { actor, connectionId }: Call<typeof crewConnections.disconnect>): undefined {
  const row = queries(app.db).find.get(actor.workspace, connectionId)
  if (!row) throw problem('not_found', { detail: 'There is no such connection' })
  remove(app, actor.workspace, row, actorOf(actor))
}

/** The connection of two crews, whichever way round. */
export const connectionBetween = ({ db }: App, one: string, other: string): Row | undefined =>
  queries(db).between.get({ one, other })

export const connectionsOf = ({ db }: App, crew: string): Row[] => queries(db).ofCrew.all(crew, crew)

/** Gives effect to a connection that waits for people, or removes it; false when none waits. */
export function settleConnection(app: App, workspace: string, id: string, granted: boolean, by: Acting): boolean {
  const { find, update } = queries(app.db)
  const row = find.get(workspace, id)
  if (row?.status !== 'PENDING_REVIEW') return false
  if (!granted) {
    remove(app, workspace, row, by, 'review')
    return true
  }
  const active = { ...row, status: 'ACTIVE' as const }
  update.run(active)
  app.journal(fact('crew_connection.updated', told(active), about(workspace, row, by)))
  tell(app, workspace, row)
  return true
}

/** The connections of a deleted crew go with it. */
export function removeOfCrew(app: App, { payload, about }: Happened<'crew.deleted'>): void {
  const crew = payload.entity_id
  for (const row of connectionsOf(app, crew)) remove(app, about.workspace_id!, row, acting(about), 'crew')
}

function remove(app: App, workspace: string, row: Row, by: Acting, why?: 'crew' | 'review'): void {
  queries(app.db).remove.run(row.id)
  const { metadata, ...payload } = told(row)
  const removed = { ...payload, metadata: { ...metadata, ...(why && { with: why }) } }
  app.journal(fact('crew_connection.deleted', removed, about(workspace, row, by)))
  tell(app, workspace, row)
}

const told = ({ id, from_crew_id, to_crew_id, from_crew_slug, to_crew_slug, direction, status }: Row) => ({
  entity_id: id,
  name: `${from_crew_slug} ${direction === 'bidirectional' ? '<->' : '->'} ${to_crew_slug}`,
  metadata: { from_crew_id, to_crew_id, from_slug: from_crew_slug, to_slug: to_crew_slug, direction, status },
})

const about = (workspace_id: string, { from_crew_id }: Row, by: Acting) => ({
  workspace_id,
  crew_id: from_crew_id,
  ...by,
})

function tell(app: App, workspace: string, { from_crew_id, to_crew_id }: Row): void {
  for (const id of [from_crew_id, to_crew_id])
    app.broadcast({ channel: `workspace:${workspace}`, type: 'crew.updated', payload: { id } })
}
