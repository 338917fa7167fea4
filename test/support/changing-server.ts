import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js'
import { ending } from './endings.ts'

export interface ChangingServer {
  url: string
  host: string
  /** What it lists from now on, one page after the other. */
  pages: Tool[][]
  /** How often it was asked for a page. */
  asked: number
  /** What a question waits for, before it is answered. */
  before: Promise<unknown>
}

export const tool = (name: string, description = `Does ${name}`, members: object = {}): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  ...members,
})

/** A real MCP server over streamable HTTP on loopback, whose tools change between questions. */
export async function changingServer(...tools: Tool[]): Promise<ChangingServer> {
  const http = createServer(async (request, reply) => {
    const server = new Server({ name: 'changing', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
      it.asked++
      const page = Number(params?.cursor ?? 0)
      await it.before
      const more = page + 1 < it.pages.length && { nextCursor: String(page + 1) }
      return { tools: it.pages[page]!, ...more }
    })
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as object)
    reply.on('close', () => void transport.close())
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, reply)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  ending(async () => {
    http.close()
    http.closeAllConnections()
    await once(http, 'close')
  })
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`
  const it: ChangingServer = {
    url: `http://${host}/mcp`,
    host,
    pages: [tools],
    asked: 0,
    before: Promise.resolve(),
  }
  return it
}
