import { describe, expect, it } from 'vitest'
import { type Known, scoreOf } from '../../../../daemon/features/consolidate/score.ts'

const now = Date.parse('2026-01-15T00:00:00Z')
const day = 86_400_000
const evidence = Array.from({ length: 8 }, (_, at) => `j_${at}`)
const rule = { pattern: 'x', action: 'y', evidence, confidence: 1 }
const best: Known = {
  queries: Array.from({ length: 30 }, (_, at) => `query ${at % 10}`),
  newest: now,
  used: 5,
  types: 4,
  now,
}

describe('a score', () => {
  it('can reach all of its weight', () => {
    const score = scoreOf(rule, best)
    expect(score).toMatchObject({ composite: 1, recall_count: 30, unique_queries: 10, promoted: true })
    expect(Object.values(score.signals)).toEqual([1, 1, 1, 1, 1, 1])
    expect(Object.values(score.weights).reduce((sum, it) => sum + it, 0)).toBeCloseTo(1)
  })

  it('reaches the threshold of skills, .85 after ten recalls, short of perfection', () => {
    const queries = best.queries.slice(0, 12)
    const { composite, recall_count } = scoreOf({ ...rule, confidence: 0.95 }, { ...best, queries })
    expect(recall_count).toBeGreaterThanOrEqual(10)
    expect(composite).toBeGreaterThan(0.85)
  })

  it('halves in recency in a fortnight, and has none without evidence', () => {
    expect(scoreOf(rule, { ...best, newest: now - 14 * day }).signals.Recency).toBe(0.5)
    expect(scoreOf(rule, { ...best, newest: null }).signals.Recency).toBe(0)
    expect(scoreOf(rule, { ...best, newest: now + day }).signals.Recency).toBe(1)
  })

  it('counts each query once, however it is written, and needs three of them', () => {
    const { promoted, unique_queries, recall_count } = scoreOf(rule, { ...best, queries: ['A', 'a ', 'b', 'B'] })
    expect({ promoted, unique_queries, recall_count }).toEqual({ promoted: false, unique_queries: 2, recall_count: 4 })
  })

  it('weighs each signal as it says', () => {
    const none: Known = { queries: [], newest: null, used: 0, types: 0, now }
    expect(scoreOf({ ...rule, confidence: 0.5, evidence: [] }, none).composite).toBe(0.15)
    expect(scoreOf({ ...rule, confidence: 0 }, { ...none, types: 2 }).composite).toBe(0.039)
  })
})
