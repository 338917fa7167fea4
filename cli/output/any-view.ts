import type { Cell, Columns } from './cell.ts'
import { compactJson } from './json.ts'
import type { View } from './printer.ts'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The name of something of any kind. */
export function nameOf(row: unknown): string {
  if (!isObject(row)) return String(row)
  const { slug, id, name } = row
  return String(slug ?? id ?? name ?? '')
}

/** Something of any kind by its own members. */
export function viewOf(rows: readonly unknown[]): View<unknown> {
  const names = [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))]
  const own = names.map((name) => [name.toUpperCase(), (row: unknown) => cellOf(isObject(row) ? row[name] : null)])
  const columns = Object.fromEntries(names.length ? own : [['VALUE', cellOf]]) as Columns<unknown>
  return { name: nameOf, columns }
}

const cellOf = (value: unknown): Cell => (isObject(value) ? compactJson(value) : (value as Cell))
