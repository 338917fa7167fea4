import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { outcomeOf } from '../integrations/testing/service.ts'
import type { Action, Flaw } from './types.ts'

/** A server of a recipe that does not answer, where its recipe stands. */
export interface Unreachable extends Flaw {
  server: string
}

interface Server {
  action: Action
  endpoint: string
}

/** Asks the servers at addresses that recipes would bring, each address once; answers with those that do not answer. */
export async function unreachableIn(app: App, actions: readonly Action[]): Promise<Unreachable[]> {
  const servers = actions.flatMap((action): Server[] => {
    const { transport, endpoint } = { ...action.stored?.members, ...action.members }
    const isAsked = action.kind === 'Integration' && action.resource?.ofRecipe && transport !== 'stdio'
    return isAsked ? [{ action, endpoint: endpoint as string }] : []
  })
  const addresses = [...new Set(servers.map(({ endpoint }) => endpoint))]
  const outcomes = await Promise.all(
    addresses.map((endpoint) => outcomeOf(app, { transport: 'streamable-http', endpoint, config_json: null })),
  )
  const said = new Map(addresses.map((endpoint, at) => [endpoint, outcomes[at]!]))
  return servers.flatMap(({ action: { name, resource }, endpoint }) => {
    const { status, message } = said.get(endpoint)!
    if (status !== 'error') return []
    const detail = `The MCP server ${name} cannot be used: ${message}`
    return [{ document: resource!.document, path: resource!.nameAt, detail, server: name }]
  })
}

/** Refuses to begin where a server does not answer. */
export function refuseUnreachable(found: readonly Unreachable[]): void {
  const [first] = found
  if (!first) return
  throw problem('server_unreachable', {
    detail: `${first.detail}. Nothing was changed`,
    extra: { server: first.server, mistakes: found.map(({ server: _, ...flaw }) => flaw) },
  })
}
