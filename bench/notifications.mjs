// Rows: events that people hear of through channels, at 1,000 a second; how soon after its commit a webhook arrives;
// how fast a backlog goes out; listing a log of 100,000 deliveries.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, report, scratch } from './measure.mjs'
import { load, root } from './support.mjs'

const modules = await load(
  'daemon/kernel/app.ts',
  'daemon/kernel/config.ts',
  'daemon/kernel/log.ts',
  'daemon/kernel/outbound/outbound.ts',
  'daemon/kernel/store/db.ts',
  'daemon/kernel/store/reads.ts',
  'daemon/kernel/store/vault.ts',
  'daemon/features/deliveries/jobs.ts',
  'daemon/features/deliveries/service.ts',
  'daemon/features/notifications/events/service.ts',
  'src/contract/entries.ts',
)
const { createApp, createInlineReads, createLog, loadConfig, migrate, openDatabase, readMigrations } = modules
const { createOutbound, createVault, deliverDue, fact, list, occur } = modules

const workspace = 'cworkspace000000000000000'
const now = '2026-01-01T00:00:00Z'
const categories = ['issues.assigned', 'issues.comment', 'agents.error', 'agents.approval', 'routines.failed']
const [people, rate, seconds, singles, logged, calls] = [100, 1000, 8, 1000, 100_000, 400]

/** People with five preferences each, for a webhook of their own. */
function fill(app, url) {
  const { db } = app
  const insert = (table, row) => {
    const names = Object.keys(row)
    db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(row)
  }
  const times = { created_at: now, updated_at: now }
  app.writeNow(() => {
    insert('workspaces', { id: workspace, name: 'x', slug: 'x', ...times })
    for (let n = 0; n < people; n++) {
      const [user_id, channel_id] = [`u${n}`, `nch_${n}`]
      insert('users', { id: user_id, email: `${user_id}@example.com`, full_name: user_id, ...times })
      insert('workspace_members', { id: `m${n}`, workspace_id: workspace, user_id, role: 'MEMBER', ...times })
      insert('notification_channels', {
        id: channel_id,
        workspace_id: workspace,
        owner_user_id: user_id,
        type: 'webhook',
        url,
        secret_enc: app.vault.seal('secret', `notification_channels:${channel_id}`),
        events_json: '[]',
        categories_json: '[]',
        min_priority: 'low',
        enabled: 1,
        ...times,
      })
      for (const category of categories)
        insert('user_notification_prefs', {
          channel_id,
          user_id,
          category,
          workspace_id: workspace,
          state: 'immediate',
          updated_at: now,
        })
    }
  })
}

/** The application on a database file of its own, whose requests may go to this machine. */
function open(dir) {
  const db = openDatabase(join(dir, 'muster.db'))
  migrate(db, readMigrations(join(root, 'daemon/migrations')), now)
  const log = createLog({ level: 'error', format: 'text' })
  const env = { SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' }
  const vault = createVault(Buffer.alloc(32, 1))
  const app = createApp({ config: loadConfig({ env }).config, db, log, vault, reads: createInlineReads(db) })
  const outbound = createOutbound()
  const send = (url, request) => outbound.send(url, { ...request, operator: true })
  Object.assign(app, { outbound: { ...outbound, send } })
  return { app, outbound }
}

/** Somebody is given an issue: an entry in the journal and, where it tells, a row in the feed and one in the outbox. */
function happen(app, n, tells) {
  const user = `u${n % people}`
  const issue = { identifier: `WEB-${n}`, title: `Issue ${n}`, mission_id: `i${n}` }
  const payload = { ...issue, assignee_type: 'user', assignee_id: user, assignee_name: user }
  const by = { actor_type: 'orchestrator' }
  const about = { workspace_id: workspace, mission_id: issue.mission_id, ...by }
  const recorded = [app.journal(fact('mission.assigned', payload, about))]
  const entity = { type: 'issue', id: issue.mission_id, title: issue.title }
  const channels = { category: categories[Math.floor(n / people) % categories.length] }
  if (tells)
    occur(app, { happened: { recorded, payload }, workspace, by, action: 'assigned', entity, to: [user], channels })
}

/** Processor time of events, as the share of a core that they take at that rate. */
async function share(app, first, count, tells) {
  const [from, began] = [process.cpuUsage(), performance.now()]
  const written = []
  for (let n = 0; n < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - began) * rate) / 1000))
    for (; n < due; n++) {
      const at = first + n
      written.push(app.write(() => happen(app, at, tells)))
    }
    await sleep(1)
  }
  await Promise.all(written)
  const { user, system } = process.cpuUsage(from)
  return ((user + system) / 1e6 / count) * rate
}

