import type { Client } from '#client'
import type { HostReply } from '#contract/host'
import type { Gap, Proof } from '#contract/journal'
import { type Cell, human, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Anchor = Awaited<ReturnType<Client['journal']['anchor']>>
type Verdict = Awaited<ReturnType<Client['journal']['verify']>>

const proofs: Readonly<Record<Proof, string>> = {
  chain: 'no entry was changed, and none is missing between two others',
  columns: 'what lists are filtered by is what the entries say',
  order: 'ids grow from entry to entry',
  priorities: 'every priority has the recorded changes that led to it',
  roll_ups: 'every entry that left the journal is counted by the entry that sums it up',
  seal: 'up to the newest seal these are the entries that the daemon sealed',
  anchor: 'the journal holds everything that it held when the anchor was made',
}

const gaps: Readonly<Record<Gap, string>> = {
  unsealed: 'entries after the newest seal: the chain alone holds them',
  erased: 'what erased payloads and summaries said, also those of entries that were rolled up',
  key_holder: 'that nobody who holds the encryption key forged it',
  rollback:
    'that database and seals were not both put back to an earlier state, and written on from there: an anchor ' +
    'shows it, up to its entry',
  earlier: 'that what was passed before the interruption is still so: verify once more without --resume',
}

const lines = <T extends string>(heading: string, codes: readonly T[], words: Readonly<Record<T, string>>): string[] =>
  codes.length ? [heading, ...codes.map((code) => `  ${code.replaceAll('_', ' ')}: ${words[code]}`)] : []

const verdictCell = ({ valid }: Pick<Verdict, 'valid'>): Cell =>
  valid ? { text: 'intact', value: 'valid', tone: 'green' } : { text: 'broken', value: 'broken', tone: 'red' }

const faultCell = ({ broken }: Pick<Verdict, 'broken'>): Cell =>
  broken && {
    text: `${[broken.kind, broken.id].filter(Boolean).join(' ')}: ${broken.reason}`,
    value: broken.kind,
    tone: 'red',
  }

export const verdictView: View<Verdict> = {
  name: ({ valid }) => (valid ? 'valid' : 'broken'),
  columns: {
    Journal: (it) =>
      it.valid
        ? {
            text: `intact: ${it.entries} ${it.entries === 1 ? 'entry' : 'entries'} verified`,
            value: 'valid',
            tone: 'green',
          }
        : verdictCell(it),
    Entries: ({ entries }) => entries,
    Erased: ({ erased }) => erased || null,
    'Erased summaries': ({ erased_summaries }) => erased_summaries || null,
    'Rolled up': ({ compacted }) => compacted || null,
    Sealed: ({ sealed }) =>
      sealed && { text: `${sealed.entries} entries, ${human(when(sealed.at)).text}`, value: sealed.entries },
    'Passed before': ({ resumed }) =>
      resumed && { text: `${resumed.entries} entries, ${human(when(resumed.at)).text}`, value: resumed.entries },
    Newest: ({ head }) => head?.id,
    Hash: ({ head }) => head?.hash,
    Proven: ({ proven }) => proven.join(','),
    'Not proven': ({ not_proven }) => not_proven.join(','),
    'First broken': faultCell,
  },
  below: ({ proven, not_proven }) =>
    [...lines('Proven', proven, proofs), ...lines('Not proven', not_proven, gaps)].join('\n'),
}

/** Of one workspace of several. */
export const journalsView: View<HostReply<'verify-journal'>['journals'][number]> = {
  name: ({ workspace_id }) => workspace_id,
  empty: 'The journal is empty.',
  columns: {
    NAME: ({ slug, workspace_id }) => slug ?? workspace_id,
    JOURNAL: verdictCell,
    ENTRIES: ({ entries }) => entries,
    SEALED: ({ sealed }) => sealed?.entries ?? 0,
    'FIRST-BROKEN': faultCell,
  },
}

export const anchorView: View<Anchor> = {
  name: ({ anchor }) => anchor,
  columns: {
    Entries: ({ entries }) => entries,
    Newest: ({ head }) => head?.id,
    Hash: ({ head }) => head?.hash,
    At: ({ at }) => when(at),
    Installation: ({ installation }) => installation,
    Anchor: ({ anchor }) => anchor,
  },
}
