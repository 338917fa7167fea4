import { describe, expect, it } from 'vitest'
import { createTotals } from '../../../../daemon/features/journal/totals.ts'
import { openMigrated } from '../../../support/migrated.ts'

const block = 16_384
const head = 3 * block + 100
const of = (...numbers: number[]) => numbers.map((combo) => ({ combo }))

/** Every third entry is of another workspace (2, combination 30); the others are of 10 and 20 by turns of three. */
function journal() {
  const db = openMigrated()
  for (const name of ['id', 'crew', 'agent', 'type', 'mission', 'trace', 'actor', 'run', 'severity', 'priority'])
    db.exec(`DROP INDEX journal_${name}`)
  db.exec(
    `WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${head})
     INSERT INTO journal (seq, id, ts, ws, combo, type, severity, priority, doc, prev_hash, entry_hash)
     SELECT seq, '', 0, iif(seq % 3, 1, 2), iif(seq % 3, 10 * (seq % 3), 30), 1, 0, 0, '', x'', x'' FROM n`,
  )
  db.exec(
    `INSERT INTO journal_blocks SELECT combo, (seq - 1) / ${block} + 1, count(*) FROM journal
      WHERE seq <= ${3 * block} GROUP BY 1, 2;
     INSERT INTO journal_blocks SELECT -ws, (seq - 1) / ${block} + 1, count(*) FROM journal
      WHERE seq <= ${3 * block} GROUP BY 1, 2`,
  )
  return createTotals(db)
}

/** How many of the numbers up to `upTo` leave this rest when divided by three. */
const thirds = (rest: number, upTo: number) => Math.floor((upTo + 3 - (rest || 3)) / 3)
const between = (rests: number[], after: number, upTo: number) =>
  rests.reduce((sum, rest) => sum + thirds(rest, upTo) - thirds(rest, after), 0)

const totals = journal()
const bounds = [
  0,
  1,
  2,
  block - 1,
  block,
  block + 1,
  2 * block - 1,
  2 * block,
  2 * block + 1,
  3 * block,
  head - 1,
  head,
]
const ranges = bounds.flatMap((after) => bounds.filter((upTo) => upTo >= after).map((upTo) => ({ after, upTo })))

describe('within', () => {
  it.each<[string, number, number[] | null, number[]]>([
    ['one combination', 1, [10], [1]],
    ['two combinations', 1, [10, 20], [1, 2]],
    ['a workspace', 1, null, [1, 2]],
    ['another workspace', 2, null, [0]],
    ['no combination', 1, [], []],
  ])('counts the entries of %s in any range', (_what, ws, combos, rests) => {
    const all = between(rests, 0, head)
    for (const range of ranges)
      expect(totals.within(ws, combos && of(...combos), all, range, head), JSON.stringify(range)).toBe(
        between(rests, range.after, range.upTo),
      )
  })

  it('counts what was stored up to the head, and nothing later', () => {
    const range = { after: 1, upTo: 10 }
    expect(totals.within(1, null, between([1, 2], 0, 12), range, 12)).toBe(6)
    expect(totals.within(1, of(10), 4, { after: 0, upTo: 12 }, 12)).toBe(4)
  })
})

describe('effort', () => {
  const whole = 2 * block

  it('is that of two broken blocks, and of each stored total', () => {
    expect(totals.effort(of(10), { after: 5, upTo: 10 }, head)).toBe(2 + whole)
    expect(totals.effort(null, { after: 5, upTo: 2 * block }, head)).toBe(3 + whole)
    expect(totals.effort(of(10, 20), { after: 5, upTo: 2 * block }, head)).toBe(6 + whole)
    expect(totals.effort(of(10, 20), { after: 0, upTo: head - 1 }, head), 'what is outside is less').toBe(4 + whole)
    expect(totals.effort(of(10, 20), { after: block, upTo: 3 * block }, head)).toBe(6 + whole)
  })

  it('is nothing where all is counted already', () => {
    expect(totals.effort(of(10), { after: 0, upTo: head }, head)).toBe(0)
    expect(totals.effort(of(10), { after: 0, upTo: head + 1 }, head)).toBe(0)
    expect(totals.effort(of(10), { after: 1, upTo: head }, head)).toBeGreaterThan(0)
  })
})
