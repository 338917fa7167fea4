import { defaultTtlHours } from '#contract/crews'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import type { CrewSpec, NetworkPolicy } from '#runtime/types'
import { placesOf } from '../places/service.ts'
import { type ContainerRow, type Desired, type Observed, type OwnedRow, queries } from './queries.ts'

/** The desired state of one crew, which the reconciler brings about. */
export interface DesiredCrew {
  crewId: string
  workspaceId: string
  /** `removed`: the crew is deleted; container, network and volumes go, then `forget`. */
  want: Desired
  wantedAt: string
  /** When someone last needed it running; idle time counts from here. Null when nobody ever did. */
  usedAt: string | null
  /** Hours of idleness after which it may be stopped; 0 means never. */
  ttlHours: number
  spec: CrewSpec
  seen: Seen
}

/** What is known of a container. `none`: there is no container. */
export interface Seen {
  state: Observed
  containerId: string | null
  /** Digest that the container carries. */
  contract: string | null
  startedAt: string | null
  error: string | null
}

/** Every container in the database, wanted or not. An engine's other containers are leftovers. */
export const desiredCrews = (app: App): DesiredCrew[] =>
  queries(app.db)
    .all.all()
    .map((row) => toDesired(app, row))

/** The container of one crew; null when nothing is left of it. */
export function desiredCrew(app: App, crewId: string): DesiredCrew | null {
  const row = queries(app.db).owned.get(crewId)
  return row ? toDesired(app, row) : null
}

/** The workspace of a crew; undefined when there is no such crew, or no longer. */
export function workspaceOfCrew(app: App, crewId: string): string | undefined {
  const crew = desiredCrew(app, crewId)
  return crew && crew.want !== 'removed' ? crew.workspaceId : undefined
}

function toDesired(app: App, row: OwnedRow): DesiredCrew {
  return {
    crewId: row.crew_id,
    workspaceId: row.workspace_id,
    want: row.desired,
    wantedAt: row.desired_at,
    usedAt: row.used_at,
    ttlHours: row.container_ttl_hours ?? defaultTtlHours,
    spec: toSpec(app, row),
    seen: {
      state: row.observed,
      containerId: row.container_id,
      contract: row.contract,
      startedAt: row.started_at,
      error: row.error,
    },
  }
}

const toSpec = (app: App, row: OwnedRow): CrewSpec => ({
  crewId: row.crew_id,
  slug: row.slug,
  workspaceId: row.workspace_id,
  image: row.runtime_image ?? '',
  memoryMb: row.container_memory_mb ?? app.config.defaultMemoryMb,
  cpus: row.container_cpus ?? app.config.defaultCpus,
  network: toNetwork(app, row),
  agents: placesOf(app, row.crew_id),
})

const toNetwork = (app: App, row: OwnedRow): NetworkPolicy => ({
  mode: row.network_mode,
  allowedDomains: JSON.parse(row.allowed_domains_json),
  // The server's setting overrides the crew's, even when it is turned off later.
  allowPrivateEndpoints: row.allow_private_endpoints === 1 && app.config.allowPrivateEndpoints,
})

/** The network policy of a crew; null when nothing is left of its container. */
export function networkOf(app: App, crewId: string): NetworkPolicy | null {
  const row = queries(app.db).owned.get(crewId)
  return row ? toNetwork(app, row) : null
}

export const containerOf = ({ db }: App, crewId: string): ContainerRow | undefined => queries(db).find.get(crewId)

/** The ownership row of a new crew, before any container. */
export const own = ({ db, now }: App, crewId: string): void => void queries(db).insert.run(crewId, now())

/**
 * Records the desired state of a crew's container with its journal entry; false when there is nothing to record. Call
 * it within a change, then ask `app.runtime` to act. A deleted crew keeps its desired state.
 */
export function want(app: App, crewId: string, desired: Desired, actor: Actor | null): boolean {
  const row = queries(app.db).owned.get(crewId)
  if (!row || row.desired === 'removed') return false
  if (desired === 'running') queries(app.db).use.run(app.now(), crewId)
  const changes = row.desired !== desired
  if (changes) queries(app.db).want.run(desired, app.now(), crewId)
  // What waits for people outlives an idle stop: a person's stop after that is one more request. The deletion of a crew
  // is on record already.
  const again = desired === 'stopped' && actor !== null && queries(app.db).waiting.get(crewId) !== undefined
  if (desired === 'removed' || !(changes || again)) return changes
  const requested = desired === 'running' ? 'crew.start_requested' : 'crew.stop_requested'
  const payload = { entity_id: crewId, name: row.slug, metadata: { container: desired } }
  app.journal(fact(requested, payload, { workspace_id: row.workspace_id, crew_id: crewId, ...actorOf(actor) }))
  return true
}

/** Someone needs the crew now: idle time starts again. */
export const use = ({ db, now }: App, crewId: string): void => void queries(db).use.run(now(), crewId)

/** Stores what the reconciler saw; a change of state is journaled and told to the workspace. */
export function markSeen(app: App, crewId: string, seen: Seen): void {
  const row = queries(app.db).owned.get(crewId)
  if (!row) return
  queries(app.db).observe.run({
    crew_id: crewId,
    observed: seen.state,
    observed_at: app.now(),
    container_id: seen.containerId,
    contract: seen.contract,
    started_at: seen.startedAt,
    error: seen.error,
  })
  const restarted =
    seen.state === 'running' && (row.container_id !== seen.containerId || row.started_at !== seen.startedAt)
  if (row.observed === seen.state && row.error === seen.error && !restarted) return
  journalChange(app, row, seen)
  app.broadcast({ channel: `workspace:${row.workspace_id}`, type: 'crew.updated', payload: { id: crewId } })
}

function journalChange(app: App, row: OwnedRow, { state, containerId, error }: Seen): void {
  const type = entryOf(row.observed, state)
  if (!type) return
  const payload = { container_id: containerId ?? row.container_id, ...(error && { error }) }
  const about = { workspace_id: row.workspace_id, crew_id: row.crew_id, actor_type: 'orchestrator' } as const
  app.journal(fact(type, payload, about))
}

function entryOf(before: Observed, now: Observed) {
  if (now === 'running') return 'container.started'
  if (now === 'error') return 'container.failed'
  return before === 'running' && (now === 'stopped' || now === 'none') ? 'container.stopped' : null
}

/** Drops the ownership of a deleted crew whose container is gone. */
export const forget = ({ db }: App, crewId: string): void => void queries(db).forget.run(crewId)
