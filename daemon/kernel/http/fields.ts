import { problem } from '../problem.ts'

/** Bidirectional control characters, which can make a name read as another one. */
export const bidiControls = /[\u202a-\u202e\u2066-\u2069]/gu

/** Whether a text has a visible character. */
export const isVisible = (text: string): boolean => /[^\p{Default_Ignorable_Code_Point}\p{C}\p{Z}]/u.test(text)

/** Trims and normalizes a name (NFC), so that names that look the same are equal, and checks its size. */
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
    throw problem('invalid_field', { field, detail: `${field} must have a visible character` })
  if (name.search(bidiControls) >= 0)
    throw problem('invalid_field', { field, detail: `${field} must not change the direction of writing` })
  return name
}

/** Null and blank text mean "none". */
export const blankToNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text

/**
 * Refuses members of the full contract that this version does not support. Values that request nothing pass: null,
 * false, 0, "", [] and the member's own `neutral` value.
 */
export function refuseLater(body: object, names: readonly string[], neutral: Record<string, unknown> = {}): void {
  for (const name of names) {
    const value = (body as Record<string, unknown>)[name]
    if (!value || value === neutral[name] || (Array.isArray(value) && value.length === 0)) continue
    throw problem('invalid_field', { field: name, detail: `${name} is not supported by this version yet` })
  }
}

/** Refuses a change that names none of the members that the endpoint takes. */
export function requireSome(body: object, names: readonly string[]): void {
  if (!names.some((name) => (body as Record<string, unknown>)[name] !== undefined)) {
    throw problem('no_fields', { detail: `Name at least one of ${names.join(', ')}` })
  }
}

export interface Page {
  limit: number
  offset: number
}

/** The page of a list that a query asks for. docs/rules/http.md, "Pages of a list". */
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
