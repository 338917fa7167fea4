import type { App } from '#kernel/app'
import { isObject, type Members } from '#kernel/http/json-bounds'
import { OutboundError, type OutboundRequest } from '#kernel/outbound/outbound'
import { plainLine } from '#kernel/plain-line'
import { problem } from '#kernel/problem'
import { managedAddress } from '../../providers/managed.ts'

export interface Asked {
  method?: NonNullable<OutboundRequest['method']>
  path: string
  query?: Record<string, string | undefined>
  body?: object
}

const timeoutMs = 20_000
const maxBytes = 8 * 1024 * 1024

/** Where the provider answers, without a slash at the end. */
export const baseOf = ({ config }: App): string => (config.managedBaseUrl || managedAddress).replace(/\/+$/, '')

const unknown = () => problem('not_found', { detail: 'The provider knows no such thing' })

/** A part of a path at the provider. No id is a step to another part. */
export function part(id: string): string {
  if (id === '.' || id === '..') throw unknown()
  return encodeURIComponent(id)
}

/** An address at the provider, of a path whose parts are `part`s. */
export const addressAt = (app: App, path: string, query: Asked['query'] = {}): string => {
  const url = new URL(`${baseOf(app)}${path}`)
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value)
  return url.href
}

/**
 * Asks the provider, and nobody else: redirects are not followed. Throws `managed_failed` with one line of what went
 * wrong, without the key; `not_found` for what it does not know.
 */
export async function ask(app: App, key: string, { method = 'GET', path, query, body }: Asked): Promise<Members> {
  const failed = (cause: string) => {
    const line = plainLine(cause.replaceAll(key, '***'))
    return problem('managed_failed', { detail: `The provider could not be used: ${line}` })
  }
  let reply: Awaited<ReturnType<App['outbound']['send']>>
  try {
    reply = await app.outbound.send(addressAt(app, path, query), {
      method,
      operator: app.config.managedBaseUrl !== '',
      timeoutMs,
      maxBytes,
      signal: app.stopping.signal,
      headers: { 'x-api-key': key, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    if (error instanceof OutboundError) throw failed(error.message)
    throw error
  }
  const { status, text } = reply
  const read = membersIn(text)
  if (status === 401 || status === 403)
    throw problem('managed_key_rejected', { detail: 'The provider refuses the key' })
  if (status === 404) throw unknown()
  if (status < 200 || status > 299) throw failed(`it answered ${status}${causeIn(read)}`)
  if (!read && status !== 204 && text.trim() !== '') throw failed('it answered without JSON')
  return read ?? {}
}

function membersIn(text: string): Members | null {
  try {
    const read: unknown = JSON.parse(text)
    return isObject(read) ? read : null
  } catch {
    return null
  }
}

function causeIn(read: Members | null): string {
  const { error, message } = read ?? {}
  const said = typeof error === 'object' && error !== null ? (error as Members)['message'] : (message ?? error)
  return typeof said === 'string' ? `: ${said}` : ''
}

const pageSize = 100
const mostPages = 20

/** All of a list, at most 2000. */
export async function askAll(app: App, key: string, { path, query = {} }: Asked): Promise<Members[]> {
  const found: Members[] = []
  let cursor = ''
  for (let page = 0; page < mostPages; page++) {
    const reply = await ask(app, key, { path, query: { ...query, limit: String(pageSize), cursor } })
    found.push(...itemsOf(reply))
    const next = reply['next_cursor']
    if (typeof next !== 'string' || !next || next === cursor) break
    cursor = next
  }
  return found
}

/** The objects of a list. */
export const itemsOf = ({ items }: Members): Members[] =>
  Array.isArray(items) ? items.filter((it) => typeof it === 'object' && it !== null) : []
