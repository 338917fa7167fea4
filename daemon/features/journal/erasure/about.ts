import { setImmediate as turn } from 'node:timers/promises'
import type { Entry } from '#contract/entries'
import { parsed } from '#kernel/journal/parts'
import type { Db } from '#kernel/store/db'

/** Whose entries are looked for, from where to where, on a reading thread. */
export interface AboutQuestion {
  ws: number
  after: number
  upTo: number
  /** The person's number among the actors of the workspace. */
  actor: number | null
  /** What names the person: id, address, full name; in lower case. */
  names: string[]
  ms: number
}

export interface AboutAnswer {
  seqs: number[]
  /** How far the journal was looked through; null when that is its end. */
  reached: number | null
}

interface Row {
  seq: number
  actor: number | null
  doc: string
}

const slice = 200
const mostFound = 500

/** The names by which entries speak of a person. A name of one word is also a word, and is left out. */
export const namesOf = (id: string, { email, full_name }: { email: string; full_name: string | null }): string[] =>
  [id, email, ...(full_name && /\S\s+\S/.test(full_name.trim()) ? [full_name.trim()] : [])].map((name) =>
    name.toLowerCase(),
  )

/** Finds entries that a person caused or that speak of them, for about so many milliseconds. */
export async function findAbout(db: Db, { ws, after, upTo, actor, names, ms }: AboutQuestion): Promise<AboutAnswer> {
  const rows = db.prepare<[number, number, number, number], Row>(
    `SELECT seq, actor, doc FROM journal INDEXED BY journal_ws WHERE ws = ? AND seq > ? AND seq <= ?
      AND payload_hash IS NULL AND summary_hash IS NULL ORDER BY seq LIMIT ?`,
  )
  const until = performance.now() + ms
  const seqs: number[] = []
  for (let from = after; ; ) {
    const found = rows.all(ws, from, upTo, slice)
    for (const row of found) if (concerns(row, actor, names)) seqs.push(row.seq)
    if (found.length < slice) return { seqs, reached: null }
    from = found.at(-1)!.seq
    if (seqs.length >= mostFound || performance.now() > until) return { seqs, reached: from }
    await turn()
  }
}

/** Whether the person caused an entry, or what can be erased of it names them. What tells of erasures stays. */
function concerns(row: Row, actor: number | null, names: readonly string[]): boolean {
  const entry = parsed(row.doc)
  if (!entry || tellsOfErasure(entry)) return false
  return (actor !== null && row.actor === actor) || speaksOf(entry, names)
}

const tellsOfErasure = ({ entry_type, payload }: Entry): boolean =>
  entry_type === 'journal.erasure' || payload?.['entity_type'] === 'gdpr_action'

function speaksOf(entry: Entry, names: readonly string[]): boolean {
  const texts = [entry.summary, ...textsIn(entry.payload)].map((text) => text.toLowerCase())
  return texts.some((text) => names.some((name) => text.includes(name)))
}

/** Every text of a value, and every name of a member. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
}
