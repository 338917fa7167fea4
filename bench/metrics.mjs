// Row: a series of a metric over a million runs, or as many as BENCH_RUNS says, spread over 60 days and ten crews.
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openApp, openStore } from './journal/world.mjs'
import { median, percentile, report, scratch } from './measure.mjs'
import { load } from './support.mjs'

const runs = Number(process.env.BENCH_RUNS ?? 1_000_000)
const workspace = 'cworkspace000000000000000'
const day = 86_400_000
const now = Date.UTC(2026, 0, 1)
const rounds = 15
const ms = (value) => `${value.toFixed(1)} ms`

const { timeseries } = await load('daemon/features/metrics/service.ts')

const asked = [
  { metric: 'runs_count' },
  { metric: 'runs_count', window: '24h', bucket: '15m', group_by: 'crew' },
  { metric: 'runs_count', window: '7d', bucket: '1h', group_by: 'crew' },
  { metric: 'runs_count', window: '30d', bucket: '1d', group_by: 'crew' },
  { metric: 'cost_usd', window: '7d', bucket: '1h', group_by: 'model' },
  { metric: 'cost_usd', window: '30d', bucket: '1d', group_by: 'model' },
  { metric: 'issues_closed', window: '30d', bucket: '1d', group_by: 'crew' },
  { metric: 'active_missions', window: '7d', bucket: '1h', group_by: 'status' },
]

function fillRuns(db) {
  db.pragma('synchronous = OFF')
  const insert = db.prepare(
    `INSERT INTO run_records (seq, id, workspace_id, crew_id, agent_id, trigger_type, status, started, finished,
      metadata, details, cost_usd) VALUES (?, ?, ?, ?, ?, 'USER', 'COMPLETED', ?, ?, '{}', ?, 0.01)`,
  )
  db.transaction(() => {
    db.prepare("INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, 'B', 'b', '', '')").run(
      workspace,
    )
    for (let n = 0; n < runs; n++) {
      const started = now - 60 * day + Math.floor((n * 60 * day) / runs)
      const details = JSON.stringify({ model: `model-${n % 3}` })
      insert.run(n + 1, `crun${n}`, workspace, `ccrew${n % 10}`, `cagent${n % 50}`, started, started + 30_000, details)
    }
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
}

await scratch(async (dir) => {
  const db = await openStore(join(dir, 'muster.db'))
  fillRuns(db)
  const { app } = await openApp(db, () => now)
  await app.reads.run('scan', 'wake', null)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const call = (query) => timeseries(app, { actor: { workspace }, query })
  const times = []
  const slowest = { took: 0, query: '' }
  for (let round = 0; round < rounds; round++)
    for (const query of asked) {
      const from = performance.now()
      await call(query)
      const took = performance.now() - from
      times.push(took)
      if (took > slowest.took) Object.assign(slowest, { took, query: JSON.stringify(query) })
    }
  delays.disable()
  await app.reads.close()
  db.close()
  const p99 = percentile(times, 99)
  const longest = delays.percentile(99) / 1e6
  report({
    row: `delay of the event loop, p99, while metrics of ${runs / 1e6}M runs are read`,
    ours: ms(longest),
    target: '<= 50 ms',
    met: longest <= 50,
    method: `the same ${times.length} series, one after the other; at most ${ms(delays.max / 1e6)}`,
  })
  report({
    row: `a metric over time with ${runs / 1e6}M runs, p99`,
    ours: ms(p99),
    target: '<= 2000 ms',
    met: p99 <= 2000,
    method:
      `${times.length} series of ${asked.length} kinds, p50 ${ms(median(times))}, slowest ${ms(slowest.took)} ` +
      slowest.query,
  })
})
