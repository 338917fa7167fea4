import { type Window, windowSize } from '../flags.ts'
import { InputError } from '../input.ts'
import { cleanLine } from '../output/clean.ts'
import { isWholeId } from '../output/short-id.ts'
import { distance } from '../resolve.ts'

/** Nothing has that name; `next` lists what there is. */
export class NotFound extends Error {
  readonly next: string
  constructor(noun: string, name: string, near: string | undefined, next: string) {
    super(`There is no ${noun} "${name}"${near ? `; did you mean "${near}"?` : '.'}`)
    this.next = next
  }
}

/** Things of one kind, and how people call them. */
export interface Kind<T extends { id: string }> {
  noun: string
  /** The command that lists them. */
  next: string
  rows: (window: Required<Window>) => Promise<T[]>
  names?: (row: T) => readonly string[]
  /** All ids that stand for it; its own unless given. */
  ids?: (row: T) => readonly string[]
  /** A whole id may be one of several, so it is looked up as well. */
  lookUpIds?: boolean
  /** Where there may be very many: how many of the newest are looked at. */
  most?: number
}

// Fewer letters would too often be meant as something else.
const shortest = 4

/**
 * Id of what somebody calls by its name, its id, or the beginning or end of its id that no other has. A whole id is
 * taken as it is: the server knows best whether it exists.
 */
export async function find<T extends { id: string }>(kind: Kind<T>, text: string): Promise<string> {
  if (isWholeId(text) && !kind.lookUpIds) return text
  const idsOf = kind.ids ?? (({ id }) => [id])
  const namesOf = kind.names ?? (() => [])
  const isNamed = (row: T) => namesOf(row).includes(text) || idsOf(row).includes(text)
  const rows = await rowsUntil(kind, isNamed)
  const named = rows.filter(isNamed)
  const begun = () =>
    text.length < shortest
      ? []
      : rows.filter((row) => idsOf(row).some((id) => id.startsWith(text) || id.endsWith(text)))
  const found = named.length ? named : begun()
  if (found.length > 1) throw ambiguous(kind, text, found)
  if (!found[0]) throw new NotFound(kind.noun, text, nearest(text, rows.flatMap(namesOf)), kind.next)
  return found[0].id
}

/** Page by page, no further than to the one that has that very name. */
async function rowsUntil<T extends { id: string }>(kind: Kind<T>, isNamed: (row: T) => boolean): Promise<T[]> {
  const rows: T[] = []
  for (;;) {
    const page = await kind.rows({ limit: windowSize, offset: rows.length })
    rows.push(...page)
    if (page.length < windowSize || rows.length >= (kind.most ?? Infinity) || page.some(isNamed)) return rows
  }
}

function ambiguous<T extends { id: string }>(kind: Kind<T>, text: string, found: T[]): InputError {
  const shown = found.slice(0, 10).map((row) => cleanLine([row.id, ...(kind.names?.(row) ?? [])].join(' ')))
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : ''
  return new InputError(
    `"${text}" stands for ${found.length} ${kind.noun}s: ${shown.join(', ')}${more}.`,
    'repeat with more of the id',
  )
}

/** The name that was most likely meant. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names.map((it) => ({ it, far: distance(it, name) })).sort((a, b) => a.far - b.far)[0]
  return near && near.far <= Math.max(1, name.length / 3) ? near.it : undefined
}
