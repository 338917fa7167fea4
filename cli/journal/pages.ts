import type { Client } from '#client'
import type { Entry } from '#contract/entries'
import { windowSize } from '../flags.ts'

type Query = NonNullable<Parameters<Client['journal']['list']>[0]>['query']

interface Page {
  entries: Entry[]
  /** There are further ones. */
  more: boolean
}

/** Entries from the newest on, as many as there may be; the usual number when nothing is said. */
export async function* pages(
  api: Client,
  query: Query,
  { limit, all }: { limit?: number | undefined; all?: boolean | undefined },
): AsyncGenerator<Page> {
  let rest = all ? Infinity : limit
  let cursor: string | undefined
  do {
    const size = rest === undefined ? undefined : Math.min(rest, windowSize)
    const page = await api.journal.list({ query: { ...query, limit: size, cursor } })
    const entries = page.entries.slice(0, size)
    cursor = page.next_cursor
    if (rest !== undefined) rest -= entries.length
    yield { entries, more: cursor !== undefined }
  } while (cursor && rest)
}
