import { type Static, Type } from 'typebox'
import { nullable, Time } from './fields.ts'

/** Entries of one day and type that are, or would be, rolled up into one. */
export const Bucket = Type.Object({
  bucket_date: Type.String({ description: 'the UTC day' }),
  entry_type: Type.String(),
  count: Type.Integer(),
  bytes_sum: Type.Integer({ description: 'bytes of the entries as they were' }),
  first_ts: Type.String({ description: 'RFC 3339, milliseconds' }),
  last_ts: Type.String(),
})
export type Bucket = Static<typeof Bucket>

const RolledUp = Type.Object({
  ...Bucket.properties,
  entry_id: nullable(Type.String({ description: 'the entry that sums them up; null while they are taken out' })),
})

const Run = Type.Object({
  cutoff: Time,
  asked_by: nullable(Type.String({ description: 'a user; null of the daily one' })),
  entries_deleted: Type.Integer(),
  buckets_created: Type.Integer(),
  bytes_freed: Type.Integer(),
  begun_at: Time,
  ended_at: nullable(Time),
})

/** How long this workspace keeps entries in full, and what was rolled up. */
export const Compaction = Type.Object({
  retention_days: Type.Integer({ description: '0: for ever' }),
  cutoff: nullable(
    Type.String({ description: 'entries before it may be rolled up; null when they are kept for ever' }),
  ),
  entry_types: Type.Array(Type.String(), { description: 'those that are rolled up, from ten of a day on' }),
  compacted: Type.Integer({ description: 'entries that were rolled up so far' }),
  running: nullable(Run),
  last: nullable(Run),
  buckets: Type.Array(RolledUp, { description: 'the newest hundred' }),
})

/** What there is to be rolled up. */
export const Due = Type.Object({
  entries: Type.Integer(),
  bytes: Type.Integer(),
  buckets: Type.Array(Bucket, { description: 'the oldest thousand' }),
  more_buckets: Type.Integer({ description: 'those beyond a thousand' }),
})
export type Due = Static<typeof Due>

export const Compacting = Type.Object({ cutoff: Time, retention_days: Type.Integer(), ...Due.properties })
