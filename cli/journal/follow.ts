import { setTimeout as pause } from 'node:timers/promises'
import { type Client, type Connection, locate, UnreachableError } from '#client'
import { events } from '#client/events'
import type { Entry } from '#contract/entries'
import { patiently } from '../patiently.ts'
import { newest, type Query } from './past.ts'

/** How long the server may be unreachable, in milliseconds. */
const patience = 60_000
const tryAgainMs = 500

export interface FollowOptions {
  /** Starts after this entry; with the newest one if null. */
  after: Entry | null
  /** Called when the connection is lost (with the reason) and when it is back (without). */
  onState(lost?: Error): void
}

/**
 * Entries as they are written, each once and in order, over any number of connections. Ids grow with every entry, so
 * what was passed on already is known by its id, and what is missing before the first entry of a new connection is
 * fetched.
 */
export async function* follow(
  api: Client,
  connection: Connection,
  query: Query,
  { after, onState }: FollowOptions,
): AsyncGenerator<Entry> {
  const { path } = locate('journal.stream', { query })
  let last = after
  let fresh = true
  let lostAt = 0
  const state = (lost?: Error) => {
    fresh = true
    onState(lost)
  }
  for (;;) {
    try {
      for await (const { data } of events(connection, path, {
        ...(last && { lastEventId: last.id }),
        onState: state,
      })) {
        const entry = JSON.parse(data) as Entry
        if (last && entry.id <= last.id) continue
        if (fresh && last) for (const missed of await missing(api, query, last, entry)) yield missed
        fresh = false
        last = entry
        yield entry
      }
      return
    } catch (error) {
      // Only a first connection fails for good, and the daemon may have been restarted just before it.
      lostAt ||= Date.now()
      if (!(error instanceof UnreachableError) || Date.now() - lostAt > patience) throw error
      state(error)
      await pause(tryAgainMs)
    }
  }
}

/** What stands between two entries: after a long absence the service sends the newest 500 of those that were missed. */
async function missing(api: Client, query: Query, last: Entry, next: Entry): Promise<Entry[]> {
  const within = { ...query, since: last.ts, until: next.ts }
  const { total } = await patiently(() => api.journal.count({ query: within }), patience)
  // The next entry itself is one of them.
  if (total <= 1) return []
  const entries = await patiently(() => newest(api, within, Number.POSITIVE_INFINITY), patience)
  return entries.filter(({ id }) => id > last.id && id < next.id)
}
