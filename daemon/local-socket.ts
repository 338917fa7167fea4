import { rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#kernel/config'
import { refuseConnection } from '#kernel/http/refusal'
import { createWebServer } from '#kernel/http/web-server'

/** Listens on a Unix socket that only the daemon's user can open. */
export async function listenLocally(config: Config, http: FastifyInstance, path: string): Promise<Server> {
  rmSync(path, { force: true })
  const server = createWebServer(config, (request, response) => http.routing(request, response)).on(
    'clientError',
    refuseConnection,
  )
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  } finally {
    process.umask(before)
  }
  return server
}
