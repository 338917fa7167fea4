import type { LearnedRule, Score } from '#contract/consolidate'

const weights = {
  Relevance: 0.3,
  Frequency: 0.24,
  QueryDiversity: 0.15,
  Recency: 0.15,
  Consolidation: 0.1,
  ConceptualRichness: 0.06,
} as const

const thresholds = { MinScore: 0.8, MinRecallCount: 3, MinUniqueQueries: 3 } as const

/** From where on a rule is worth a skill. */
const skillThresholds = { composite: 0.85, recalls: 10 } as const

export const isWorthSkill = ({ composite, recall_count }: Score): boolean =>
  composite >= skillThresholds.composite && recall_count >= skillThresholds.recalls

/** Days after which something counts half as recent. */
const halfLife = 14
const day = 86_400_000

/** What is known of a rule beside what it says. */
export interface Known {
  /** What each search looked for that found its evidence. */
  queries: readonly string[]
  /** When its newest evidence was recorded, milliseconds; null when all of it is gone. */
  newest: number | null
  /** In how many proposals its evidence was used, this one included. */
  used: number
  /** Entry types of its evidence. */
  types: number
  now: number
}

const share = (value: number): number => Math.min(1, Math.max(0, value))
/** Grows ever slower, and reaches 1 at `full`. */
const slowly = (count: number, full: number): number => share(Math.log(1 + count) / Math.log(1 + full))
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

/** How well a rule has proven itself: signals between 0 and 1, each of which can reach 1. */
export function scoreOf({ confidence, evidence }: LearnedRule, { queries, newest, used, types, now }: Known): Score {
  const recall_count = queries.length
  const unique_queries = new Set(queries.map((query) => query.trim().toLowerCase())).size
  const signals = {
    Relevance: share(confidence),
    Frequency: slowly(recall_count, 30),
    QueryDiversity: slowly(unique_queries, 10),
    Recency: newest === null ? 0 : share(0.5 ** (Math.max(0, now - newest) / day / halfLife)),
    Consolidation: share(used / 5),
    ConceptualRichness: 0.3 * share(evidence.length / 8) + 0.7 * share(types / 4),
  }
  const names = Object.keys(signals) as (keyof typeof signals)[]
  const composite = rounded(names.reduce((sum, name) => sum + signals[name] * weights[name], 0))
  const promoted =
    composite >= thresholds.MinScore &&
    recall_count >= thresholds.MinRecallCount &&
    unique_queries >= thresholds.MinUniqueQueries
  for (const name of names) signals[name] = rounded(signals[name])
  return { signals, weights, composite, recall_count, unique_queries, promoted, thresholds }
}
