import type { IssueSort } from '#contract/issues'
import type { App } from '#kernel/app'
import type { Db } from '#kernel/store/db'
import type { Row } from '../queries.ts'
import { type Filter, type LabelTest, listing, queries, type Source } from './queries.ts'

/** Issues up to which those of one filter are read and sorted; with more, all are looked through in list order. */
const manyIssues = 10_000
/** The same where more than an index must be read: for a text in titles, and for a label. */
const manyRows = 1500
/** The same for a label beside another filter: few issues may have both, so that looking through all takes long. */
const manyOfLabel = 4000
/** Issues with a label above which it is looked for in each row instead of making a set of them. */
const manyInSet = 8000
/** Titles with a text above which it is faster to look through the issues in their order. */
const manyTitles = 500
/** The index of parts of titles knows none that are shorter. */
const shortestPart = 3

/** A page of the issues that a filter chooses, in this order. */
export function pageOfIssues({ db }: App, filter: Filter, sort: IssueSort, page: { limit: number; offset: number }) {
  const source = sourceOf(db, filter)
  const statement = listing(db, filter, sort, source, labelTest(db, filter, source))
  return statement.all({ ...filter, ...page }) satisfies Row[]
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
  if (filter.found !== undefined) return 'found'
  let source: Source = 'order'
  let most = filter.search === undefined ? manyIssues : manyRows
  const names = named(filter)
  for (const name of names) {
    const limit: number = name === 'label' ? mostOfLabel(source, most, names.length > 1) : most
    const count = queries(db)[name].get({ ...filter, most: limit })!
    if (count < limit) [source, most] = [name, count]
  }
  return source
}

/** An issue with a label is read from its row, which takes as long as five of an index. */
function mostOfLabel(source: Source, most: number, isBeside: boolean): number {
  if (source !== 'order') return Math.ceil(most / 5)
  return isBeside ? manyOfLabel : manyRows
}

function named(filter: Filter): Exclude<Source, 'found' | 'order'>[] {
  const names: Exclude<Source, 'found' | 'order'>[] = []
  for (const name of ['crew', 'project', 'assignee'] as const) if (filter[name] !== undefined) names.push(name)
  const { statuses, priorities } = filter
  if (statuses !== undefined) names.push(priorities === undefined ? 'statuses' : 'both')
  else if (priorities !== undefined) names.push('priorities')
  if (filter.label !== undefined) names.push('label')
  return names
}

/** In the order of the list enough issues with a label are soon found; elsewhere all of the source are looked at. */
function labelTest(db: Db, filter: Filter, source: Source): LabelTest {
  if (filter.label === undefined || source === 'order' || source === 'found') return 'each'
  return queries(db).label.get({ ...filter, most: manyInSet })! < manyInSet ? 'set' : 'each'
}
