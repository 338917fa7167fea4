import type { Range } from '#kernel/journal/timeline'
import type { Db } from '#kernel/store/db'
import type { Check, Plan, Source, Stream } from './plan.ts'

/** A read would examine more rows than its budget allows. */
export class TooMuch extends Error {}

/** Rows that may still be examined. */
export interface Budget {
  rows: number
}

export interface Reader {
  /** Seqs of the newest matches, at most `limit`. Throws `TooMuch`. */
  seqs(plan: Plan, limit: number, budget?: Budget): number[]
  /** Number of matches. Throws `TooMuch`. */
  count(plan: Plan, budget?: Budget): number
  /** Stored text of the newest matches, at most `limit`. Throws `TooMuch`. */
  find(plan: Plan, limit: number, budget?: Budget): string[]
  /** Stored text of entries, in the order of `seqs`. */
  docs(seqs: number[]): string[]
  accepts(check: Check, seq: number): boolean
  /** From the oldest to the newest entry of the streams; null without any. */
  span(ws: number, streams: Stream[]): Range | null
}

const keyColumns: Record<Source, string> = {
  ws: 'ws = @key',
  combo: 'combo = @key',
  crew: 'crew = @key',
  agent: 'agent = @key',
  type: 'type = @key',
  mission: 'mission = @key',
  trace: 'trace = @key',
  actor: 'actor = @key',
  run: 'run = @key',
  severity: 'ws = @ws AND severity = @key AND severity >= 1',
  priority: 'ws = @ws AND priority = @key AND priority >= 1',
}

interface Window extends Range {
  ws: number
  key: number
  limit: number
}

type Row = {
  combo: number
  mission: number | null
  trace: number | null
  actor: number | null
  run: number | null
  priority: number
}

/** Each statement names its index: SQLite would otherwise sort half of the journal. */
export const streamSql = (by: Source, columns: string): string =>
  `SELECT ${columns} FROM journal INDEXED BY journal_${by} WHERE ${keyColumns[by]} AND seq <= @upTo AND seq > @after
    ORDER BY seq DESC LIMIT @limit`

export const sources = Object.keys(keyColumns) as Source[]

/** Merges two descending lists of at most `limit` without repeats, keeping the first `limit`. */
function mergeNewest(a: number[], b: number[], limit: number): number[] {
  if (a.length === 0) return b
  const merged: number[] = []
  for (let i = 0, k = 0; merged.length < limit && (i < a.length || k < b.length); ) {
    const [left, right] = [a[i] ?? 0, b[k] ?? 0]
    if (left >= right) i++
    if (right >= left) k++
    merged.push(Math.max(left, right))
  }
  return merged
}

