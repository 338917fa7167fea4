import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSearchIndex } from '#kernel/store/db'
import type { Wanted } from '../../../../daemon/features/journal/plan.ts'
import { createReader } from '../../../../daemon/features/journal/reader.ts'
import { createSearch, matchText, type SearchPlan } from '../../../../daemon/features/journal/search.ts'
import { type JournalRow, storeRows } from '../../../support/journal-rows.ts'
import { openMigrated } from '../../../support/migrated.ts'

afterEach(() => vi.restoreAllMocks())

type Row = Partial<JournalRow> & { summary?: string; payload?: object; actorType?: string }

const docOf = ({ summary = '', payload, actorType = 'system' }: Row) =>
  JSON.stringify({ summary, payload, actor_type: actorType })

function searchOf(rows: Row[], lag?: number) {
  const db = openMigrated()
  storeRows(
    db,
    rows.map(({ summary, payload, actorType, ...row }) => ({ ...row, doc: docOf({ summary, payload, actorType }) })),
  )
  const index = openSearchIndex(':memory:')
  const search = createSearch(db, index, createReader(db), ['user', 'agent', 'system'], lag)
  const plan = (phrase: string, more: Partial<SearchPlan> = {}, wanted: Partial<Wanted> = {}): SearchPlan => ({
    match: matchText(phrase, { ws: 1, ...wanted }, null),
    ranges: [{ after: 0, upTo: rows.length }],
    check: null,
    among: [],
    ws: 1,
    head: rows.length,
    ...more,
  })
  const reach = () => index.prepare('SELECT low, high, high_id FROM reach').get()
  const found = (phrase: string, more: Partial<SearchPlan> = {}, limit = 1_000) =>
    search.find(plan(phrase, more), limit).seqs
  return { db, index, search, plan, reach, found }
}

const times = (count: number, row: (seq: number) => Row) => Array.from({ length: count }, (_, at) => row(at + 1))
const down = (from: number, count: number) => Array.from({ length: count }, (_, at) => from - at)

describe('the expression of a search', () => {
  const rows: Row[] = [
    { ws: 1, combo: 1, crew: 1, agent: 2, type: 3, severity: 0, actorType: 'agent' },
    { ws: 1, combo: 2, type: 4, severity: 1, actorType: 'user' },
    { ws: 2, combo: 3, crew: 1, agent: 2, type: 3, severity: 0, actorType: 'agent' },
    { ws: 1, combo: 4, crew: 5, agent: 1, type: 3, severity: 3, actorType: 'system' },
  ].map((row) => ({ ...row, summary: 'the needle' }))

  it.each<[string, Partial<Wanted>, number[]]>([
    ['of a workspace', {}, [4, 2, 1]],
    ['of another workspace', { ws: 2 }, [3]],
    ['with crews', { crews: new Set([1]) }, [1]],
    ['with several crews', { crews: new Set([1, 5]) }, [4, 1]],
    ['with agents', { agents: new Set([1, 9]) }, [4]],
    ['with types', { types: new Set([4]) }, [2]],
    ['without types', { withoutTypes: new Set([3]) }, [2]],
    ['without any type to leave out', { withoutTypes: new Set() }, [4, 2, 1]],
    ['with severities', { severities: new Set([1, 3]) }, [4, 2]],
    ['with actors', { actorTypes: new Set([0, 1]) }, [2, 1]],
    ['with several conditions', { crews: new Set([1, 5]), severities: new Set([0]) }, [1]],
    ['with all of one and none of the other', { types: new Set([3, 4]), withoutTypes: new Set([4]) }, [4, 1]],
  ])('finds entries %s', (_what, wanted, seqs) => {
    const { search, plan } = searchOf(rows)
    expect(search.find(plan('needle', {}, wanted), 9)).toEqual({ seqs })
  })

  it('names combinations, where there are few', () => {
    const { search, plan } = searchOf(rows)
    const among = (combos: number[], wanted: Partial<Wanted> = {}) =>
      search.find(
        {
          ...plan('needle'),
          match: matchText(
            'needle',
            { ws: 1, ...wanted },
            combos.map((combo) => ({ combo })),
          ),
        },
        9,
      ).seqs
    expect(among([2, 3])).toEqual([3, 2])
    const many = down(60, 60)
    expect(among(many, { severities: new Set([1]) })).toEqual([4, 3, 2, 1])
    expect(among([...many, 61], { severities: new Set([1]) }), 'too many are not named').toEqual([2])
  })

  it('has no operators in its phrase, and no ends of texts', () => {
    const { found } = searchOf([{ summary: 'two words' }, { summary: 'say "two" words' }, { summary: 'two' }])
    expect(found('two\0words')).toEqual([2, 1])
    expect(found('"two" words')).toEqual([2, 1])
    expect(found('two"words')).toEqual([2, 1])
    expect(found('words two')).toEqual([])
    expect(found('two OR none')).toEqual([])
  })

  it('searches what an entry says, not its tags', () => {
    const { found } = searchOf([{ summary: 'one', payload: { why: 'because' } }, { summary: 'two' }])
    expect(found('because')).toEqual([1])
    for (const tag of ['w1', 'k1', 't1', 's0', 'null']) expect(found(tag), tag).toEqual([])
  })
})

