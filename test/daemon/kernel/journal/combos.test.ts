import { expect, it } from 'vitest'
import { blockSize, createCombos } from '#kernel/journal/combos'
import { createUndoLog } from '#kernel/journal/undo'
import { openMigrated } from '../../../support/migrated.ts'

const parts = { crew: 1, agent: 2, type: 3, severity: 0, actorType: 0 }

it('counts into a block what is stored, not what was undone', () => {
  const db = openMigrated()
  const combos = createCombos(db, createUndoLog())
  db.transaction(() => {
    const combo = combos.intern(9, parts)
    combos.count(combo, 1)
    combos.uncount(combo, 0)
    combos.count(combo, blockSize)
    expect(combo).toMatchObject({ n: 1, last: 16_384 })
    const blocks = db.prepare('SELECT block, n FROM journal_blocks WHERE combo IN (?, -9) ORDER BY combo')
    expect(blocks.all(combo.combo)).toEqual([
      { block: 1, n: 1 },
      { block: 1, n: 1 },
    ])
  })()
})

it('forgets a combination with the change that made it, and makes it anew', () => {
  const db = openMigrated()
  const undo = createUndoLog()
  const combos = createCombos(db, undo)
  const made = () => combos.intern(9, parts)
  expect([combos.of(9), combos.total(9)]).toEqual([[], 0])
  undo.mark()
  db.exec('BEGIN')
  made()
  db.exec('ROLLBACK')
  undo.rewind()
  expect(combos.of(9)).toEqual([])
  const again = db.transaction(made)()
  expect(db.prepare('SELECT combo, ws, crew, agent, type, severity, n FROM journal_combos').all()).toEqual([
    { combo: again.combo, ws: 9, crew: 1, agent: 2, type: 3, severity: 0, n: 0 },
  ])
  expect(combos.of(9)).toEqual([again])
})

it('counts a block again whose end was undone', () => {
  const db = openMigrated()
  const undo = createUndoLog()
  const combos = createCombos(db, undo)
  const combo = db.transaction(() => combos.intern(9, parts))()
  const end = db.transaction(() => combos.count(combo, blockSize))
  combos.count(combo, blockSize - 1)
  undo.settle()
  undo.mark()
  end()
  undo.rewind()
  combos.uncount(combo, blockSize - 1)
  end()
  expect(db.prepare('SELECT n FROM journal_blocks').pluck().all()).toEqual([2, 2])
})
