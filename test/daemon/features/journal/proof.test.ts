import { describe, expect, it } from 'vitest'
import type { Fault } from '#contract/journal'
import { conclude, createPoints, type Question } from '../../../../daemon/features/journal/proof.ts'

const at = '2026-01-01T00:00:00.000Z'
const question: Question = { ws: 1, workspace: 'w', head: 20, entries: 10, sealed: null, anchor: null }
const hashOf = (count: number) => Buffer.alloc(32, count)
/** The entry number `count`, which every second seq of the journal is. */
const place = (count: number) => ({ seq: 2 * count, id: `j_${count}`, entry_hash: hashOf(count) })
const point = (entries: number, hash = hashOf(entries).toString('hex')) => ({ entries, seq: 2 * entries, hash, at })
const sealed = (...points: ReturnType<typeof point>[]) => ({ points, fault: null })
const walk = (points: ReturnType<typeof createPoints>, upTo: number) => {
  for (let count = 1; count <= upTo; count++) {
    const fault = points.pass(count, place(count))
    if (fault) return fault
  }
  return null
}

describe('known points', () => {
  it('are passed, whichever order they come in, and the newest seal is told', () => {
    const points = createPoints({ ...question, sealed: sealed(point(8), point(3)), anchor: point(9) })
    expect(points.sealed).toBeNull()
    expect(walk(points, 2)).toBeNull()
    expect(points.sealed).toBeNull()
    expect(walk(points, 3)).toBeNull()
    expect(points.sealed).toEqual({ entries: 3, seq: 6, at })
    expect(walk(points, 10)).toBeNull()
    expect(points.sealed).toEqual({ entries: 8, seq: 16, at })
    expect(points.missing(10, place(10))).toBeNull()
  })

  it('of nothing are passed before the first entry', () => {
    const points = createPoints({ ...question, sealed: sealed(point(0, 'none'), point(1)), anchor: point(0, 'none') })
    expect(walk(points, 1)).toBeNull()
    expect(points.sealed).toEqual({ entries: 1, seq: 2, at })
  })

  it('tell between which of them entries are not those that were known', () => {
    const wrong = (points: Parameters<typeof createPoints>[0]) => walk(createPoints(points), 10)
    expect(wrong({ ...question, sealed: sealed(point(3), point(8, 'other')) })).toEqual({
      kind: 'forged',
      seq: 16,
      id: 'j_8',
      reason: `entries 4 to 8 are not those that were sealed on ${at}`,
    })
    expect(wrong({ ...question, sealed: sealed(point(1, 'other')) })).toMatchObject({
      seq: 2,
      reason: `entries 1 to 1 are not those that were sealed on ${at}`,
    })
    expect(wrong({ ...question, sealed: sealed(point(3)), anchor: point(5, 'other') })).toMatchObject({
      reason: `entries 4 to 5 are not those that were anchored on ${at}`,
    })
    const two = sealed(point(3), point(3, 'other'))
    expect(wrong({ ...question, sealed: two }), 'of one place').toMatchObject({ kind: 'forged', seq: 6 })
  })

  it('that the journal does not reach show that it was cut', () => {
    const points = createPoints({ ...question, sealed: sealed(point(8)), anchor: point(9) })
    const cut = { kind: 'truncated', seq: 14, id: 'j_7' }
    expect(points.missing(7, place(7))).toEqual({ ...cut, reason: `it ends after 7 entries; 9 were anchored on ${at}` })
    expect(points.missing(8, place(8))).toMatchObject({ reason: `it ends after 8 entries; 9 were anchored on ${at}` })
    expect(points.missing(9, place(9))).toMatchObject({ reason: 'it ends after 9 entries; the daemon counts 10' })
    expect(points.missing(10, place(10))).toBeNull()
    expect(points.missing(11, place(11))).toBeNull()
    const bare = createPoints(question)
    expect(bare.missing(0, null)).toEqual({
      kind: 'truncated',
      seq: null,
      id: null,
      reason: 'it ends after 0 entries; the daemon counts 10',
    })
    expect(createPoints({ ...question, entries: 0 }).missing(0, null)).toBeNull()
  })
})

describe('what a walk proves', () => {
  const walked = { entries: 10, erased: 0, erasedSummaries: 0, compacted: 0, last: place(10) }
  const always = ['chain', 'columns', 'order', 'priorities', 'roll_ups']
  const seal = { entries: 8, seq: 16, at }

  it('is told whole', () => {
    expect(conclude(question, walked, null, null)).toEqual({
      valid: true,
      entries: 10,
      erased: 0,
      erased_summaries: 0,
      compacted: 0,
      head: { id: 'j_10', hash: '0a'.repeat(32) },
      sealed: null,
      resumed: null,
      unsealed: 10,
      proven: always,
      not_proven: ['unsealed', 'rollback'],
      broken: null,
    })
    expect(conclude({ ...question, sealed: sealed(), anchor: point(9) }, walked, seal, null)).toMatchObject({
      sealed: seal,
      unsealed: 2,
      proven: [...always, 'seal', 'anchor'],
      not_proven: ['unsealed', 'key_holder', 'rollback'],
    })
  })

  it('leaves no gap that there is none', () => {
    const all = { ...seal, entries: 10 }
    expect(conclude({ ...question, anchor: point(10) }, walked, all, null)).toMatchObject({
      unsealed: 0,
      not_proven: [],
    })
    expect(conclude({ ...question, anchor: point(9) }, walked, all, null).not_proven).toEqual(['rollback'])
    expect(conclude(question, walked, { ...seal, entries: 9 }, null)).toMatchObject({
      unsealed: 1,
      not_proven: ['unsealed', 'rollback'],
    })
    const nothing = { entries: 0, erased: 0, erasedSummaries: 0, compacted: 0, last: null }
    expect(conclude(question, nothing, null, null)).toMatchObject({
      head: null,
      unsealed: 0,
      not_proven: ['rollback'],
    })
  })

  it.each([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 1],
  ])('counts %i erased payloads, %i erased summaries and %i rolled up entries', (erased, erasedSummaries, compacted) =>
    expect(conclude(question, { ...walked, erased, erasedSummaries, compacted }, null, null)).toMatchObject({
      erased,
      erased_summaries: erasedSummaries,
      compacted,
      not_proven: ['unsealed', 'erased', 'rollback'],
    }),
  )

  it('is nothing where a fault was found', () => {
    const broken: Fault = { kind: 'chain', seq: 22, id: 'j_11', reason: 'the entry was changed' }
    expect(conclude({ ...question, anchor: point(9) }, walked, seal, broken)).toMatchObject({
      valid: false,
      proven: [],
      sealed: seal,
      broken,
    })
  })
})
