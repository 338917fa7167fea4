import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { ending } from './endings.ts'

const program = new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url)

/** The arguments with which node runs the reference MCP server over standard streams. */
export const everythingArgs = [program.pathname, 'stdio']

/** The reference MCP server over streamable HTTP, a process on loopback; it ends with the test, or as `when` says. */
export async function everythingServer(when = ending): Promise<{ url: string; host: string }> {
  const port = await freePort()
  const child = spawn(process.execPath, [program.pathname, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  when(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let said = ''
  for await (const chunk of child.stderr) {
    said += String(chunk)
    if (said.includes(`port ${port}`)) break
  }
  if (child.exitCode !== null) throw new Error(`The server ended: ${said}`)
  return { url: `http://127.0.0.1:${port}/mcp`, host: `127.0.0.1:${port}` }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
