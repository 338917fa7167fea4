import type { Static } from 'typebox'
import type { MetricGroup, MetricName, metrics, Timeseries } from '#contract/metrics'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { type Count, type MissionRow, queries } from './queries.ts'
import { checkGroup, type Span, spansOf } from './rules.ts'

type Shown = Static<typeof Timeseries>

/** What a step holds, by key; `null` stands for what belongs to nothing. */
type Measure = (span: Span) => readonly Count[]

/** A metric of the workspace in equal steps of time. */
export function timeseries(app: App, { actor, query }: Call<typeof metrics.timeseries>): Shown {
  const { metric, window = '24h', bucket = '1h', group_by = 'none' } = query
  checkGroup(metric, group_by)
  const now = app.clock()
  const spans = spansOf(window, bucket, now)
  const measure = measures[metric](app, actor.workspace, spans[0]!, now)
  const label = labeler(app, actor.workspace, group_by)
  const series_labels: Record<string, string> = {}
  const buckets = spans.map((span) => {
    const series: Record<string, number> = {}
    for (const { key, n } of measure(span)) {
      const [id, name] = label(group_by === 'status' && metric === 'issues_closed' ? 'DONE' : key)
      series[id] = (series[id] ?? 0) + n
      series_labels[id] = name
    }
    return { ts: stamp(span.from), series }
  })
  return { metric, window, bucket, group_by, buckets, series_labels }
}

const measures: Readonly<Record<MetricName, (app: App, workspace: string, first: Span, now: number) => Measure>> = {
  issues_closed:
    ({ db }, workspace) =>
    ({ from, to }) =>
      queries(db).closed.all({ workspace, from: stamp(from), to: stamp(to) }),
  runs_count:
    ({ db }, workspace) =>
    (span) =>
      queries(db).begun.all({ workspace, ...span }),
  cost_usd:
    ({ db }, workspace) =>
    (span) =>
      queries(db).spent.all({ workspace, ...span }),
  active_missions({ db }, workspace, first, now) {
    const rows = queries(db).missions.all({ workspace, from: stamp(first.from) })
    return ({ to }) => active(rows, stamp(to), to > now)
  },
}

/** Missions that were active just before this time, by status. `present`: it is now, of which all is known. */
function active(rows: readonly MissionRow[], at: string, present: boolean): Count[] {
  // All times have the same form, so that texts can be compared.
  const isBefore = (time: string | null) => time !== null && time < at
  return rows
    .filter(({ created_at, ended_at }) => isBefore(created_at) && !isBefore(ended_at))
    .map(({ status, started_at }) => ({
      key: present ? status : isBefore(started_at) ? 'IN_PROGRESS' : 'PLANNING',
      n: 1,
    }))
}

/** The key of a series, and what it is called. */
function labeler(app: App, workspace: string, group: MetricGroup): (key: string | null) => [string, string] {
  if (group === 'none') return () => ['total', 'Total']
  if (group === 'status') return (key) => [key!, key!]
  if (group === 'model') return (key) => (key === null ? ['unknown', 'Unknown'] : [key, key])
  const names = new Map(
    queries(app.db)
      .crews.all(workspace)
      .map(({ id, name }) => [id, name]),
  )
  return (key) => (key === null ? ['unassigned', 'Unassigned'] : [key, names.get(key) ?? key])
}

const stamp = (ms: number): string => new Date(ms).toISOString().replace('.000', '')
