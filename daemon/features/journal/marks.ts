import type { Entry, Priority } from '#contract/entries'
import type { Fault } from '#contract/journal'
import type { Db } from '#kernel/store/db'

interface Change {
  target: string
  previous: string
  priority: string
}

/** What a walk has found of priorities. */
export interface MarksState {
  written: [id: string, priority: Priority][]
  changes: Change[]
}

const changeType = 'memory.priority_changed'

/**
 * Checks the priority, the only member of entries that may change. Hashes do not cover it, but they cover the entries
 * that record its changes, with which priorities and ledger must agree.
 */
export function createMarks(db: Db, ws: number, from: MarksState = { written: [], changes: [] }) {
  const written = new Map<string, Priority>(from.written)
  const changes: Change[] = [...from.changes]
  const typeOf = db
    .prepare<[number, string], number>('SELECT name FROM journal_names WHERE ws = ? AND text = ?')
    .pluck()
  const later = db
    .prepare<[number, number, number], string>(
      'SELECT doc FROM journal INDEXED BY journal_ws WHERE ws = ? AND seq > ? AND type = ? ORDER BY seq',
    )
    .pluck()
  const ledger = db.prepare<[number], Change>(
    `SELECT j.id AS target, p.previous_priority AS previous, p.priority
      FROM journal_priorities p JOIN journal j ON j.seq = p.seq
     WHERE j.ws = ? ORDER BY p.change`,
  )
  const current = db.prepare<[string, number], { seq: number; priority: Priority }>(
    `SELECT seq, json_extract(doc, '$.priority') AS priority FROM journal WHERE id = ? AND ws = ?`,
  )

  function note(entry: Entry, priority: Priority): void {
    if (entry.priority !== 'normal' || priority !== 'normal') written.set(entry.id, priority)
    if (entry.entry_type === changeType) changes.push(changeOf(entry))
  }

  const wrong = (id: string): Fault => ({
    kind: 'columns',
    seq: current.get(id, ws)?.seq ?? null,
    id,
    reason: 'its priority does not follow from the recorded changes',
  })

  function firstWrong(head: number): Fault | null {
    const type = typeOf.get(ws, changeType)
    if (type !== undefined)
      for (const doc of later.all(ws, head, type)) changes.push(changeOf(JSON.parse(doc) as Entry))
    const held = ledger.all(ws)
    const astray = held.findIndex((row, at) => !sameChange(row, changes[at]))
    const odd = astray >= 0 ? (changes[astray] ?? held[astray]) : changes[held.length]
    if (odd) return wrong(odd.target)
    const told = new Map<string, string>()
    for (const { target, previous, priority } of held) {
      if ((told.get(target) ?? written.get(target) ?? 'normal') !== previous) return wrong(target)
      told.set(target, priority)
    }
    const astrays = [...new Set([...written.keys(), ...told.keys()])].filter(
      (id) => current.get(id, ws)?.priority !== (told.get(id) ?? written.get(id)),
    )
    return astrays.length ? wrong(astrays[0]!) : null
  }

  /** The priority that an entry had before its first change. */
  const first = db
    .prepare<[number], Priority>(
      'SELECT previous_priority FROM journal_priorities WHERE seq = ? ORDER BY change LIMIT 1',
    )
    .pluck()

  // In one transaction, since priorities may change during the walk.
  return {
    note,
    state: (): MarksState => ({ written: [...written], changes: [...changes] }),
    before: (seq: number) => first.get(seq),
    firstWrong: (head: number) => db.transaction(firstWrong)(head),
  }
}

/** The change that an entry records; an erased payload leaves only the id of the changed entry. */
const changeOf = ({ payload, refs }: Entry): Change => ({
  target: String(refs?.['parent_entry_id'] ?? ''),
  previous: String(payload?.['previous_priority'] ?? ''),
  priority: String(payload?.['new_priority'] ?? ''),
})

const sameChange = (a: Change, b: Change | undefined): boolean =>
  b !== undefined &&
  a.target === b.target &&
  (b.priority === '' || (a.previous === b.previous && a.priority === b.priority))
