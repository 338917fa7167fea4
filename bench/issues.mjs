// Rows: the first page of 100,000 issues under every filter and order; a board of 1,000 issues; triage of 10,000 issues
// by 100 rules. `node bench/issues.mjs [ISSUES]`
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bootstrap, median, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const require = createRequire(join(root, 'package.json'))
const issues = Number(process.argv[2] ?? 100_000)
/** p99 is then the eighth of the slowest, not the slowest. */
const times = 800
const rounds = 8
/** A control that takes longer met a pause of the machine; so did, probably, the list beside it. */
const quietMs = 1
const untriaged = 10_000
const rules = 100

const statuses = ['BACKLOG', 'TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'DONE', 'DONE', 'CANCELLED']
const priorities = ['none', 'none', 'none', 'low', 'medium', 'high', 'urgent']
const of = (list, n) => list[n % list.length]

/** Fills the database of a stopped daemon with issues of twenty crews. */
function fill(dir, { workspace, crews, agents, projects, labels }) {
  const db = new (require('better-sqlite3'))(join(dir, 'muster.db'))
  const insert = db.prepare(
    `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, status, priority,
      assignee_type, assignee_id, work_mode, due_date, sort_order, project_id, created_by_type, created_at, updated_at)
     VALUES (@id, @workspace, @crew, 'issue', @n, @identifier, @title, @status, @priority, @type, @assignee, 'agent',
      @due, @order, @project, 'user', @created, @updated)`,
  )
  const mark = db.prepare('INSERT INTO mission_labels (mission_id, label_id) VALUES (?, ?)')
  const begun = Date.parse('2026-01-01T00:00:00Z')
  const time = (n) => new Date(begun + n * 60_000).toISOString().replace('.000', '')
  db.transaction(() => {
    for (let n = 0; n < issues; n++) {
      // Numbers without a common factor, so that filters meet in any combination.
      const [a, b, c] = [(n * 7919) % 104_729, (n * 6271) % 99_991, (n * 4099) % 65_537]
      const id = `cbench${String(n).padStart(19, '0')}`
      const isGiven = a % 3 > 0
      const crew = of(crews, b)
      insert.run({
        id,
        workspace,
        crew: crew.id,
        n: n + 1,
        identifier: `${crew.slug.toUpperCase()}-${n + 1}`,
        title: `Issue ${n} about ${of(['login', 'payment', 'search', 'export', 'layout'], c)} ${a}`,
        status: of(statuses, a),
        priority: of(priorities, c),
        type: isGiven ? 'agent' : null,
        assignee: isGiven ? of(agents, c) : null,
        due: a % 5 ? null : time(c).slice(0, 10),
        order: b,
        project: b % 2 ? of(projects, a) : null,
        created: time(n),
        updated: time((a * 13) % issues),
      })
      if (c % 4 === 0) mark.run(id, of(labels, a))
    }
  })()
  db.close()
}

await scratch(async (dir) => {
  const first = await startDaemon(dir)
  const { headers, workspace } = await bootstrap(first.url)
  const asking = (daemon) => async (method, path, body) => {
    const init = { method, headers: { ...headers, 'content-type': 'application/json' } }
    const answer = await fetch(`${daemon.url}/api/v1/${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const make = asking(first)
  const many = (count, one) => Promise.all(Array.from({ length: count }, (_, n) => one(n)))
  const crews = await many(20, (n) => make('POST', 'crews', { name: `Crew ${n}`, slug: `crew${n}` }))
  const made = async (path, body) => (await make('POST', path, body)).id
  const agents = await many(40, (n) => made('agents', { name: `A ${n}`, slug: `a${n}`, crew_id: crews[n % 20].id }))
  const projects = await many(10, (n) => made('projects', { name: `Project ${n}` }))
  const labels = await many(8, (n) => made('labels', { name: `label${n}`, color: '#123' }))
  await first.stop()
  fill(dir, { workspace, crews, agents, projects, labels })

  const daemon = await startDaemon(dir)
  const call = asking(daemon)
  const filters = {
    'no filter': '',
    ...Object.fromEntries(
      ['updated_at', 'priority', 'due_date', 'sort_order'].map((sort) => [`order ${sort}`, `sort=${sort}`]),
    ),
    status: 'status=TODO,IN_PROGRESS',
    'status of none': 'status=FAILED&sort=sort_order',
    'status of few and label': 'status=TODO&label=label2&sort=updated_at',
    priority: 'priority=urgent',
    project: `project_id=${projects[3]}`,
    'project and order': `project_id=${projects[3]}&sort=due_date`,
    'priorities and order': 'priority=none,low&sort=priority',
    crew: `crew_id=${crews[5].id}`,
    'crew and order': `crew_id=${crews[5].id}&sort=updated_at`,
    assignee: `assignee_id=${agents[7]}`,
    label: 'label=label2',
    search: 'search=payment',
    'search of one': `search=Issue ${Math.floor(issues / 2)} `,
    'search of none': 'search=zebra',
    'crew and status': `crew_id=${crews[5].id}&status=REVIEW`,
    'crew, status and order': `crew_id=${crews[5].id}&status=TODO&sort=priority`,
    'assignee and status': `assignee_id=${agents[7]}&status=IN_PROGRESS`,
    'project and label': `project_id=${projects[3]}&label=label2`,
    'label and order': 'label=label2&sort=updated_at',
    'priority, label and order': 'priority=urgent&label=label3&sort=updated_at',
    'status, priority and order': 'status=TODO&priority=urgent&sort=due_date',
  }
  const timed = async (path) => {
    const from = performance.now()
    await call('GET', path)
    return performance.now() - from
  }
  let slowestStart = 0
  const asked = Object.entries(filters).map(([name, query]) => ({ name, path: `issues?${query}`, spent: [] }))
  // What reads a filter best is found out when it is asked for first, and remembered for a minute.
  for (const { path } of asked) slowestStart = Math.max(slowestStart, await timed(path))
  // Rounds of all filters, so that no filter alone meets a busy moment of the machine. Before and after each list a
  // request that reads eight rows: whatever it meets, lists meet too.
  for (let round = 0; round < rounds; round++)
    for (const { path, spent } of asked) {
      await timed(path)
      let before = await timed('labels')
      for (let n = 0; n < times / rounds; n++) {
        const list = await timed(path)
        const after = await timed('labels')
        spent.push({ list, control: after, isQuiet: Math.max(before, after) <= quietMs })
        before = after
      }
    }
  const results = asked.map(({ name, spent }) => {
    const quiet = spent.filter(({ isQuiet }) => isQuiet)
    const p99 = (of, member) =>
      percentile(
        of.map((it) => it[member]),
        99,
      )
    return {
      name,
      all: p99(spent, 'list'),
      control: p99(spent, 'control'),
      quiet: p99(quiet, 'list'),
      share: quiet.length / spent.length,
      p50: median(spent.map(({ list }) => list)),
    }
  })
  const shown = (ms) => `${ms.toFixed(1)} ms`
  for (const { name, p50, all, quiet, control } of results)
    process.stdout.write(
      `  ${name}: p50 ${shown(p50)}, p99 ${shown(all)}, beside a quick control ${shown(quiet)}; ` +
        `control p99 ${shown(control)}\n`,
    )
  const most = (member) => Math.max(...results.map((it) => it[member]))
  const control = percentile(
    asked.flatMap(({ spent }) => spent.map((it) => it.control)),
    99,
  )
  const least = Math.min(...results.map((it) => it.share))
  const isStill = control <= quietMs
  report({
    row: `first page of ${issues} issues, the slowest filter`,
    ours: `p99 ${shown(most('all'))}, ${shown(most('quiet'))} beside a quick control`,
    limit: `p99 ${shown(control)} of the control, a list of eight labels`,
    target: isStill ? 'p99 <= 5 ms' : `p99 <= 5 ms beside a quick control, since the machine is not still`,
    met: most(isStill ? 'all' : 'quiet') <= 5,
    method:
      `GET issues, 50 rows, ${times} times for each filter and order in ${rounds} rounds, each between two GET ` +
      `labels; quick is ${quietMs} ms, which both were for ${Math.round(least * 100)} % or more; ` +
      `the slowest of the ${asked.length} that were asked for the first time ${shown(slowestStart)}`,
  })

  const board = []
  for (let n = 0; n < 20; n++) {
    const from = performance.now()
    for (let at = 0; at < 1000; at += 100) await call('GET', `issues?crew_id=${crews[1].id}&limit=100&offset=${at}`)
    board.push(performance.now() - from)
  }
  report({
    row: 'board of 1,000 issues',
    ours: `p50 ${median(board).toFixed(0)} ms, p99 ${percentile(board, 99).toFixed(0)} ms`,
    target: '<= 250 ms',
    met: percentile(board, 99) <= 250,
    method: 'ten pages of 100 issues of one crew, 20 times',
  })

  await daemon.stop()
  const db = new (require('better-sqlite3'))(join(dir, 'muster.db'))
  db.prepare("UPDATE missions SET status = 'BACKLOG', assignee_type = NULL, assignee_id = NULL WHERE number <= ?").run(
    untriaged,
  )
  db.prepare("UPDATE missions SET status = 'DONE' WHERE number > ?").run(untriaged)
  db.close()
  const again = await startDaemon(dir)
  const ask = asking(again)
  for (let n = 0; n < rules; n++) {
    const pattern = n % 2 ? `^(Issue|Bug) [0-9]+ about (.*)${n}9${n}$` : `never ${n}`
    await ask('POST', 'triage-rules', {
      name: `r${n}`,
      pattern,
      match_type: n % 2 ? 'regex' : 'contains',
      priority: 'low',
    })
  }
  const from = performance.now()
  const slow = []
  const processing = ask('POST', 'triage/process', {})
  let over = false
  void processing.then(() => (over = true))
  while (!over) {
    const at = performance.now()
    await ask('GET', 'labels')
    slow.push(performance.now() - at)
  }
  const { processed, matched } = await processing
  const seconds = (performance.now() - from) / 1000
  report({
    row: `triage of ${untriaged} issues by ${rules} rules`,
    ours: `${seconds.toFixed(1)} s, ${processed} looked at, ${matched} matched; other requests meanwhile p99
      ${percentile(slow, 99).toFixed(0)} ms`,
    target: 'other requests p99 <= 50 ms',
    met: percentile(slow, 99) <= 50,
    method: 'half of the rules regular expressions of which few match, half parts of titles that none has',
  })
  await again.stop()
})
