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
