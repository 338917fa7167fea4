// Rows: lists, counts, runs and search on a large journal; readiness; acknowledged append; event loop under the worst
// search. 1,000,000 entries, or as many as BENCH_ENTRIES says.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { agents, crews, draftsOf, random, types, vocabulary } from './journal/drafts.mjs'
import { fill, openApp, openStore, rarity } from './journal/world.mjs'
import { bootstrap, percentile, report, scratch, startDaemon } from './measure.mjs'

const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000)
const calls = Number(process.env.BENCH_CALLS ?? 300)
const size = `${entries / 1e6}M entries`
const ms = (value) => `${value.toFixed(2)} ms`
const note = (text) => process.env.BENCH_JSON || process.stderr.write(`     ${text}\n`)

const next = random(99)
const pick = (list) => list[Math.floor(next() * list.length)]
const pickText = (n, list) => Array.from({ length: n }, () => pick(list)).join(',')
const severity = () => pick(['info', 'notice', 'warn', 'error'])
const common = () => vocabulary[0]
const middle = () => vocabulary[200 + Math.floor(next() * 2000)]
const rare = () => vocabulary[15_000 + Math.floor(next() * 4000)]

/** GETs on one kept connection; resolves with the parsed answer and the time to its last byte. */
function client(url, headers) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (path, query = {}) =>
    new Promise((resolve, reject) => {
      const from = performance.now()
      request(`${url}/api/v1${path}?${new URLSearchParams(query)}`, { agent, headers }, (reply) => {
        const parts = []
        reply.on('data', (part) => parts.push(part))
        reply.on('end', () => {
          const took = performance.now() - from
          const text = Buffer.concat(parts).toString()
          if (reply.statusCode !== 200) reject(new Error(`${path} answered ${reply.statusCode}: ${text}`))
          else resolve({ took, text })
        })
      })
        .on('error', reject)
        .end()
    })
}

/** Times of requests asked in turn, so that whatever else the machine does falls on all of them. */
async function time(...asks) {
  const times = asks.map(() => [])
  for (let i = -10; i < calls; i++) {
    for (const [at, ask] of asks.entries()) {
      const { took } = await ask()
      if (i >= 0) times[at].push(took)
    }
  }
  return times.map((all) => ({ p50: percentile(all, 50), p99: percentile(all, 99) }))
}

/** Waits until the full-text index holds everything. */
async function indexed(dir) {
  for (;;) {
    const db = new Database(join(dir, 'search.db'), { readonly: true })
    const { low, high } = db.prepare('SELECT low, high FROM reach').get()
    db.close()
    if (low === 0 && high >= entries) return
    await sleep(500)
  }
}

