import type { Payload } from '#contract/entries'
import { named, quoted } from '#contract/entries/quote'
import { problem } from '#kernel/problem'

/** What could move a cursor, end a line or change the direction of writing, and halves of characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const longestPath = 1000

/** A path as people may see it. Agents choose it. */
export const shownPath = (path: string): string => path.replace(unseen, '\ufffd').slice(0, longestPath)

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i

/** The moment that `since` names, as rows are dated; the beginning when there is none. */
export function sinceOf(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  const at = time.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw problem('invalid_field', { field: 'since', detail: 'since must be a time such as 2026-01-31T12:00:00Z' })
  return new Date(at).toISOString()
}

/** A path as agents need it: whole, where it holds nothing but what paths usually hold. */
const cited = (path: string): string => (/^[\w./@+-]+$/.test(path) ? `"${path}"` : quoted(path))

/** What an agent is told of a collision; null of those that were only counted, since one of the runs is over then. */
export function noteFor(
  { kind, path, repository = '', branch = '', certain, first, second }: Payload<'files.collision'>,
  reader: 'first' | 'second',
): string | null {
  if (kind === 'more') return null
  const other = reader === 'first' ? second : first
  const who = `${named(other.agent_name)} (@${other.agent_slug})${certain ? '' : ' probably'}`
  const when = `at ${other.at.slice(11, 16)} UTC`
  const ask = `or ask @${other.agent_slug} with the tool query`
  if (kind === 'file')
    return `${who} wrote ${cited(path)} ${when} while you work on it too: read it again before you write it, ${ask}.`
  const place = `the git repository ${cited(repository)}`
  return kind === 'git_index'
    ? `${who} changed the index of ${place} ${when}, which you changed too: see with git status what is staged ` +
        `before you commit, ${ask}.`
    : `${who} changed ${cited(branch)} of ${place} ${when}, which you changed too: see with git log what is there ` +
        `before you go on, ${ask}.`
}
