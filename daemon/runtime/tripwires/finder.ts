import type { Buffer } from 'node:buffer'
import { formsOf, searchFor } from '../adapters/secret-search.ts'

/** A decoy, as far as it is looked for. */
export interface Sought {
  id: string
  value: string
}

/** Looks for decoys, as they are and in the forms in which secrets travel. */
export interface Finder {
  /** The decoy that stands in a text, or null. */
  in(text: string): string | null
  /** For bytes that come in pieces: the decoy that is complete with this piece, or null. */
  stream(): (chunk: Buffer) => string | null
}

/** Stands for what was found; no text holds it by chance. */
const mark = '\u0000decoy\u0000'

/** Null where nothing is to be looked for. */
export function createFinder(sought: readonly Sought[]): Finder | null {
  if (sought.length === 0) return null
  const each = sought.map(({ id, value }) => ({ id, search: searchFor(formsOf(value)) }))
  const all = searchFor(sought.flatMap(({ value }) => formsOf(value)))
  const whose = (text: string) => each.find(({ search }) => search.replace(text, mark) !== text)?.id ?? null
  return {
    in: (text) => (all.replace(text, mark) === text ? null : whose(text)),
    stream() {
      let rest = ''
      return (chunk) => {
        // A decoy is of plain characters, which stand in bytes wherever these are cut.
        const text = rest + chunk.toString('latin1')
        const seen = all.advance(text, mark)
        rest = seen.rest
        return seen.done.includes(mark) ? whose(text) : null
      }
    },
  }
}
