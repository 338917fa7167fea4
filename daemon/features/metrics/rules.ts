import { type MetricBucket, type MetricGroup, type MetricName, type MetricWindow, mostBuckets } from '#contract/metrics'
import { problem } from '#kernel/problem'

const seconds = { '15m': 900, '1h': 3600, '1d': 86_400, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const

/** What each metric may be grouped by, besides nothing. */
const groups: Readonly<Record<MetricName, readonly MetricGroup[]>> = {
  issues_closed: ['crew', 'status'],
  active_missions: ['status'],
  runs_count: ['crew'],
  cost_usd: ['model'],
}

/** A step of time in milliseconds since 1970, its end excluded. */
export interface Span {
  from: number
  to: number
}

/** The steps of a window that ends with the one of `now`, oldest first, each beginning at a multiple of its length. */
export function spansOf(window: MetricWindow, bucket: MetricBucket, now: number): Span[] {
  const length = 1000 * seconds[bucket]
  const count = (1000 * seconds[window]) / length
  if (count <= 1) throw problem('invalid_field', { field: 'bucket', detail: 'bucket must be less than the window' })
  if (count > mostBuckets)
    throw problem('invalid_field', {
      field: 'bucket',
      detail: `bucket ${bucket} would give ${count} steps in ${window}, and ${mostBuckets} are the most`,
    })
  const first = (Math.floor(now / length) - count + 1) * length
  return Array.from({ length: count }, (_, at) => ({ from: first + at * length, to: first + (at + 1) * length }))
}

/** Refuses a grouping that the metric does not have. */
export function checkGroup(metric: MetricName, group: MetricGroup): void {
  if (group === 'none' || groups[metric].includes(group)) return
  const allowed = ['none', ...groups[metric]].join(' or ')
  throw problem('invalid_field', { field: 'group_by', detail: `group_by must be ${allowed} for ${metric}` })
}

/** A time as it is stored. */
export const stamp = (ms: number): string => new Date(ms).toISOString().replace('.000', '')
