import { type Db, withinChange } from '../store/db.ts'
import type { UndoLog } from './undo.ts'

/** Columns of a combination; 0 for none. */
export interface Parts {
  crew: number
  agent: number
  type: number
  severity: number
  actorType: number
}

/** A combination of columns that occurs in a workspace, with its number of entries and the seq of the newest. */
export interface Combo extends Parts {
  readonly combo: number
  readonly ws: number
  n: number
  last: number
}

/** Exact counts of all combinations of filterable columns, from which lists, counts and searches are planned. */
export interface Combos {
  /** Finds or creates a combination. */
  intern(ws: number, parts: Parts): Combo
  /** Counts a stored entry. The last entry of a block writes the block's totals. */
  count(combo: Combo, seq: number): void
  /** Removes the newest entry of a combination from its count; `before` is the previous value of `last`. */
  uncount(combo: Combo, before: number): void
  of(ws: number): readonly Combo[]
  /** Number of entries of a workspace. */
  total(ws: number): number
}

/** Number of entries in a block of totals. */
export const blockSize = 16_384

const keyOf = (it: Parts) => `${it.crew},${it.agent},${it.type},${it.severity},${it.actorType}`

/** Written member by member: there are several for each agent, and copies by `...` have a hidden class each. */
const comboOf = (combo: number, ws: number, parts: Parts, n: number, last: number): Combo => ({
  crew: parts.crew,
  agent: parts.agent,
  type: parts.type,
  severity: parts.severity,
  actorType: parts.actorType,
  ws,
  combo,
  n,
  last,
})

interface Held {
  byKey: Map<string, Combo>
  all: Combo[]
  total: number
}

/** Totals are kept in memory and written block by block, so that an append touches no row but its own. */
export function createCombos(db: Db, undo: UndoLog): Combos {
  const writing = (sql: string) => withinChange(db, db.prepare<number[]>(sql))
  const insert = writing(
    'INSERT INTO journal_combos (ws, crew, agent, type, severity, actor_type) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const save = writing('UPDATE journal_combos SET n = ?, last = ? WHERE combo = ?')
  const saveBlock = writing(
    `INSERT INTO journal_blocks (combo, block, n) VALUES (?, ?, ?)
     ON CONFLICT (combo, block) DO UPDATE SET n = excluded.n`,
  )
  const spaces = new Map<number, Held>()
  let block = new Map<Combo, number>()

  function space(ws: number): Held {
    const known = spaces.get(ws)
    if (known) return known
    const made: Held = { byKey: new Map(), all: [], total: 0 }
    spaces.set(ws, made)
    return made
  }

  function add(combo: Combo): Combo {
    const held = space(combo.ws)
    held.byKey.set(keyOf(combo), combo)
    held.all.push(combo)
    held.total += combo.n
    return combo
  }

  function tally(combo: Combo, seq: number): void {
    combo.n++
    combo.last = seq
    space(combo.ws).total++
    block.set(combo, (block.get(combo) ?? 0) + 1)
  }

  function load(): void {
    const rows = db
      .prepare<[], Combo>(
        'SELECT combo, ws, crew, agent, type, severity, actor_type AS actorType, n, last FROM journal_combos',
      )
      .all()
    const byNumber = new Map(rows.map((row) => [row.combo, add(comboOf(row.combo, row.ws, row, row.n, row.last))]))
    const newest = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck().get()!
    const tail = db.prepare<[number], { seq: number; combo: number }>(
      'SELECT seq, combo FROM journal WHERE seq > ? ORDER BY seq',
    )
    for (const row of tail.iterate(newest - (newest % blockSize))) tally(byNumber.get(row.combo)!, row.seq)
  }

  function closeBlock(number: number): void {
    const spaceTotals = new Map<number, number>()
    for (const [combo, n] of block) {
      saveBlock.run(combo.combo, number, n)
      save.run(combo.n, combo.last, combo.combo)
      spaceTotals.set(combo.ws, (spaceTotals.get(combo.ws) ?? 0) + n)
    }
    for (const [ws, n] of spaceTotals) saveBlock.run(-ws, number, n)
    const closed = block
    block = new Map()
    undo.push(() => {
      block = closed
    })
  }

  load()
  return {
    intern(ws, parts) {
      const held = space(ws)
      const known = held.byKey.get(keyOf(parts))
      if (known) return known
      const { lastInsertRowid } = insert.run(ws, parts.crew, parts.agent, parts.type, parts.severity, parts.actorType)
      const made = add(comboOf(Number(lastInsertRowid), ws, parts, 0, 0))
      undo.push(() => {
        held.byKey.delete(keyOf(parts))
        held.all.pop()
      })
      return made
    },
    count(combo, seq) {
      tally(combo, seq)
      if (seq % blockSize === 0) closeBlock(seq / blockSize)
    },
    uncount(combo, before) {
      combo.n--
      combo.last = before
      space(combo.ws).total--
      const left = block.get(combo)! - 1
      if (left) block.set(combo, left)
      else block.delete(combo)
    },
    of: (ws) => spaces.get(ws)?.all ?? [],
    total: (ws) => spaces.get(ws)?.total ?? 0,
  }
}
