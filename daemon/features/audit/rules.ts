import type { AuditSource } from '#contract/audit'
import { facts } from '#contract/entries'
import { problem } from '#kernel/problem'

/** What older clients call some kinds of things. */
const calledByClients: Readonly<Record<string, string>> = {
  workspace_member: 'WorkspaceMember',
  crew_connection: 'CREW_LINK',
}

/** What a kind of thing is called in answers. */
export const shownKind = (kind: string): string => calledByClients[kind] ?? kind.toUpperCase()

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Every kind of thing that the journal records changes of. */
const kinds: readonly string[] = [
  ...new Set(
    Object.values(facts).flatMap(({ fixed }: { fixed?: { entity_type?: string } }) =>
      fixed?.entity_type ? [fixed.entity_type] : [],
    ),
  ),
]

const byPlainName = new Map(
  kinds.flatMap((kind) => [
    [plain(kind), kind],
    [plain(shownKind(kind)), kind],
  ]),
)

/** The kind that is meant, in whatever case and with whatever between the words; refuses what there is not. */
export function kindOf(given: string): string {
  const kind = byPlainName.get(plain(given))
  if (!kind)
    throw problem('invalid_field', {
      field: 'entity_type',
      detail: `entity_type is one of ${kinds.map(shownKind).sort().join(', ')}`,
    })
  return kind
}

const ofCredentials = (kind: string): boolean => kind.startsWith('credential')
const ofCrews = (kind: string): boolean => /^(crew|agent|persona|peer_card)/.test(kind)

/** The kinds of things of a source. */
export const kindsOf = (source: AuditSource): string[] =>
  kinds.filter((kind) =>
    source === 'credentials'
      ? ofCredentials(kind)
      : source === 'crews'
        ? ofCrews(kind)
        : source === 'workspace' && !ofCredentials(kind) && !ofCrews(kind),
  )

const day = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000

/** The time that a day or a time means, in milliseconds: a day's beginning, or with `end` the beginning of the next. */
export function timeOf(field: string, given: string | undefined, end = false): number | null {
  if (!given) return null
  const at = Date.parse(given)
  if (Number.isNaN(at)) throw problem('invalid_field', { field, detail: `${field} is a day or a time, as 2026-11-26` })
  return end && day.test(given) ? at + dayMs : at
}
