import { type Entry, priorities } from '#contract/entries'
import type { Verdict } from '#contract/journal'
import type { App } from '#kernel/app'
import type { Range } from '#kernel/journal/timeline'
import { problem } from '#kernel/problem'
import type { Filter } from './filter.ts'
import { matching, type Plan, plan, resolve, type Source, type Wanted } from './plan.ts'
import type { Known, Question } from './proof.ts'
import { createReader, reply, TooMuch } from './reader.ts'
import { matchText, type SearchPlan } from './search.ts'
import { createTotals } from './totals.ts'
import { verifyWhole } from './verification/whole.ts'

/** Rows that a request may examine on the main thread, about 5 ms; beyond that another thread takes over. */
const budget = 3_000

/** Indexes that narrow a search; the other columns are tags in the full-text index. */
const narrow = new Set<Source>(['mission', 'trace', 'actor', 'run', 'priority'])

/** A window of the journal: newer than `after`, no newer than `upTo`. */
export interface Window {
  after?: number
  upTo?: number
}

/** Reads of one journal: short ones are answered at once, long ones by another thread. */
export interface JournalReads {
  /** The text of a page, newest first. */
  page(workspace: string, filter: Filter, window: Window, limit: number): Promise<string>
  /** The newest `limit` matches, oldest first. */
  docs(workspace: string, filter: Filter, window: Window, limit: number): Promise<Found>
  count(workspace: string, filter: Filter): Promise<number>
  /** `anchor`: a point that the caller knows. */
  verify(workspace: string, anchor: Known | null): Promise<Verdict>
  /** What there is to verify at this moment. */
  question(workspace: string, anchor: Known | null): Promise<Question>
}

export interface Found {
  /** Stored text of the entries. */
  docs: string[]
  /** Whether there are older matches. */
  more: boolean
}

export function createJournalReads(app: Pick<App, 'db' | 'index' | 'reads' | 'seals' | 'stopping'>): JournalReads {
  const { db, index, reads, seals } = app
  const reader = createReader(db)
  const totals = createTotals(db)

  function ranges({ since, until }: Filter, { after = 0, upTo = Infinity }: Window): Range[] {
    const within = index.timeline.ranges(since, until, index.head())
    return within
      .map((range) => ({ after: Math.max(after, range.after), upTo: Math.min(upTo, range.upTo) }))
      .filter((range) => range.upTo > range.after)
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

  async function orElsewhere<T>(here: () => T, job: string, args: unknown, read: (text: string) => T): Promise<T> {
    return orNull(here) ?? read(await reads.run('scan', job, args))
  }

  async function countPlanned(wanted: Wanted, planned: Plan): Promise<number> {
    const { missions, traces, runs, priorities: marks } = wanted
    const combos = matching(wanted, index.combos.of(wanted.ws))
    if (missions || traces || runs || (marks && !marks.has(0))) {
      return orElsewhere(() => reader.count(planned, { rows: budget }), 'count', { plan: planned }, Number)
    }
    const all = combos ? combos.reduce((sum, { n }) => sum + n, 0) : index.combos.total(wanted.ws)
    let sum = 0
    for (const range of planned.ranges) sum += await countRange(wanted.ws, combos, all, range)
    if (!marks) return sum
    const others = priorities.map((_, at) => at).filter((at) => !marks.has(at))
    const marked = {
      ...planned,
      streams: others.map((key) => ({ by: 'priority' as const, key })),
      check: combos && { combos: new Set(combos.map(({ combo }) => combo)) },
    }
    return sum - (await orElsewhere(() => reader.count(marked, { rows: budget }), 'count', { plan: marked }, Number))
  }

  async function countRange(
    ws: number,
    combos: { combo: number }[] | null,
    all: number,
    range: Range,
  ): Promise<number> {
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
    return orElsewhere(
      () => reply(reader.find(planned, limit + 1, { rows: budget }), limit),
      'list',
      { plan: planned, limit },
      (text) => text,
    )
  }

  async function question(workspace: string, anchor: Known | null): Promise<Question> {
    const sealed = await seals.of(workspace)
    const ws = index.names.find(0, workspace) ?? 0
    return { ws, workspace, head: index.head(), entries: index.combos.chained(ws), sealed, anchor }
  }

  return {
    page,
    async docs(workspace, filter, window, limit) {
      const wanted = resolve(index, workspace, filter)
      const within = ranges(filter, window)
      const found =
        wanted && !filter.phrase
          ? orNull(() => reader.find(plan(wanted, within, index), limit + 1, { rows: budget }))
          : null
      if (found) return { docs: found.slice(0, limit).reverse(), more: found.length > limit }
      const { entries, next_cursor } = JSON.parse(await page(workspace, filter, window, limit)) as {
        entries: Entry[]
        next_cursor?: string
      }
      return { docs: entries.reverse().map((entry) => JSON.stringify(entry)), more: next_cursor !== undefined }
    },
    async count(workspace, filter) {
      const wanted = resolve(index, workspace, filter)
      const within = ranges(filter, {})
      if (!wanted || within.length === 0) return 0
      if (!filter.phrase) return countPlanned(wanted, plan(wanted, within, index))
      const search = searchPlan(filter.phrase, wanted, within)
      const found = search
        ? (JSON.parse(await reads.run('search', 'searchCount', { plan: search })) as number | null)
        : 0
      if (found === null)
        throw problem('unavailable', {
          detail: 'The search index is being rebuilt; try again later',
          headers: { 'retry-after': '10' },
        })
      return found
    },
    verify: async (workspace, anchor) => verifyWhole(app, await question(workspace, anchor)),
    question,
  }
}

/** Null when the work exceeds its budget. */
function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooMuch) return null
    throw error
  }
}
