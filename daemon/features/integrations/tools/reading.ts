import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { mostTools } from '#contract/integration-tools'
import { Unusable } from '../sessions/service.ts'
import type { Told } from './definition.ts'

const mostPages = 100

/**
 * Every tool that a server lists; `name` is what it is called in a failure. The library's own reading refuses a list
 * for one wrong tool in it, and compiles schemas of the server.
 */
export async function readTools(client: Client, name: string, timeout: number): Promise<Told[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const tools: Told[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const request = { method: 'tools/list' as const, params: { ...(cursor !== undefined && { cursor }) } }
    const { tools: told, nextCursor } = await client.request(request, ResultSchema, { timeout })
    if (!Array.isArray(told)) throw new Unusable(`${name} lists no tools`)
    tools.push(...told.filter((it): it is Told => typeof it === 'object' && it !== null))
    if (tools.length > mostTools) throw new Unusable(`${name} lists more than ${mostTools} tools`)
    if (typeof nextCursor !== 'string') return tools
    cursor = nextCursor
  }
  throw new Unusable(`${name} lists its tools on more than ${mostPages} pages`)
}
