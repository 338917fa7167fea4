import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { Binding, CrewIntegration, integrations, McpScope } from '#contract/integrations'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type AgentRow, findAgent } from '../../agents/service.ts'
import { findDecided, sees, standingOf } from '../../credentials/service.ts'
import { connectedWith, disconnect, forgetConnections } from '../connections/service.ts'
import { findServer } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { mayCarry, readConfig } from '../server-config.ts'
import { type BindingRow, type Named, queries } from './queries.ts'

type Shown = Static<typeof Binding>
type Grant = Call<typeof integrations.rebind>['body']

const scopeOf = (crew: string | null): McpScope => (crew === null ? 'workspace' : 'crew')

/** The name of a credential for those who may see it. */
export function credentialName(app: App, actor: Actor, credential: string | null): string | null {
  const known = credential === null ? null : standingOf(app, actor.workspace, credential)
  return known && sees(app, actor, { id: credential!, scope: known.scope }) ? known.name : null
}

function present(app: App, actor: Actor, row: Named): Shown {
  const { server_crew_id, server_name, server_display_name, mcp_server_id, agent_id, id, ...rest } = row
  return {
    id,
    agent_id,
    mcp_server_id,
    mcp_server_scope: scopeOf(server_crew_id),
    ...rest,
    enabled: row.enabled === 1,
    server_name,
    server_display_name,
    credential_name: credentialName(app, actor, row.credential_id),
  }
}

export function bound(app: App, { actor, agentId }: Call<typeof integrations.bound>): Shown[] {
  const agent = findAgent(app, actor.workspace, agentId)
  return bindingsOf(app, agent.id).map((row) => present(app, actor, row))
}

/** What an agent is bound to. */
export const bindingsOf = ({ db }: App, agent: string): Named[] => queries(db).ofAgent.all(agent)

/** How an agent is bound to a server; undefined where it is not. */
export const bindingTo = ({ db }: App, agent: string, server: string): Named | undefined =>
  queries(db).to.get(agent, server)

export function bind(app: App, { actor, agentId, body, now }: Call<typeof integrations.bind>): Shown {
  const agent = findAgent(app, actor.workspace, agentId)
  const server = serverFor(app, agent, body)
  const row: BindingRow = {
    id: newId(app.clock()),
    agent_id: agent.id,
    mcp_server_id: server.id,
    ...merge(app, actor, agent, body, nothing),
    created_at: now,
  }
  if (!queries(app.db).insert.get(row))
    throw problem('already_assigned', {
      field: 'mcp_server_id',
      detail: `The agent is bound to the integration "${server.name}" already`,
    })
  const made = queries(app.db).find.get(agent.id, row.id)!
  tell(app, actor, 'created', agent, made)
  return present(app, actor, made)
}

/** The server that a body names, which must be one that the agent could be given. */
function serverFor(
  app: App,
  agent: AgentRow,
  { mcp_server_id, mcp_server_scope }: { mcp_server_id: string; mcp_server_scope: McpScope },
): ServerRow {
  const crew = mcp_server_scope === 'crew' ? agent.crew_id : null
  const wrong = () =>
    problem('invalid_field', {
      field: 'mcp_server_id',
      detail: `There is no such integration of the ${mcp_server_scope}`,
    })
  if (mcp_server_scope === 'crew' && crew === null) throw wrong()
  try {
    return findServer(app, agent.workspace_id, crew, mcp_server_id)
  } catch {
    throw wrong()
  }
}

type Granted = Omit<BindingRow, 'id' | 'agent_id' | 'mcp_server_id' | 'created_at'>

const nothing: Granted = {
  credential_id: null,
  cred_type: null,
  cred_header: null,
  env_var_name: null,
  enabled: 1,
  config_override_json: null,
}

/** What a body makes of a binding. */
function merge(app: App, actor: Actor, agent: AgentRow, given: Grant, before: Granted): Granted {
  const credential_id = now(given.credential_id, before.credential_id) || null
  if (given.credential_id) checkCredential(app, actor, agent, given.credential_id)
  const cred_header = now(given.cred_header, before.cred_header)
  if (cred_header !== null && !mayCarry(cred_header))
    throw problem('invalid_field', { field: 'cred_header', detail: `The header ${cred_header} cannot carry it` })
  const env_var_name = now(given.env_var_name, before.env_var_name)
  if (env_var_name !== null && /^SVC_/i.test(env_var_name))
    throw problem('invalid_field', { field: 'env_var_name', detail: 'Names that begin with SVC_ are reserved' })
  const config_override_json = blankToNull(now(given.config_override_json, before.config_override_json))
  if (given.config_override_json && config_override_json) readConfig('config_override_json', config_override_json)
  return {
    credential_id,
    cred_type: now(given.cred_type, before.cred_type) ?? (credential_id === null ? null : 'bearer'),
    cred_header,
    env_var_name,
    enabled: given.enabled === undefined ? before.enabled : Number(given.enabled),
    config_override_json,
  }
}

