import type { Static } from 'typebox'
import type { integrations, ResolvedIntegration } from '#contract/integrations'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { type AgentRow, findAgent } from '../../agents/service.ts'
import { bindingsOf, bindingTo, credentialName } from '../bindings/service.ts'
import { credentialFor } from '../connections/service.ts'
import { serversCalled, serversFor } from '../find.ts'
import { overridden, readConfig, type ServerConfig } from '../server-config.ts'
import { described } from '../shown.ts'
import { type Effective, effective, reasonFor } from './rules.ts'

type Shown = Static<typeof ResolvedIntegration>

export function resolved(app: App, { actor, agentId }: Call<typeof integrations.resolved>): Shown[] {
  const agent = findAgent(app, actor.workspace, agentId)
  return integrationsOf(app, agent).map((it) => present(app, actor, it))
}

/** The servers that an agent may use now, by name. */
export const integrationsOf = (app: App, agent: Pick<AgentRow, 'id' | 'workspace_id' | 'crew_id'>): Effective[] =>
  effective(serversFor(app, agent.workspace_id, agent.crew_id), bindingsOf(app, agent.id))

/** The one of `integrationsOf` that has a name, however many others there are. */
export function integrationCalled(
  app: App,
  { id, workspace_id, crew_id }: Pick<AgentRow, 'id' | 'workspace_id' | 'crew_id'>,
  name: string,
): Effective | undefined {
  const servers = serversCalled(app, workspace_id, crew_id, name)
  const bindings = [...servers.workspace, ...servers.crew].flatMap((it) => bindingTo(app, id, it.id) ?? [])
  return effective(servers, bindings)[0]
}

function present(app: App, actor: Actor, it: Effective): Shown {
  const { server, binding, replaces } = it
  const { credential_id } = credentialFor(app, server, binding)
  return {
    server_id: server.id,
    scope: server.crew_id === null ? 'workspace' : 'crew',
    ...described(server),
    config_json: configJson(it),
    binding_id: binding?.id ?? null,
    credential_id,
    credential_name: credentialName(app, actor, credential_id),
    replaces: replaces?.id ?? null,
    reason: reasonFor(it, binding?.credential_id ? null : credential_id),
  }
}

/** The configuration of a server for an agent, as JSON. */
const configJson = (it: Effective): string | null =>
  it.binding?.config_override_json ? JSON.stringify(settingsOf(it)) : it.server.config_json

/** How a server is called for an agent. */
export function settingsOf({ server, binding }: Pick<Effective, 'server' | 'binding'>): ServerConfig {
  const config = server.config_json === null ? {} : readConfig('config_json', server.config_json)
  const own = binding?.config_override_json ?? null
  return own === null ? config : overridden(config, readConfig('config_override_json', own))
}
