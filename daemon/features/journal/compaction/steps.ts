import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Erasable, Sound } from '#kernel/journal/eraser'
import type { Range } from '#kernel/journal/timeline'
import { queries, type RollupRow, type RunRow } from './queries.ts'
import { compactedTypes, cutoffOf, dayMs, dayOf, smallestGroup, usualDays } from './rules.ts'

/** Entries of one day and type; `after` is how far they have been taken out. */
interface Group {
  type: number
  day: string
  after: number
}

/** Where a compaction is: kept in memory alone, since a new one finds its way from the start. */
export interface Position {
  group: Group | null
  /** Groups of an earlier run that still lack their summary. */
  left: readonly Group[]
  /** Types that are still to be gone through, and how far the first of them was. */
  types: readonly number[]
  after: number
}

/** Days looked at in one step. */
const daysAtOnce = 20

export function beginning({ db, index }: App, ws: number): Position {
  const left = queries(db)
    .open.all(ws)
    .map(({ type, day }) => ({ type, day, after: 0 }))
  const types = compactedTypes.map((type) => index.names.find(ws, type)).filter((type) => type !== undefined)
  return { group: null, left, types, after: 0 }
}

/** The cutoff by the workspace's retention; null when it keeps entries for ever, or is gone. */
export function cutoffFor({ db, clock }: App, workspace: string): number | null {
  const row = queries(db).retention.get(workspace)
  const days = row ? (row.days ?? usualDays) : 0
  return days > 0 ? cutoffOf(clock(), days) : null
}

/** Looks for the next day of a type with enough entries, some days at once; null when there is none left. */
export function search(app: App, ws: number, cutoff: number, { left, types, after }: Position): Position | null {
  const [open, ...others] = left
  if (open) return { group: open, left: others, types, after }
  const [type, ...rest] = types
  if (type === undefined) return null
  let from = after
  for (let days = 0; days < daysAtOnce; days++) {
    const first = queries(app.db).firstOf.get({ type, after: from })
    if (!first) return { group: null, left, types: rest, after: 0 }
    const ranges = rangesOf(app, dayOf(first.ts))
    const here = ranges.find((range) => range.after < first.seq && first.seq <= range.upTo)
    from = here?.upTo ?? first.seq
    if (first.ts >= cutoff) continue
    const group = { type, day: dayOf(first.ts), after: 0 }
    const some = places(app, group, ranges, smallestGroup)
    if (some >= smallestGroup || queries(app.db).openOf.get({ ws, ...group }))
      return { group, left, types, after: from }
  }
  return { group: null, left, types, after: from }
}

/** Where the entries of a day are, oldest first: in several places when the clock was set back. */
function rangesOf({ index }: App, day: string): Range[] {
  const from = Date.parse(day)
  return index.timeline.ranges(from, from + dayMs - 1, index.head()).reverse()
}

function places({ db }: App, { type, after }: Group, ranges: readonly Range[], most: number): number {
  let found = 0
  for (const range of ranges) {
    if (found >= most) break
    const limit = most - found
    found += queries(db).places.all({ type, after: Math.max(after, range.after), upTo: range.upTo, limit }).length
  }
  return found
}

/**
 * Takes up to `most` entries of a group out, within a change; the last of them go together with the entry that sums all
 * up. How many were looked at, and what is left of the group; null when nothing is.
 */
export function take(app: App, run: RunRow, group: Group, most: number): { rest: Group | null; seen: number } {
  const { db, eraser, log } = app
  const wanted = isOver(app, run) ? 0 : most
  const rows: Erasable[] = []
  for (const range of wanted ? rangesOf(app, group.day) : []) {
    const limit: number = wanted + 1 - rows.length
    const within = { type: group.type, after: Math.max(group.after, range.after), upTo: range.upTo, limit }
    if (limit > 0 && range.upTo > group.after) rows.push(...queries(db).rows.all(within))
  }
  const more = rows.length > wanted && wanted > 0
  const { sound, altered } = eraser.examine(rows.slice(0, wanted))
  if (altered.length)
    log.error({ seqs: altered.slice(0, 10) }, 'Entries of the journal are not those that were written, and stay')
  const rollup = note(app, run, group, sound)
  if (!more && rollup) sumUp(app, run, rollup)
  eraser.takeOut(run.ws, sound)
  return { rest: more ? { ...group, after: rows[wanted - 1]!.seq } : null, seen: Math.min(wanted, rows.length) }
}

/** Whether people have meanwhile chosen to keep what this compaction was to take. */
function isOver(app: App, run: RunRow): boolean {
  const cutoff = cutoffFor(app, run.workspace_id)
  return cutoff === null || cutoff < run.cutoff
}

function note({ db }: App, run: RunRow, { type, day }: Group, sound: readonly Sound[]): RollupRow | undefined {
  const { compaction, ws } = run
  if (sound.length === 0) return queries(db).openOf.get({ ws, type, day })
  const sum = (of: (entry: Sound) => number) => sound.reduce((total, entry) => total + of(entry), 0)
  const times = sound.map(({ ts }) => ts)
  queries(db).count.get({ compaction, entries: sound.length, rollups: 0, freed: sum(({ freed }) => freed) })
  return queries(db).add.get({
    compaction,
    ws,
    type,
    day,
    entries: sound.length,
    bytes: sum(({ bytes }) => bytes),
    first_ts: Math.min(...times),
    last_ts: Math.max(...times),
  })
}

function sumUp(app: App, { compaction, workspace_id }: RunRow, rollup: RollupRow): void {
  const bucket = { ...bucketOf(rollup), entry_type: typeName(app, rollup) }
  const { seq } = app.journal(fact('system.compaction', bucket, { workspace_id, actor_type: 'system' }))
  queries(app.db).sum.run({ rollup: rollup.rollup, summary: seq })
  queries(app.db).count.get({ compaction, entries: 0, rollups: 1, freed: 0 })
}

const typeName = ({ index }: App, { ws, type }: RollupRow): string =>
  compactedTypes.find((name) => index.names.find(ws, name) === type)!

export const bucketOf = ({ day, entries, bytes, first_ts, last_ts }: RollupRow) => ({
  bucket_date: day,
  count: entries,
  bytes_sum: bytes,
  first_ts: new Date(first_ts).toISOString(),
  last_ts: new Date(last_ts).toISOString(),
})

/** The compaction that goes on in a workspace, begun now unless somebody asked for one before. */
export const runIn = ({ db, now }: App, ws: number, workspace: string, cutoff: number): RunRow =>
  queries(db).running.get(ws) ??
  queries(db).begin.get({ ws, workspace_id: workspace, cutoff, asked_by: null, begun_at: now() })!

/** Ends the compaction of a workspace, if one was begun, with the entry that tells of it. */
export function finish(app: App, ws: number): void {
  const run = queries(app.db).running.get(ws)
  if (!run) return
  const { compaction, entries, rollups, freed, cutoff, workspace_id } = run
  queries(app.db).end.run({ compaction, at: app.now() })
  const told = {
    entries_deleted: entries,
    buckets_created: rollups,
    bytes_freed: freed,
    cutoff: new Date(cutoff).toISOString(),
  }
  app.journal(fact('journal.compacted', told, { workspace_id, actor_type: 'system' }))
}
