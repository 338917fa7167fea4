import type { Server } from 'node:http'
import type { App } from '#kernel/app'
import { eraseOldValues } from './jobs/old-values.ts'
import { watchTokenExpiry } from './jobs/token-expiry.ts'
import { createSockets } from './streams/ws.ts'

/** What works beside the requests: sockets, runtime, jobs. */
export interface Services {
  /** Lets a listening server upgrade connections. */
  attach(server: Server): void
  close(): Promise<void>
}

/** Starts everything that works beside the requests, in the order in which they need each other. */
export async function startServices(app: App): Promise<Services> {
  const oldValues = eraseOldValues(app)
  const tokenExpiry = watchTokenExpiry(app)
  const sockets = createSockets(app)
  return {
    attach: (server) => sockets.attach(server),
    async close() {
      sockets.close()
      tokenExpiry.close()
      oldValues.close()
    },
  }
}
