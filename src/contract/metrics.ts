import { Type } from 'typebox'
import { get } from './define.ts'
import { Time } from './fields.ts'

export const metricNames = ['issues_closed', 'active_missions', 'runs_count', 'cost_usd'] as const
export type MetricName = (typeof metricNames)[number]
export const metricWindows = ['24h', '7d', '30d'] as const
export type MetricWindow = (typeof metricWindows)[number]
export const metricBuckets = ['15m', '1h', '1d'] as const
export type MetricBucket = (typeof metricBuckets)[number]
export const metricGroups = ['none', 'crew', 'model', 'status'] as const
export type MetricGroup = (typeof metricGroups)[number]

/** The most steps that a series has. */
export const mostBuckets = 200

/** A metric in equal steps of time, oldest first. docs/rules/work.md, "Metrics". */
export const Timeseries = Type.Object({
  metric: Type.Enum([...metricNames]),
  window: Type.Enum([...metricWindows]),
  bucket: Type.Enum([...metricBuckets]),
  group_by: Type.Enum([...metricGroups]),
  buckets: Type.Array(
    Type.Object({ ts: Time, series: Type.Record(Type.String(), Type.Number(), { description: 'by key' }) }),
  ),
  series_labels: Type.Record(Type.String(), Type.String(), { description: 'what each key is called' }),
})

export const metrics = {
  timeseries: get('/metrics/timeseries', {
    summary: 'Show a metric of the workspace over time',
    access: 'VIEWER',
    query: Type.Object({
      metric: Type.Enum([...metricNames]),
      window: Type.Optional(Type.Enum([...metricWindows], { description: '24h unless stated' })),
      bucket: Type.Optional(Type.Enum([...metricBuckets], { description: '1h unless stated; less than the window' })),
      group_by: Type.Optional(
        Type.Enum([...metricGroups], {
          description:
            'none unless stated; crew for issues_closed and runs_count, model for cost_usd, ' +
            'status for issues_closed and active_missions',
        }),
      ),
    }),
    reply: Timeseries,
    throws: ['unavailable'],
  }),
}
