import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { App } from '#kernel/app'
import { patience } from '#kernel/patience'
import { refuseConnection } from '#kernel/refusal'
import { createExposed, type Exposed } from './proxy.ts'

/** Serves what stands behind capability URLs: beside everything else, or from a listener of its own. */
export async function exposePorts(app: App, tls: { cert: string; key: string } | undefined): Promise<{ close(): void }> {
  const exposed = createExposed(app)
  if (!app.config.exposedHost) {
    app.exposed = exposed.serve
    return exposed
  }
  const server = await listen(app, exposed, tls)
  app.exposedUrl = app.config.exposedUrl || addressOf(app, server, tls !== undefined)
  app.log.info({ url: app.exposedUrl }, 'Exposed ports have a listener of their own')
  return {
    close() {
      exposed.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A browser takes what is there for another site than the server's. */
async function listen({ config }: App, { serve }: Exposed, tls: { cert: string; key: string } | undefined): Promise<Server> {
  // Bodies may be as long as they like; the proxy knows when nothing comes any more.
  const options = { ...patience(config), requestTimeout: 0 }
  const server: Server = tls ? createTlsServer({ ...options, ...tls }, serve) : createServer(options, serve)
  server.on('clientError', refuseConnection)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.exposedPort, config.exposedHost, resolve))
  return server
}

function addressOf({ config }: App, server: Server, encrypted: boolean): string {
  const { port } = server.address() as AddressInfo
  const host = config.exposedHost.includes(':') ? `[${config.exposedHost}]` : config.exposedHost
  return `${encrypted ? 'https' : 'http'}://${host}:${port}`
}