/** What is asked: texts of places in the journal come from the journal itself. */
function questions(db, get) {
  const at = () => Math.floor(next() * entries) + 1
  const placeAt = db.prepare('SELECT id, ts FROM journal WHERE seq = ?')
  const traceAt = db
    .prepare('SELECT n.text FROM journal j JOIN journal_names n ON n.name = j.trace WHERE j.seq = ?')
    .pluck()
  const list =
    (query, limit = 100) =>
    () =>
      get('/journal', { ...query(), limit })
  const deep = () => {
    const { id, ts } = placeAt.get(at())
    return { cursor: Buffer.from(JSON.stringify([new Date(ts).toISOString(), id])).toString('base64url') }
  }
  const span = (share) => () => {
    const { ts } = placeAt.get(Math.max(1, Math.floor(next() * entries * (1 - share))))
    return { since: new Date(ts).toISOString(), until: new Date(ts + share * entries * 50).toISOString() }
  }
  const crew = () => ({ crew_id: pick(crews) })
  const agent = () => ({ agent_id: pick(agents) })
  const type = () => ({ entry_type: pick(types) })
  const two = () => ({ ...crew(), ...type() })
  const three = () => ({ ...two(), severity: severity() })
  const lists = {
    'page at any depth': list(deep),
    crew: list(crew),
    'crew, any depth': list(() => ({ ...crew(), ...deep() })),
    agent: list(agent),
    'agent, any depth': list(() => ({ ...agent(), ...deep() })),
    '20 agents': list(() => ({ agent_ids: pickText(20, agents) })),
    type: list(type),
    'type, any depth': list(() => ({ ...type(), ...deep() })),
    'without 2 types': list(() => ({ exclude_entry_type: pickText(2, types) })),
    'warn and error': list(() => ({ severity: 'warn,error' })),
    notice: list(() => ({ severity: 'notice' })),
    'actor type': list(() => ({ actor_type: 'agent' })),
    'crew, type': list(two),
    'crew, severity': list(() => ({ ...crew(), severity: severity() })),
    'agent, type': list(() => ({ ...agent(), ...type() })),
    'agent, type, any depth': list(() => ({ ...agent(), ...type(), ...deep() })),
    'type, severity': list(() => ({ ...type(), severity: severity() })),
    'crew, type, severity': list(three),
    'crew, type, severity, any depth': list(() => ({ ...three(), ...deep() })),
    'agent, type, severity': list(() => ({ ...agent(), ...type(), severity: severity() })),
    run: list(() => ({ run_id: traceAt.get(at()) })),
    'run, type': list(() => ({ trace_id: traceAt.get(at()), ...type() })),
    'a tenth of the time': list(span(0.1)),
    'a tenth of the time, crew': list(() => ({ ...span(0.1)(), ...crew() })),
    'normal priority, crew': list(() => ({ priority: 'normal', ...crew() })),
  }
  const count = (query) => () => get('/journal/count', query())
  const counts = {
    'count of all': count(() => ({})),
    'count of crew, type': count(two),
    'count within a tenth of the time': count(span(0.1)),
    'count of a crew within half of the time': count(() => ({ ...span(0.5)(), ...crew() })),
    'count of a type and severity within a tenth of the time': count(() => ({
      ...span(0.1)(),
      ...type(),
      severity: severity(),
    })),
  }
  const runs = {
    'newest runs': () => get('/runs', {}),
    'failed runs': () => get('/runs', { status: 'FAILED' }),
    'runs of an agent': () => get('/runs', agent()),
    'runs with a tag': () => get('/runs', { tag: `tag${Math.floor(next() * 9)}` }),
  }
  const find = (phrase, query = () => ({})) => list(() => ({ q: phrase(), ...query() }), 50)
  const searches = {
    'common word': find(common),
    'common word, any depth': find(common, deep),
    'middling word': find(middle),
    'rare word': find(rare),
    'phrase of two common words': find(() => `${vocabulary[0]} ${vocabulary[1]}`),
    'phrase of two middling words': find(() => `${middle()} ${middle()}`),
    'common word, three filters': find(common, three),
    'middling word, three filters': find(middle, three),
    'rare word, three filters': find(rare, three),
    'middling word, crew': find(middle, crew),
    'middling word, type': find(middle, type),
    'middling word, a tenth of the time': find(middle, span(0.1)),
    'common word in one run': find(common, () => ({ trace_id: traceAt.get(at()) })),
  }
  return { newest: list(() => ({})), quick: { ...lists, ...counts, ...runs }, hard: list(() => rarity), searches }
}

async function measureRequests(dir, daemon, headers) {
  const db = new Database(join(dir, 'muster.db'), { readonly: true })
  const get = client(daemon.url, headers)
  const { newest, quick, hard, searches } = questions(db, get)
  const worst = { name: '', p99: 0, ratio: 0, slowest: 0 }
  for (const [name, ask] of Object.entries(quick)) {
    const [page, own] = await time(newest, ask)
    note(`${name}: p50 ${ms(own.p50)}, p99 ${ms(own.p99)} (newest 100: p50 ${ms(page.p50)}, p99 ${ms(page.p99)})`)
    const ratio = own.p99 / page.p99
    if (ratio > worst.ratio) Object.assign(worst, { name, ratio, p99: own.p99, page: page.p99 })
    worst.slowest = Math.max(worst.slowest, own.p99)
  }
  const method = `GET on one kept connection, ${calls} calls each with varied values`
  report({
    row: `journal lists, counts, runs at ${size}`,
    ours: `p99 ${ms(worst.p99)} (${worst.name}), slowest p99 ${ms(worst.slowest)}`,
    limit: `p99 ${ms(worst.page)} (newest 100)`,
    ratio: worst.ratio,
    target: 'p99 <= 3x the newest-100 page and <= 5 ms',
    met: worst.slowest <= 5 && worst.ratio <= 3,
    method:
      `the worst of ${Object.keys(quick).length} kinds of request, each in turn ` +
      `with the newest-100 page; ${method}`,
  })
  const [page, old] = await time(newest, hard)
  report({
    row: `list whose matches lie in the oldest hundredth at ${size}`,
    ours: `p99 ${ms(old.p99)}`,
    limit: `p99 ${ms(page.p99)} (newest 100)`,
    ratio: old.p99 / page.p99,
    target: 'p99 <= 10x the newest-100 page',
    met: old.p99 <= 10 * page.p99,
    method: `three filters; ${method}`,
  })
  const all = { p50: 0, p99: 0 }
  for (const [name, ask] of Object.entries(searches)) {
    const [{ p50, p99 }] = await time(ask)
    note(`search, ${name}: p50 ${ms(p50)}, p99 ${ms(p99)}`)
    all.p50 = Math.max(all.p50, p50)
    all.p99 = Math.max(all.p99, p99)
  }
  report({
    row: `journal search at ${size}`,
    ours: `p50 ${ms(all.p50)}, p99 ${ms(all.p99)}`,
    target: 'p50 <= 5 ms, p99 <= 25 ms',
    met: all.p50 <= 5 && all.p99 <= 25,
    method: `the worst p50 and the worst p99 of ${Object.keys(searches).length} kinds of search, newest 50; ${method}`,
  })
  db.close()
}

