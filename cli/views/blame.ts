import type { blame } from '#contract/blame'
import type { Reply } from '#contract/define'
import { when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Blame = Reply<typeof blame.show>
type Version = Blame['versions'][number]
type Run = NonNullable<Version['run']>

/** A line of a file, and where it comes from. */
export interface BlamedLine {
  line: number
  text: string
  certain: boolean
  /** Null for what is not on record. */
  version: Version | null
}

/** The lines of a file one by one. */
export const linesOf = ({ hunks, versions }: Blame): BlamedLine[] =>
  hunks.flatMap(({ from, version, certain, lines }) =>
    lines.map((text, at) => ({
      line: from + at,
      text,
      certain,
      version: version === null ? null : (versions[version] ?? null),
    })),
  )

/** Who brought a line, in a word: the agent, or the person who saved it. */
function by({ version, certain }: BlamedLine): string | null {
  if (!version) return null
  const who = version.run?.agent_slug ?? version.person?.name ?? version.person?.id ?? 'a run that is gone'
  return `${who}${certain ? '' : '?'}${version.first ? ' or before' : ''}`
}

export const blamedLineView: View<BlamedLine> = {
  name: ({ line }) => String(line),
  empty: 'The file has no lines.',
  columns: {
    LINE: ({ line }) => line,
    BY: (line) => word(by(line)),
    AT: ({ version }) => version && when(version.at),
    TEXT: ({ text }) => ({ text, code: true }),
  },
  wide: { RUN: ({ version }) => version?.run?.id ?? null },
}

const person = (who: { id: string; name: string | null } | null): string | null => who && (who.name ?? who.id)
const quoted = (text: string | null) => text && `"${text.replace(/\s+/g, ' ').trim()}"`

/** How the agent came to write it: each request, the nearest first. */
const requests = ({ asked, requested_by, delegated_by }: Run): string[] =>
  [
    { who: person(requested_by), asked },
    ...delegated_by.map((it) => ({ who: person(it.requested_by) ?? it.agent_slug, asked: it.asked })),
  ].map(({ who, asked }) => `- ${who ?? 'nobody'}: ${quoted(asked) ?? 'what you may not read'}`)

const decided = ({ decisions }: Run): string[] =>
  decisions.map(({ kind, asked, outcome, state, settled_by }) => {
    const how = `${(outcome ?? state).toLowerCase()} by ${person(settled_by) ?? 'nobody'}`
    return `- ${how}: ${kind.replaceAll('_', ' ')} ${quoted(asked) ?? ''}`.trimEnd()
  })

function below({ version }: BlamedLine): string {
  if (!version) return 'Changed since what is on record. What a run writes is on record once the run is over.'
  const { run } = version
  if (!run) return ''
  return [
    'Asked for:',
    ...requests(run),
    ...(run.decisions.length ? ['Decided on the way:', ...decided(run)] : []),
    `Next: ${run.entry_id ? `muster journal show ${run.entry_id}, ` : ''}muster runs show ${run.id}`,
  ].join('\n')
}

/** One line, with all that led to it. */
export const blamedView: View<BlamedLine> = {
  ...blamedLineView,
  detail: {
    Line: ({ line }) => line,
    Text: ({ text }) => ({ text, code: true }),
    By: (line) => word(by(line)),
    At: ({ version }) => version && when(version.at),
    Run: ({ version }) => version?.run?.id ?? null,
    Status: ({ version }) => version?.run?.status ?? null,
    Chat: ({ version }) => version?.run?.chat_id ?? null,
    Entry: ({ version }) => version?.run?.entry_id ?? null,
  },
  below,
}
