// Row: a call of an MCP server's tool by an agent through the gateway, against the same call made directly.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { bootstrap, cleanEnv, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 500)
const everything = `${root}node_modules/@modelcontextprotocol/server-everything/dist/index.js`

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** The reference server, on loopback. */
async function startServer() {
  const port = await freePort()
  const env = cleanEnv({ PORT: String(port) })
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    if (said.includes(`port ${port}`)) break
  }
  child.stderr.resume()
  return { url: `http://127.0.0.1:${port}/mcp`, host: `127.0.0.1:${port}`, stop: () => child.kill() }
}

async function connect(url, headers = {}) {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

async function timed(client) {
  const from = performance.now()
  const { content } = await client.callTool({ name: 'echo', arguments: { message: 'plum' } })
  if (!content[0].text.includes('plum')) throw new Error(`The tool answered ${JSON.stringify(content)}`)
  return performance.now() - from
}

await scratch(async (folder) => {
  const server = await startServer()
  const claude = `${root}templates/demo/claude-stand-in/claude`
  const daemon = await startDaemon(folder, { SVC_INTEGRATION_PRIVATE_HOSTS: server.host, SVC_CLAUDE_COMMAND: claude })
  try {
    const { headers } = await bootstrap(daemon.url)
    const api = async (method, path, body) => {
      const reply = await fetch(`${daemon.url}/api/v1${path}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`)
      return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
    }
    const crew = await api('POST', '/crews', { name: 'Bench', slug: 'bench', network_mode: 'free' })
    const agent = await api('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })
    await api('POST', '/integrations', { name: 'everything', endpoint: server.url })
    await api('POST', `/crews/${crew.id}/container-start`)
    const chat = await api('POST', `/agents/${agent.id}/chats`, { origin: 'CLI' })
    const say = 'run: printf "%s %s" "$SVC_SIDECAR_URL" "$SVC_AGENT_TOKEN" > way; mv way way.txt; exec sleep 600'
    await api('POST', `/chats/${chat.id}/messages`, { content: say })
    let way
    while (!way) way = await api('GET', `/agents/${agent.id}/files/download?path=way.txt`).catch(() => undefined)
    const [origin, key] = way.split(' ')

    const direct = await connect(server.url)
    const through = await connect(`${origin}/mcp/everything`, { authorization: `Bearer ${key}` })
    const [ours, limit] = [[], []]
    for (let round = -30; round < rounds; round++) {
      const [mine, bare] = [await timed(through), await timed(direct)]
      if (round < 0) continue
      ours.push(mine)
      limit.push(bare)
    }
    for (const p of [50, 99]) {
      const [mine, bare] = [percentile(ours, p), percentile(limit, p)]
      const ratio = mine / bare
      report({
        row: `a call of a tool through the gateway, p${p}`,
        ours: `${mine.toFixed(2)} ms`,
        limit: `${bare.toFixed(2)} ms`,
        ratio,
        target: '<= 1.50 and under 3 ms more',
        met: ratio <= 1.5 && mine - bare < 3,
        method: `echo of the reference server, ${rounds} calls in turn with direct ones, each journaled first`,
      })
    }
    await direct.close()
    await through.close()
  } finally {
    await daemon.stop()
    server.stop()
  }
})