/** What a member is, once a body has been heard. */
const now = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given)

/**
 * A credential is sent to whoever runs the server: one gives what one stored oneself, and ADMIN gives any. It must be
 * meant for the agent's crew.
 */
function checkCredential(app: App, actor: Actor, agent: AgentRow, id: string): void {
  const refuse = (detail: string) => problem('invalid_field', { field: 'credential_id', detail })
  if (!standingOf(app, actor.workspace, id)) throw refuse('There is no such credential')
  const credential = findDecided(app, actor, id)
  const role = membership(app.db, actor.workspace, actor.id)?.role
  if (credential.created_by !== actor.id && !(role && allows('ADMIN', role)))
    throw problem('insufficient_role', {
      field: 'credential_id',
      detail: 'Below ADMIN you bind credentials that you stored yourself',
    })
  const crews = JSON.parse(credential.crew_ids_json) as string[]
  if (credential.scope === 'CREW' && !crews.includes(agent.crew_id ?? ''))
    throw refuse(`The credential "${credential.name}" is for crews that the agent does not belong to`)
}

const members = Object.keys(nothing) as (keyof Granted)[]

export function rebind(app: App, { actor, agentId, bindingId, body }: Call<typeof integrations.rebind>) {
  const agent = findAgent(app, actor.workspace, agentId)
  const before = findBinding(app, agent.id, bindingId)
  requireSome(body, members)
  queries(app.db).update.run({ ...stored(before), ...merge(app, actor, agent, body, before) })
  tell(app, actor, 'updated', agent, findBinding(app, agent.id, bindingId))
  return { status: 'updated' as const }
}

const stored = ({ server_name: _, server_display_name: __, server_crew_id: ___, ...row }: Named): BindingRow => row

export function unbind(app: App, { actor, agentId, bindingId }: Call<typeof integrations.unbind>) {
  const agent = findAgent(app, actor.workspace, agentId)
  const row = findBinding(app, agent.id, bindingId)
  queries(app.db).remove.run(row.id)
  tell(app, actor, 'deleted', agent, row)
  return { status: 'deleted' as const }
}

function findBinding({ db }: App, agent: string, id: string): Named {
  const row = queries(db).find.get(agent, id)
  if (!row) throw problem('not_found', { detail: 'The agent is not bound so' })
  return row
}

function tell(app: App, actor: Actor, what: 'created' | 'updated' | 'deleted', agent: AgentRow, row: Named): void {
  const metadata = {
    server_id: row.mcp_server_id,
    scope: scopeOf(row.server_crew_id),
    enabled: row.enabled === 1,
    ...(row.credential_id && { credential_id: row.credential_id }),
  }
  const about = {
    workspace_id: actor.workspace,
    agent_id: agent.id,
    ...(agent.crew_id && { crew_id: agent.crew_id }),
    ...actorOf(actor),
  }
  app.journal(fact(`integration_binding.${what}`, { entity_id: row.id, name: row.server_name, metadata }, about))
}

type AuthStatus = Static<typeof CrewIntegration>['auth_status']

/** Whether a server is called with credentials that are good. */
export function authStatus(app: App, { id, transport, workspace_id }: ServerRow): AuthStatus {
  if (transport === 'stdio') return 'none'
  const connected = connectedWith(app, id)
  const statuses = [...queries(app.db).credentials.all(id), ...(connected === null ? [] : [connected])].map(
    (credential) => standingOf(app, workspace_id, credential)?.status ?? 'REVOKED',
  )
  if (!statuses.length) return 'missing'
  return statuses.some((it) => ['EXPIRED', 'ERROR', 'REVOKED'].includes(it)) ? 'expired' : 'connected'
}

/** Takes all credentials from a server: they were given to another one. */
export function withdrawCredentials(app: App, server: string): void {
  queries(app.db).withdrawFrom.run(server)
  disconnect(app, server)
}

/** The credentials that a server is used with. */
export const credentialsOf = (app: App, server: string): (string | null)[] => [
  ...queries(app.db).credentials.all(server),
  connectedWith(app, server),
]

export const forgetAgent = ({ db }: App, { payload }: Happened<'agent.deleted'>): void =>
  void queries(db).dropAgent.run(payload.entity_id)

/** What was bound with a deleted credential stays bound, without one. */
export function forgetCredential(app: App, { payload }: Happened<'credential.deleted'>): void {
  queries(app.db).withdraw.run(payload.entity_id)
  forgetConnections(app, payload.entity_id)
}
