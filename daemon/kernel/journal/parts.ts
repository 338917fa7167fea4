import type { Entry, Priority } from '#contract/entries'
import { covered, type Hashes, hashEntry, hashPart, type Rendered, render, type Scheme, split } from './chain.ts'

/** What of a stored entry its hash is computed from. */
export interface Hashed {
  doc: string
  scheme: number
  payload_hash: Buffer | null
  summary_hash: Buffer | null
  prev_hash: Buffer
  entry_hash: Buffer
}

/** An entry that holds: its parts, their hashes, and the priority that it was written with. */
export interface Parts extends Omit<Rendered, 'doc'> {
  hashes: Hashes
  written: Priority
}

/**
 * The parts of a stored entry; null when they do not give its hash. They are cut from the stored text, or taken from
 * the entry serialized again where the text cannot be split. `first` is the priority before the first change, if any.
 */
export function partsOf(row: Hashed, entry: Entry, first?: () => Priority | undefined): Parts | null {
  const scheme = row.scheme as Scheme
  const held = (parts: Omit<Rendered, 'doc'>, written: Priority): Parts | null => {
    const hashes = {
      prev: row.prev_hash,
      payload: row.payload_hash ?? hashPart(parts.payload),
      summary: scheme === 1 ? null : (row.summary_hash ?? hashPart(parts.summary)),
    }
    const { fixed, summary, payload } = parts
    const holds = hashEntry(hashes, covered(fixed, written)).equals(row.entry_hash)
    return holds ? { fixed, summary, payload, hashes, written } : null
  }
  const cut = split(row.doc, entry, scheme)
  const plain = cut && held(cut, 'normal')
  if (plain) return plain
  const anew = renderedAnew(entry, scheme)
  // A duplicate member would be read differently by other parsers.
  if (anew?.doc !== row.doc) return null
  for (const priority of ['normal', first?.() ?? entry.priority] as const) {
    const found = held(anew, priority)
    if (found) return found
  }
  return null
}

/** The entry serialized again; null when it is nested too deep, as no valid entry is. */
function renderedAnew(entry: Entry, scheme: Scheme): Rendered | null {
  try {
    return render(entry, scheme)
  } catch {
    return null
  }
}

/** The entry of a stored text; null when it is no JSON. */
export function parsed(doc: string): Entry | null {
  try {
    return JSON.parse(doc) as Entry
  } catch {
    return null
  }
}
