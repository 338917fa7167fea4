import type { Static } from 'typebox'
import type { MetricGroup, metrics, Timeseries } from '#contract/metrics'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import type { Question } from './measures.ts'
import { type Count, queries } from './queries.ts'
import { checkGroup, spansOf, stamp } from './rules.ts'

type Shown = Static<typeof Timeseries>

/** A metric of the workspace in equal steps of time, counted by a reading thread: there may be millions of runs. */
export async function timeseries(app: App, { actor, query }: Call<typeof metrics.timeseries>): Promise<Shown> {
  const { metric, window = '24h', bucket = '1h', group_by = 'none' } = query
  checkGroup(metric, group_by)
  const now = app.clock()
  const spans = spansOf(window, bucket, now)
  const question: Question = { metric, workspace: actor.workspace, spans, now }
  const counts = JSON.parse(await app.reads.run('scan', 'metric', question)) as Count[][]
  const label = labeler(app, actor.workspace, group_by)
  const series_labels: Record<string, string> = {}
  const buckets = spans.map((span, at) => {
    const series: Record<string, number> = {}
    for (const { key, n } of counts[at]!) {
      const [id, name] = label(group_by === 'status' && metric === 'issues_closed' ? 'DONE' : key)
      series[id] = (series[id] ?? 0) + n
      series_labels[id] = name
    }
    return { ts: stamp(span.from), series }
  })
  return { metric, window, bucket, group_by, buckets, series_labels }
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
