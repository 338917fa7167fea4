// Rows: listing and counting an inbox of 100,000 items, against the same with 100.
import { join } from 'node:path'
import { report } from './measure.mjs'
import { load, median, percentile, root, scratch } from './support.mjs'

const many = Number(process.env.BENCH_ITEMS ?? 100_000)
const few = 100
const calls = 400
const modules = await load(
  'daemon/kernel/app.ts',
  'daemon/kernel/config.ts',
  'daemon/kernel/store/db.ts',
  'daemon/kernel/log.ts',
  'daemon/kernel/store/reads.ts',
  'daemon/features/inbox/service.ts',
)

const now = '2026-01-01T00:00:00Z'
const kinds = ['message', 'failed_run', 'escalation', 'run_needs_human', 'waitpoint']
// The rarest kind stands only in the oldest hundredth: the worst case of a filtered list.
const rarest = 'memory_consolidation'

const app = open()
for (const [workspace, count] of [
  ['large', many],
  ['small', few],
])
  fill(workspace, count)

// What is listed: newest first; behind a long run of items that were read; by the rarest kind; deep in the list.
const lists = {
  'newest items': {},
  'open items': { state: 'active' },
  'unread items behind read ones': { state: 'unread' },
  'read items': { state: 'read' },
  'items of the rarest kind': { kind: rarest },
  'items of the rarest kind, unread': { kind: rarest, state: 'unread' },
  'items from the 5,000th on': { offset: Math.min(5000, many / 2) },
}
for (const [name, query] of Object.entries(lists))
  measure(`inbox list: ${name}`, 5, (workspace) => modules.list(app, { actor: actorIn(workspace), query }))
measure('inbox count', 2, (workspace) => modules.count(app, { actor: actorIn(workspace) }))

function measure(row, target, call) {
  const times = { large: [], small: [] }
  for (let n = 0; n < calls; n++)
    for (const workspace of n % 2 ? ['large', 'small'] : ['small', 'large']) {
      const started = performance.now()
      call(workspace)
      times[workspace].push(performance.now() - started)
    }
  const p99 = percentile(times.large, 0.99)
  report({
    row,
    ours: `p50 ${median(times.large).toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    limit: `p50 ${median(times.small).toFixed(2)} ms with ${few}`,
    ratio: median(times.large) / median(times.small),
    target: `p99 <= ${target} ms`,
    met: p99 <= target,
    method:
      `${many} items for an owner (7 audiences), half of them resolved, the newest half of the open ones read; ` +
      `${calls} calls of the service, alternating`,
  })
}

function actorIn(workspace) {
  return { type: 'user', id: `user-${workspace}`, workspace, role: 'OWNER' }
}

/** The application on a database file of its own. */
function open() {
  const { createApp, createInlineReads, createLog, loadConfig, migrate, openDatabase, readMigrations } = modules
  const db = openDatabase(join(scratch(), 'muster.db'))
  migrate(db, readMigrations(join(root, 'daemon/migrations')), now)
  const { config } = loadConfig({
    env: { SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
  })
  return createApp({
    config,
    db,
    log: createLog({ level: 'error', format: 'text' }),
    vault: null,
    reads: createInlineReads(db),
  })
}

/** Items as the features raise them, then resolved and read as people do it. */
function fill(workspace, count) {
  const { db } = app
  const user = `user-${workspace}`
  db.pragma('synchronous = OFF')
  app.writeNow(() => {
    db.prepare('INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
      workspace,
      workspace,
      workspace,
      now,
      now,
    )
    db.prepare('INSERT INTO users (id, email, full_name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
      user,
      `${user}@example.com`,
      user,
      now,
      now,
    )
  })
  const targets = [
    'workspace',
    'workspace',
    'workspace',
    { role: 'MANAGER' },
    { role: 'OWNER' },
    { role: 'MEMBER' },
    { user },
    { role: 'ADMIN' },
  ]
  const place = { type: 'user', id: user, workspace, role: 'OWNER' }
  for (let done = 0; done < count; ) {
    const until = Math.min(count, done + 5000)
    app.writeNow(() => {
      for (; done < until; done++) raise(workspace, targets[done % targets.length], done, count)
    })
    const resolved = Array.from({ length: until }, (_, n) => n).filter((n) => n >= until - 5000 && n % 2)
    app.writeNow(() => {
      for (const n of resolved)
        modules.settle(app, { workspace, kind: kindOf(n, count), source: String(n), action: 'done', by: user, now })
    })
  }
  for (let n = Math.floor(count / 2); n < count; n += 5000)
    app.writeNow(() => {
      for (let at = n; at < Math.min(count, n + 5000); at++)
        if (at % 2 === 0)
          modules.update(app, {
            actor: place,
            itemId: modules.itemId(kindOf(at, count), String(at)),
            body: { state: 'read' },
            now,
          })
    })
  db.pragma('synchronous = FULL')
  db.pragma('wal_checkpoint(TRUNCATE)')
}

function kindOf(n, count) {
  return n < count / 100 ? rarest : kinds[n % kinds.length]
}

function raise(workspace, target, n, count) {
  modules.raise(app, {
    workspace,
    kind: kindOf(n, count),
    source: String(n),
    target,
    title: `Item ${n} of the inbox`,
    body: 'Something happened that somebody should look at. '.repeat(4),
    blocking: n % 3 === 0,
    sender: { type: 'agent', id: `agent-${n % 10}`, name: 'Ada' },
    payload: { crew_id: 'crew', number: n },
    now: new Date(Date.parse(now) + n * 1000).toISOString(),
  })
}
