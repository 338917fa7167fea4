import { describe, expect, it } from 'vitest'
import type { Check, Plan, Stream } from '../../../../daemon/features/journal/plan.ts'
import { type Budget, createReader, cursorOf, reply, TooMuch } from '../../../../daemon/features/journal/reader.ts'
import { type JournalRow, storeRows, textAt } from '../../../support/journal-rows.ts'
import { openMigrated } from '../../../support/migrated.ts'

function readerOf(rows: Partial<JournalRow>[]) {
  const db = openMigrated()
  storeRows(db, rows)
  return createReader(db)
}

const planOf = (streams: Stream[], more: Partial<Plan> = {}): Plan => ({
  ws: 1,
  ranges: [{ after: 0, upTo: 100_000 }],
  streams,
  check: null,
  ...more,
})
const trace = (key: number, last?: number): Stream => ({ by: 'trace', key, ...(last !== undefined && { last }) })
const many = (count: number, row: (seq: number) => Partial<JournalRow> = () => ({})) =>
  Array.from({ length: count }, (_, at) => ({ trace: 1, ...row(at + 1) }))
/** What a budget has left after a read. */
const left = (rows: number, read: (budget: Budget) => unknown) => {
  const budget = { rows }
  read(budget)
  return budget.rows
}

describe('seqs', () => {
  it('merges streams, newest first, each entry once', () => {
    const reader = readerOf([{ trace: 1 }, { actor: 7 }, { trace: 1, actor: 7 }, { trace: 2, run: 7 }, { actor: 7 }])
    const streams: Stream[] = [trace(1), { by: 'actor', key: 7 }, { by: 'run', key: 7 }]
    for (const order of [streams, streams.toReversed()]) {
      expect(reader.seqs(planOf(order), 10)).toEqual([5, 4, 3, 2, 1])
      expect(reader.seqs(planOf(order), 3)).toEqual([5, 4, 3])
      expect(reader.find(planOf(order), 2)).toEqual([textAt(5), textAt(4)])
    }
  })

  it('reads the ranges one after the other, without their lower ends', () => {
    const reader = readerOf(many(9))
    const ranges = [
      { after: 6, upTo: 8 },
      { after: 1, upTo: 3 },
    ]
    expect(reader.seqs(planOf([trace(1)], { ranges }), 10)).toEqual([8, 7, 3, 2])
    expect(reader.seqs(planOf([trace(1)], { ranges }), 3)).toEqual([8, 7, 3])
    expect(reader.find(planOf([trace(1)], { ranges }), 10)).toEqual([8, 7, 3, 2].map(textAt))
    expect(left(5, (budget) => reader.seqs(planOf([trace(1)], { ranges }), 2, budget))).toBe(4)
  })

  it('reads no stream that ends before the last entry of a full page', () => {
    const reader = readerOf([{ trace: 1 }, { trace: 2 }, { trace: 3 }, { trace: 2 }, { trace: 3 }, { trace: 4 }])
    const streams = [trace(1, 1), trace(2, 4), trace(3, 5), trace(4)]
    for (const order of [streams, streams.toReversed()]) {
      expect(reader.seqs(planOf(order), 2)).toEqual([6, 5])
      expect(left(9, (budget) => reader.seqs(planOf(order), 2, budget))).toBe(7)
      expect(reader.seqs(planOf(order), 9)).toEqual([6, 5, 4, 3, 2, 1])
      expect(left(9, (budget) => reader.seqs(planOf(order), 9, budget))).toBe(5)
    }
    const ranges = [{ after: 4, upTo: 6 }]
    expect(left(9, (budget) => reader.seqs(planOf(streams, { ranges }), 9, budget))).toBe(7)
  })

  it('finds what a check leaves of a stream, however far apart', () => {
    const wanted = new Set([1, 150, 151, 250, 251, 350])
    const reader = readerOf(many(350, (seq) => ({ mission: wanted.has(seq) ? 5 : 6 })))
    const plan = planOf([trace(1)], { check: { missions: new Set([5]) } })
    expect(reader.seqs(plan, 10)).toEqual([350, 251, 250, 151, 150, 1])
    expect(reader.seqs(plan, 3)).toEqual([350, 251, 250])
    expect(reader.seqs({ ...plan, ranges: [{ after: 150, upTo: 250 }] }, 10)).toEqual([250, 151])
    expect(reader.seqs({ ...plan, ranges: [{ after: 1, upTo: 150 }] }, 10)).toEqual([150])
    expect(reader.count(plan)).toBe(6)
  })

  it('finds every entry of many', () => {
    const reader = readerOf(many(300))
    const plan = planOf([trace(1)], { check: { traces: new Set([1]) } })
    expect(reader.seqs(plan, 250)).toEqual(Array.from({ length: 250 }, (_, at) => 300 - at))
    expect(reader.count(plan)).toBe(300)
    const other = { ...plan, check: { traces: new Set([2]) } }
    expect(reader.seqs(other, 1)).toEqual([])
  })

  it('examines no more than a page needs', () => {
    const reader = readerOf(many(300))
    const plan = planOf([trace(1)], { check: { traces: new Set([1]) } })
    expect(left(1_000, (budget) => reader.seqs(plan, 1, budget))).toBe(1_000 - 101)
    expect(left(1_000, (budget) => reader.seqs(plan, 150, budget))).toBe(1_000 - 151)
  })

  it('gives up what goes beyond its budget', () => {
    const reader = readerOf(many(20))
    const plan = planOf([trace(1)], { check: { traces: new Set([2]) } })
    expect(reader.seqs(plan, 5, { rows: 21 })).toEqual([])
    expect(() => reader.seqs(plan, 5, { rows: 20 })).toThrow(TooMuch)
    expect(() => reader.find(plan, 5, { rows: 20 })).toThrow(TooMuch)
  })
})

