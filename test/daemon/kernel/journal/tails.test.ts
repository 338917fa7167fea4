import { expect, it } from 'vitest'
import { createTails } from '#kernel/journal/tails'
import { storeRows } from '../../../support/journal-rows.ts'
import { openMigrated } from '../../../support/migrated.ts'

const hash = (fill: number) => Buffer.alloc(32, fill)

it('knows the newest entry of each workspace', () => {
  const db = openMigrated()
  storeRows(db, [{ ws: 1 }, { ws: 2 }, { ws: 1 }, { ws: 2 }])
  db.prepare("UPDATE journal SET entry_hash = CAST('hash ' || seq AS BLOB)").run()
  const tails = createTails(db)
  expect([1, 2].map((ws) => tails.of(ws))).toEqual([
    { seq: 3, hash: Buffer.from('hash 3') },
    { seq: 4, hash: Buffer.from('hash 4') },
  ])
  expect(tails.of(3), 'a workspace without entries').toEqual({ seq: 0, hash: hash(0) })
  tails.move(1, { seq: 5, hash: hash(5) })
  expect([tails.of(1).seq, tails.of(2).seq]).toEqual([5, 4])
})

it('tells once which ends have moved', () => {
  const tails = createTails(openMigrated())
  expect([...tails.take()]).toEqual([])
  tails.move(1, { seq: 5, hash: hash(5) })
  tails.touch([2, 3])
  expect([...tails.take()]).toEqual([1, 2, 3])
  expect([...tails.take()]).toEqual([])
})
