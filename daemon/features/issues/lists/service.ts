import type { IssueSort } from '#contract/issues'
import type { App } from '#kernel/app'
import { type Cache, createCache } from '#kernel/cache'
import type { Db } from '#kernel/store/db'
import type { Row } from '../queries.ts'
import { type Filter, type LabelTest, listing, queries, type Source } from './queries.ts'

/** Issues up to which those of one filter are read and sorted; more are looked through in the list's order. */
const manyIssues = 10_000
/** The same where more than an index must be read: for a text in titles. */
const manyRows = 1500
/** Issues with a label above which it is looked for in each row instead of making a set of them. */
const manyInSet = 8000
/** Titles with a text above which it is faster to look through the issues in their order. */
const manyTitles = 500
/** The index of parts of titles knows none that are shorter. */
const shortestPart = 3

interface Way {
  source: Source
  label: LabelTest
}

/** How long a way is gone again before issues are counted anew: each leads to the same issues, not as fast. */
const rememberedMs = 60_000
const remembered = 1000
const known = new WeakMap<App, Cache<{ way: Way; at: number }>>()

/** A page of the issues that a filter chooses, in this order. */
export function pageOfIssues(app: App, filter: Filter, sort: IssueSort, page: { limit: number; offset: number }) {
  const { source, label } = wayOf(app, filter)
  return listing(app.db, filter, sort, source, label).all({ ...filter, ...page }) satisfies Row[]
}

function wayOf(app: App, filter: Filter): Way {
  if (filter.found !== undefined) return { source: 'found', label: 'each' }
  const ways = known.get(app) ?? createCache<{ way: Way; at: number }>(remembered)
  known.set(app, ways)
  const key = JSON.stringify({ ...filter, search: filter.search !== undefined })
  const now = app.clock()
  const last = ways.get(key)
  if (last && Math.abs(now - last.at) < rememberedMs) return last.way
  const source = sourceOf(app.db, filter)
  const way = { source, label: labelTest(app.db, filter, source) }
  ways.set(key, { way, at: now })
  return way
}

/** What a text in titles adds to a filter: a text that few titles have is looked up first. */
export function searchFilter({ db }: App, search: string): Pick<Filter, 'search' | 'found'> {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  if ([...search].length < shortestPart || /[\\%_]/.test(search)) return { search: pattern }
  const places = queries(db).titles.all(pattern, manyTitles)
  return places.length < manyTitles ? { found: JSON.stringify(places) } : { search: pattern }
}

/** The filter that the fewest issues pass, unless that are many. */
function sourceOf(db: Db, filter: Filter): Source {
  let source: Source = 'order'
  let most = filter.search === undefined ? manyIssues : manyRows
  for (const name of named(filter)) {
    const count = queries(db)[name].get({ ...filter, most })!
    if (count < most) [source, most] = [name, count]
  }
  return source
}

function named(filter: Filter): Exclude<Source, 'found' | 'order'>[] {
  const names: Exclude<Source, 'found' | 'order'>[] = []
  for (const name of ['crew', 'project', 'assignee', 'label'] as const) if (filter[name] !== undefined) names.push(name)
  const { statuses, priorities } = filter
  if (statuses !== undefined) names.push(priorities === undefined ? 'statuses' : 'both')
  else if (priorities !== undefined) names.push('priorities')
  return names
}

/**
 * In the order of the list enough issues with a label are soon found; elsewhere all issues of the source are looked
 * at.
 */
function labelTest(db: Db, filter: Filter, source: Source): LabelTest {
  if (filter.label === undefined || source === 'order') return 'each'
  return queries(db).label.get({ ...filter, most: manyInSet })! < manyInSet ? 'set' : 'each'
}
