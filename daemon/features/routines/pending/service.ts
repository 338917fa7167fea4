import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { timeAt } from '#kernel/time-at'
import { longer } from '../chains/service.ts'
import { queries as routineQueries } from '../queries.ts'
import type { RunRequest } from '../starting/service.ts'
import { type PendingRow, queries } from './queries.ts'

/** Times of runs that begin later, in milliseconds since 1970. */
export interface ParkRequest extends RunRequest {
  fireAt: number
  /** Requests of one routine with the same key become one run, put off until `maxAt` at the most. */
  debounce?: { key: string; maxAt: number } | null
  expiresAt?: number | null
  /** How many requests this one stands for. */
  matches?: number
}

export interface Parked {
  pending_id: string
  fire_at: string
  coalesced: boolean
  created: boolean
}

/** What of a request is stored until the run begins. */
export type Stored = Omit<RunRequest, 'routine' | 'workspace'>

/** Whether a run of that key waits for its time. */
export const isParked = ({ db }: App, routine: string, key: string): boolean =>
  queries(db).ofKey.get(routine, key) !== undefined

/** Parks a run until its time. It survives restarts, and is fired only once its run is on record. */
export function parkRun(app: App, request: ParkRequest): Parked {
  const { fireAt, debounce = null, expiresAt = null, matches = 1, routine, workspace, ...stored } = request
  const known = debounce && queries(app.db).ofKey.get(routine.id, debounce.key)
  if (known) return coalesce(app, known, stored, fireAt, matches)
  const id = newId(app.clock())
  const fire_at = timeAt(debounce ? Math.min(fireAt, debounce.maxAt) : fireAt)
  queries(app.db).insert.run({
    id,
    workspace_id: workspace,
    routine_id: routine.id,
    status: 'pending',
    request_json: JSON.stringify(stored),
    priority: stored.priority ?? 0,
    debounce_key: debounce?.key ?? null,
    match_count: matches,
    fire_at,
    debounce_max_at: debounce ? timeAt(debounce.maxAt) : null,
    expires_at: expiresAt === null ? null : timeAt(expiresAt),
    triggered_via: stored.via,
    triggered_by_id: stored.by,
    run_id: null,
    reason: null,
    created_at: timeAt(app.clock()),
    ended_at: null,
  })
  app.afterCommit(() => app.bus.emit('parked', fire_at))
  return { pending_id: id, fire_at, coalesced: false, created: true }
}

/** Later inputs win; the time is put off, but not beyond the maximum of the first request. */
function coalesce(app: App, row: PendingRow, stored: Stored, fireAt: number, matches: number): Parked {
  const latest = row.debounce_max_at === null ? fireAt : Math.min(fireAt, Date.parse(row.debounce_max_at))
  const fire_at = timeAt(latest)
  const match_count = row.match_count + matches
  const priority = Math.max(row.priority, stored.priority ?? 0)
  const before = JSON.parse(row.request_json) as Stored
  const chain = longer(before.chain ?? null, stored.chain ?? null)
  queries(app.db).coalesce.run({
    id: row.id,
    request_json: JSON.stringify({ ...stored, ...(chain && { chain }) }),
    match_count,
    fire_at,
    priority,
  })
  app.afterCommit(() => app.bus.emit('parked', fire_at))
  return { pending_id: row.id, fire_at, coalesced: true, created: false }
}

export const list = ({ db }: App, { actor }: Call<typeof routines.pending>): Reply<typeof routines.pending> =>
  queries(db)
    .list.all(actor.workspace)
    .map((row) => ({
      id: row.id,
      pipeline_id: row.routine_id,
      pipeline_slug: row.pipeline_slug,
      status: row.status,
      fire_at: row.fire_at,
      expires_at: row.expires_at,
      debounce_key: row.debounce_key,
      match_count: row.match_count,
      priority: row.priority,
      triggered_via: row.triggered_via,
      triggered_by_id: row.triggered_by_id,
      created_at: row.created_at,
    }))

export function cancelPending(
  app: App,
  { actor, pendingId }: Call<typeof routines.cancelPending>,
): Reply<typeof routines.cancelPending> {
  const row = queries(app.db).find.get(actor.workspace, pendingId)
  if (!row) throw problem('not_found', { detail: 'There is no such run that begins later' })
  const now = timeAt(app.clock())
  if (!queries(app.db).end.get({ id: row.id, status: 'cancelled', run: null, reason: null, now }))
    throw problem('routine_run_over', { detail: `It was ${row.status} before`, extra: { run_id: row.run_id } })
  const { slug = '' } = routineQueries(app.db).byId.get(actor.workspace, row.routine_id) ?? {}
  const payload = { pending_id: row.id, pipeline_id: row.routine_id, pipeline_slug: slug }
  app.journal(fact('pending_run.cancelled', payload, { workspace_id: actor.workspace, ...actorOf(actor) }))
  return { id: row.id, status: 'cancelled' }
}

/** What waits for a routine that is gone never begins. */
export const dropPending = (app: App, { payload }: Happened<'routine.deleted' | 'routine.disabled'>): void =>
  void queries(app.db).dropOfRoutine.run(timeAt(app.clock()), payload.entity_id)

export const dropOfWorkspace = (app: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(app.db).dropOfWorkspace.run(timeAt(app.clock()), payload.entity_id)

/** The request of a row, as it will be made. */
export function requestOf(app: App, row: PendingRow): RunRequest | null {
  const routine = routineQueries(app.db).byId.get(row.workspace_id, row.routine_id)
  const stored = JSON.parse(row.request_json) as Stored
  return routine ? { ...stored, routine, workspace: row.workspace_id } : null
}