describe('a search', () => {
  it('stays within its ranges and its limit', () => {
    const { search, plan, found } = searchOf(times(9, () => ({ summary: 'needle' })))
    const ranges = [
      { after: 6, upTo: 8 },
      { after: 1, upTo: 3 },
    ]
    expect(found('needle', { ranges })).toEqual([8, 7, 3, 2])
    expect(found('needle', { ranges }, 3)).toEqual([8, 7, 3])
    expect(found('needle', { ranges }, 2)).toEqual([8, 7])
    expect(search.count(plan('needle', { ranges }))).toBe(4)
    expect(search.count(plan('nothing', { ranges }))).toBe(0)
  })

  it('applies a check to hits that no stream narrows, batch by batch', () => {
    const rows = times(1_100, (seq) => ({ summary: 'needle', priority: [1, 600, 601, 1_100].includes(seq) ? 2 : 0 }))
    const { search, plan, found } = searchOf(rows)
    const odd = { check: { priorities: new Set([2]) } }
    expect(found('needle', odd)).toEqual([1_100, 601, 600, 1])
    expect(found('needle', odd, 3)).toEqual([1_100, 601, 600])
    expect(search.count(plan('needle', odd))).toBe(4)
    expect(found('needle', { ...odd, ranges: [{ after: 1, upTo: 600 }] })).toEqual([600])
    const plain = { check: { priorities: new Set([0, 2]) } }
    expect(found('needle', plain, 2_000), 'none between two batches is left out').toEqual(down(1_100, 1_100))
    expect(search.count(plan('needle', plain))).toBe(1_100)
  })

  it.each([
    ['close to each other', 1],
    ['far apart', 1_000],
  ])('compares the hits with the entries of a narrow stream, %s', (_what, step) => {
    const at = (place: number) => place * step
    const places = (...numbers: number[]) => new Set(numbers.map(at))
    const [needles, followed] = [places(2, 3, 5, 6).add(at(4) - 1), places(1, 2, 4, 5, 6)]
    const rows = times(at(6), (seq) => ({
      summary: needles.has(seq) ? 'needle' : 'hay',
      ...(followed.has(seq) && { trace: 7, mission: seq === at(6) ? 1 : 2 }),
    }))
    const { found, search, plan } = searchOf(rows)
    const narrow = {
      check: { missions: new Set([2]), traces: new Set([7]) },
      among: [{ by: 'trace', key: 7 } as const],
    }
    const want = [5, 2].map(at)
    expect(found('needle', narrow)).toEqual(want)
    expect(found('needle', narrow, 1)).toEqual([at(5)])
    expect(search.count(plan('needle', narrow))).toBe(want.length)
    expect(found('needle', { ...narrow, ranges: [{ after: at(2), upTo: at(4) - 1 }] })).toEqual([])
    expect(found('needle', { ...narrow, ranges: [{ after: at(2) - 1, upTo: at(4) - 1 }] })).toEqual([at(2)])
  })

  it('finds the oldest entry of a stream that is not narrow', () => {
    const rows = times(10_001, (seq) => ({ summary: seq < 3 ? 'needle' : 'hay', trace: 7 }))
    const { found } = searchOf(rows)
    const plan = { check: { traces: new Set([7]) }, among: [{ by: 'trace', key: 7 } as const] }
    expect(found('needle', plan)).toEqual([2, 1])
    expect(found('needle', { ...plan, ranges: [{ after: 0, upTo: 10_000 }] })).toEqual([2, 1])
  })
})