/** A receiver of webhooks that says when which delivery came. */
async function receiver() {
  const came = new Map()
  let [expected, done] = [0, () => undefined]
  const server = createServer((request, reply) => {
    came.set(request.headers['x-svc-delivery'], performance.now())
    request.resume()
    reply.end()
    if (came.size >= expected) done()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const until = (count) =>
    new Promise((resolve) => {
      ;[expected, done] = [count, resolve]
      if (came.size >= count) resolve()
    })
  return { came, until, server, url: `http://127.0.0.1:${server.address().port}/hook` }
}

const setup = async (work) =>
  scratch(async (dir) => {
    const hooks = await receiver()
    const { app, outbound } = open(dir)
    fill(app, hooks.url)
    await work(app, hooks)
    await outbound.close()
    hooks.server.close()
    app.db.close()
  })

await setup(async (app, { until }) => {
  const count = rate * seconds
  // Once before it counts, so that all is compiled.
  await share(app, 2_000_000, rate, false)
  const without = await share(app, 1_000_000, count, false)
  const all = await share(app, 0, count, true)
  const rows = app.db.prepare("SELECT count(*) FROM notification_deliveries WHERE status = 'pending'").pluck().get()
  if (rows !== count) throw new Error(`${rows} rows stand in the outbox`)
  const own = all - without
  report({
    row: `${rate} events a second into the outbox`,
    ours: `${(own * 100).toFixed(0)} % of a core`,
    limit: `${(without * 100).toFixed(0)} % for the same events in the journal alone`,
    ratio: own / without,
    target: '<= 35 % of a core',
    met: own <= 0.35,
    method:
      `${people} people with ${people * categories.length} preferences and a channel each, ${seconds} s; each event ` +
      `tells one of them: a row of the feed and one of the outbox`,
  })

  const began = performance.now()
  const job = deliverDue(app)
  await until(count)
  const sent = (count * 1000) / (performance.now() - began)
  job.close()
  report({
    row: `a backlog of ${count} webhooks`,
    ours: `${sent.toFixed(0)} a second`,
    target: '>= 300 a second',
    met: sent >= 300,
    method: `from the start of a daemon, through ${people} channels; the receiver is in the same process`,
  })
})

await setup(async (app, { came, until }) => {
  const job = deliverDue(app)
  const times = []
  for (let n = 0; n < singles; n++) {
    const before = came.size
    await app.write(() => happen(app, n, true))
    const committed = performance.now()
    await until(before + 1)
    times.push([...came.values()].at(-1) - committed)
    await sleep(2)
  }
  job.close()
  const [p50, p99] = [percentile(times, 50), percentile(times, 99)]
  report({
    row: 'from a commit to the arrival of its webhook',
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    target: 'p50 <= 10 ms, p99 <= 50 ms',
    met: p50 <= 10 && p99 <= 50,
    method: `${singles} events one after the other, to a receiver in the same process`,
  })
})

await setup(async (app) => {
  const { db } = app
  const insert = db.prepare(
    `INSERT INTO notification_deliveries (id, workspace_id, channel_id, user_id, event_id, category, dedup_key,
      source_kind, source_id, title, status, attempts, created_at, updated_at)
     VALUES (@id, @workspace, @channel, @user, @id, @category, @id, 'issue', @id, 'Somebody got an issue', @status, 1,
      @at, @at)`,
  )
  app.writeNow(() => {
    for (let n = 0; n < logged; n++)
      insert.run({
        id: `del_${n}`,
        workspace,
        channel: n < 10 ? 'nch_0' : `nch_${1 + (n % (people - 1))}`,
        user: `u${n % people}`,
        // The rarest stand in the oldest part of the log alone: the worst case of a filtered list.
        category: n < 10 ? 'security' : categories[n % categories.length],
        status: n < 10 ? 'failed' : 'sent',
        at: new Date(Date.parse(now) + n * 1000).toISOString(),
      })
  })
  const actor = { type: 'user', id: 'u0', workspace, role: 'OWNER' }
  const lists = {
    newest: {},
    'the largest page': { limit: 500 },
    'a rare status': { status: 'failed' },
    'a rare channel': { channel_id: 'nch_0' },
    'a rare category': { category: 'security' },
    'a rare category of a channel': { category: 'security', channel_id: 'nch_1' },
    'a common status and a rare category': { category: 'security', status: 'sent' },
  }
  for (const [name, query] of Object.entries(lists)) {
    const times = []
    for (let n = 0; n < calls; n++) {
      const began = performance.now()
      list(app, { actor, query })
      times.push(performance.now() - began)
    }
    const p99 = percentile(times, 99)
    report({
      row: `log of ${logged} deliveries: ${name}`,
      ours: `p50 ${percentile(times, 50).toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
      target: 'p99 <= 5 ms',
      met: p99 <= 5,
      method: `${calls} calls of the service`,
    })
  }
})
