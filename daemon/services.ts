import type { Server } from 'node:http'
import type { App } from '#kernel/app'

/** What works beside the requests: sockets, runtime, jobs. */
export interface Services {
  /** Lets a listening server upgrade connections. */
  attach(server: Server): void
  close(): Promise<void>
}

/** Starts everything that works beside the requests, in the order in which they need each other. */
export async function startServices(_app: App): Promise<Services> {
  return { attach: () => undefined, close: async () => undefined }
}
