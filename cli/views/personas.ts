import type { Reply } from '#contract/define'
import type { persona } from '#contract/persona'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Own = Reply<typeof persona.show>
type Shared = Reply<typeof persona.showCrew>
type Version = Reply<typeof persona.history>['entries'][number]

export const room = ({ bytes, cap_bytes }: { bytes: number; cap_bytes: number }) => `${bytes} of ${cap_bytes} bytes`

export const personaView: View<Own> = {
  name: ({ content }) => content,
  columns: {
    Written: ({ layer, from_default }) => (from_default ? 'nowhere: from name and role' : `for the ${layer}`),
    Length: room,
    Text: ({ content }) => content,
  },
}

export const crewPersonaView: View<Shared> = {
  name: ({ content }) => content,
  columns: {
    Written: ({ bytes }) => (bytes ? 'for the crew' : 'nowhere'),
    Length: room,
    Text: ({ content }) => content || null,
  },
}

export const versionView: View<Version> = {
  name: ({ sha256 }) => sha256,
  empty: 'Nobody has written one. Next: muster persona edit AGENT',
  columns: {
    ID: ({ id }) => id,
    HASH: ({ sha256 }) => sha256.slice(0, 12),
    BYTES: ({ bytes }) => bytes,
    BY: ({ written_by }) => written_by,
    AGE: ({ written_at }) => age(written_at),
  },
  wide: {
    REPLACED: ({ parent_sha }) => parent_sha?.slice(0, 12),
    WRITTEN: ({ written_at }) => when(written_at),
  },
}
