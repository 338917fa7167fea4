import { setImmediate as turn } from 'node:timers/promises'
import type { Bucket, Due } from '#contract/journal-compaction'
import type { Range } from '#kernel/journal/timeline'
import type { Db } from '#kernel/store/db'
import { ofType } from './queries.ts'
import { dayOf, smallestGroup } from './rules.ts'

/** What is to be counted, on a reading thread. */
export interface DueQuestion {
  types: { type: number; name: string }[]
  ranges: Range[]
}

interface Row {
  seq: number
  ts: number
  bytes: number
}

/** Entries counted before other work goes on. */
const slice = 2_000
const mostBuckets = 1_000

/** Counts what a compaction would roll up. */
export async function countDue(db: Db, { types, ranges }: DueQuestion): Promise<Due> {
  const rows = db.prepare<{ type: number; after: number; upTo: number; limit: number }, Row>(
    `SELECT seq, ts, octet_length(doc) AS bytes ${ofType} ORDER BY seq LIMIT @limit`,
  )
  const buckets: Bucket[] = []
  for (const { type, name } of types) {
    const days = new Map<string, Bucket>()
    for (const { after, upTo } of ranges)
      for (let from = after; ; ) {
        const found = rows.all({ type, after: from, upTo, limit: slice })
        for (const row of found) add(days, name, row)
        if (found.length < slice) break
        from = found.at(-1)!.seq
        await turn()
      }
    buckets.push(...[...days.values()].filter(({ count }) => count >= smallestGroup))
  }
  buckets.sort((a, b) => a.bucket_date.localeCompare(b.bucket_date) || a.entry_type.localeCompare(b.entry_type))
  const sum = (of: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + of(bucket), 0)
  return {
    entries: sum(({ count }) => count),
    bytes: sum(({ bytes_sum }) => bytes_sum),
    buckets: buckets.slice(0, mostBuckets),
    more_buckets: Math.max(0, buckets.length - mostBuckets),
  }
}

function add(days: Map<string, Bucket>, entry_type: string, { ts, bytes }: Row): void {
  const time = new Date(ts).toISOString()
  const day = dayOf(ts)
  const known = days.get(day)
  if (!known) {
    days.set(day, { bucket_date: day, entry_type, count: 1, bytes_sum: bytes, first_ts: time, last_ts: time })
    return
  }
  known.count++
  known.bytes_sum += bytes
  if (time < known.first_ts) known.first_ts = time
  if (time > known.last_ts) known.last_ts = time
}
