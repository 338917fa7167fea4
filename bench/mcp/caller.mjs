// A client of an MCP server, beside an agent: for each line of its input it calls `echo` once, and says in milliseconds
// how long that took. ADDRESS and KEY come from its environment.
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const client = new Client({ name: 'bench', version: '1' })
const headers = process.env.KEY ? { authorization: `Bearer ${process.env.KEY}` } : {}
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.ADDRESS), { requestInit: { headers } }))
process.stdout.write('ready\n')
for await (const _ of createInterface({ input: process.stdin })) {
  const from = performance.now()
  const { content } = await client.callTool({ name: 'echo', arguments: { message: 'plum' } })
  const took = performance.now() - from
  if (!content[0].text.includes('plum')) throw new Error(`The tool answered ${JSON.stringify(content)}`)
  process.stdout.write(`${took}\n`)
}
process.exit()
