import { problem } from '../problem.ts'

/** Characters that turn the writing around, so that a name reads as another one. */
export const turning = /[\u202a-\u202e\u2066-\u2069]/gu

/** Whether there is anything to see of a text. */
export const isVisible = (text: string): boolean => /[^\p{Default_Ignorable_Code_Point}\p{C}\p{Z}]/u.test(text)

/**
 * Trimmed and in one Unicode form (NFC), so that names that look the same are the same; from `min` to `max` in the unit
 * given.
 */
export function cleanName(
  field: string,
  given: string,
  { min, max, unit }: { min: number; max: number; unit: 'characters' | 'bytes' },
): string {
  const name = given.normalize('NFC').trim()
  const size = unit === 'bytes' ? Buffer.byteLength(name) : [...name].length
  if (size < min || size > max)
    throw problem('invalid_field', { field, detail: `${field} must have ${min} to ${max} ${unit}` })
  if (name && !isVisible(name))
    throw problem('invalid_field', { field, detail: `${field} must have a character that can be seen` })
  if (name.search(turning) >= 0)
    throw problem('invalid_field', { field, detail: `${field} must not change the direction of writing` })
  return name
}

/** Null and blank text mean "none". */
export const blankToNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text

/**
 * Refuses members that the full contract has and this version does not. What asks for nothing passes: null, false, 0,
 * "",
 * [] and the member's own `neutral` value.
 */
export function refuseLater(body: object, names: readonly string[], neutral: Record<string, unknown> = {}): void {
  for (const name of names) {
    const value = (body as Record<string, unknown>)[name]
    if (!value || value === neutral[name] || (Array.isArray(value) && value.length === 0)) continue
    throw problem('invalid_field', { field: name, detail: `${name} is not supported by this version yet` })
  }
}

/** A change must name at least one member that the endpoint takes. */
export function requireSome(body: object, names: readonly string[]): void {
  if (!names.some((name) => (body as Record<string, unknown>)[name] !== undefined)) {
    throw problem('no_fields', { detail: `Name at least one of ${names.join(', ')}` })
  }
}

export interface Page {
  limit: number
  offset: number
}

/** The window of a list as docs/rules/http.md, "Pages of a list" reads it. */
export function pageOf(
  query: { limit?: number | string; offset?: number | string },
  { fallback = 100, max = 500 } = {},
): Page {
  const limit = whole(query.limit)
  const offset = whole(query.offset)
  return {
    limit: limit === null || limit <= 0 ? fallback : Math.min(limit, max),
    offset: offset === null || offset < 0 ? 0 : offset,
  }
}

function whole(given: number | string | undefined): number | null {
  const number =
    typeof given === 'number'
      ? given
      : given !== undefined && /^\s*[+-]?\d+\s*$/.test(given)
        ? Number(given)
        : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}
