import { cleanJson } from './clean.ts'
import type { Paint } from './theme.ts'

/** Indented JSON, coloured by `paint`; no character in it acts on a terminal. */
export function prettyJson(value: unknown, paint: Paint): string {
  const text = cleanJson(JSON.stringify(value, null, 2) ?? 'null')
  if (paint('bold', 'x') === 'x') return text
  return text.replace(
    /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
    (match, string?: string, colon?: string) => {
      if (string && colon) return paint('cyan', string) + colon
      return paint(string ? 'green' : 'yellow', match)
    },
  )
}

/** JSON on one line; no character in it acts on a terminal. */
export const compactJson = (value: unknown): string => cleanJson(JSON.stringify(value) ?? 'null')

/** Keeps the named members (`a` or `a.b`) of an object, or of each object of a list; null stands for an absent one. */
export function select(value: unknown, fields: readonly string[]): unknown {
  if (!fields.length) return value
  const keep = (row: unknown) => Object.fromEntries(fields.map((field) => [field, at(row, field) ?? null]))
  return Array.isArray(value) ? value.map(keep) : keep(value)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The member that a path such as `a.b` leads to; undefined where there is none. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((it, name) => (isObject(it) && Object.hasOwn(it, name) ? it[name] : undefined), value)
