import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { managed } from '#contract/managed'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import { type Actor, type Call, staged } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { findAgent } from '../../agents/service.ts'
import { replaceValue } from '../../credentials/rotations/service.ts'
import { createCredential, findCredential, removeCredential } from '../../credentials/service.ts'
import { bind } from '../../integrations/bindings/service.ts'
import { create, remove } from '../../integrations/service.ts'
import { accountsOf } from '../inventory.ts'
import { keyOf, neededKey } from '../settings/keys.ts'
import { provide, provideDefault, type Ready } from './providing.ts'
import { type GrantRow, queries } from './queries.ts'
import { wantedIn } from './rules.ts'

const present = ({ toolkit, mode, account_user, endpoint, tools_json }: GrantRow) => ({
  toolkit,
  mode,
  user_id: account_user,
  endpoint,
  ...(tools_json !== null && { tools: JSON.parse(tools_json) as string[] }),
})

export function grants(app: App, { actor, agentId }: Call<typeof managed.grants>): Reply<typeof managed.grants> {
  const agent = findAgent(app, actor.workspace, agentId)
  return { agent_id: agent.id, bindings: queries(app.db).ofAgent.all(agent.id).map(present) }
}

/** Gives an agent toolkits in place of all that it had of them; nothing changes when a part of it fails. */
export const grant = (app: App) =>
  staged<typeof managed.grant, Ready[]>(
    async ({ actor, agentId, body }) => {
      findAgent(app, actor.workspace, agentId)
      return provide(app, neededKey(app, actor.workspace), body.user_id, wantedIn(body))
    },
    (call, ready) => {
      const { actor, agentId, body } = call
      const agent = findAgent(app, actor.workspace, agentId)
      for (const row of queries(app.db).ofAgent.all(agent.id)) clean(app, actor, row)
      for (const one of ready) add(app, call, one)
      const about = {
        workspace_id: actor.workspace,
        agent_id: agent.id,
        ...(agent.crew_id && { crew_id: agent.crew_id }),
        ...actorOf(actor),
      }
      const metadata = { user_id: body.user_id, toolkits: ready.map(({ toolkit }) => toolkit) }
      app.journal(fact('managed_grant.updated', { entity_id: agent.id, name: agent.slug, metadata }, about))
      const apps = ready.map(({ toolkit, mode, endpoint }) => ({ toolkit, mode, endpoint }))
      return { agent_id: agent.id, user_id: body.user_id, apps }
    },
  )

type Granting = Pick<Call<typeof managed.grant>, 'actor' | 'now' | 'agentId' | 'body'>

function add(app: App, { actor, now, agentId, body }: Granting, { toolkit, mode, given, endpoint }: Ready): void {
  const made = connector(app, actor, now, { name: `managed-${agentId}-${toolkit}`, display_name: toolkit, endpoint })
  const how = { cred_type: 'api_key', cred_header: 'x-api-key', credential_id: made.credential_id } as const
  bind(app, { actor, now, agentId, body: { mcp_server_id: made.mcp_server_id, mcp_server_scope: 'workspace', ...how } })
  queries(app.db).insert.run({
    id: newId(app.clock()),
    workspace_id: actor.workspace,
    agent_id: agentId,
    toolkit,
    mode,
    account_user: body.user_id,
    tools_json: given && JSON.stringify(given),
    endpoint,
    ...made,
    created_at: now,
  })
}

/** A server of the workspace, and the credential that holds the key. */
function connector(
  app: App,
  actor: Actor,
  now: string,
  { name, display_name, endpoint }: { name: string; display_name: string; endpoint: string },
): Pick<GrantRow, 'mcp_server_id' | 'credential_id'> {
  const server = create(app, { actor, now, body: { name, display_name, endpoint } })
  const value = neededKey(app, actor.workspace)
  const description = 'The key of managed integrations, kept for this integration'
  const credential = createCredential(app, { actor, now, body: { name, type: 'SECRET', value, description } })
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('credential.created', { entity_id: credential.id, name }, about))
  return { mcp_server_id: server.id, credential_id: credential.id }
}

/** Takes away a grant with its server, its binding and its credential. */
function clean(app: App, actor: Actor, row: GrantRow): void {
  queries(app.db).remove.run(row.id)
  unlessGone(() => remove(app, { actor, now: app.now(), integrationId: row.mcp_server_id }))
  endCredential(app, actor, row.credential_id)
}

function endCredential(app: App, actor: Actor, credentialId: string): void {
  const gone = unlessGone(() => removeCredential(app, { actor, now: app.now(), credentialId }))
  if (!gone) return
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('credential.deleted', { entity_id: credentialId, name: gone.name }, about))
}