export function createReader(db: Db): Reader {
  const prepared = <T>(prepare: (by: Source) => T) => {
    const made = new Map<Source, T>()
    return (by: Source): T => made.get(by) ?? made.set(by, prepare(by)).get(by)!
  }
  const seqsOf = prepared((by) => db.prepare<[Window], number>(streamSql(by, 'seq')).pluck())
  const docsOf = prepared((by) => db.prepare<[Window], string>(streamSql(by, 'doc')).pluck())
  const countOf = prepared((by) =>
    db.prepare<[Window], number>(`SELECT count(*) FROM (${streamSql(by, 'seq')})`).pluck(),
  )
  const spanOf = prepared((by) => {
    const from = `FROM journal INDEXED BY journal_${by} WHERE ${keyColumns[by]}`
    return db.prepare<[{ ws: number; key: number }], { oldest: number | null; newest: number }>(
      `SELECT (SELECT min(seq) ${from}) AS oldest, (SELECT max(seq) ${from}) AS newest`,
    )
  })
  const docsAt = db
    .prepare<[string], string>('SELECT doc FROM json_each(?) e CROSS JOIN journal j ON j.seq = e.value')
    .pluck()
  const rowAt = db.prepare<[number], Row>(
    'SELECT combo, mission, trace, actor, run, priority FROM journal WHERE seq = ?',
  )

  function accepts({ combos, missions, traces, runs, priorities }: Check, seq: number): boolean {
    const row = rowAt.get(seq)
    if (!row) return false
    const has = (set: Set<number>, name: number | null) => name !== null && set.has(name)
    return (
      (!combos || combos.has(row.combo)) &&
      (!missions || has(missions, row.mission)) &&
      (!traces || has(traces, row.trace)) &&
      (!runs || has(runs, row.trace) || has(runs, row.actor) || has(runs, row.run)) &&
      (!priorities || priorities.has(row.priority))
    )
  }

  /** Up to `limit` matches of one stream within (after, upTo]. */
  function take(
    plan: Plan,
    stream: Stream,
    { after, upTo }: Range,
    limit: number,
    budget: Budget | undefined,
  ): number[] {
    const window = { ws: plan.ws, key: stream.key, after, upTo, limit }
    if (!plan.check) return seqsOf(stream.by).all(window)
    const found: number[] = []
    const size = Math.min(Math.max(limit, 100), 1000)
    for (let next = upTo; found.length < limit; ) {
      const chunk = seqsOf(stream.by).all({ ...window, upTo: next, limit: size })
      spend(budget, chunk.length)
      for (const seq of chunk) if (accepts(plan.check, seq)) found.push(seq)
      if (chunk.length < size) break
      next = chunk.at(-1)! - 1
    }
    return found.slice(0, limit)
  }

  function seqsWithin(plan: Plan, range: Range, limit: number, budget: Budget | undefined): number[] {
    const byNewest = plan.streams.toSorted((a, b) => (b.last ?? Infinity) - (a.last ?? Infinity))
    let held: number[] = []
    for (const stream of byNewest) {
      // Entries older than the last of a full page need not be read.
      const floor = held.length >= limit ? held.at(-1)! : range.after
      if (stream.last !== undefined && stream.last <= floor) break
      spend(budget, 1)
      held = mergeNewest(held, take(plan, stream, { after: floor, upTo: range.upTo }, limit, budget), limit)
    }
    return held
  }

  function seqs(plan: Plan, limit: number, budget?: Budget): number[] {
    const found: number[] = []
    for (const range of plan.ranges) {
      if (found.length >= limit) break
      found.push(...seqsWithin(plan, range, limit - found.length, budget))
    }
    return found
  }

  function count(plan: Plan, budget?: Budget): number {
    const { ws, streams, check } = plan
    // An entry has one value in each column, but a run's id may be in three columns.
    const disjoint = streams.every(({ by }) => by === streams[0]!.by)
    let total = 0
    for (const range of plan.ranges) {
      if (check || !disjoint) total += seqsWithin(plan, range, Number.MAX_SAFE_INTEGER, budget).length
      else
        for (const { by, key } of streams)
          total += countOf(by).get({ ws, key, ...range, limit: budget ? budget.rows + 1 : -1 })!
      if (budget && total > budget.rows) throw new TooMuch()
    }
    return total
  }

  const docs = (at: number[]) => docsAt.all(JSON.stringify(at))

  return {
    seqs,
    count,
    docs,
    accepts,
    span(ws, streams) {
      const spans = streams.map(({ by, key }) => spanOf(by).get({ ws, key })!).filter(({ oldest }) => oldest !== null)
      if (spans.length === 0) return null
      return {
        after: Math.min(...spans.map(({ oldest }) => oldest!)) - 1,
        upTo: Math.max(...spans.map(({ newest }) => newest)),
      }
    },
    find(plan, limit, budget) {
      const [stream, ...streams] = plan.streams
      const [range, ...ranges] = plan.ranges
      return stream && range && !streams.length && !ranges.length && !plan.check
        ? docsOf(stream.by).all({ ws: plan.ws, key: stream.key, ...range, limit })
        : docs(seqs(plan, limit, budget))
    },
  }
}

function spend(budget: Budget | undefined, rows: number): void {
  if (!budget) return
  budget.rows -= rows
  if (budget.rows < 0) throw new TooMuch()
}

/** The text of a page, joined from stored text without parsing. One entry more than `limit` means a next page. */
export function reply(found: string[], limit: number, next?: string): string {
  const entries = found.slice(0, limit)
  const cursor = next ?? (found.length > limit ? cursorOf(entries.at(-1)!) : undefined)
  return `{"entries":[${entries.join(',')}],${cursor ? `"next_cursor":"${cursor}",` : ''}"count":${entries.length}}`
}

/** The cursor of an entry: opaque to clients, made of time and id. */
export function cursorOf(doc: string): string {
  const { ts, id } = JSON.parse(doc) as { ts: string; id: string }
  return Buffer.from(JSON.stringify([ts, id])).toString('base64url')
}
