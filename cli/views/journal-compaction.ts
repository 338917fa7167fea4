import type { Static } from 'typebox'
import type { Bucket, Compacting, Compaction } from '#contract/journal-compaction'
import type { Erasure } from '#contract/journal-erasure'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Shown = Static<typeof Compaction>
type Run = NonNullable<Shown['last']>

const buckets = (rows: readonly Bucket[]): string =>
  rows.map((it) => `  ${it.bucket_date}  ${it.entry_type}  ${entries(it.count)}, ${it.bytes_sum} bytes`).join('\n')

const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`

/** What is to be rolled up. */
export const compactingView: View<Static<typeof Compacting>> = {
  name: ({ entries }) => String(entries),
  columns: {
    Before: ({ cutoff }) => when(cutoff),
    Entries: ({ entries }) => entries,
    Bytes: ({ bytes }) => bytes,
    'Become entries': ({ buckets, more_buckets }) => buckets.length + more_buckets,
  },
  below: ({ buckets: rows, more_buckets }) =>
    [buckets(rows), more_buckets ? `  and ${more_buckets} more days and types` : ''].filter(Boolean).join('\n'),
}

const told = (run: Run | null) =>
  run && {
    text: `${entries(run.entries_deleted)} became ${run.buckets_created}, ${run.bytes_freed} bytes`,
    value: run.entries_deleted,
  }

export const compactionView: View<Shown> = {
  name: ({ compacted }) => String(compacted),
  columns: {
    'In full for': ({ retention_days: days }) => (days === 0 ? 'ever' : `${days} days`),
    'Rolled up before': ({ cutoff }) => when(cutoff),
    Types: ({ entry_types }) => entry_types.join(','),
    'Rolled up': ({ compacted }) => compacted,
    Running: ({ running }) => told(running),
    Last: ({ last }) => told(last),
    'Last ended': ({ last }) => when(last?.ended_at ?? null),
  },
  below: ({ buckets: rows }) => (rows.length ? `Newest\n${buckets(rows)}` : ''),
}

export const erasureView: View<Static<typeof Erasure>> = {
  name: ({ id }) => id,
  empty: 'Nothing that the journal says of people was erased.',
  columns: {
    ID: ({ id }) => id,
    USER: ({ user_id }) => user_id,
    STATUS: ({ status, looked_through }) =>
      status === 'done' ? word(status) : { text: `${Math.round(looked_through * 100)} %`, value: status },
    ENTRIES: ({ entries }) => entries,
    REASON: ({ reason }) => reason,
    AGE: ({ begun_at }) => age(begun_at),
  },
  wide: { 'ASKED-BY': ({ asked_by }) => asked_by, 'SUMMARIES-KEPT': ({ summaries_kept }) => summaries_kept },
}