describe('count', () => {
  const reader = readerOf([...many(3), ...many(2, () => ({ trace: 2 })), { trace: 1, run: 1 }])

  it('adds up the ranges and streams', () => {
    expect(reader.count(planOf([trace(1)]))).toBe(4)
    expect(reader.count(planOf([trace(1), trace(2)]))).toBe(6)
    const ranges = [
      { after: 4, upTo: 6 },
      { after: 0, upTo: 2 },
    ]
    expect(reader.count(planOf([trace(1), trace(2)], { ranges }))).toBe(4)
    expect(reader.count(planOf([]))).toBe(0)
  })

  it('counts an entry of two streams once', () => {
    expect(reader.count(planOf([trace(1), { by: 'run', key: 1 }]))).toBe(4)
    expect(reader.count(planOf([{ by: 'run', key: 1 }, trace(1)]))).toBe(4)
  })

  it('gives up what goes beyond its budget', () => {
    expect(reader.count(planOf([trace(1)]), { rows: 4 })).toBe(4)
    expect(() => reader.count(planOf([trace(1)]), { rows: 3 })).toThrow(TooMuch)
    const ranges = [
      { after: 4, upTo: 6 },
      { after: 0, upTo: 4 },
    ]
    expect(reader.count(planOf([trace(1)], { ranges }), { rows: 4 })).toBe(4)
    expect(() => reader.count(planOf([trace(1)], { ranges }), { rows: 3 })).toThrow(TooMuch)
  })
})

describe('streams of severities and priorities', () => {
  it('are those of one workspace', () => {
    const rows = [1, 2, 1].map((ws) => ({ ws, severity: 3, priority: 2 }))
    const reader = readerOf(rows)
    for (const by of ['severity', 'priority'] as const) {
      const key = by === 'severity' ? 3 : 2
      expect(reader.seqs(planOf([{ by, key }]), 9), by).toEqual([3, 1])
      expect(reader.seqs(planOf([{ by, key }], { ws: 2 }), 9), by).toEqual([2])
      expect(reader.span(2, [{ by, key }]), by).toEqual({ after: 1, upTo: 2 })
    }
  })
})

