// A bare MCP server over HTTP with one tool, `echo`, that answers at once, in streams of events as the reference server
// does. Prints its address as a line of JSON.
import { createServer } from 'node:http'

const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'bare', version: '1' } }
const results = {
  initialize: () => info,
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: `Echo: ${given.message}` }] }),
}

const server = createServer((request, reply) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(text || '{}')
    if (id === undefined) return reply.writeHead(202).end()
    const said = JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) })
    reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: message\ndata: ${said}\n\n`)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  process.stdout.write(`${JSON.stringify({ host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/mcp` })}\n`)
})
process.once('SIGTERM', () => process.exit())
