// Rows: what 1,000 enabled automations cost at 1,000 entries a second; from an entry's commit to the parked run.
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { agents, crews, draftsOf, types } from './journal/drafts.mjs'
import { median, percentile, report, scratch } from './measure.mjs'
import { load, root } from './support.mjs'

const modules = await load(
  'daemon/kernel/app.ts',
  'daemon/kernel/config.ts',
  'daemon/kernel/log.ts',
  'daemon/kernel/store/db.ts',
  'daemon/kernel/store/reads.ts',
  'daemon/features/automations/matching/service.ts',
  'src/contract/entries.ts',
)
const { createApp, createInlineReads, createLog, facts, loadConfig, migrate, openDatabase, readMigrations } = modules

const workspace = 'cworkspace000000000000000'
const now = '2026-01-01T00:00:00Z'
const [rules, rate, seconds, rounds, latencies] = [1000, 1000, 5, 5, 100]

/** Conditions as people write them: a crew, a severity, a value, an agent and a value. */
const matchers = [
  (n) => ({ crew_ids: [crews[n % crews.length]] }),
  () => ({ severities: ['error'] }),
  (n) => ({ payload_equals: { tool: `tool ${n}` } }),
  (n) => ({ agent_ids: [agents[n % agents.length]], payload_equals: { ms: n } }),
]

function prepare(db) {
  db.prepare("INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, 'x', 'x', ?, ?)").run(
    workspace,
    now,
    now,
  )
  db.prepare(
    `INSERT INTO routines (id, workspace_id, slug, name, status, version, active_version, authored_via, created_at,
      updated_at) VALUES ('r', ?, 'r', 'r', 'active', 1, 1, 'user_api', ?, ?)`,
  ).run(workspace, now, now)
  const definition = JSON.stringify({ name: 'r', steps: [{ id: 'a', type: 'code', code: { code: '1' } }] })
  db.prepare(
    `INSERT INTO routine_versions (routine_id, version, definition_json, definition_hash, risk_reasons_json, state,
      author_type, author_id, created_at) VALUES ('r', 1, ?, 'x', '[]', 'approved', 'user', 'x', ?)`,
  ).run(definition, now)
  const insert = db.prepare(
    `INSERT INTO automations (id, workspace_id, name, enabled, event_type, matcher_json, routine_slug, inputs_json,
      debounce_seconds, max_per_hour, created_at, updated_at) VALUES (?, ?, ?, 1, ?, ?, 'r', ?, 10, 60, ?, ?)`,
  )
  const inputs = JSON.stringify({ of: '{{ event.run_id }}' })
  for (let n = 0; n < rules; n++) {
    const matcher = JSON.stringify(matchers[n % matchers.length](n))
    insert.run(
      `a${n}`,
      workspace,
      `Rule ${n}`,
      types[Math.floor(n / matchers.length) % types.length],
      matcher,
      inputs,
      now,
      now,
    )
  }
  insert.run('slow', workspace, 'One', 'a.quiet.type', '{}', inputs, now, now)
}

async function place(dir) {
  const db = openDatabase(join(dir, 'muster.db'))
  migrate(db, readMigrations(join(root, 'daemon/migrations')), now)
  prepare(db)
  const log = createLog({ level: 'error', format: 'text' })
  const env = { SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' }
  const app = createApp({ config: loadConfig({ env }).config, db, log, vault: null, reads: createInlineReads(db) })
  const record = ({ type, severity, summary, payload, ...about }) => {
    facts['a.made-up.entry'] = { type, severity, says: () => summary }
    return app.journal({ name: 'a.made-up.entry', payload, about })
  }
  return { db, app, record }
}

/** Shares of a core that the process takes while entries are recorded at the rate. */
async function share({ app, record }, next) {
  const [began, from] = [performance.now(), process.cpuUsage()]
  for (let n = 0; n < rate * seconds; n += 10) {
    app.writeNow(() => {
      for (let at = 0; at < 10; at++) record(next())
    })
    await sleep(Math.max(0, began + ((n + 10) * 1000) / rate - performance.now()))
  }
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000 / (performance.now() - began)
}

await scratch(async (dir) => {
  const it = await place(dir)
  const next = draftsOf(7, workspace)
  const shares = { without: [], with: [] }
  const { bus } = it.app
  const others = bus.listenerCount('entry')
  const job = modules.matchEntries(it.app)
  const heard = bus.listeners('entry')[others]
  // Until the rules have started as many runs as they may in an hour.
  const first = await share(it, next)
  for (let round = 0; round < rounds; round++) {
    bus.off('entry', heard)
    shares.without.push(await share(it, next))
    bus.on('entry', heard)
    shares.with.push(await share(it, next))
  }
  const cost = median(shares.with) - median(shares.without)
  report({
    row: `${rules} enabled automations at ${rate} entries/s`,
    ours:
      `${(cost * 100).toFixed(1)} % of a core, ` +
      `${((first - median(shares.without)) * 100).toFixed(1)} % in the first ${seconds} s`,
    limit: `${(median(shares.without) * 100).toFixed(1)} % that recording the entries takes`,
    target: '<= 20 % of a core',
    met: cost <= 0.2,
    method:
      `processor time of the process with the rules less that without, median of ${rounds} alternated rounds of ` +
      `${seconds} s; the rules are of ${types.length} types in one workspace, with a crew, a severity, a ` +
      'value of the payload, or an agent and a value; in the first seconds each parks the runs of its hour',
  })

  const delays = []
  // The timers of jobs keep no process alive, which the daemon's server does.
  const alive = setInterval(() => undefined, 60_000)
  for (let n = 0; n < latencies; n++) {
    await sleep(300)
    const parked = once(it.app.bus, 'parked')
    const draft = { type: 'a.quiet.type', severity: 'info', summary: 'x', payload: { n } }
    it.app.writeNow(() => it.record({ ...draft, workspace_id: workspace, actor_type: 'system' }))
    const from = performance.now()
    await parked
    delays.push(performance.now() - from)
  }
  clearInterval(alive)
  job.close()
  report({
    row: "from a matching entry's commit to the parked run",
    ours: `p50 ${median(delays).toFixed(1)} ms, p99 ${percentile(delays, 99).toFixed(1)} ms`,
    target: 'p50 <= 10 ms',
    met: median(delays) <= 10,
    method: `${latencies} entries, one every 300 ms, each synced to the disk as its parked run is`,
  })
  it.db.close()
})
