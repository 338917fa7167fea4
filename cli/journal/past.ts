import type { Client } from '#client'
import type { Entry } from '#contract/entries'

/** What chooses entries, as the service takes it. */
export type Query = Readonly<Record<string, string>>

const pageSize = 500
/** Entries that are held at once. */
const heldAtOnce = 2000

/** The newest `count` entries, oldest first. */
export async function newest(api: Client, query: Query, count: number): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; entries.length < count; ) {
    const page = await api.journal.list({
      query: { ...query, limit: Math.min(pageSize, count - entries.length), cursor },
    })
    entries.push(...(page.entries as Entry[]))
    cursor = page.next_cursor
    if (!cursor) break
  }
  return entries.reverse()
}

/**
 * Every entry of a span of time, oldest first. Pages come newest first, so a long span is
 * read in two halves, which bounds the memory used.
 */
export async function* between(api: Client, query: Query, since: number, until: number): AsyncGenerator<Entry> {
  const within = { ...query, since: new Date(since).toISOString(), until: new Date(until).toISOString() }
  const { total } = await api.journal.count({ query: within })
  if (total === 0) return
  if (total <= heldAtOnce || since >= until) return yield* await newest(api, within, Number.POSITIVE_INFINITY)
  const middle = Math.floor((since + until) / 2)
  yield* between(api, query, since, middle)
  yield* between(api, query, middle + 1, until)
}
