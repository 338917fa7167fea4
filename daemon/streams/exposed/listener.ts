import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App } from '#kernel/app'
import { refuseConnection } from '#kernel/http/refusal'
import { createWebServer, type TlsFiles } from '#kernel/http/web-server'
import { createExposed, type Exposed, type Lookup } from './proxy.ts'

interface Exposing {
  /** The separate listener, if there is one. */
  server: Server | null
  close(): void
}

/** Serves capability URLs with the API's server, or from a separate listener. */
export async function exposePorts(app: App, targetOf: Lookup, tls: TlsFiles | undefined): Promise<Exposing> {
  const exposed = createExposed(app, targetOf)
  if (!app.config.exposedHost) {
    app.exposed = exposed.serve
    return { server: null, close: () => exposed.close() }
  }
  const server = await listen(app, exposed, tls)
  app.exposedUrl = app.config.exposedUrl || addressOf(app, server, tls !== undefined)
  app.log.info({ url: app.exposedUrl }, 'Exposed ports have a listener of their own')
  return {
    server,
    close() {
      exposed.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Listens on a separate address, which browsers treat as another origin. */
async function listen({ config }: App, { serve }: Exposed, tls: TlsFiles | undefined): Promise<Server> {
  const server = createWebServer(config, serve, tls).on('clientError', refuseConnection)
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(config.exposedPort, config.exposedHost, resolve),
  )
  return server
}

function addressOf({ config }: App, server: Server, encrypted: boolean): string {
  const { port } = server.address() as AddressInfo
  const host = config.exposedHost.includes(':') ? `[${config.exposedHost}]` : config.exposedHost
  return `${encrypted ? 'https' : 'http'}://${host}:${port}`
}
