import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  /** `seconds` is the time from the first byte of a request to the last of its answer. */
  observeRequest(operation: string, status: number, seconds: number): void
  readonly entries: Counter<'type'>
  readonly openStreams: Gauge<'kind'>
}

/** Prometheus metrics of one application. `watchProcess` adds those of the process, once for each process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'muster_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  })
  const series = new Map<string, Histogram.Internal<'operation' | 'status'>>()
  return {
    registry,
    observeRequest(operation, status, seconds) {
      const key = `${operation} ${status}`
      const known = series.get(key) ?? requests.labels(operation, String(status))
      series.set(key, known)
      known.observe(seconds)
    },
    entries: new Counter({
      name: 'muster_journal_entries_total',
      help: 'Journal entries written since start',
      labelNames: ['type'],
      registers,
    }),
    openStreams: new Gauge({
      name: 'muster_open_streams',
      help: 'Streams being served',
      labelNames: ['kind'],
      registers,
    }),
  }
}

/** Adds memory, CPU and event loop metrics of this process. */
export const watchProcess = ({ registry }: Metrics): void => collectDefaultMetrics({ register: registry })
