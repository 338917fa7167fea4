import type { LearnedRule, Score } from '#contract/consolidate'
import type { Entry } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { Problem } from '#kernel/problem'
import { show, walk } from '../journal/service.ts'
import { queries } from './queries.ts'
import { scoreOf } from './score.ts'

const day = 86_400_000
/** Days that searches and earlier proposals count. */
const window = 7
/** Searches that are looked at, the newest first. */
const mostSearches = 5000

/** A search that found something. */
interface Search {
  query: string
  hits: ReadonlySet<string>
}

async function searchesOf(app: App, workspace: string): Promise<Search[]> {
  const since = wholeSeconds(app.clock() - window * day)
  const found: Search[] = []
  for await (const entries of walk(app, workspace, { entry_type: 'memory.searched', since })) {
    for (const { payload } of entries) {
      const { query, hit_chunk_ids } = payload ?? {}
      if (typeof query === 'string' && Array.isArray(hit_chunk_ids)) found.push({ query, hits: new Set(hit_chunk_ids) })
    }
    if (found.length >= mostSearches) break
  }
  return found
}

/** Evidence of what was proposed for a crew lately, by proposal. */
const usedLately = ({ db, clock }: App, crew: string): ReadonlySet<string>[] =>
  queries(db)
    .ofCrew.all(crew, wholeSeconds(clock() - window * day))
    .filter(({ kind }) => kind === 'learned')
    .map(({ evidence_json }) => new Set((JSON.parse(evidence_json) as LearnedRule[]).flatMap((rule) => rule.evidence)))

export interface Scored {
  rule: LearnedRule
  score: Score
}

/** How well rules of a crew have proven themselves, and the entries that they cite and that are still there. */
export async function scoresOf(
  app: App,
  { workspace_id, crew_id }: { workspace_id: string; crew_id: string },
  rules: readonly LearnedRule[],
): Promise<{ scored: Scored[]; cited: Entry[] }> {
  const cited = citedBy(app, workspace_id, rules)
  const searches = await searchesOf(app, workspace_id)
  const used = usedLately(app, crew_id)
  const scored = rules.map((rule) => {
    const has = (ids: ReadonlySet<string>) => rule.evidence.some((id) => ids.has(id))
    const own = rule.evidence.flatMap((id) => cited.get(id) ?? [])
    const known = {
      queries: searches.filter(({ hits }) => has(hits)).map(({ query }) => query),
      newest: own.length ? Math.max(...own.map(({ ts }) => Date.parse(ts))) : null,
      used: used.filter(has).length,
      types: new Set(own.map(({ entry_type }) => entry_type)).size,
      now: app.clock(),
    }
    return { rule, score: scoreOf(rule, known) }
  })
  return { scored, cited: [...cited.values()] }
}

function citedBy(app: App, workspace: string, rules: readonly LearnedRule[]): Map<string, Entry> {
  const found = new Map<string, Entry>()
  for (const entryId of new Set(rules.flatMap(({ evidence }) => evidence))) {
    try {
      found.set(entryId, JSON.parse(show(app, { actor: { workspace }, entryId })) as Entry)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
  }
  return found
}
