// Row: how long a write waits while a person with 100,000 rows is erased, or as many as BENCH_ROWS says: half of them
// deleted, half of them unnamed.
import { join } from 'node:path'
import { openApp, openStore } from './journal/world.mjs'
import { median, percentile, report, scratch, toDisk, writes } from './measure.mjs'
import { load } from './support.mjs'

const rows = Number(process.env.BENCH_ROWS ?? 100_000)
const workspace = 'cworkspace000000000000000'
const user = 'cuser00000000000000000000'
const subject = { user, email: 'ada@example.com', full_name: 'Ada Lovelace', workspace, nobody: 'cnobody' }
const ms = (value) => `${value.toFixed(2)} ms`
const quietWrites = 300
const probe = { workspace_id: workspace, type: 'exec.command', severity: 'info', actor_type: 'system', summary: 'ls' }

const { eraseRows, createFailures } = await load(
  'daemon/features/admin/subjects/purge.ts',
  'daemon/features/admin/subjects/failures.ts',
)

/** Somebody with notifications and messages, among as many of another person. */
function fillRows(db) {
  const insert = (sql) => db.prepare(sql)
  const person = insert('INSERT INTO users (id, email, created_at, updated_at) VALUES (?, ?, ?, ?)')
  const told = insert(
    `INSERT INTO notifications (id, workspace_id, user_id, actor_type, actor_id, action, entity_type, entity_id,
      created_at) VALUES (?, ?, ?, 'agent', 'a', 'assigned', 'issue', 'i', '2026-01-01T00:00:00Z')`,
  )
  const said = insert(
    `INSERT INTO chat_messages (chat_id, seq, id, role, content, ts, author_user_id)
      VALUES ('cchat', ?, ?, 'user', 'What does the test say about the queue?', '2026-01-01T00:00:00Z', ?)`,
  )
  db.pragma('synchronous = OFF')
  // No agent is needed to count rows.
  db.pragma('foreign_keys = OFF')
  db.transaction(() => {
    insert("INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, 'B', 'b', '', '')").run(
      workspace,
    )
    insert(
      `INSERT INTO chats (id, workspace_id, agent_id, mode, status, visibility, message_count, started_at,
        last_activity_at, created_at) VALUES ('cchat', ?, 'cagent', 'CHAT', 'ACTIVE', 'private', 0, '', '', '')`,
    ).run(workspace)
    for (const [at, id] of [user, 'cother000000000000000000'].entries()) {
      person.run(id, at ? 'bea@example.com' : subject.email, '', '')
      for (let n = 0; n < rows / 2; n++) {
        told.run(`n${at}-${n}`, workspace, id)
        said.run(n * 2 + at, `m${at}-${n}`, id)
      }
    }
  })()
  db.pragma('foreign_keys = ON')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('synchronous = FULL')
}

await scratch(async (dir) => {
  const file = join(dir, 'muster.db')
  const db = await openStore(file)
  fillRows(db)
  toDisk(file)
  const { app, record } = await openApp(db)
  // The reading thread is there before anything is measured, as in a daemon that is in use.
  await app.reads.run('scan', 'subjectBlobs', { user, workspace })
  const quiet = await writes(
    app,
    () => record(probe),
    (count) => count >= quietWrites,
  )
  const failures = createFailures(app)
  let done
  const from = performance.now()
  const erasing = eraseRows(app, subject, failures, () => false).then((erased) => {
    done = erased
  })
  const busy = await writes(
    app,
    () => record(probe),
    () => done !== undefined,
  )
  await erasing
  const took = performance.now() - from
  if (failures.first()) throw new Error(failures.first())
  if (done.deleted.notifications !== rows / 2 || done.unnamed.chat_messages !== rows / 2)
    throw new Error(`Not all rows were erased: ${JSON.stringify(done)}`)
  await app.reads.close()
  db.close()
  const longest = Math.max(...busy)
  report({
    row: `longest wait of a write while a person with ${rows} rows is erased`,
    ours: ms(longest),
    limit: ms(Math.max(...quiet)),
    target: '<= 50 ms',
    met: longest <= 50,
    method:
      `${busy.length} writes, one every 3 ms, p50 ${ms(median(busy))}, p99 ${ms(percentile(busy, 99))}, against ` +
      `${quiet.length} before, p50 ${ms(median(quiet))}, p99 ${ms(percentile(quiet, 99))}; the erasure took ` +
      `${(took / 1000).toFixed(1)} s`,
  })
})
