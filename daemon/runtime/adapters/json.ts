/** Readers for JSON whose members cannot be trusted to have their types: a wrong one reads as absent. */

export type Json = Record<string, unknown>

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

export function string(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Null when the text is no JSON object. */
export function parseObject(text: string): Json | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    return object(JSON.parse(text))
  } catch {
    return null
  }
}
