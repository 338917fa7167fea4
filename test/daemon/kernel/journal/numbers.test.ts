import { describe, expect, it } from 'vitest'
import { createEntryIds } from '../../../../daemon/kernel/journal/ids.ts'
import { createNames } from '../../../../daemon/kernel/journal/names.ts'
import { createUndoLog } from '../../../../daemon/kernel/journal/undo.ts'
import { openMigrated } from '../../../support/migrated.ts'

describe('the ids of entries', () => {
  it('hold the time, then count up within it', () => {
    const next = createEntryIds(undefined)
    const [first, second] = [next(0x19b76da8c00), next(0x19b76da8c00)].map((id) => ({
      time: id.slice(0, 13),
      count: Number.parseInt(id.slice(13), 16),
    }))
    expect([first!.time, second!.time]).toEqual(['j_19b76da8c00', 'j_19b76da8c00'])
    expect(second!.count).toBe(first!.count + 1)
  })

  it('have the same length at any time', () =>
    expect(createEntryIds(undefined)(5)).toMatch(/^j_00000000005[0-9a-f]{5}$/))

  it('leave room for half a million more within the millisecond', () => {
    const counts = Array.from({ length: 200 }, (_, ms) =>
      Number.parseInt(createEntryIds(undefined)(ms + 1).slice(13), 16),
    )
    expect(Math.max(...counts)).toBeLessThan(0x80000)
    expect(new Set(counts).size, 'they begin at random').toBeGreaterThan(100)
  })

  it('grow although the clock was set back or stands still, and after a restart', () => {
    const next = createEntryIds('j_19b76da8c000000f')
    expect([next(0x19b76da8bff), next(0x19b76da8c00)]).toEqual(['j_19b76da8c0000010', 'j_19b76da8c0000011'])
  })

  it('take the next millisecond when one is used up', () => {
    const next = createEntryIds('j_19b76da8c00ffffe')
    expect([next(1), next(1), next(1)]).toEqual(['j_19b76da8c00fffff', 'j_19b76da8c0100000', 'j_19b76da8c0100001'])
  })
})

describe('the numbers of names', () => {
  it('are those of each workspace, after a restart too', () => {
    const db = openMigrated()
    const names = createNames(db, createUndoLog())
    const all = [[1, 'ada'] as const, [2, 'ada'] as const, [2, 'bob'] as const]
    const made = db.transaction(() => all.map(([ws, text]) => names.intern(ws, text)))()
    const [, second] = made
    expect(new Set(made).size).toBe(3)
    for (const it of [names, createNames(db, createUndoLog())]) {
      expect(all.map(([ws, text]) => it.find(ws, text))).toEqual(made)
      expect([it.find(3, 'ada'), it.find(1, 'bob')]).toEqual([undefined, undefined])
    }
    expect(db.transaction(() => createNames(db, createUndoLog()).intern(2, 'ada'))()).toBe(second)
  })

  it('are kept in memory, 50,000 of them at most', () => {
    const db = openMigrated()
    const names = createNames(db, createUndoLog())
    const add = db.transaction((from: number, to: number) => {
      for (let n = from; n <= to; n++) names.intern(n % 2, `name ${n}`)
    })
    add(1, 50_000)
    db.exec('DELETE FROM journal_names WHERE name = 1')
    expect(names.find(1, 'name 1')).toBe(1)
    add(50_001, 50_001)
    expect(names.find(1, 'name 1')).toBeUndefined()
    expect(names.find(0, 'name 2')).toBe(2)
  })

  it('are forgotten with the change that made them', () => {
    const db = openMigrated()
    const undo = createUndoLog()
    const names = createNames(db, undo)
    undo.mark()
    db.exec('BEGIN')
    names.intern(1, 'ada')
    db.exec('ROLLBACK')
    undo.rewind()
    expect(names.find(1, 'ada')).toBeUndefined()
  })
})
