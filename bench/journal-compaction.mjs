// Rows: how long a write waits while the journal is compacted, and how fast that goes. 200,000 entries, or as many as
// BENCH_ENTRIES says: all of types that are rolled up, over 40 days. Others who use the disk hold writes up as well:
// TMPDIR=/dev/shm measures without one.
import { hash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Database from 'better-sqlite3'
import { openApp, openStore } from './journal/world.mjs'
import { median, percentile, report, scratch, toDisk, writes } from './measure.mjs'
import { load } from './support.mjs'

const entries = Number(process.env.BENCH_ENTRIES ?? 200_000)
const workspace = 'cworkspace000000000000000'
const day = 86_400_000
const start = 1.75e12
const size = `${entries / 1e6}M entries`
const ms = (value) => `${value.toFixed(2)} ms`
const types = ['exec.output_chunk', 'container.metrics', 'network.port_opened', 'network.port_closed', 'llm.call']
/** Writes between which nothing else is asked of the daemon. */
const quietWrites = 300

const modules = await load(
  'daemon/kernel/journal/journal.ts',
  'daemon/features/journal/compaction/jobs.ts',
  'daemon/features/journal/verify.ts',
)

/** Entries of two crews and ten agents, as the daemon records them. */
function fillDays(db) {
  let made = 0
  const journal = modules.createJournal(db, () => Math.round(start + (++made * 40 * day) / entries))
  db.pragma('synchronous = OFF')
  for (let done = 0; done < entries; ) {
    db.exec('BEGIN')
    for (const until = Math.min(entries, done + 20_000); done < until; done++)
      journal.append({
        workspace_id: workspace,
        type: types[done % types.length],
        severity: 'info',
        actor_type: 'agent',
        actor_id: `cagent${done % 10}`,
        agent_id: `cagent${done % 10}`,
        crew_id: `ccrew${done % 2}`,
        trace_id: `crun${Math.floor(done / 50)}`,
        summary: `Agent ${done % 10} asked the model for the ${done}th time`,
        payload: {
          provider: 'vendor',
          model: 'large',
          input_tokens: done,
          output_tokens: done % 997,
          cost_usd: 0.0123,
        },
      })
    db.exec('COMMIT')
    journal.settle()
  }
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('synchronous = FULL')
}

const probe = { workspace_id: workspace, type: 'exec.command', severity: 'info', actor_type: 'system', summary: 'ls' }

/** The same rows moved by two statements for each thousand, without looking at them: what SQLite itself takes. */
function rawRate(file) {
  const db = new Database(file)
  db.pragma('synchronous = FULL')
  const ends = db
    .prepare('SELECT max(seq) FROM (SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT 1000)')
    .pluck()
  const keep = db.prepare(
    `INSERT INTO journal_husks SELECT seq, ws, scheme, doc, entry_hash, entry_hash, entry_hash FROM journal
      WHERE seq > ? AND seq <= ?`,
  )
  const remove = db.prepare('DELETE FROM journal WHERE seq > ? AND seq <= ?')
  const from = performance.now()
  for (let after = 0, to = ends.get(0); to; after = to, to = ends.get(after))
    db.transaction(() => {
      keep.run(after, to)
      remove.run(after, to)
    })()
  db.close()
  return (entries / (performance.now() - from)) * 1000
}

/** Reading, parsing and hashing what is left of the entries. */
function hashRate(db) {
  const texts = db.prepare('SELECT seq, fixed FROM journal_husks WHERE seq > ? ORDER BY seq LIMIT 500')
  let count = 0
  const from = performance.now()
  for (let after = 0, rows = texts.all(0); rows.length; rows = texts.all(after)) {
    for (const { fixed } of rows) hash('sha256', JSON.parse(fixed).id + fixed, 'buffer')
    count += rows.length
    after = rows.at(-1).seq
  }
  return (count / (performance.now() - from)) * 1000
}

await scratch(async (dir) => {
  const file = join(dir, 'muster.db')
  const db = await openStore(file)
  db.prepare("INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, 'B', 'b', '', '')").run(
    workspace,
  )
  fillDays(db)
  copyFileSync(file, join(dir, 'raw.db'))
  for (const path of [file, join(dir, 'raw.db')]) toDisk(path)
  const { app, reads, record } = await openApp(db, () => start + 100 * day)
  // The reading threads are there before anything is measured, as in a daemon that is in use.
  await Promise.all([app.reads.run('scan', 'wake', null), reads.count(workspace, { phrase: 'model' }).catch(() => 0)])
  // The garbage of making the entries is none of the daemon's.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const quiet = await writes(
    app,
    () => record(probe),
    (count) => count >= quietWrites,
  )
  let told
  app.bus.on('entry', ({ entry }) => {
    if (entry.payload?.entries_deleted !== undefined) told = entry.payload
  })
  const from = performance.now()
  const job = modules.compactJournals(app)
  const busy = await writes(
    app,
    () => record(probe),
    () => told !== undefined,
  )
  const took = performance.now() - from
  job.close()
  const [longest, usual] = [percentile(busy, 100), percentile(quiet, 100)]
  const places = [...busy.keys()].sort((a, b) => busy[b] - busy[a]).slice(0, 5)
  const worst = places.map((at) => `${ms(busy[at])} at ${((at / busy.length) * 100).toFixed(1)} %`).join(', ')
  report({
    row: `longest wait of a write while ${size} are compacted`,
    ours: ms(longest),
    limit: ms(usual),
    target: '<= 50 ms',
    met: longest <= 50,
    method:
      `${busy.length} writes, one every 3 ms, p50 ${ms(median(busy))}, p99 ${ms(percentile(busy, 99))}, against ` +
      `${quiet.length} writes before it began, p50 ${ms(median(quiet))}, p99 ${ms(percentile(quiet, 99))}; ` +
      `the longest: ${worst}`,
  })
  const rate = (told.entries_deleted / took) * 1000
  const ws = app.index.names.find(0, workspace)
  const verifying = performance.now()
  const chain = { ws, workspace, head: app.index.head(), entries: app.index.combos.chained(ws) }
  const verdict = await modules.verifyChain(db, { ...chain, sealed: null, anchor: null })
  const verified = (verdict.entries / (performance.now() - verifying)) * 1000
  const hashed = hashRate(db)
  if (!verdict.valid || verdict.compacted !== told.entries_deleted) throw new Error('The journal does not hold')
  await app.reads.close()
  db.close()
  const raw = rawRate(join(dir, 'raw.db'))
  report({
    row: `compaction of ${size}`,
    ours: `${Math.round(rate)} entries/s`,
    limit: `${Math.round(raw)} entries/s`,
    ratio: rate / raw,
    target: '>= 0.05',
    met: rate / raw >= 0.05,
    method:
      `${told.entries_deleted} entries became ${told.buckets_created}, in steps with as long pauses and a write ` +
      'every 3 ms, against two statements for each 1000 rows without pauses; 10M entries take ' +
      `${Math.round(1e7 / rate / 60)} min`,
  })
  report({
    row: `verify of ${size} that were rolled up`,
    ours: `${Math.round(verified)} entries/s`,
    limit: `${Math.round(hashed)} entries/s`,
    ratio: verified / hashed,
    target: '>= 0.2',
    met: verified / hashed >= 0.2,
    method:
      'every entry computed anew from what is left of it, against reading, parsing and hashing the same texts once',
  })
})