describe('accepts', () => {
  const row = { combo: 1, mission: 2, trace: 3, actor: 4, run: 5, priority: 1 }
  const reader = readerOf([row, { combo: 1 }])

  it.each<[string, Check, boolean]>([
    ['nothing to meet', {}, true],
    ['the combination', { combos: new Set([9, 1]) }, true],
    ['another combination', { combos: new Set([2]) }, false],
    ['the mission', { missions: new Set([2]) }, true],
    ['another mission', { missions: new Set([1]) }, false],
    ['the trace', { traces: new Set([3]) }, true],
    ['another trace', { traces: new Set([2]) }, false],
    ['a run by its trace', { runs: new Set([3]) }, true],
    ['a run by its actor', { runs: new Set([4]) }, true],
    ['a run by its payload', { runs: new Set([5]) }, true],
    ['another run', { runs: new Set([1, 2]) }, false],
    ['the priority', { priorities: new Set([0, 1]) }, true],
    ['another priority', { priorities: new Set([0, 2]) }, false],
    ['one of two conditions', { combos: new Set([1]), missions: new Set([1]) }, false],
    ['the other of two conditions', { traces: new Set([1]), priorities: new Set([1]) }, false],
    ['both conditions', { traces: new Set([3]), priorities: new Set([1]) }, true],
  ])('%s', (_what, check, holds) => expect(reader.accepts(check, 1)).toBe(holds))

  it('takes what an entry lacks for no name', () => {
    for (const member of ['missions', 'traces', 'runs'] as const)
      expect(reader.accepts({ [member]: new Set([0, 1, 2]) }, 2), member).toBe(false)
  })

  it('no entry that is not there', () => expect(reader.accepts({}, 3)).toBe(false))
})

describe('span', () => {
  const reader = readerOf([{}, { trace: 1 }, { trace: 2 }, { trace: 1 }, {}])

  it('reaches from the oldest to the newest entry of all streams', () => {
    expect(reader.span(1, [trace(1)])).toEqual({ after: 1, upTo: 4 })
    expect(reader.span(1, [trace(2)])).toEqual({ after: 2, upTo: 3 })
    expect(reader.span(1, [trace(2), trace(1), trace(9)])).toEqual({ after: 1, upTo: 4 })
    expect(reader.span(1, [trace(9)])).toBeNull()
  })
})

describe('docs', () => {
  it('come in the order that is asked for', () => {
    const reader = readerOf(many(3))
    expect(reader.docs([2, 3, 1])).toEqual([textAt(2), textAt(3), textAt(1)])
    expect(reader.find(planOf([trace(1)]), 2)).toEqual([textAt(3), textAt(2)])
    expect(reader.find(planOf([]), 2)).toEqual([])
  })
})

describe('reply', () => {
  const cursor = Buffer.from('["2","j_2"]').toString('base64url')

  it('leaves out the entry that says that there is a next page, and points at the last one shown', () => {
    const found = [3, 2, 1].map(textAt)
    expect(cursorOf(textAt(2))).toBe(cursor)
    expect(JSON.parse(reply(found, 2))).toMatchObject({ entries: [{ id: 'j_3' }, { id: 'j_2' }], count: 2 })
    expect(JSON.parse(reply(found, 2)).next_cursor).toBe(cursor)
    expect(JSON.parse(reply(found, 3))).toEqual({ entries: found.map((text) => JSON.parse(text)), count: 3 })
    expect(reply([], 2)).toBe('{"entries":[],"count":0}')
    expect(JSON.parse(reply([], 2, 'on'))).toEqual({ entries: [], next_cursor: 'on', count: 0 })
  })
})
