// What the benchmarks of the gateway to MCP servers have in common.
import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanEnv, root } from '../measure.mjs'

const everything = `${root}node_modules/@modelcontextprotocol/server-everything/dist/index.js`

const freePort = (host) =>
  new Promise((resolve) => {
    const server = createServer().listen(0, host, () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** The reference server, on loopback. */
export async function startReference() {
  const port = await freePort('127.0.0.1')
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

/** Asks a daemon as its first user. */
export function asking(url, headers) {
  return async (method, path, body) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`)
    return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
  }
}

/** In place of an agent's client: writes down where its tools are and under which key, and stays at work. */
export function idleClient(folder) {
  const file = join(folder, 'claude')
  writeFileSync(
    file,
    `#!/bin/sh
[ "$1" = --version ] && echo '0.0.0 (bench)' && exit
printf '%s %s' "$SVC_SIDECAR_URL" "$SVC_AGENT_TOKEN" > way
mv way way.txt
exec sleep 600
`,
  )
  chmodSync(file, 0o755)
  return file
}

/** Where an agent at work finds its tools, and its key. */
export async function wayOf(api, agentId) {
  for (;;) {
    const way = await api('GET', `/agents/${agentId}/files/download?path=way.txt`).catch(() => undefined)
    if (way) return way.split(' ')
    await pause(50)
  }
}

/** Puts an agent to work. */
export async function begin(api, agentId) {
  const chat = await api('POST', `/agents/${agentId}/chats`, { origin: 'CLI' })
  await api('POST', `/chats/${chat.id}/messages`, { content: 'Work' })
}

/** Milliseconds of processor time that a process has used. */
export function cpuOf(pid) {
  const used = (task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + used(task), 0) / 1e6
}
