import type { Named } from '../bindings/queries.ts'
import type { Counted } from '../queries.ts'

/** A server that an agent may use. */
export interface Effective {
  server: Counted
  /** The server of the workspace whose place it takes. */
  replaces: Counted | null
  binding: Named | null
}

/**
 * The servers that an agent may use, by name: those of the workspace, each replaced by one of the crew that has its
 * name; of these the ones that are bound to nobody, and those that are bound to this agent and not taken from it.
 */
export function effective(
  { workspace, crew }: { workspace: readonly Counted[]; crew: readonly Counted[] },
  bindings: readonly Named[],
): Effective[] {
  const byName = new Map<string, Pick<Effective, 'server' | 'replaces'>>()
  for (const server of workspace) if (server.enabled) byName.set(server.name, { server, replaces: null })
  for (const server of crew)
    if (server.enabled) byName.set(server.name, { server, replaces: byName.get(server.name)?.server ?? null })
  const own = new Map(bindings.map((it) => [it.mcp_server_id, it]))
  return [...byName.values()]
    .map((it) => ({ ...it, binding: own.get(it.server.id) ?? null }))
    .filter(({ server, binding }) => (binding ? binding.enabled === 1 : server.agent_binding_count === 0))
    .sort((a, b) => (a.server.name < b.server.name ? -1 : 1))
}

/** Why an agent may use a server, in words; `connected` is the credential of the server itself, if that is used. */
export function reasonFor({ server, replaces, binding }: Effective, connected: string | null = null): string {
  const from = server.crew_id === null ? 'from workspace' : 'from crew'
  return [
    replaces ? `${from} in place of the workspace's` : from,
    binding?.credential_id ? "agent's credential" : binding ? 'bound to the agent' : 'open to all agents',
    ...(connected ? ["server's credential"] : []),
    ...(binding?.config_override_json ? ["agent's settings"] : []),
  ].join(', ')
}
