// Rows: steps of a routine a second, each stored before the next; what 10,000 waiting runs cost; when they are resumed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median, report, scratch } from './measure.mjs'
import { load, root } from './support.mjs'

const modules = await load(
  'daemon/kernel/app.ts',
  'daemon/kernel/config.ts',
  'daemon/kernel/log.ts',
  'daemon/kernel/store/db.ts',
  'daemon/kernel/store/reads.ts',
  'daemon/features/routines/definitions/reading.ts',
  'daemon/features/routines/engine/jobs.ts',
  'daemon/features/routines/starting/service.ts',
)
const { createApp, createInlineReads, createLog, loadConfig, migrate, openDatabase, readMigrations } = modules
const { driveRoutines, hashOf, startRun } = modules

// What is garbage counts for nothing, also where Node.js was started without the flag.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const workspace = 'cworkspace000000000000000'
const now = '2026-01-01T00:00:00Z'
const [steps, rounds, waits] = [500, 5, 10_000]

const noop = (n) => ({ id: `s${n}`, type: 'transform', transform: { input: n, expression: '.' } })
const long = { dsl_version: '1.0', name: 'long', steps: Array.from({ length: steps }, (_, n) => noop(n)) }
const wait = { kind: 'event', event_type: 'go' }
const waiting = {
  dsl_version: '1.0',
  name: 'waiting',
  steps: [{ id: 'a', type: 'wait', wait, timeout_seconds: 86_400 }],
}

function place(dir) {
  const db = openDatabase(join(dir, 'muster.db'))
  migrate(db, readMigrations(join(root, 'daemon/migrations')), now)
  db.prepare("INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, 'x', 'x', ?, ?)").run(
    workspace,
    now,
    now,
  )
  const log = createLog({ level: 'error', format: 'text' })
  const env = { SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' }
  const app = createApp({ config: loadConfig({ env }).config, db, log, vault: null, reads: createInlineReads(db) })
  app.scrub = () => (value) => value
  return { db, app, routines: [long, waiting].map((definition) => routine(db, definition)) }
}

function routine(db, given) {
  const json = JSON.stringify(given)
  const row = { id: given.name, workspace_id: workspace, slug: given.name, name: given.name, status: 'active' }
  db.prepare(
    `INSERT INTO routines (id, workspace_id, slug, name, status, version, active_version, authored_via, created_at,
      updated_at) VALUES (@id, @workspace_id, @slug, @name, @status, 1, 1, 'user_api', '${now}', '${now}')`,
  ).run(row)
  db.prepare(
    `INSERT INTO routine_versions (routine_id, version, definition_json, definition_hash, risk_reasons_json, state,
      author_type, author_id, created_at) VALUES (?, 1, ?, ?, '[]', 'approved', 'user', 'x', ?)`,
  ).run(given.name, json, hashOf(json), now)
  return { ...row, version: 1, active_version: 1, author_crew_id: null }
}

const begin = (app, routine) =>
  app.write(() => startRun(app, { workspace, routine, inputs: {}, via: 'manual', by: null }).run_id)

const statusOf = (db, id) => db.prepare('SELECT status FROM routine_runs WHERE id = ?').pluck().get(id)

async function until(check) {
  while (!check()) await sleep(1)
}

/** Rows of the same size a second, one synced commit each. */
function rawRate(db) {
  db.exec('CREATE TABLE raw (id INTEGER PRIMARY KEY, text TEXT)')
  const insert = db.prepare('INSERT INTO raw (text) VALUES (?)')
  const text = 'x'.repeat(300)
  const began = performance.now()
  for (let n = 0; n < steps; n++) insert.run(text)
  const rate = (steps * 1000) / (performance.now() - began)
  db.exec('DROP TABLE raw')
  return rate
}

await scratch(async (dir) => {
  const { db, app, routines } = place(dir)
  const job = driveRoutines(app)
  const ratios = []
  const rates = []
  for (let round = 0; round < rounds; round++) {
    const raw = rawRate(db)
    const began = performance.now()
    const id = await begin(app, routines[0])
    await until(() => statusOf(db, id) === 'completed')
    const rate = (steps * 1000) / (performance.now() - began)
    rates.push(rate)
    ratios.push(rate / raw)
  }
  report({
    row: 'steps of a routine that do nothing, each stored',
    ours: `${median(rates).toFixed(0)} a second`,
    limit: `${median(ratios).toFixed(2)} of rows of 300 bytes, one synced commit each`,
    target: '>= 0.5',
    met: median(ratios) >= 0.5,
    method: `a run of ${steps} steps, median of ${rounds} rounds; up to 64 steps share a commit`,
  })

  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < waits; n++) await begin(app, routines[1])
  const open = db.prepare("SELECT count(*) FROM routine_runs WHERE status = 'waiting'").pluck()
  await until(() => open.get() === waits)
  await sleep(500)
  collect()
  const memory = (process.memoryUsage().heapUsed - before) / 1e6
  const [from, began] = [process.cpuUsage(), performance.now()]
  await sleep(10_000)
  const { user, system } = process.cpuUsage(from)
  const share = (user + system) / 1000 / (performance.now() - began)
  report({
    row: `${waits} runs that wait`,
    ours: `${(share * 100).toFixed(2)} % of a core, ${memory.toFixed(1)} MB of heap`,
    target: 'no processor time, <= 20 MB',
    met: share < 0.005 && memory <= 20,
    method:
      'runs that wait for an event; processor time of ten seconds; heap after collection against before they began',
  })
  job.close()
  db.close()
})
