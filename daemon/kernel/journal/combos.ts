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
  /** Takes entries that leave the journal out of the counts; their places in the chain remain. */
  discount(ws: number, entries: readonly Place[]): void
  of(ws: number): readonly Combo[]
  /** Number of entries of a workspace. */
  total(ws: number): number
  /** Length of a workspace's chain: its entries, and those that left the journal. */
  chained(ws: number): number
}

/** The place of an entry: its number in the journal, and that of its combination. */
export interface Place {
  seq: number
  combo: number
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
  husks: number
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
  const lessen = writing('UPDATE journal_combos SET n = n - ? WHERE combo = ?')
  const lessenBlock = writing('UPDATE journal_blocks SET n = n - ? WHERE combo = ? AND block = ?')
  const husk = writing(
    `INSERT INTO journal_chains (ws, husks) VALUES (?, ?)
     ON CONFLICT (ws) DO UPDATE SET husks = husks + excluded.husks`,
  )
  const spaces = new Map<number, Held>()
  const numbered = new Map<number, Combo>()
  let block = new Map<Combo, number>()
  /** The newest block whose totals are stored. */
  let closed = 0

  function space(ws: number): Held {
    const known = spaces.get(ws)
    if (known) return known
    const made: Held = { byKey: new Map(), all: [], total: 0, husks: 0 }
    spaces.set(ws, made)
    return made
  }

  function add(combo: Combo): Combo {
    const held = space(combo.ws)
    held.byKey.set(keyOf(combo), combo)
    numbered.set(combo.combo, combo)
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
    for (const row of rows) add(comboOf(row.combo, row.ws, row, row.n, row.last))
    const chains = db.prepare<[], { ws: number; husks: number }>('SELECT ws, husks FROM journal_chains').all()
    for (const { ws, husks } of chains) space(ws).husks = husks
    const newest = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck().get()!
    const tail = db.prepare<[number], { seq: number; combo: number }>(
      'SELECT seq, combo FROM journal WHERE seq > ? ORDER BY seq',
    )
    closed = Math.floor(newest / blockSize)
    for (const row of tail.iterate(closed * blockSize)) tally(numbered.get(row.combo)!, row.seq)
  }

  function closeBlock(number: number): void {
    const spaceTotals = new Map<number, number>()
    for (const [combo, n] of block) {
      saveBlock.run(combo.combo, number, n)
      save.run(combo.n, combo.last, combo.combo)
      spaceTotals.set(combo.ws, (spaceTotals.get(combo.ws) ?? 0) + n)
    }
    for (const [ws, n] of spaceTotals) saveBlock.run(-ws, number, n)
    const before = block
    block = new Map()
    closed = number
    undo.push(() => {
      block = before
      closed = number - 1
    })
  }

  function change(ws: number, left: ReadonlyMap<Combo, number>, open: ReadonlyMap<Combo, number>, by: 1 | -1): void {
    const held = space(ws)
    for (const [combo, n] of left) {
      combo.n += by * n
      held.total += by * n
      held.husks -= by * n
    }
    for (const [combo, n] of open) block.set(combo, (block.get(combo) ?? 0) + by * n)
  }

  function discount(ws: number, entries: readonly Place[]): void {
    const left = new Map<Combo, number>()
    const open = new Map<Combo, number>()
    const stored = new Map<string, [combo: number, block: number, n: number]>()
    const one = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)
    for (const { seq, combo } of entries) {
      const it = numbered.get(combo)!
      one(left, it)
      const number = Math.ceil(seq / blockSize)
      if (number > closed) one(open, it)
      else
        for (const key of [combo, -ws]) {
          const known = stored.get(`${key},${number}`)
          stored.set(`${key},${number}`, [key, number, (known?.[2] ?? 0) + 1])
        }
    }
    for (const [key, number, n] of stored.values()) {
      lessenBlock.run(n, key, number)
      if (key > 0) lessen.run(n, key)
    }
    husk.run(ws, entries.length)
    change(ws, left, open, -1)
    undo.push(() => change(ws, left, open, 1))
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
        numbered.delete(made.combo)
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
    discount,
    of: (ws) => spaces.get(ws)?.all ?? [],
    total: (ws) => spaces.get(ws)?.total ?? 0,
    chained: (ws) => (spaces.get(ws)?.total ?? 0) + (spaces.get(ws)?.husks ?? 0),
  }
}
