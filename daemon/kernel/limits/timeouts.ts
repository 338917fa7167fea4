import type { ServerOptions } from 'node:https'
import type { Config } from '../config.ts'

/**
 * Timeouts of every listener: a TLS handshake and the head of each request must be complete within `headerTimeout`,
 * which includes the interval at which Node checks its connections.
 */
export function serverTimeouts({ headerTimeout }: Pick<Config, 'headerTimeout'>): ServerOptions {
  const allowed = headerTimeout * 1000
  const interval = Math.min(1000, allowed / 4)
  return { headersTimeout: allowed - interval, connectionsCheckingInterval: interval, handshakeTimeout: allowed }
}
