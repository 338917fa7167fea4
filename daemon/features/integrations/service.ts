import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import {
  type CrewIntegration,
  type Integration,
  type IntegrationPatch,
  type integrations,
  mostServers,
} from '#contract/integrations'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { findCrew } from '../crews/service.ts'
import { authStatus, credentialsOf, withdrawCredentials } from './bindings/service.ts'
import { dropUnused } from './connections/service.ts'
import { findServer } from './find.ts'
import { type Counted, queries, type ServerRow } from './queries.ts'
import { checkNamed, placeOf } from './references/service.ts'
import { type Members, merge } from './rules.ts'
import { described } from './shown.ts'
import { forgetTools } from './tools/learning.ts'
import { openVariables, readVariables, sealVariables, type Variables } from './variables.ts'

type Shown = Static<typeof Integration>
type ShownOfCrew = Static<typeof CrewIntegration>
type Given = Static<typeof IntegrationPatch>

const times = ({ created_at, updated_at }: ServerRow) => ({ created_at, updated_at })

const present = (row: Counted): Shown => ({
  id: row.id,
  workspace_id: row.workspace_id,
  ...described(row),
  agent_binding_count: row.agent_binding_count,
  crew_server_count: row.crew_server_count,
  ...times(row),
})

const presentOfCrew = (app: App, row: Counted): ShownOfCrew => ({
  id: row.id,
  crew_id: row.crew_id!,
  workspace_mcp_server_id: row.workspace_mcp_server_id,
  ...described(row),
  agent_binding_count: row.agent_binding_count,
  auth_status: authStatus(app, row),
  ...times(row),
})

export const list = ({ db }: App, { actor }: Call<typeof integrations.list>): Shown[] =>
  queries(db).ofWorkspace.all(actor.workspace).map(present)

export const show = (app: App, { actor, integrationId }: Call<typeof integrations.show>): Shown =>
  present(findServer(app, actor.workspace, null, integrationId))

export const crews = (app: App, { actor }: Call<typeof integrations.crews>): Reply<typeof integrations.crews> =>
  queries(app.db)
    .ofCrews.all(actor.workspace)
    .map((row) => ({ ...presentOfCrew(app, row), crew_name: row.crew_name, crew_slug: row.crew_slug }))

export function ofCrew(app: App, { actor, crewId }: Call<typeof integrations.ofCrew>): ShownOfCrew[] {
  findCrew(app, actor.workspace, crewId)
  return queries(app.db)
    .ofCrew.all(crewId)
    .map((row) => presentOfCrew(app, row))
}

const none: Members = {
  display_name: '',
  transport: 'streamable-http',
  endpoint: null,
  command: null,
  args_json: null,
  config_json: null,
  icon: null,
  enabled: 1,
}

/** Whether a server of the workspace, or of one of its crews, is at an address. */
export const serverAt = ({ db }: App, workspace: string, endpoint: string): boolean =>
  queries(db).at.get({ workspace, endpoint }) === 1

/** The client with which people said that one signs in to the servers at an address; null without one. */
export function clientGiven(
  app: App,
  workspace: string,
  endpoint: string,
): { id: string; secret: string | null } | null {
  for (const row of queries(app.db).allAt.all({ workspace, endpoint })) {
    const { OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret } = openVariables(app, row)
    if (id) return { id, secret: secret || null }
  }
  return null
}

type Draft = Given & { name: string }

interface Place {
  actor: Actor
  now: string
  /** Null for the workspace. */
  crew: string | null
}

export function create(app: App, { actor, body, now }: Call<typeof integrations.create>): Shown {
  const id = add(app, { actor, now, crew: null }, body, null)
  return present(findServer(app, actor.workspace, null, id))
}

export function createInCrew(app: App, call: Call<typeof integrations.createInCrew>): ShownOfCrew {
  const { actor, crewId, now } = call
  findCrew(app, actor.workspace, crewId)
  const { workspace_mcp_server_id: from, ...body } = call.body
  const base = from ? queries(app.db).find.get(actor.workspace, from) : null
  if (from && base?.crew_id !== null)
    throw problem('invalid_field', {
      field: 'workspace_mcp_server_id',
      detail: 'There is no such integration of the workspace',
    })
  const id = add(app, { actor, now, crew: crewId }, body, base ?? null)
  return presentOfCrew(app, findServer(app, actor.workspace, crewId, id))
}

