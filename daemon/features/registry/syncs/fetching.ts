import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { readServer } from '../rules.ts'
import { keepServers, mostServers } from '../service.ts'

const pageSize = 100
const mostPages = 2 * (mostServers / pageSize)
const pageBytes = 4 * 1024 * 1024
const pageMs = 20_000
const wholeMs = 15 * 60_000

/** Fetches all pages of the registry and stores each as it comes. Throws for a registry that cannot be used. */
export async function fetchRegistry(app: App): Promise<number> {
  const signal = AbortSignal.any([AbortSignal.timeout(wholeMs), app.stopping.signal])
  const seen = new Set<string>()
  let servers = 0
  let cursor: string | null = ''
  while (cursor !== null && !seen.has(cursor) && seen.size < mostPages) {
    seen.add(cursor)
    const page = await fetchPage(app, cursor, signal)
    const read = page.servers.slice(0, pageSize).map(readServer)
    const told = read.flatMap((it) => (it && 'told' in it ? [it.told] : []))
    const gone = read.flatMap((it) => (it && 'gone' in it ? [it.gone] : []))
    await untilWritten(app, () => keepServers(app, told, gone))
    servers += told.length
    cursor = page.next
  }
  return servers
}

async function fetchPage(app: App, cursor: string, signal: AbortSignal) {
  const url = new URL(`${app.config.registryUrl.replace(/\/+$/, '')}/v0/servers`)
  url.searchParams.set('limit', String(pageSize))
  if (cursor) url.searchParams.set('cursor', cursor)
  const { status, text } = await app.outbound.send(url.href, {
    operator: true,
    timeoutMs: pageMs,
    maxBytes: pageBytes,
    signal,
    headers: { accept: 'application/json' },
  })
  if (status !== 200) throw new Error(`The registry answered ${status}`)
  const { servers, metadata } = pageIn(text)
  if (!Array.isArray(servers)) throw new Error('The registry answered without a list of servers')
  const next = metadata?.nextCursor
  return { servers: servers as unknown[], next: typeof next === 'string' && next && next.length <= 1000 ? next : null }
}

/** What an answer holds; nothing when it is no JSON, of which nothing is quoted. */
function pageIn(text: string): { servers?: unknown; metadata?: { nextCursor?: unknown } | null } {
  try {
    return (JSON.parse(text) as object | null) ?? {}
  } catch {
    return {}
  }
}
