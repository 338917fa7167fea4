import { Counter, Gauge, Histogram } from 'prom-client'
import type { Entry } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { queries } from './queries.ts'

const ends: Readonly<Record<string, string>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.timeout': 'timeout',
}

/** Counts what runs do, and tells how much is open whenever `/metrics` is read. Labels never name anybody. */
export function exportMetrics(app: App): { close(): void } {
  const runs = runCounters(app)
  openGauges(app)
  const told = ({ entry }: Recorded) => {
    app.metrics.entries.inc({ type: entry.entry_type })
    if (entry.entry_type === 'run.started') runs.began(entry)
    else if (ends[entry.entry_type]) runs.ended(entry)
  }
  app.bus.on('entry', told)
  return { close: () => void app.bus.off('entry', told) }
}

function runCounters({ db, metrics, log }: App) {
  const registers = [metrics.registry]
  const started = new Counter({
    name: 'muster_runs_started_total',
    help: 'Runs that began since start',
    labelNames: ['trigger'],
    registers,
  })
  const ended = new Counter({
    name: 'muster_runs_ended_total',
    help: 'Runs that ended since start',
    labelNames: ['status'],
    registers,
  })
  const duration = new Histogram({
    name: 'muster_run_duration_seconds',
    help: 'Time from the beginning of a run to its end',
    labelNames: ['status'],
    buckets: [1, 5, 15, 60, 300, 900, 3600, 4 * 3600],
    registers,
  })
  const tokens = new Counter({
    name: 'muster_run_tokens_total',
    help: 'Tokens that runs used which ended since start, as far as their clients told',
    labelNames: ['direction'],
    registers,
  })
  const cost = new Counter({
    name: 'muster_run_cost_usd_total',
    help: 'What runs cost which ended since start, as far as it is known',
    registers,
  })
  return {
    began: ({ payload }: Entry) => started.inc({ trigger: String(payload?.['trigger_type'] ?? 'USER').toLowerCase() }),
    ended({ workspace_id, trace_id, entry_type }: Entry) {
      const status = ends[entry_type]!
      ended.inc({ status })
      try {
        const run = trace_id === undefined ? undefined : queries(db).ended.get(workspace_id, trace_id)
        if (!run) return
        if (run.finished !== null) duration.observe({ status }, (run.finished - run.started) / 1000)
        tokens.inc({ direction: 'input' }, run.input_tokens ?? 0)
        tokens.inc({ direction: 'output' }, run.output_tokens ?? 0)
        cost.inc(run.cost_usd ?? 0)
      } catch (error) {
        // Listeners of entries must not throw.
        log.error({ err: error }, 'A run could not be measured')
      }
    },
  }
}

function openGauges({ db, metrics }: App): void {
  const gauges = [
    ['muster_runs_open', 'Runs that have not ended', 'phase', queries(db).runs],
    ['muster_decisions_open', 'Questions that wait for people', 'kind', queries(db).decisions],
    ['muster_containers', 'Containers of crews, by what is known of them', 'state', queries(db).containers],
  ] as const
  for (const [name, help, label, statement] of gauges)
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [metrics.registry],
      collect() {
        this.reset()
        for (const part of statement.all()) this.set({ [label]: part.name }, part.n)
      },
    })
  new Gauge({
    name: 'muster_database_bytes',
    help: 'Size of the database, without its write-ahead log',
    registers: [metrics.registry],
    collect() {
      const pages = db.pragma('page_count', { simple: true }) as number
      this.set(pages * (db.pragma('page_size', { simple: true }) as number))
    },
  })
}