/** Loop delays in ms while `work` goes on. */
async function loopDelay(work, seconds) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const until = performance.now() + seconds * 1000
  delay.enable()
  while (performance.now() < until) await work()
  delay.disable()
  return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
}

async function measureLoop(reads, workspace) {
  const phrase = `${vocabulary[0]} ${vocabulary[1]}`
  const filter = () => ({ phrase, crews: [pick(crews)], types: [pick(types)], severities: [severity()] })
  const search = () =>
    Promise.all([reads.page(workspace, filter(), {}, 500), reads.count(workspace, { phrase: common() })])
  await search()
  const idle = await loopDelay(() => sleep(20), 4)
  const busy = await loopDelay(() => Promise.all([search(), sleep(20)]), 8)
  report({
    row: `event loop under the worst search at ${size}`,
    ours: `p99 ${ms(busy.p99)}, max ${ms(busy.max)}`,
    limit: `p99 ${ms(idle.p99)} idle`,
    ratio: busy.p99 / idle.p99,
    target: 'p99 <= 2x idle, max <= 50 ms',
    met: busy.p99 <= 2 * idle.p99 && busy.max <= 50,
    method:
      'without pause: a page of 500 of the two commonest words as a phrase with three filters and an exact count ' +
      'of the commonest word, against the same loop at rest; monitorEventLoopDelay at 1 ms',
  })
}

async function measureAppend(app, record, workspace) {
  const draft = draftsOf(11, workspace)
  const waits = []
  const open = []
  const start = performance.now()
  for (let sent = 0; sent < 15_000; await sleep(1)) {
    for (const due = Math.min(15_000, performance.now() - start); sent < due; sent++) {
      const entry = draft()
      const from = performance.now()
      open.push(app.write(() => record(entry)).then(() => waits.push(performance.now() - from)))
    }
  }
  await Promise.all(open)
  const settled = waits.slice(2000)
  const p99 = percentile(settled, 99)
  report({
    row: `acknowledged append at 1,000 entries/s on ${size}`,
    ours: `p50 ${ms(percentile(settled, 50))}, p99 ${ms(p99)}, max ${ms(percentile(settled, 100))}`,
    target: 'p99 <= 15 ms',
    met: p99 <= 15,
    method:
      '15 s of single changes, each answered after its commit (FULL), with index and checkpoints at work in ' +
      'their threads; the first 2 s left out',
  })
}

await scratch(async (dir) => {
  const first = await startDaemon(dir)
  const { headers, workspace } = await bootstrap(first.url)
  await first.stop()
  const store = await openStore(join(dir, 'muster.db'))
  const filling = performance.now()
  await fill(store, entries, workspace)
  store.close()
  note(`filled in ${((performance.now() - filling) / 1000).toFixed(0)} s`)

  const daemon = await startDaemon(dir)
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))[1]) / 1024
  report({
    row: `daemon start with ${size}`,
    ours: `ready in ${Math.round(daemon.readyMs)} ms, ${Math.round(resident)} MB resident`,
    target: '<= 1 s, <= 120 MB',
    met: daemon.readyMs <= 1000 && resident <= 120,
    method: 'from spawn to the ready line, VmRSS at that moment',
  })
  try {
    await client(daemon.url, headers)('/journal', { q: common(), limit: 1 })
    await indexed(dir)
    note('full-text index ready')
    await measureRequests(dir, daemon, headers)
  } finally {
    await daemon.stop()
  }

  const db = await openStore(join(dir, 'muster.db'))
  const { app, reads, record } = await openApp(db)
  await measureLoop(reads, workspace)
  await measureAppend(app, record, workspace)
  await app.reads.close()
  db.close()
})
