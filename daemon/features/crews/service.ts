import type { Static } from 'typebox'
import type { Crew, crews } from '#contract/crews'
import { laterCrewMembers, unsureBelow } from '#contract/crews'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { refuseLater, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { isAmong } from '#kernel/outbound/hosts'
import { problem } from '#kernel/problem'
import { containerOf, own, want } from './containers/service.ts'
import { queries as memberQueries } from './members/queries.ts'
import { type CrewRow, queries, type StoredPolicy } from './queries.ts'
import { type Confidence, type CrewMembers, memberNames, merge, tightness } from './rules.ts'

/** A live crew of the workspace, or `not_found`. */
export function findCrew({ db }: App, workspace: string, crewId: string): CrewRow {
  const row = queries(db).find.get(workspace, crewId)
  if (!row) throw problem('not_found', { detail: 'There is no such crew' })
  return row
}

/** Whether the network policy of a crew allows a host. */
export const mayReach = ({ network_mode, allowed_domains_json }: CrewRow, host: string): boolean =>
  network_mode !== 'restricted' || isAmong(host, JSON.parse(allowed_domains_json) as string[])

/** The same of what was of a crew, which may be gone: then nothing is allowed. */
export function crewAllows({ db }: App, workspace: string, crewId: string, host: string): boolean {
  const row = queries(db).find.get(workspace, crewId)
  return row !== undefined && mayReach(row, host)
}

/** A live crew by slug or id. */
export const crewCalled = ({ db }: App, workspace: string, name: string): CrewRow | undefined =>
  queries(db).called.get({ workspace, name })

/** Whether a live crew of the workspace has that slug. */
export const crewSlugTaken = ({ db }: App, workspace: string, slug: string): boolean =>
  queries(db).slugTaken.get(workspace, slug) !== undefined

/** A crew with what people should know of its data. */
export function showCrew(app: App, row: CrewRow): Static<typeof Crew> {
  const warning = app.disk.warning(row.id)
  return { ...toCrew(app, row), ...(warning && { warnings: [warning] }) }
}

export function toCrew({ config }: App, row: CrewRow): Static<typeof Crew> {
  const isolated = config.containerProvider === 'docker'
  const { allowed_domains_json, escalation_config_json, agents, members, ...rest } = row
  return {
    ...rest,
    container_memory_mb: row.container_memory_mb ?? config.defaultMemoryMb,
    container_cpus: row.container_cpus ?? config.defaultCpus,
    network_mode_enforced: isolated,
    network_mode_unenforced_reason: isolated
      ? null
      : 'The process runtime isolates nothing: agents reach whatever this machine reaches',
    allowed_domains: JSON.parse(allowed_domains_json) as string[],
    // The server's setting overrides the crew's, even when it is turned off later.
    allow_private_endpoints: row.allow_private_endpoints === 1 && config.allowPrivateEndpoints,
    escalation_config: confidenceOf(escalation_config_json),
    _count: { agents, members },
  }
}

const confidenceOf = (json: string | null) => (json === null ? null : (JSON.parse(json) as Confidence))

/** How sure agents of a crew must be of the tasks of missions. */
export function confidenceIn({ db }: App, crew: string): Confidence & { require_approval_below: number } {
  const set = confidenceOf(queries(db).confidence.get(crew) ?? null)
  return { ...set, require_approval_below: set?.require_approval_below ?? unsureBelow }
}

const membersOf = ({ escalation_config_json, ...row }: CrewRow): CrewMembers => ({
  ...row,
  escalation_config: confidenceOf(escalation_config_json),
  allowed_domains: JSON.parse(row.allowed_domains_json) as string[],
  allow_private_endpoints: row.allow_private_endpoints === 1,
})

const stored = ({ allowed_domains, allow_private_endpoints, escalation_config, ...members }: CrewMembers) => ({
  ...members,
  escalation_config_json: escalation_config && JSON.stringify(escalation_config),
  allowed_domains_json: JSON.stringify(allowed_domains),
  allow_private_endpoints: allow_private_endpoints ? 1 : 0,
})

const tell = (app: App, workspace: string, type: string, payload: object): void =>
  app.broadcast({ channel: `workspace:${workspace}`, type, payload })

/**
 * Looks at the engine before the transaction: an image that it does not have is refused at once, not at the first
 * start.
 */
export async function checkImage(app: App, { body }: { body: { runtime_image?: string | null } }): Promise<string[]> {
  const image = body.runtime_image?.trim()
  if (!image) return []
  if (app.config.containerProvider === 'process')
    return ['runtime_image has no effect while the server runs agents as local processes']
  const there = await app.runtime.hasImage(image)
  if (there === false)
    throw problem('invalid_field', {
      field: 'runtime_image',
      detail: `The container engine has no image "${image}"; build or pull it first`,
    })
  return there === null ? [`No container engine answered, so nobody knows yet whether it has the image "${image}"`] : []
}

function guardPrivate(
  { config }: App,
  actor: Actor,
  { allow_private_endpoints }: { allow_private_endpoints?: boolean },
): void {
  if (!allow_private_endpoints) return
  if (!(actor.role && allows('ADMIN', actor.role)))
    throw problem('insufficient_role', { detail: 'allow_private_endpoints needs the role ADMIN or above' })
  if (config.allowPrivateEndpoints) return
  const detail =
    'This server keeps crews away from private addresses; its operator can set SVC_ALLOW_PRIVATE_ENDPOINTS=true'
  throw problem('invalid_field', { field: 'allow_private_endpoints', detail })
}

export function createCrew(
  app: App,
  { actor, body, now }: Call<typeof crews.create>,
  notes: string[],
): Reply<typeof crews.create> {
  refuseLater(body, laterCrewMembers)
  guardPrivate(app, actor, body)
  const members = merge(body)
  const id = newId(app.clock())
  const made = queries(app.db).insert.get({
    ...stored(members),
    id,
    workspace_id: actor.workspace,
    created_by_user_id: actor.id,
    updated_at: now,
  })
  if (!made) throw problem('slug_taken', { field: 'slug', detail: `Another crew has the slug "${members.slug}"` })
  own(app, id)
  tell(app, actor.workspace, 'crew.created', { id, name: members.name, slug: members.slug })
  return withWarnings(app, actor, id, [...tightness(members), ...notes])
}

export function updateCrew(
  app: App,
  { actor, body, now, crewId }: Call<typeof crews.update>,
  notes: string[],
): Reply<typeof crews.update> {
  const before = findCrew(app, actor.workspace, crewId)
  refuseLater(body, laterCrewMembers)
  requireSome(body, memberNames)
  guardPrivate(app, actor, body)
  const members = merge(body, membersOf(before))
  const changed = queries(app.db).update.get({
    ...stored(members),
    id: crewId,
    workspace_id: actor.workspace,
    updated_at: now,
  })
  if (!changed) throw problem('slug_taken', { field: 'slug', detail: `Another crew has the slug "${members.slug}"` })
  tell(app, actor.workspace, 'crew.updated', { id: crewId })
  return withWarnings(app, actor, crewId, [...tightness(members), ...laterEffect(app, before, members), ...notes])
}

/** Limits are a property of the container, so a running one keeps the old ones. */
function laterEffect(app: App, before: CrewRow, after: CrewMembers): string[] {
  const same =
    before.container_memory_mb === after.container_memory_mb && before.container_cpus === after.container_cpus
  if (same || containerOf(app, before.id)?.observed !== 'running') return []
  return ['The running container keeps its limits until it is started the next time']
}

function withWarnings(app: App, actor: Actor, id: string, warnings: string[]): Static<typeof Crew> {
  return { ...toCrew(app, findCrew(app, actor.workspace, id)), ...(warnings.length && { warnings }) }
}

/** Stores a policy that has been checked; false when the workspace has no such crew. */
export const storePolicy = ({ db }: App, policy: StoredPolicy): boolean => queries(db).setPolicy.run(policy).changes > 0

/** Deletes the crew. Reactions to its fact delete what belongs to it; the reconciler removes the container. */
export function removeCrew(app: App, { actor, crewId }: Call<typeof crews.remove>) {
  const { slug } = findCrew(app, actor.workspace, crewId)
  retire(app, actor.workspace, crewId)
  return { success: true, id: crewId, slug }
}

function retire(app: App, workspace: string, crewId: string): void {
  memberQueries(app.db).removeAll.run(crewId)
  queries(app.db).remove.run(app.now(), app.now(), crewId)
  want(app, crewId, 'removed', null)
  tell(app, workspace, 'crew.deleted', { id: crewId })
}

/** The crews of a deleted workspace go with it, each with a fact of its own. */
export function removeWorkspaceCrews(app: App, { payload, about }: Happened<'workspace.deleted'>): void {
  const workspace = payload.entity_id
  for (const { id, slug } of queries(app.db).ofWorkspace.all(workspace)) {
    retire(app, workspace, id)
    const deleted = { entity_id: id, name: slug, metadata: { with: 'workspace' } } as const
    app.journal(fact('crew.deleted', deleted, { workspace_id: workspace, crew_id: id, ...acting(about) }))
  }
}