/** What somebody deleted by hand is as it should be. */
function unlessGone<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  }
}

export function ungrant(app: App, { actor, agentId, query }: Call<typeof managed.ungrant>) {
  const agent = findAgent(app, actor.workspace, agentId)
  const wanted = query.toolkit?.toLowerCase()
  const rows = queries(app.db)
    .ofAgent.all(agent.id)
    .filter(({ toolkit }) => wanted === undefined || toolkit === wanted)
  if (!rows.length) throw problem('not_found', { detail: 'The agent was given nothing of the kind' })
  for (const row of rows) clean(app, actor, row)
  const about = {
    workspace_id: actor.workspace,
    agent_id: agent.id,
    ...(agent.crew_id && { crew_id: agent.crew_id }),
    ...actorOf(actor),
  }
  const metadata = { toolkits: rows.map(({ toolkit }) => toolkit) }
  app.journal(fact('managed_grant.deleted', { entity_id: agent.id, name: agent.slug, metadata }, about))
  return { status: 'deleted' as const }
}

type Shown = Reply<typeof managed.default>

export async function showDefault(app: App, { actor }: Call<typeof managed.default>): Promise<Shown> {
  const key = keyOf(app, actor.workspace)
  if (key === null)
    return { enabled_flag: false, default_user_id: null, default_mcp_server_id: null, connected_user_count: 0 }
  const users = new Set((await accountsOf(app, key)).map(({ user_id }) => user_id).filter(Boolean))
  return defaultOf(app, actor, users.size)
}

function defaultOf({ db }: App, actor: Actor, connected_user_count: number): Shown {
  const row = queries(db).default.get(actor.workspace)
  return {
    enabled_flag: true,
    default_user_id: row?.account_user ?? null,
    default_mcp_server_id: row?.mcp_server_id ?? null,
    connected_user_count,
  }
}

/** The name of the default connector among the servers of the workspace. */
const defaultName = 'managed-default'

export const setDefault = (app: App) =>
  staged<typeof managed.setDefault, Awaited<ReturnType<typeof provideDefault>>>(
    ({ actor, body }) => provideDefault(app, neededKey(app, actor.workspace), body?.user_id ?? null),
    ({ actor, now }, { user, endpoint, connected }) => {
      const before = queries(app.db).default.get(actor.workspace)
      if (before) clean(app, actor, before)
      const made = connector(app, actor, now, { name: defaultName, display_name: 'Managed integrations', endpoint })
      queries(app.db).insert.run({
        id: newId(app.clock()),
        workspace_id: actor.workspace,
        agent_id: null,
        toolkit: '',
        mode: 'full',
        account_user: user,
        tools_json: null,
        endpoint,
        ...made,
        created_at: now,
      })
      const about = { workspace_id: actor.workspace, ...actorOf(actor) }
      const metadata = { user_id: user, toolkits: [] }
      app.journal(fact('managed_default.updated', { entity_id: actor.workspace, metadata }, about))
      return defaultOf(app, actor, connected)
    },
  )

/** Another key is used from now on: what was given goes on with it. */
export function rekeyGrants(app: App, actor: Actor, key: string): void {
  for (const { credential_id } of queries(app.db).ofWorkspace.all(actor.workspace)) {
    const row = unlessGone(() => findCredential(app, actor, credential_id))
    if (row) replaceValue(app, actor, row, key, 0)
  }
}

/** Without a key nothing that was given is of use. */
export function removeAllGrants(app: App, actor: Actor): void {
  for (const row of queries(app.db).ofWorkspace.all(actor.workspace)) clean(app, actor, row)
}

const byReaction = (about: Happened<'agent.deleted'>['about']): Actor => ({
  type: about.actor_type as Actor['type'],
  id: about.actor_id ?? '',
  email: null,
  workspace: about.workspace_id ?? '',
  role: null,
  token: null,
  session: null,
})

/** What was given goes with its agent. */
export function forgetAgent(app: App, { payload, about }: Happened<'agent.deleted'>): void {
  for (const row of queries(app.db).ofAgent.all(payload.entity_id)) clean(app, byReaction(about), row)
}

/** A server that somebody deletes takes its grant and its credential along. */
export function forgetServer(app: App, { payload, about }: Happened<'integration.deleted'>): void {
  const row = queries(app.db).ofServer.get(payload.entity_id)
  if (row) clean(app, byReaction(about), row)
}

export const forgetWorkspace = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).dropWorkspace.run(payload.entity_id)
