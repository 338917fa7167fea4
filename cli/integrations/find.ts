import type { Client } from '#client'
import { find, type Kind } from '../lookup/find.ts'
import { crewId } from '../lookup.ts'
import type { Binding, CrewServer, Server } from '../views/integrations.ts'

const kind = { noun: 'integration', next: 'muster integrations list', lookUpIds: true }

type Listed = Server | CrewServer

const listed = async (api: Client, crew: string | undefined): Promise<Listed[]> =>
  crew === undefined ? api.integrations.list({}) : api.integrations.ofCrew({ crewId: await crewId(api, crew) })

const kindIn = (crew: string | undefined, rows: () => Promise<Listed[]>): Kind<Listed> => ({
  noun: kind.noun,
  next: crew === undefined ? kind.next : `${kind.next} --crew ${crew}`,
  rows,
  names: (row) => [row.name],
})

/** A server of the workspace, or with `crew` of that crew, by its name. */
export async function serverCalled(
  api: Client,
  name: string,
  crew: string | undefined,
): Promise<Listed & { crew_id?: string }> {
  const all = await listed(api, crew)
  const id = await find({ ...kindIn(crew, async () => all), lookUpIds: true }, name)
  return all.find((row) => row.id === id)!
}

/** The id of that server; a whole id is taken as it is. */
export const serverId = (api: Client, name: string, crew: string | undefined): Promise<string> =>
  find(
    kindIn(crew, () => listed(api, crew)),
    name,
  )

/**
 * The server of that name that an agent could be bound to: of its crew before of the workspace. `open` says whether all
 * agents may use it now.
 */
export async function serverFor(api: Client, agentId: string, name: string) {
  const { crew_id: crew } = await api.agents.show({ agentId })
  const own = crew ? await api.integrations.ofCrew({ crewId: crew }) : []
  const found = own.find((row) => row.name === name || row.id === name)
  const { id, agent_binding_count } = found ?? (await serverCalled(api, name, undefined))
  const mcp_server_scope = found ? ('crew' as const) : ('workspace' as const)
  return { server: { mcp_server_id: id, mcp_server_scope }, open: agent_binding_count === 0 }
}

/** What binds an agent to the server of that name. */
export async function bindingTo(api: Client, agentId: string, name: string): Promise<Binding> {
  const all = await api.integrations.bound({ agentId })
  const next = 'muster integrations bound AGENT'
  const id = await find({ ...kind, next, rows: async () => all, names: (row) => [row.server_name] }, name)
  return all.find((row) => row.id === id)!
}
