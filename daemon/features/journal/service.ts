import { type Entry, priorities } from '#contract/entries'
import type { journal } from '#contract/journal'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { render } from '#kernel/journal/chain'
import type { Range } from '#kernel/journal/timeline'
import { problem } from '#kernel/problem'
import { readCursor } from './cursor.ts'
import { type Filter, readFilter, readLimit } from './filter.ts'
import { matching, type Plan, plan, resolve, type Source, type Wanted } from './plan.ts'
import { lookups, queries } from './queries.ts'
import { createReader, reply, TooMuch } from './reader.ts'
import { matchText, type SearchPlan } from './search.ts'
import { createTotals } from './totals.ts'

/** Rows that a request may look at before another thread does it instead: about 5 ms. */
const budget = 3_000

/** Indexes that a search is narrowed by; the others stand in the full-text index as tags. */
const narrow = new Set<Source>(['mission', 'trace', 'actor', 'run', 'priority'])

/** Where in the journal to look: newer than `after`, no newer than `upTo`. */
export interface Window {
  after?: number
  upTo?: number
}

/** Reads of one journal: what is bounded is answered at once, the rest by another thread. */
export interface JournalReads {
  /** The text of a page, newest first. */
  page(workspace: string, filter: Filter, window: Window, limit: number): Promise<string>
  /** The newest `limit` matches, oldest first. */
  docs(workspace: string, filter: Filter, window: Window, limit: number): Promise<Found>
  count(workspace: string, filter: Filter): Promise<number>
  verify(workspace: string): Promise<string>
}

export interface Found {
  entries: { id: string; doc: string }[]
  /** There are older ones. */
  more: boolean
}

export function createJournalReads({ db, index, reads }: Pick<App, 'db' | 'index' | 'reads'>): JournalReads {
  const reader = createReader(db)
  const totals = createTotals(db)

  function ranges({ since, until }: Filter, { after = 0, upTo = Infinity }: Window): Range[] {
    const within = index.timeline.ranges(since, until, index.head())
    return within.map((range) => ({ after: Math.max(after, range.after), upTo: Math.min(upTo, range.upTo) })).filter((range) => range.upTo > range.after)
  }

  /** Null when nothing can match. */
  function searchPlan(phrase: string, wanted: Wanted, within: Range[]): SearchPlan | null {
    const combos = matching(wanted, index.combos.of(wanted.ws))
    const { streams } = plan(wanted, within, index)
    const among = streams.filter(({ by }) => narrow.has(by))
    const span = among.length ? reader.span(wanted.ws, among) : { after: 0, upTo: Infinity }
    if (!span || streams.length === 0) return null
    const { missions, traces, runs, priorities } = wanted
    return {
      match: matchText(phrase, wanted, combos),
      ranges: within
        .map(({ after, upTo }) => ({ after: Math.max(after, span.after), upTo: Math.min(upTo, span.upTo) }))
        .filter(({ after, upTo }) => upTo > after),
      check: missions || traces || runs || priorities ? { missions, traces, runs, priorities } : null,
      among,
      ws: wanted.ws,
      head: index.head(),
    }
  }

  async function elsewhere<T>(here: () => T, job: string, args: unknown, read: (text: string) => T): Promise<T> {
    try {
      return here()
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error
      return read(await reads.run('scan', job, args))
    }
  }

  async function countPlanned(wanted: Wanted, planned: Plan): Promise<number> {
    const { missions, traces, runs, priorities: marks } = wanted
    const combos = matching(wanted, index.combos.of(wanted.ws))
    if (missions || traces || runs || (marks && !marks.has(0))) {
      return elsewhere(() => reader.count(planned, { rows: budget }), 'count', { plan: planned }, Number)
    }
    const all = combos ? combos.reduce((sum, { n }) => sum + n, 0) : index.combos.total(wanted.ws)
    let sum = 0
    for (const range of planned.ranges) sum += await countRange(wanted.ws, combos, all, range)
    if (!marks || marks.size === priorities.length) return sum
    const others = priorities.map((_, at) => at).filter((at) => !marks.has(at))
    const marked = {
      ...planned,
      streams: others.map((key) => ({ by: 'priority' as const, key })),
      check: combos && { combos: new Set(combos.map(({ combo }) => combo)) },
    }
    return sum - (await elsewhere(() => reader.count(marked, { rows: budget }), 'count', { plan: marked }, Number))
  }

  async function countRange(ws: number, combos: { combo: number }[] | null, all: number, range: Range): Promise<number> {
    const head = index.head()
    if (totals.effort(combos, range, head) <= 20 * budget) return totals.within(ws, combos, all, range, head)
    const numbers = combos?.map(({ combo }) => ({ combo })) ?? null
    return Number(await reads.run('scan', 'totals', { ws, combos: numbers, all, range, head }))
  }

  async function page(workspace: string, filter: Filter, window: Window, limit: number): Promise<string> {
    const wanted = resolve(index, workspace, filter)
    const within = ranges(filter, window)
    if (!wanted || within.length === 0) return reply([], limit)
    if (filter.phrase) {
      const search = searchPlan(filter.phrase, wanted, within)
      return search ? reads.run('search', 'search', { plan: search, limit }) : reply([], limit)
    }
    const planned = plan(wanted, within, index)
    return elsewhere(
      () => reader.list(planned, limit, { rows: budget }),
      'list',
      { plan: planned, limit },
      (text) => text,
    )
  }

  return {
    page,
    async docs(workspace, filter, window, limit) {
      const { entries, next_cursor } = JSON.parse(await page(workspace, filter, window, limit)) as { entries: Entry[]; next_cursor?: string }
      return { entries: entries.reverse().map((entry) => ({ id: entry.id, doc: JSON.stringify(entry) })), more: next_cursor !== undefined }
    },
    async count(workspace, filter) {
      const wanted = resolve(index, workspace, filter)
      const within = ranges(filter, {})
      if (!wanted || within.length === 0) return 0
      if (!filter.phrase) return countPlanned(wanted, plan(wanted, within, index))
      const search = searchPlan(filter.phrase, wanted, within)
      const found = search ? (JSON.parse(await reads.run('search', 'searchCount', { plan: search })) as number | null) : 0
      if (found === null) throw problem('unavailable', { detail: 'The search index is being rebuilt; try again later', headers: { 'retry-after': '10' } })
      return found
    },
    verify: (workspace) => reads.run('scan', 'verify', { ws: index.names.find(0, workspace) ?? 0, head: index.head() }),
  }
}

