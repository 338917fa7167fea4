/** Where requests go: a unix socket or a host. `key` is the canonical address that a stored token is bound to. */
export interface Target {
  key: string
  secure: boolean
  /** Path before /api/v1 when the server stands below one; else empty. */
  base: string
  socket?: string
  host?: string
  port?: number
}

/** Reads `http://host:port`, `https://host`, `unix:///path/to.sock`, or a bare `host:port`. Throws on anything else. */
export function parseTarget(address: string): Target {
  const text = address.trim()
  if (text.startsWith('unix:')) return socketTarget(text)
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`, address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`"${address}" is not an address of a server: use http://, https:// or unix://`)
  if (url.username || url.password)
    throw new TypeError('An address must not hold a user name or password: store a token with `muster login`')
  if (url.search || url.hash)
    throw new TypeError(`"${address}" is not an address of a server: it must not have a query or fragment`)
  const secure = url.protocol === 'https:'
  const base = url.pathname.replace(/\/+$/, '')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    key: `${url.protocol}//${url.host}${base}`,
    secure,
    base,
    host,
    port: url.port ? Number(url.port) : secure ? 443 : 80,
  }
}

function socketTarget(text: string): Target {
  const path = decodeURIComponent(text.slice('unix:'.length).replace(/^\/\/(?=\/)/, ''))
  if (!path.startsWith('/')) throw new TypeError(`"${text}" is not a socket: write unix:///absolute/path.sock`)
  return { key: `unix://${encodeURI(path)}`, secure: false, base: '', socket: path }
}

function parseUrl(text: string, shown: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new TypeError(`"${shown}" is not an address of a server`)
  }
}
