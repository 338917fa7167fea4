import { hiddenValue } from '#contract/integrations'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { placeOf, referencesIn } from '../../integrations/references/service.ts'
import { canonical } from '../plan.ts'
import { queries } from '../queries.ts'
import { tidyBindings } from '../tidying.ts'
import type { Members, Stored } from '../types.ts'
import { type Hands, type Kind, parsed, reference, rest, without } from './kind.ts'

type Binding = ReturnType<ReturnType<typeof queries>['bindingsOf']['all']>[number]

const bindingMembers = (row: Binding): Members => ({
  agent: row.agent,
  credential: row.credential,
  type: row.cred_type,
  header: row.cred_header,
  variable: row.env_var_name,
  enabled: row.enabled === 1,
  config: parsed(row.config_override_json),
})

function storedServers(app: App, workspace: string): Stored[] {
  const bindings = new Map<string, Members[]>()
  for (const row of queries(app.db).bindings.all(workspace))
    bindings.set(row.server_id!, [...(bindings.get(row.server_id!) ?? []), bindingMembers(row)])
  return queries(app.db)
    .servers.all(workspace)
    .map(({ args_json, env_sealed, config_json, ...row }) => ({
      id: row.id,
      name: row.crew ? `${row.crew}/${row.name}` : row.name!,
      members: {
        ...rest(row),
        enabled: row.enabled === 1,
        args: parsed(args_json) ?? [],
        env_mapping: referencesIn(app, { id: row.id, env_sealed }).references,
        config: parsed(config_json),
        bindings: tidyBindings(bindings.get(row.id) ?? []),
      },
    }))
}

/** Members that operations take by other names, or not at all. */
const ownWay = ['name', 'crew', 'replaces', 'args', 'env_mapping', 'config', 'bindings'] as const

const asText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

const bodyOf = (members: Members): Members => ({
  ...without(members, ...ownWay),
  ...(members['args'] !== undefined && { args_json: asText(members['args']) }),
  ...(members['config'] !== undefined && { config_json: asText(members['config']) }),
})

/** Variables that take the values of credentials. */
const variables = (mapping: unknown): Members =>
  Object.fromEntries(Object.entries((mapping ?? {}) as Members).map(([name, from]) => [name, `\${${from as string}}`]))

function createServer(at: Hands, name: string, members: Members): string {
  const { env_mapping, bindings } = members
  const body = {
    name: name.split('/').at(-1),
    ...bodyOf(members),
    ...reference(at, members, { member: 'replaces', kind: 'Integration', as: 'workspace_mcp_server_id' }),
    ...(env_mapping !== undefined && { env_json: asText(variables(env_mapping)) }),
  }
  const crew = members['crew'] as string | null | undefined
  const { id } = crew
    ? at.call('integrations.createInCrew', { crewId: at.id('Crew', crew, 'crew'), body })
    : at.call('integrations.create', { body: without(body, 'workspace_mcp_server_id') })
  bindAll(at, { id: id!, scope: crew ? 'crew' : 'workspace' }, bindings)
  return id!
}

const fixed = ['crew', 'replaces']
const connection = ['transport', 'endpoint', 'command', 'env_mapping']

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** A server that moves to another place loses its variables and credentials: what is to have them has them again. */
function changeServer(at: Hands, { id, members: before }: Stored, members: Members): void {
  const after = { ...before, ...members }
  const crew = after['crew'] as string | null
  const moves = placeOf(before) !== placeOf(after)
  const isNew = connection.some((member) => members[member] !== undefined)
  const body = { ...bodyOf(members), ...(isNew && { env_json: variablesAfter(at, id, after, moves) }) }
  for (const field of fixed)
    if (members[field] !== undefined) throw refuse(field, `${field} cannot be changed: remove the server first`)
  if (Object.keys(body).length) {
    if (crew) at.call('integrations.updateInCrew', { crewId: at.id('Crew', crew, 'crew'), serverId: id, body })
    else at.call('integrations.update', { integrationId: id, body })
  }
  if (moves || members['bindings'] !== undefined)
    bindAll(at, { id, scope: crew ? 'crew' : 'workspace' }, after['bindings'])
}

/** The variables as files say them, with the values that were given otherwise, which a server takes nowhere else. */
function variablesAfter({ app }: Hands, id: string, after: Members, moves: boolean): string | null {
  const { valued } = referencesIn(app, queries(app.db).sealedVariables.get(id)!)
  const kept = moves ? [] : valued.map((name) => [name, hiddenValue])
  const all = { ...Object.fromEntries(kept), ...variables(after['env_mapping']) }
  return Object.keys(all).length ? JSON.stringify(all) : null
}

interface Server {
  id: string
  scope: 'workspace' | 'crew'
}

/** Binds the agents that are named, and no others. Where none are named, all stay as they are. */
function bindAll(at: Hands, { id, scope }: Server, wanted: unknown): void {
  if (wanted === undefined || at.isRehearsal) return
  const there = queries(at.app.db).bindingsOf.all(id)
  const list = wanted as Members[]
  for (const { id: bindingId, agent_id: agentId, agent } of there)
    if (!list.some((it) => it['agent'] === agent)) at.call('integrations.unbind', { agentId, bindingId })
  for (const binding of list) {
    const agentId = at.id('Agent', String(binding['agent']), 'bindings')
    const before = there.find(({ agent_id }) => agent_id === agentId)
    if (!before) {
      const body = { mcp_server_id: id, mcp_server_scope: scope, ...grantOf(at, binding) }
      at.call('integrations.bind', { agentId, body })
    } else if (canonical(tidyBindings([bindingMembers(before)])) !== canonical([binding]))
      at.call('integrations.rebind', { agentId, bindingId: before.id, body: grantOf(at, binding) })
  }
}

function grantOf(at: Hands, { credential, type, header, variable, enabled, config }: Members): Members {
  return {
    credential_id: credential ? at.id('Credential', credential as string, 'bindings') : null,
    cred_type: credential ? (type ?? 'bearer') : null,
    cred_header: header ?? null,
    env_var_name: variable ?? null,
    enabled: enabled ?? true,
    config_override_json: config === undefined ? null : asText(config),
  }
}

export const integration: Kind = {
  stored: storedServers,
  create: createServer,
  change: changeServer,
  remove(at, { id, members }) {
    const crew = members['crew'] as string | null
    if (crew) at.call('integrations.removeInCrew', { crewId: at.id('Crew', crew, 'crew'), serverId: id })
    else at.call('integrations.remove', { integrationId: id })
  },
}
