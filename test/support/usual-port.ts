import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Stands in for a daemon that happens to run on this machine: it listens on the usual port, answers as if all were
 * well, and no test may have asked it anything. A port that is taken is left alone.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const asked = new Set<string>()
  const server = createServer(({ method, url, headers }, reply) => {
    asked.add(`${method} ${url} from ${headers['user-agent'] ?? 'nobody'}`)
    reply.writeHead(200, { 'content-type': 'application/json' })
    reply.end(JSON.stringify({ status: 'ok', service: 'musterd', version: '9.8.7', uptime: 1, needs_bootstrap: false }))
  })
  server.listen(8080, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
  return async () => {
    server.closeAllConnections()
    server.close()
    if (asked.size) throw new Error(`Tests spoke to a daemon that is not theirs:\n${[...asked].join('\n')}`)
  }
}