describe('the reach of the index', () => {
  const hay = (count: number) => times(count, () => ({ summary: 'hay' }))
  const nothing = { ranges: [] }

  it('ends at the head that is asked for', () => {
    const { search, plan, reach } = searchOf(hay(12))
    search.count(plan('hay', { ...nothing, head: 5 }))
    expect(reach()).toEqual({ low: 0, high: 5, high_id: 'j_5' })
    search.count(plan('hay', { ...nothing, head: 3 }))
    expect(reach()).toEqual({ low: 0, high: 5, high_id: 'j_5' })
    expect(search.work(5)).toBe(false)
    expect(search.work(12)).toBe(true)
    expect(reach()).toEqual({ low: 0, high: 12, high_id: 'j_12' })
    expect(search.work(12)).toBe(false)
  })

  it('begins at the newest entry where it lags further behind than it may', () => {
    const near = searchOf(hay(10), 10)
    near.search.count(near.plan('hay', nothing))
    expect(near.reach()).toEqual({ low: 0, high: 10, high_id: 'j_10' })
    const kept = searchOf(hay(15), 10)
    kept.search.count(kept.plan('hay', { ...nothing, head: 5 }))
    kept.search.count(kept.plan('hay', nothing))
    expect(kept.reach()).toEqual({ low: 0, high: 15, high_id: 'j_15' })
    const far = searchOf(hay(11), 10)
    far.search.count(far.plan('hay', nothing))
    expect(far.reach()).toEqual({ low: 11, high: 11, high_id: 'j_11' })
    expect(far.found('hay')).toEqual(down(11, 11))
    expect(far.reach()).toEqual({ low: 0, high: 11, high_id: 'j_11' })
  })

  it('begins anew where its newest entry is not that of the journal', () => {
    const { search, plan, reach, index, db, found } = searchOf(hay(10), 10)
    found('hay')
    db.exec(`UPDATE journal SET id = 'j_x' WHERE seq = 10`)
    search.count(plan('hay', { ...nothing, head: 4 }))
    expect(reach()).toEqual({ low: 0, high: 4, high_id: 'j_4' })
    expect(index.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(4)
    expect(found('hay')).toEqual(down(10, 10))
    expect(found('hay')).toHaveLength(10)
  })

  it('begins anew at the first entry where the journal is no longer than it may lag behind', () => {
    const { search, plan, reach, db, found } = searchOf(hay(11), 10)
    for (const [head, low] of [
      [10, 0],
      [11, 11],
    ] as const) {
      found('hay', { head })
      db.prepare(`UPDATE journal SET id = 'x_' || seq || id`).run()
      search.count(plan('hay', { ...nothing, head }))
      expect(reach()).toMatchObject({ low, high: head })
    }
  })

  it('begins anew where the only entry that it has is not that of the journal', () => {
    const { search, plan, reach, db } = searchOf(hay(3))
    search.count(plan('hay', { ...nothing, head: 1 }))
    db.exec(`UPDATE journal SET id = 'j_x' WHERE seq = 1`)
    search.count(plan('hay', { ...nothing, head: 0 }))
    expect(reach()).toEqual({ low: 0, high: 0, high_id: '' })
  })

  it('grows downwards by what a page needs', () => {
    const { found, reach, search, plan } = searchOf(hay(1_600), 100)
    expect(found('hay', {}, 100)).toEqual(down(1_600, 100))
    expect(reach()).toMatchObject({ low: 1_100, high: 1_600 })
    expect(found('hay', {}, 550)).toEqual(down(1_600, 550))
    expect(reach()).toMatchObject({ low: 600 })
    expect(found('hay', { ranges: [{ after: 600, upTo: 700 }] })).toEqual(down(700, 100))
    expect(search.count(plan('hay', { ranges: [{ after: 600, upTo: 700 }] }))).toBe(100)
    expect(reach()).toMatchObject({ low: 600 })
    expect(search.count(plan('hay', { ranges: [{ after: 599, upTo: 1_600 }] }))).toBe(1_001)
    expect(reach()).toMatchObject({ low: 100 })
    expect(search.work(1_600)).toBe(true)
    expect(reach()).toMatchObject({ low: 0 })
    expect(search.work(1_600)).toBe(false)
  })

  it('goes no further down than time allows, and says where to go on', () => {
    const { search, plan } = searchOf(hay(1_600), 100)
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000))
    expect(search.find(plan('hay'), 1_600)).toEqual({ seqs: down(1_600, 500), rest: 1_100 })
    now = 0
    expect(search.count(plan('hay'))).toBeNull()
  })
})
