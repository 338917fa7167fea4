import { expect, it } from 'vitest'
import type { Client } from '#client'
import type { Entry } from '#contract/entries'
import { between, newest } from '../../../cli/journal/past.ts'

/** A journal of so many entries, some of them in the same millisecond, that answers pages as the service does. */
function journalOf(count: number) {
  const all = Array.from(
    { length: count },
    (_, n) =>
      ({ id: `j_${String(n).padStart(6, '0')}`, ts: new Date(1000 * 60 + Math.floor(n / 3)).toISOString() }) as Entry,
  )
  let largest = 0
  interface Span {
    since?: string
    until?: string
  }
  const within = ({ since, until }: Span) =>
    all.filter(({ ts }) => (!since || ts >= since) && (!until || ts <= until)).reverse()
  const api = {
    journal: {
      count: async ({ query }: { query: Span }) => ({ total: within(query).length }),
      list: async ({ query }: { query: Span & { limit: number; cursor?: string } }) => {
        const rows = within(query)
        const from = Number(query.cursor ?? 0)
        const entries = rows.slice(from, from + query.limit)
        largest = Math.max(largest, query.limit)
        return {
          entries,
          count: entries.length,
          ...(rows.length > from + query.limit && { next_cursor: String(from + query.limit) }),
        }
      },
    },
  }
  return { api: api as unknown as Client, all, largest: () => largest }
}

it('tells a long span in order, each entry once, never holding much of it', async () => {
  const { api, all, largest } = journalOf(7000)
  const told: Entry[] = []
  for await (const entry of between(api, {}, 0, 10 * 60_000)) told.push(entry)
  expect(told.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  expect(largest()).toBeLessThanOrEqual(500)
})

it('tells all of one millisecond, however many', async () => {
  const { api, all } = journalOf(3)
  const told: string[] = []
  for await (const { id } of between(api, {}, 60_000, 60_000)) told.push(id)
  expect(told).toEqual(all.map(({ id }) => id))
})

it('gives the newest, oldest of them first, over as many pages as that takes', async () => {
  const { api, all } = journalOf(1200)
  expect((await newest(api, {}, 700)).map(({ id }) => id)).toEqual(all.slice(-700).map(({ id }) => id))
  expect(await newest(api, {}, 0)).toEqual([])
  expect(await newest(api, {}, 5000)).toHaveLength(1200)
})
