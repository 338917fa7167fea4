import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { journal } from '#contract/journal'
import type { Compacting, Compaction, Due } from '#contract/journal-compaction'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import type { DueQuestion } from './due.ts'
import { queries, type RunRow } from './queries.ts'
import { compactedTypes, dayOf, usualDays } from './rules.ts'
import { bucketOf, cutoffFor } from './steps.ts'

const bucketsShown = 100

const spaceOf = ({ index }: App, workspace: string): number => index.names.find(0, workspace) ?? 0

const daysOf = ({ db }: App, workspace: string): number => queries(db).retention.get(workspace)?.days ?? usualDays

export function show(app: App, workspace: string): Static<typeof Compaction> {
  const ws = spaceOf(app, workspace)
  const cutoff = cutoffFor(app, workspace)
  const { combos } = app.index
  const read = queries(app.db)
  return {
    retention_days: daysOf(app, workspace),
    cutoff: cutoff === null ? null : wholeSeconds(cutoff),
    entry_types: [...compactedTypes],
    compacted: combos.chained(ws) - combos.total(ws),
    running: toRun(read.running.get(ws)),
    last: toRun(read.last.get(ws)),
    buckets: read.newest
      .all(ws, bucketsShown)
      .map(({ entry_type, entry_id, ...row }) => ({ ...bucketOf(row), entry_type, entry_id })),
  }
}

const toRun = (row: RunRow | undefined) =>
  row
    ? {
        cutoff: wholeSeconds(row.cutoff),
        asked_by: row.asked_by,
        entries_deleted: row.entries,
        buckets_created: row.rollups,
        bytes_freed: row.freed,
        begun_at: row.begun_at,
        ended_at: row.ended_at,
      }
    : null

/** What a compaction that is asked for would roll up, and before when. */
interface Asked {
  cutoff: number
  due: Due
}

/** Counts, on another thread, what is to be rolled up. */
export async function prepare(app: App, { actor, body }: Call<typeof journal.compact>): Promise<Asked> {
  const usual = cutoffFor(app, actor.workspace)
  if (usual === null) throw problem('journal_kept')
  const cutoff = body?.before === undefined ? usual : Math.min(usual, timeOf(body.before, usual))
  const ws = spaceOf(app, actor.workspace)
  const types = compactedTypes.flatMap((name) => {
    const type = app.index.names.find(ws, name)
    return type === undefined ? [] : [{ type, name }]
  })
  const ranges = app.index.timeline.ranges(undefined, cutoff - 1, app.index.head())
  const question: DueQuestion = { types, ranges }
  return { cutoff, due: JSON.parse(await app.reads.run('scan', 'due', question)) as Due }
}

function timeOf(day: string, usual: number): number {
  const time = Date.parse(day)
  if (Number.isNaN(time) || dayOf(time) !== day)
    throw problem('invalid_field', { field: 'before', detail: `There is no day ${day}` })
  if (time > usual)
    throw problem('invalid_field', {
      field: 'before',
      detail: `This workspace keeps entries in full from ${dayOf(usual)} on: before must not be later`,
    })
  return time
}

/** Begins the compaction, which then goes on by itself. */
export function begin(
  app: App,
  { actor, now }: Call<typeof journal.compact>,
  { cutoff, due }: Asked,
): Static<typeof Compacting> {
  const told = { entries: due.entries, cutoff: new Date(cutoff).toISOString() }
  const { seq } = app.journal(
    fact('journal.compaction_asked', told, { workspace_id: actor.workspace, ...actorOf(actor) }),
  )
  const ws = spaceOf(app, actor.workspace)
  const workspace_id = actor.workspace
  const run = queries(app.db).begin.get({ ws, workspace_id, cutoff, asked_by: actor.id, begun_at: now })
  if (!run) throw problem('compaction_running')
  app.afterCommit(() => app.bus.emit('compact', seq))
  return { cutoff: wholeSeconds(cutoff), retention_days: daysOf(app, actor.workspace), ...due }
}

/** Throws what there is to say of an entry that left the journal; nothing when this workspace never had it. */
export function tellGone(app: App, workspace: string, id: string): void {
  const husk = huskOf(app, id)
  if (!husk || husk.ws !== spaceOf(app, workspace)) return
  const { entry_type, ts } = JSON.parse(husk.fixed) as { entry_type: string; ts: string }
  const type = app.index.names.find(husk.ws, entry_type) ?? 0
  const day = dayOf(Date.parse(ts))
  const summary = queries(app.db).summaryOf.get({ ws: husk.ws, type, day })
  const where = summary ? `; the entry ${summary.id} sums up its day` : ''
  throw problem('entry_rolled_up', { detail: `This entry (${entry_type}, ${ts}) was rolled up${where}` })
}

/** Ids grow with the entries, so an id is found among those that left by halving. */
function huskOf({ db, index }: App, id: string) {
  let [low, high] = [1, index.head() + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = queries(db).huskFrom.get(middle)
    if (!found) high = middle
    else if (idOf(found.fixed) < id) low = found.seq + 1
    else high = middle
  }
  const found = queries(db).huskFrom.get(low)
  return found && idOf(found.fixed) === id ? found : undefined
}

/** An entry's JSON begins with its id. */
const idOf = (fixed: string): string => fixed.slice(7, 25)
