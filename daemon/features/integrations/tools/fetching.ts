import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { mostTools } from '#contract/integration-tools'
import type { App } from '#kernel/app'
import type { ServerRow } from '../queries.ts'
import { readConfig } from '../server-config.ts'
import { Unusable, withServer } from '../sessions/service.ts'
import type { Told } from './definition.ts'

/** For the whole list. */
const timeoutMs = 30_000
/** Of each answer. */
const maxBytes = 4 * 1024 * 1024
const mostPages = 100

const underWay = new WeakMap<App, Map<string, Promise<Told[]>>>()

/**
 * The tools that a server over HTTP lists now, asked without a credential. Asked for while it is under way, it is asked
 * once. Throws `Unusable`.
 */
export function listedBy(app: App, server: ServerRow): Promise<Told[]> {
  const all = underWay.get(app) ?? new Map<string, Promise<Told[]>>()
  underWay.set(app, all)
  // Another address is another question.
  const key = `${server.id} ${server.endpoint} ${server.config_json}`
  const asked = all.get(key) ?? ask(app, server).finally(() => all.delete(key))
  all.set(key, asked)
  return asked
}

function ask(app: App, { endpoint, config_json }: ServerRow): Promise<Told[]> {
  const headers = (config_json === null ? {} : readConfig('config_json', config_json)).headers ?? {}
  const { host } = new URL(endpoint!)
  return withServer(app, { endpoint: endpoint!, headers, timeoutMs, maxBytes }, (client) => readAll(client, host))
}

/** The library's own reading refuses a list for one wrong tool in it, and compiles schemas of the server. */
async function readAll(client: Client, host: string): Promise<Told[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const tools: Told[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const request = { method: 'tools/list' as const, params: { ...(cursor !== undefined && { cursor }) } }
    const { tools: told, nextCursor } = await client.request(request, ResultSchema, { timeout: timeoutMs })
    if (!Array.isArray(told)) throw new Unusable(`${host} lists no tools`)
    tools.push(...told.filter((it): it is Told => typeof it === 'object' && it !== null))
    if (tools.length > mostTools) throw new Unusable(`${host} lists more than ${mostTools} tools`)
    if (typeof nextCursor !== 'string') return tools
    cursor = nextCursor
  }
  throw new Unusable(`${host} lists its tools on more than ${mostPages} pages`)
}
