import { fileOr, InputError, stdinText } from '../input.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export interface RawRequest {
  method: string
  path: string
  body?: unknown
}

export interface RawFlags {
  field?: string[]
  typed?: string[]
  input?: string
}

/**
 * What `muster api` is to send: the method may be left out, fields go to the query of a GET and to the JSON of others.
 */
export async function rawRequest(words: { method: string; path?: string }, flags: RawFlags): Promise<RawRequest> {
  const named = methods.includes(words.method.toUpperCase())
  if (named && words.path === undefined)
    throw new InputError(`${words.method.toUpperCase()} what? A path is missing.`, 'muster api GET /crews')
  if (!named && words.path !== undefined)
    throw new InputError(`"${words.method}" is not a method; use one of ${methods.join(', ')}.`)
  const fields = { ...fieldsOf(flags.field, (text) => text), ...fieldsOf(flags.typed, typed) }
  const hasFields = Object.keys(fields).length > 0
  if (hasFields && flags.input !== undefined)
    throw new InputError('--input is the whole body: fields cannot be added to it.')
  const method = named ? words.method.toUpperCase() : hasFields || flags.input !== undefined ? 'POST' : 'GET'
  const path = fullPath(named ? words.path! : words.method)
  if (flags.input !== undefined)
    return { method, path, body: Buffer.from(flags.input === '-' ? await stdinText() : fileOr(`@${flags.input}`)) }
  if (!hasFields) return { method, path }
  return method === 'GET' || method === 'HEAD'
    ? { method, path: withQuery(path, fields) }
    : { method, path, body: fields }
}

/** `/crews` and `crews` mean `/api/v1/crews`; paths from /api/ on, and those that stand alone, are kept. */
export function fullPath(path: string): string {
  if (/^[a-z]+:\/\//i.test(path))
    throw new InputError('Give a path, not an address: the server is chosen by --server.', 'muster api GET /crews')
  const rooted = path.startsWith('/') ? path : `/${path}`
  return /^\/(api\/|healthz|readyz|metrics|exposed\/|ws(?:$|\?))/.test(rooted) ? rooted : `/api/v1${rooted}`
}

/** The path with these added to its query; they replace what it had under the same names. */
export function withQuery(path: string, fields: Record<string, unknown>): string {
  const [bare = '', query = ''] = path.split('?')
  const search = new URLSearchParams(query)
  for (const [name, value] of Object.entries(fields))
    search.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return search.size ? `${bare}?${search}` : bare
}

function fieldsOf(pairs: string[] = [], read: (text: string) => unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new InputError(`"${pair}" is not a field: write name=value.`)
    fields[pair.slice(0, at)] = read(pair.slice(at + 1))
  }
  return fields
}

/**
 * Numbers, true, false, null, lists and objects by their JSON; `@file` is the text of a file; anything else is text.
 */
function typed(text: string): unknown {
  if (text.startsWith('@')) return fileOr(text)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
