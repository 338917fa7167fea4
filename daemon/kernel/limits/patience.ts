import type { ServerOptions } from 'node:https'
import type { Config } from '../config.ts'

/**
 * How every listener treats clients that take their time: a TLS handshake, and the head of each request, have to be
 * there within
 * `headerTimeout`. Node looks at its connections in intervals, which are part of that time.
 */
export function patience({ headerTimeout }: Pick<Config, 'headerTimeout'>): ServerOptions {
  const allowed = headerTimeout * 1000
  const interval = Math.min(1000, allowed / 4)
  return { headersTimeout: allowed - interval, connectionsCheckingInterval: interval, handshakeTimeout: allowed }
}
