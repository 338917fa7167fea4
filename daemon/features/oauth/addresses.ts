import type { App } from '#kernel/app'
import type { Web } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { isLoopbackHost } from '#kernel/outbound/addresses'
import { problem } from '#kernel/problem'

const path = '/api/v1/oauth/callback'

/** Where browsers reach this server: its public address, else the one it listens at; no header of a proxy counts. */
function originOf({ config }: App, web: Web | undefined): string {
  if (config.publicUrl) return new URL(config.publicUrl).origin
  const scheme = config.tlsCert ? 'https' : 'http'
  const host = ['0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host
  if (config.port !== 0 || !web)
    return new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${config.port}`).origin
  return new URL(`${scheme}://${web.request.headers.host}`).origin
}

/** The address of this server that authorization servers send browsers back to. */
export const callbackOf = (app: App, web: Web | undefined): string => `${originOf(app, web)}${path}`

/** The address that a browser is to come back to: this server's, or a program on the person's own machine. */
export function redirectOf(app: App, web: Web | undefined, given: string | null | undefined): string {
  const own = callbackOf(app, web)
  const text = blankToNull(given)
  if (text === null || text === own) return own
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'http:' && isLoopbackHost(url.hostname) && !url.username && !url.password && !url.hash)
    return text
  throw problem('invalid_field', {
    field: 'redirect_uri',
    detail: `redirect_uri must be ${own}, or an address on 127.0.0.1 such as http://127.0.0.1:8765/callback`,
  })
}

/** The address under which this server says what it is as a client; null when others cannot read it. */
export function documentOf({ config }: App): string | null {
  return config.publicUrl.startsWith('https://')
    ? `${new URL(config.publicUrl).origin}/api/v1/oauth/client-metadata`
    : null
}
