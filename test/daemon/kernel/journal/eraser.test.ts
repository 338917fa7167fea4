import { describe, expect, it } from 'vitest'
import { blockSize } from '#kernel/journal/combos'
import { type Erasable, erasableColumns } from '#kernel/journal/eraser'
import { createJournal } from '#kernel/journal/journal'
import { openMigrated } from '../../../support/migrated.ts'

/** A journal of two types in turn, and the rows of some of its entries. */
function journalOf(entries: number) {
  const db = openMigrated()
  let now = 0
  const open = () => createJournal(db, () => ++now)
  const journal = open()
  const usual = { workspace_id: 'here', actor_type: 'system', severity: 'info', summary: 'said' } as const
  const add = (n: number) => journal.append({ ...usual, type: n % 2 ? 'llm.call' : 'exec.command', payload: { n } })
  db.transaction(() => {
    for (let n = 1; n <= entries; n++) add(n)
  })()
  journal.settle()
  const rows = (where: string) =>
    db.prepare<[], Erasable>(`SELECT ${erasableColumns} FROM journal WHERE ${where} ORDER BY seq`).all()
  const ws = journal.index.names.find(0, 'here')!
  return { db, journal, open, rows, ws, add }
}

const countsOf = ({ index }: ReturnType<typeof createJournal>, ws: number) => ({
  all: index.combos.total(ws),
  chained: index.combos.chained(ws),
  each: index.combos.of(ws).map(({ n }) => n),
})

describe('taking entries out of the journal', () => {
  it('takes them out of every total, in full blocks and in the open one, also after a restart', () => {
    const { db, journal, open, rows, ws } = journalOf(2 * blockSize + 100)
    const { sound, altered } = journal.eraser.examine(rows(`seq % 2 = 1 AND (seq < 5000 OR seq > ${2 * blockSize})`))
    expect(altered).toEqual([])
    const left = 2 * blockSize + 100 - sound.length
    const each = [blockSize + 50 - sound.length, blockSize + 50]
    db.transaction(() => journal.eraser.takeOut(ws, sound))()
    expect(countsOf(journal, ws)).toEqual({ all: left, chained: 2 * blockSize + 100, each })
    expect(countsOf(open(), ws), 'after a restart').toEqual({ all: left, chained: 2 * blockSize + 100, each })
    const blocks = db.prepare('SELECT combo, block, n FROM journal_blocks ORDER BY combo, block').raw().all()
    const rebuilt = db
      .prepare(
        `SELECT key, (seq - 1) / ${blockSize} + 1 AS block, count(*) FROM
          (SELECT seq, combo AS key FROM journal UNION ALL SELECT seq, -ws FROM journal)
         WHERE seq <= ${2 * blockSize} GROUP BY key, block ORDER BY key, block`,
      )
      .raw()
      .all()
    expect(blocks).toEqual(rebuilt)
  })

  it('is undone in memory together with its change', () => {
    const { db, journal, rows, ws, add } = journalOf(100)
    const before = countsOf(journal, ws)
    journal.mark()
    const failing = db.transaction(() => {
      journal.eraser.takeOut(ws, journal.eraser.examine(rows('seq < 50')).sound)
      throw new Error('no')
    })
    expect(failing).toThrow('no')
    journal.rewind()
    expect(countsOf(journal, ws)).toEqual(before)
    db.transaction(() => add(101))()
    expect(countsOf(journal, ws)).toMatchObject({ all: 101, chained: 101 })
  })

  it('keeps what the chain needs, and the newest entry', () => {
    const { db, journal, rows, ws } = journalOf(3)
    const { sound } = journal.eraser.examine(rows('seq <= 2'))
    expect(sound.map(({ freed }) => freed)).toEqual([1, 2].map(() => expect.any(Number)))
    db.transaction(() => journal.eraser.takeOut(ws, sound))()
    const husk = db.prepare<[], { fixed: string }>('SELECT * FROM journal_husks WHERE seq = 1').get()
    expect(JSON.parse(husk!.fixed)).not.toHaveProperty('payload')
    expect(JSON.parse(husk!.fixed)).not.toHaveProperty('summary')
    expect(husk).toMatchObject({ scheme: 2, ws, payload_hash: expect.any(Buffer), summary_hash: expect.any(Buffer) })
    const last = journal.eraser.examine(rows('seq = 3')).sound
    expect(() => db.transaction(() => journal.eraser.takeOut(ws, last))()).toThrow('newest')
  })

  it('leaves what does not hold: it is evidence', () => {
    const { db, journal, rows } = journalOf(3)
    db.exec(`UPDATE journal SET doc = replace(doc, 'said', 'sang') WHERE seq = 2`)
    db.exec(`UPDATE journal SET doc = 'x' WHERE seq = 3`)
    const { sound, altered } = journal.eraser.examine(rows('seq > 0'))
    expect([sound.map(({ seq }) => seq), altered]).toEqual([[1], [2, 3]])
  })
})
