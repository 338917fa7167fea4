import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Config } from '../config.ts'
import { serverTimeouts } from '../limits/timeouts.ts'
import { limitPipelining } from './pipelining.ts'

export interface TlsFiles {
  cert: string
  key: string
}

/** Longer than the minute after which proxies close idle connections. */
const keepAliveMs = 72_000

/** Creates the server of a listener. There is no timeout for bodies here: handlers of requests set their own. */
export function createWebServer(config: Config, handle: RequestListener, tls?: TlsFiles): Server {
  const options = { ...serverTimeouts(config), keepAliveTimeout: keepAliveMs, requestTimeout: 0 }
  const server = tls ? createTlsServer({ ...options, ...tls }) : createServer(options)
  const limit = limitPipelining()
  return server.on('request', limit(handle)).on('checkExpectation', limit(refuseExpectation))
}

/** Node would answer by itself, as often as it is asked. */
const refuseExpectation: RequestListener = (_, response) => void response.writeHead(417).end()