/** Stores a server. From `base` it takes what is not given; with a place of its own nothing of how that one is run. */
function add(app: App, { actor, now, crew }: Place, given: Draft, base: Counted | null): string {
  // Clients send null for what they do not use.
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Draft
  const { ofWorkspace, ofCrew, insert } = queries(app.db)
  const there = crew === null ? ofWorkspace.all(actor.workspace) : ofCrew.all(crew)
  if (there.length >= mostServers)
    throw problem('integrations_full', { detail: `There may be ${mostServers} integrations here` })
  if (body.name.toLowerCase() === ownServer)
    throw problem('invalid_field', { field: 'name', detail: `${ownServer} is the name of the server that Muster has` })
  const elsewhere = !base || body.endpoint || body.command || body.transport
  const before: Members = {
    ...(elsewhere ? none : base),
    display_name: base?.display_name ?? body.name,
    icon: base?.icon ?? null,
    enabled: 1,
  }
  const members = merge(body, before, app.config.integrationHosts)
  const id = newId(app.clock())
  const inherited = elsewhere ? {} : openVariables(app, base)
  const variables = variablesOf(body.env_json, inherited)
  checkNamed(app, actor, Object.fromEntries(Object.entries(variables).filter(([name, it]) => inherited[name] !== it)))
  const row: ServerRow = {
    id,
    workspace_id: actor.workspace,
    crew_id: crew,
    workspace_mcp_server_id: base?.id ?? null,
    name: body.name,
    ...members,
    ...sealVariables(app, id, variables),
    created_at: now,
    updated_at: now,
  }
  if (!insert.get(row))
    throw problem('name_taken', { field: 'name', detail: `There is an integration "${body.name}" here already` })
  tell(app, actor, 'created', row)
  return id
}

/** The name of Muster's own tool server in the files of clients. */
const ownServer = 'muster'

/** What a body makes of the variables: null and blank text drop them. */
const variablesOf = (json: string | null | undefined, before: Variables): Variables =>
  json === undefined ? before : json === null || json.trim() === '' ? {} : readVariables(json, before)

export function update(app: App, { actor, integrationId, body, now }: Call<typeof integrations.update>): Shown {
  change(app, { actor, now, crew: null }, integrationId, body)
  return present(findServer(app, actor.workspace, null, integrationId))
}

export function updateInCrew(app: App, call: Call<typeof integrations.updateInCrew>): ShownOfCrew {
  const { actor, crewId, serverId, body, now } = call
  findCrew(app, actor.workspace, crewId)
  change(app, { actor, now, crew: crewId }, serverId, body)
  return presentOfCrew(app, findServer(app, actor.workspace, crewId, serverId))
}

const changeable = [
  'display_name',
  'transport',
  'endpoint',
  'command',
  'args_json',
  'env_json',
  'config_json',
  'icon',
  'enabled',
] as const

/**
 * Credentials and variables were given to one place: a server that moves to another one has neither until they are
 * given anew.
 */
function change(app: App, { actor, now, crew }: Place, id: string, body: Given): void {
  const { agent_binding_count: _, crew_server_count: __, ...before } = findServer(app, actor.workspace, crew, id)
  requireSome(body, changeable)
  const members = merge(body, before, app.config.integrationHosts)
  const moved = placeOf(members) !== placeOf(before)
  if (moved) {
    withdrawCredentials(app, id)
    forgetTools(app, before, now)
  }
  const variables =
    moved || body.env_json !== undefined
      ? sealVariables(app, id, variablesOf(body.env_json, moved ? {} : openVariables(app, before)))
      : {}
  queries(app.db).update.run({ ...before, ...members, ...variables, updated_at: now })
  tell(
    app,
    actor,
    'updated',
    before,
    changeable.filter((member) => body[member] !== undefined),
  )
}

export function remove(app: App, { actor, integrationId, now }: Call<typeof integrations.remove>) {
  const row = findServer(app, actor.workspace, null, integrationId)
  for (const made of queries(app.db).madeFrom.all(row.id)) {
    forgetTools(app, made, now)
    tell(app, actor, 'deleted', made)
  }
  return drop(app, actor, row, now)
}

export function removeInCrew(app: App, { actor, crewId, serverId, now }: Call<typeof integrations.removeInCrew>) {
  findCrew(app, actor.workspace, crewId)
  return drop(app, actor, findServer(app, actor.workspace, crewId, serverId), now)
}

function drop(app: App, actor: Actor, row: ServerRow, now: string) {
  const credentials = credentialsOf(app, row.id)
  forgetTools(app, row, now)
  queries(app.db).remove.run(row.id)
  tell(app, actor, 'deleted', row)
  dropUnused(app, actor, credentials)
  return { status: 'deleted' as const }
}

type What = 'created' | 'updated' | 'deleted'

/** Records a change, and tells those who look on. */
function tell(app: App, actor: Actor, what: What, row: ServerRow, changed: readonly string[] = []): void {
  const { id, name, crew_id } = row
  const of = crew_id === null ? {} : { crew_id }
  const about = { workspace_id: actor.workspace, ...of, ...actorOf(actor) }
  const payload = { entity_id: id, name, ...(changed.length && { metadata: { changed: [...changed] } }) }
  app.journal(fact(`integration.${what}`, payload, about))
  app.broadcast({
    channel: `workspace:${actor.workspace}`,
    type: `integration.${what}`,
    payload: {
      id,
      ...(what !== 'deleted' && { name }),
      scope: crew_id === null ? 'workspace' : 'crew',
      ...of,
    },
  })
}

export const forgetCrew = ({ db }: App, { payload }: Happened<'crew.deleted'>): void =>
  void queries(db).dropCrew.run(payload.entity_id)

export const forgetWorkspace = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).dropWorkspace.run(payload.entity_id)
