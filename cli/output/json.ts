import { cleanJson } from './clean.ts'
import type { Paint } from './theme.ts'

/** Indented JSON, coloured by `paint`; no character in it acts on a terminal. */
export function prettyJson(value: unknown, paint: Paint): string {
  const text = cleanJson(JSON.stringify(value, null, 2) ?? 'null')
  if (paint('bold', 'x') === 'x') return text
  return text.replace(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (match, string?: string, colon?: string) => {
    if (string && colon) return paint('cyan', string) + colon
    return paint(string ? 'green' : 'yellow', match)
  })
}

/** JSON on one line; no character in it acts on a terminal. */
export const compactJson = (value: unknown): string => cleanJson(JSON.stringify(value) ?? 'null')

export class UnknownField extends Error {
  readonly fields: string[]
  constructor(field: string, fields: string[]) {
    super(`There is no member "${field}"`)
    this.fields = fields
  }
}

/** Keeps the named members (`a` or `a.b`) of an object, or of each object of a list. Throws `UnknownField` for a name that none has. */
export function select(value: unknown, fields: readonly string[]): unknown {
  if (!fields.length) return value
  const rows = Array.isArray(value) ? value : [value]
  for (const field of fields) {
    if (rows.length && !rows.some((row) => has(row, field.split('.')))) throw new UnknownField(field, [...new Set(rows.flatMap(members))])
  }
  const kept = rows.map((row) => Object.fromEntries(fields.map((field) => [field, at(row, field.split('.')) ?? null])))
  return Array.isArray(value) ? kept : kept[0]
}

const members = (row: unknown): string[] => (typeof row === 'object' && row !== null ? Object.keys(row) : [])

const at = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>((it, name) => (typeof it === 'object' && it !== null ? (it as Record<string, unknown>)[name] : undefined), value)

const has = (value: unknown, path: string[]): boolean => at(value, path) !== undefined
