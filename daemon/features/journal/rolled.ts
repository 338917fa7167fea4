import type { Entry } from '#contract/entries'
import type { Fault } from '#contract/journal'
import type { Db } from '#kernel/store/db'
import { compactedTypes } from './compaction/rules.ts'

/** What a walk has counted, by `day type`. */
export interface RolledState {
  found: Record<string, number>
  told: Record<string, number>
}

const summaryType = 'system.compaction'
const types = new Set<string>(compactedTypes)

/**
 * Holds the entries that left the journal against the entries that tell of them: nothing may leave that no summary
 * counts, or whoever can write to the database could hide an entry.
 */
export function createRolled(db: Db, ws: number, { found, told }: RolledState = { found: {}, told: {} }) {
  const typeOf = db
    .prepare<[number, string], number>('SELECT name FROM journal_names WHERE ws = ? AND text = ?')
    .pluck()
  const later = db
    .prepare<[number, number, number], string>(
      'SELECT doc FROM journal INDEXED BY journal_ws WHERE ws = ? AND seq > ? AND +type = ? ORDER BY seq',
    )
    .pluck()
  const open = db.prepare<[number], { day: string; type: string; entries: number }>(
    `SELECT r.day, n.text AS type, r.entries FROM journal_rollups r JOIN journal_names n ON n.name = r.type
      WHERE r.ws = ? AND r.summary IS NULL`,
  )
  const add = (counts: Record<string, number>, key: string, n: number) => {
    counts[key] = (counts[key] ?? 0) + n
  }

  function tell({ payload }: Entry): void {
    const { bucket_date, entry_type, count } = payload ?? {}
    if (typeof bucket_date === 'string' && typeof count === 'number') add(told, `${bucket_date} ${entry_type}`, count)
  }

  return {
    state: (): RolledState => ({ found, told }),
    /** An entry that is in the journal. */
    note(entry: Entry): void {
      if (entry.entry_type === summaryType) tell(entry)
    },
    /** An entry that left it; says what is wrong with that. */
    gone({ entry_type, ts }: Entry): string | null {
      if (!types.has(entry_type)) return `it left the journal, which entries of the type ${entry_type} never do`
      add(found, `${ts.slice(0, 10)} ${entry_type}`, 1)
      return null
    },
    /** The day and type of which more entries are gone than the journal tells. */
    firstWrong(head: number): Fault | null {
      return db.transaction(() => {
        const type = typeOf.get(ws, summaryType)
        if (type !== undefined) for (const doc of later.all(ws, head, type)) tell(JSON.parse(doc) as Entry)
        for (const { day, type: name, entries } of open.all(ws)) add(told, `${day} ${name}`, entries)
        const key = Object.keys(found).find((it) => found[it]! > (told[it] ?? 0))
        if (!key) return null
        const [day, name] = key.split(' ')
        const reason = `${found[key]} entries of the type ${name} of ${day} left it, and it tells of ${told[key] ?? 0}`
        return { kind: 'rolled_up' as const, seq: null, id: null, reason }
      })()
    },
  }
}
