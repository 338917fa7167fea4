import { expect, it } from 'vitest'
import { blockSize, createCombos } from '#kernel/journal/combos'
import { createUndoLog } from '#kernel/journal/undo'
import { daemon } from '#test'

it('counts into a block what is stored, not what was undone', async () => {
  const { app } = await daemon()
  const { db } = app
  const combos = createCombos(db, createUndoLog())
  db.transaction(() => {
    const combo = combos.intern(9, { crew: 1, agent: 2, type: 3, severity: 0, actorType: 0 })
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
