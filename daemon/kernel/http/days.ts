import { problem } from '../problem.ts'
import { blankToNull } from './fields.ts'

/** The day that a member of a body names, as `2026-01-31`; null for none, `before` where the body does not name it. */
export function dayOf(field: string, given: string | null | undefined, before: string | null): string | null {
  if (given === undefined) return before
  const text = blankToNull(given)
  if (text === null) return null
  const day = text.slice(0, 10)
  const time = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day)
    throw problem('invalid_field', { field, detail: `${field} must be a day such as 2026-01-31` })
  return day
}
