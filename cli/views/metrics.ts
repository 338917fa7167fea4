import type { Static } from 'typebox'
import type { MetricName, Timeseries } from '#contract/metrics'
import { type Cell, dollars } from '../output/cell.ts'
import { barChart, lineChart } from '../output/chart.ts'
import type { View } from '../output/printer.ts'
import { spark } from '../output/spark.ts'
import type { Paint } from '../output/theme.ts'

/** One series of a metric. */
export interface Series {
  name: string
  metric: MetricName
  values: number[]
}

/** The series of a metric, the largest first; one of nothing where there is none. */
export function seriesOf({ metric, buckets, series_labels }: Static<typeof Timeseries>): Series[] {
  const keys = Object.keys(series_labels)
  const all = keys.map((key) => ({
    name: series_labels[key]!,
    metric,
    values: buckets.map(({ series }) => series[key] ?? 0),
  }))
  return all.sort((a, b) => sum(b.values) - sum(a.values))
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const cell = (metric: MetricName, value: number): Cell => (metric === 'cost_usd' ? dollars(value) : value)

export const seriesView: View<Series> = {
  name: ({ name }) => name,
  empty: 'Nothing was counted in that time.',
  columns: {
    NAME: ({ name }) => name,
    // Missions that are active at two times are not twice as many.
    SUM: ({ metric, values }) => (metric === 'active_missions' ? null : cell(metric, sum(values))),
    LAST: ({ metric, values }) => cell(metric, values.at(-1) ?? 0),
    MOST: ({ metric, values }) => cell(metric, Math.max(...values)),
    TREND: ({ values }) => ({ text: spark(values), value: values.join(',') }),
  },
}

export const timeseriesView: View<Static<typeof Timeseries>> = { name: ({ metric }) => metric, columns: {} }

/** Series that are drawn, the largest, and the rows of each picture. */
const mostDrawn = 4
const chartRows = 8

/** The largest series, each between axes of its own, which needs no colours to be told apart. */
export function charts(
  { metric, window, bucket, buckets }: Static<typeof Timeseries>,
  series: readonly Series[],
  { kind, width, paint }: { kind: 'line' | 'bar'; width: number; paint: Paint },
): string {
  const draw = kind === 'line' ? lineChart : barChart
  const [from, to] = [buckets[0]?.ts ?? '', buckets.at(-1)?.ts ?? ''].map(shortTime) as [string, string]
  const label = (value: number) => (metric === 'cost_usd' ? `$${value.toFixed(2)}` : roundLabel(value))
  const axes = { width, height: chartRows, label, from, to, paint }
  return series
    .slice(0, mostDrawn)
    .map(({ name, values }) => `${paint('bold', `${metric} · ${name}`)}, ${window} by ${bucket}\n${draw(values, axes)}`)
    .join('\n\n')
}

const roundLabel = (value: number): string => String(Math.round(value * 10) / 10)

/** A time in UTC to the minute. */
const shortTime = (time: string): string => time.replace('T', ' ').replace(/:\d\dZ$/, '')
