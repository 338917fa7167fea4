import { Type } from 'typebox'
import { Bucket } from '../journal-compaction.ts'
import { entry, type FactDefinition } from './define.ts'
import { quoted } from './quote.ts'

const Change = Type.Object({
  target_entry_id: Type.String(),
  target_entry_type: Type.String(),
  previous_priority: Type.String(),
  new_priority: Type.String(),
  reason: Type.String(),
})

const Sealing = Type.Object({
  entries: Type.Integer(),
  sealed: Type.Optional(Type.Integer({ description: 'The newest entry that was sealed before' })),
})

/** The part of the payload that the writer gives. */
const Losses = Type.Object({ entity_id: Type.String(), losses: Type.Array(Type.String()) })
const accepting = { action: 'accept_data_loss', entity_type: 'installation' } as const

const lossAccepted: FactDefinition<typeof Losses, 'audit.entity_restored'> = {
  type: 'audit.entity_restored',
  severity: 'warn',
  payload: Type.Object({
    action: Type.Literal(accepting.action),
    entity_type: Type.Literal(accepting.entity_type),
    ...Losses.properties,
  }) as unknown as typeof Losses,
  fixed: accepting,
  says: ({ losses }) => `Muster was started with --accept-data-loss despite ${losses.join(', ')}`,
}

const Cutoff = { cutoff: Type.String({ description: 'Entries before it' }) }

const Compacted = Type.Object({
  entries_deleted: Type.Integer(),
  buckets_created: Type.Integer(),
  bytes_freed: Type.Integer(),
  ...Cutoff,
})

const dayOf = (time: string) => time.slice(0, 10)

export const journalFacts = {
  'memory.priority_changed': entry(
    'memory.priority_changed',
    'notice',
    Change,
    ({ target_entry_type, previous_priority, new_priority, reason }, { actor }) => {
      const change = `from ${previous_priority} to ${new_priority}`
      const because = reason && `: ${quoted(reason)}`
      return `The priority of a journal entry (${target_entry_type}) was changed ${change} by ${actor}${because}`
    },
  ),
  'system.compaction': entry(
    'system.compaction',
    'info',
    Bucket,
    ({ count, entry_type, bucket_date }) => `${count} entries (${entry_type}) of ${bucket_date} were rolled up`,
  ),
  'journal.compaction_asked': entry(
    'system.compaction',
    'notice',
    Type.Object({ entries: Type.Integer(), ...Cutoff }),
    ({ entries, cutoff }, { actor }) =>
      `${actor} had the journal before ${dayOf(cutoff)} compacted: ${entries} entries are to be rolled up`,
  ),
  'journal.compacted': entry(
    'system.compaction',
    'notice',
    Compacted,
    ({ entries_deleted, buckets_created, cutoff }) =>
      `The journal before ${dayOf(cutoff)} was compacted: ${entries_deleted} entries became ${buckets_created}`,
  ),
  'journal.erasure_asked': entry(
    'journal.erasure',
    'notice',
    Type.Object({ erasure_id: Type.String(), user_id: Type.String(), reason: Type.String() }),
    ({ user_id, reason }, { actor }) =>
      `${actor} had erased what the journal says of user ${user_id}: ${quoted(reason)}`,
  ),
  'journal.erased': entry(
    'journal.erasure',
    'notice',
    Type.Object({
      erasure_id: Type.String(),
      user_id: Type.String(),
      entries: Type.Integer(),
      summaries_kept: Type.Integer(),
    }),
    ({ entries, user_id }) => `What ${entries} entries of the journal said of user ${user_id} was erased`,
  ),
  'installation.loss_accepted': lossAccepted,
  'system.migration': entry('system.migration', 'info', Sealing, ({ entries, sealed }) =>
    sealed === undefined
      ? `The journal is sealed from here on; the ${entries} entries before it were sealed as they were found`
      : `${entries} entries that had no seal, from entry ${sealed + 1} on, were sealed when Muster started`,
  ),
}