export function list({ db }: App, reads: JournalReads, { actor, query }: Call<typeof journal.list>): Promise<string> {
  const filter = readFilter(query)
  const limit = readLimit(query.limit)
  const upTo = query.cursor ? (queries(db).before.get(readCursor(query.cursor)) ?? 0) : undefined
  return reads.page(actor.workspace, filter, { upTo }, limit)
}

export function show({ db, index }: App, { actor, entryId }: Call<typeof journal.show>): string {
  const doc = queries(db).doc.get(entryId, index.names.find(0, actor.workspace) ?? 0)
  if (!doc) throw problem('not_found')
  return doc
}

/** Marks an entry: nothing else in the journal ever changes. The ledger and an entry of its own say who, when and why. */
export function setPriority(app: App, { actor, entryId, body, now }: Call<typeof journal.priority>) {
  const { db, index } = app
  const row = queries(db).find.get(entryId, index.names.find(0, actor.workspace) ?? 0)
  if (!row) throw problem('not_found')
  const entry = JSON.parse(row.doc) as Entry
  const previous = entry.priority
  const { priority, reason = '' } = body
  queries(db).mark.run(priorities.indexOf(priority), render({ ...entry, priority }).doc, row.seq)
  queries(db).record.run(row.seq, previous, priority, reason, actor.id, now)
  app.journal({
    workspace_id: actor.workspace,
    type: 'memory.priority_changed',
    summary: `priority of ${entry.entry_type} changed from ${previous} to ${priority}`,
    actor_type: 'user',
    actor_id: actor.id,
    crew_id: entry.crew_id,
    agent_id: entry.agent_id,
    mission_id: entry.mission_id,
    payload: { target_entry_id: entry.id, target_entry_type: entry.entry_type, previous_priority: previous, new_priority: priority, reason },
    refs: { parent_entry_id: entry.id },
  })
  return { id: entry.id, priority, previous, reason }
}

/** Names for the ids in entries. Missions are not kept yet. */
export const lookUp = ({ db }: App, workspace: string) => ({
  crews: lookups(db).crews.all(workspace),
  agents: lookups(db).agents.all(workspace),
  missions: [],
})
