import type { Reply } from '#contract/define'
import type { runReceipts } from '#contract/run-receipts'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import type { Claims } from '../receipts/claims.ts'
import type { Compared } from '../receipts/compare.ts'

type Key = Reply<typeof runReceipts.receiptKeys>[number]

export const receiptKeyView: View<Key> = {
  name: ({ keyid }) => keyid,
  empty: 'There are no keys.',
  columns: {
    ID: ({ keyid }) => keyid,
    CURRENT: ({ current }) => (current ? 'yes' : 'no'),
    AGE: ({ added_at }) => age(added_at),
  },
}

/** What `muster runs verify` found. */
export interface Verified {
  valid: boolean
  /** Why it is not to be believed; null when it is. */
  reason: string | null
  keyid: string
  claims: Claims | null
  subjects: { name: string; sha256: string; kind: string }[]
  compared: Compared[]
}

const called = (who: { id: string; name: string | null } | null): string | null => who && (who.name ?? who.id)

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

const filesOf = ({ files }: Claims): string =>
  [
    `${counted(files.listed, 'file', 'files')} changed in ${files.folders.join(', ') || 'no folder'}`,
    ...(files.complete ? [] : [`not all may be listed (${files.gaps.join(', ').replaceAll('_', ' ')})`]),
    ...(files.other_runs.length ? [`beside ${counted(files.other_runs.length, 'other run', 'other runs')}`] : []),
  ].join('; ')

const words: Record<Compared['status'], string> = {
  same: 'as it was',
  differs: 'DIFFERS',
  missing: 'MISSING',
  elsewhere: 'is in another folder, not compared',
}

export const verifiedView: View<Verified> = {
  name: ({ valid }) => (valid ? 'valid' : 'invalid'),
  columns: {
    Receipt: ({ valid, reason }) =>
      valid
        ? { text: 'valid: signed with this key, and not altered since', value: 'valid', tone: 'green' }
        : { text: `NOT valid: ${reason}`, value: 'invalid', tone: 'red' },
    Key: ({ keyid }) => keyid,
    Run: ({ claims }) => claims?.run.id,
    Status: ({ claims }) => claims?.run.status,
    Agent: ({ claims }) => claims && `${claims.agent.name} (@${claims.agent.slug})`,
    'Asked by': ({ claims }) => claims && called(claims.requested_by),
    'Delegated by': ({ claims }) => claims?.delegated_by.map((it) => `@${it.agent_slug}`).join(', '),
    Client: ({ claims }) => claims?.programs.at(-1)?.adapter,
    Version: ({ claims }) => claims?.client.version,
    Model: ({ claims }) => claims && (claims.client.model ?? claims.programs.at(-1)?.model),
    Image: ({ claims }) => claims?.programs.at(-1)?.image?.id,
    Started: ({ claims }) => claims && when(claims.run.started_at),
    Finished: ({ claims }) => claims && when(claims.run.finished_at),
    Issued: ({ claims }) => claims && when(claims.issued_at),
    Files: ({ claims }) => claims && filesOf(claims),
    Decisions: ({ claims }) =>
      claims?.decisions
        .map((it) => `${it.kind} ${it.outcome ?? it.state}${it.settled_by ? ` by ${called(it.settled_by)}` : ''}`)
        .join(', '),
    Journal: ({ claims }) =>
      claims &&
      `entries ${claims.journal.first.id} to ${claims.journal.last?.id ?? '?'} of ${claims.journal.head.entries}`,
  },
  below: ({ valid, subjects, compared }) =>
    [
      ...(subjects.length ? ['It speaks of'] : []),
      ...subjects.map(({ name, sha256 }) => `  ${sha256}  ${JSON.stringify(name).slice(1, -1)}`),
      ...(compared.length ? ['', 'Compared with files here'] : []),
      ...compared.map(({ name, status }) => `  ${JSON.stringify(name).slice(1, -1)}: ${words[status]}`),
      ...(valid
        ? ['', 'Verified is who signed it. What it says of the run is what that server knew: docs/receipts.md']
        : []),
    ].join('\n'),
}
