import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { queries, type ServerRow } from '../queries.ts'
import { Unusable } from '../sessions/service.ts'
import type { Told } from '../tools/definition.ts'
import { learn } from '../tools/learning.ts'

const mostTools = 10_000
const mostPages = 100

/** Reads what a server offers this agent, and learns it: it may be less than what others are offered. */
export async function learnTools(app: App, server: ServerRow, client: Client, timeoutMs: number): Promise<void> {
  const tools = await readTools(client, server, timeoutMs)
  await untilWritten(app, () => {
    // What another address or program offered says nothing of the server as it is now.
    const current = queries(app.db).find.get(server.workspace_id, server.id)
    if (current && placesOf(current) === placesOf(server))
      learn(app, current, { tools, complete: false, actor: null, now: app.now() })
  })
}

const placesOf = ({ endpoint, command, args_json }: ServerRow): string => JSON.stringify([endpoint, command, args_json])

/** The library's own reading refuses a list for one wrong tool in it, and compiles schemas of the server. */
async function readTools(client: Client, { name }: ServerRow, timeout: number): Promise<Told[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const tools: Told[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const request = { method: 'tools/list' as const, params: { ...(cursor !== undefined && { cursor }) } }
    const { tools: told, nextCursor } = await client.request(request, ResultSchema, { timeout })
    if (!Array.isArray(told)) throw new Unusable(`The server ${name} lists no tools`)
    tools.push(...told.filter((it): it is Told => typeof it === 'object' && it !== null))
    if (tools.length > mostTools) throw new Unusable(`The server ${name} lists more than ${mostTools} tools`)
    if (typeof nextCursor !== 'string') return tools
    cursor = nextCursor
  }
  throw new Unusable(`The server ${name} lists its tools on more than ${mostPages} pages`)
}
