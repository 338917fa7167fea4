import { problem } from '#kernel/problem'

/** What the JSON text of a member holds. */
export function parseText(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw problem('invalid_field', { field, detail: `${field} must be JSON` })
  }
}

/** The object that the JSON text of a member holds. */
export function parseObject(field: string, text: string): Record<string, unknown> {
  const value = parseText(field, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problem('invalid_field', { field, detail: `${field} must be a JSON object` })
  return value as Record<string, unknown>
}
