import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ending } from './endings.ts'

const program = `
const { createServer } = require('node:http')
const server = createServer(({ method, url, headers }, reply) => {
  console.log(JSON.stringify({ method, url, authorization: headers.authorization ?? null }))
  reply.writeHead(200, { 'content-type': 'application/json' })
  reply.end(JSON.stringify({ status: 'ok', version: '9.9.9', uptime: 1, needs_bootstrap: true }))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** Another program on this machine that answers everything with JSON, as a process of its own. */
export async function stranger(): Promise<{ port: number; process: ChildProcess; asked: unknown[] }> {
  const child = spawn(process.execPath, ['-e', program], {
    argv0: 'a-stranger',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  ending(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout! })
  const [first] = await once(lines, 'line')
  const asked: unknown[] = []
  lines.on('line', (line) => asked.push(JSON.parse(line)))
  return { port: Number(first), process: child, asked }
}
