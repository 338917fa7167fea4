// Rows: how long a consolidation reads a crew of 100,000 entries, how long one of which most teach nothing, how
// much memory it takes, and how long others wait meanwhile. `node bench/consolidation.mjs [ENTRIES]`; TMPDIR=/dev/shm
// measures without the disk.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { bootstrap, median, percentile, report, scratch, startDaemon } from './measure.mjs'
import { load } from './support.mjs'

const entries = Number(process.argv[2] ?? 100_000)
const few = 1000
const times = 5
const quietWrites = 300
const hour = 3_600_000
const size = entries.toLocaleString('en')

const { createJournal } = await load('daemon/kernel/journal/journal.ts')

const question = (n) => ({
  type: 'peer.escalation',
  severity: 'warn',
  summary: `Ada asks: may I deploy the service for the ${n}th time, now that the tests are green?`,
  payload: { state: 'pending', reason: `Deploy ${n}`, escalation_type: 'TEXT', from_slug: 'ada' },
})
/** Of a thousand verdicts one is a refusal. */
const verdict = (n) => ({
  type: 'keeper.decision',
  severity: 'notice',
  summary: `The command number ${n} was ${n % 1000 ? 'allowed' : 'refused'}`,
  payload: { request_id: `r${n}`, decision: n % 1000 ? 'ALLOW' : 'DENY', reason: 'By the rules', risk_score: n % 10 },
})

/** Records entries of some crews over the last twenty hours, in the database of a stopped daemon. */
function fill(file, workspace, crews) {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  const total = crews.reduce((sum, { count }) => sum + count, 0)
  const begun = Date.now() - 20 * hour
  let made = 0
  const journal = createJournal(db, () => Math.round(begun + (made++ * 19 * hour) / total))
  for (const { id, count, draft } of crews)
    db.transaction(() => {
      for (let n = 0; n < count; n++)
        journal.append({ workspace_id: workspace, crew_id: id, actor_type: 'system', ...draft(n) })
    })()
  journal.settle()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Entries that can be read and parsed in a second, once and in order. */
function readRate(file, crew) {
  const db = new Database(file, { readonly: true })
  const page = db.prepare('SELECT seq, doc FROM journal WHERE seq > ? ORDER BY seq LIMIT 500')
  const from = performance.now()
  let count = 0
  for (let rows = page.all(0); rows.length; rows = page.all(rows.at(-1).seq))
    for (const { doc } of rows) if (JSON.parse(doc).crew_id === crew) count++
  const took = performance.now() - from
  db.close()
  return (count / took) * 1000
}

/** A model's server that makes a rule of the first two entries that it is told of. */
function summarizer() {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'bench' }] }))
      const prompt = JSON.parse(body).messages.at(-1).content
      const [a, b] = [...prompt.matchAll(/^- \[([^\]]+)\]/gm)].map(([, id]) => id)
      const rules = [{ pattern: `When ${a}`, action: 'Read the log', evidence: [a, b], confidence: 0.9 }]
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: JSON.stringify(rules) } }] }))
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

await scratch(async (dir) => {
  const first = await startDaemon(dir)
  const { headers, workspace } = await bootstrap(first.url)
  let { url } = first
  async function call(method, path, body) {
    const init = { method, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) } }
    const reply = await fetch(`${url}/api/v1/${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
    const answer = await reply.json()
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  const crews = [
    { slug: 'small', count: few, draft: question },
    { slug: 'large', count: entries, draft: question },
    { slug: 'verdicts', count: entries, draft: verdict },
  ]
  for (const crew of crews) crew.id = (await call('POST', 'crews', { name: crew.slug, slug: crew.slug })).id
  await first.stop()
  const file = join(dir, 'muster.db')
  fill(file, workspace, crews)

  const model = await summarizer()
  const local = `http://127.0.0.1:${model.address().port}`
  const daemon = await startDaemon(dir, { SVC_LOCAL_MODELS_URL: local })
  url = daemon.url
  try {
    const completed = 'journal?entry_type=system.consolidation_completed&limit=1'
    /** Consolidates one crew: milliseconds by the two entries, and the most memory that the daemon had meanwhile. */
    async function run(crew) {
      const { worker_id } = await call('POST', 'consolidate/run', { crew_id: crew.id })
      for (let most = 0; ; await sleep(2)) {
        most = Math.max(most, memoryOf(daemon.child.pid))
        const [end] = (await call('GET', completed)).entries
        if (end?.payload.worker_id !== worker_id) continue
        const { status, crews_run } = end.payload
        if (status !== 'ok' || crews_run !== 1) throw new Error(`it ended with ${JSON.stringify(end.payload)}`)
        const [begun] = (await call('GET', 'journal?entry_type=system.consolidation_triggered&limit=1')).entries
        return { ms: Date.parse(end.ts) - Date.parse(begun.ts), most }
      }
    }
    async function runs(slug) {
      const crew = crews.find((it) => it.slug === slug)
      const all = []
      for (let at = 0; at < times; at++) all.push(await run(crew))
      return { ms: median(all.map(({ ms }) => ms)), most: Math.max(...all.map(({ most }) => most)) }
    }
    const writes = async (over) => {
      const waits = []
      while (!over(waits.length)) {
        const from = performance.now()
        await call('PUT', 'memory/file', { path: 'workspace:WORKSPACE.md', content: `text ${waits.length}` })
        waits.push(performance.now() - from)
        await sleep(3)
      }
      return waits
    }

    const quiet = await writes((count) => count >= quietWrites)
    const small = await runs('small')
    const large = await runs('large')
    report({
      row: `consolidation of a crew with ${size} entries`,
      ours: `${large.ms} ms`,
      limit: `${small.ms} ms`,
      ratio: large.ms / Math.max(1, small.ms),
      target: '<= 2',
      met: large.ms <= 2 * Math.max(10, small.ms),
      method:
        `from one entry to the other, median of ${times}, the model's server answers at once; against ${few} ` +
        'entries',
    })

    const reading = readRate(file, crews[2].id)
    const verdicts = await runs('verdicts')
    const rate = (entries / verdicts.ms) * 1000
    report({
      row: `consolidation past ${size} verdicts of which one in a thousand teaches`,
      ours: `${verdicts.ms} ms, ${Math.round(rate)} entries/s`,
      limit: `${Math.round(reading)} entries/s`,
      ratio: rate / reading,
      target: '>= 0.2',
      met: rate / reading >= 0.2,
      method: 'every one has to be looked at, against reading and parsing all texts once',
    })
    const grown = Math.max(large.most, verdicts.most) - small.most
    report({
      row: `memory that ${size} entries take`,
      ours: `${grown.toFixed(0)} MB more`,
      limit: `${small.most.toFixed(0)} MB`,
      target: '<= 64 MB more',
      met: grown <= 64,
      method: `resident memory of the daemon at its most, ${times} runs each, against that with ${few} entries`,
    })

    let over
    const working = runs('verdicts').then(() => (over = true))
    const busy = await writes(() => over)
    await working
    const [longest, usual] = [Math.max(...busy), Math.max(...quiet)]
    report({
      row: `longest wait of a write while ${size} entries are consolidated`,
      ours: `${longest.toFixed(1)} ms`,
      limit: `${usual.toFixed(1)} ms`,
      target: '<= 50 ms',
      met: longest <= 50,
      method:
        `${busy.length} writes over HTTP, one every 3 ms, p50 ${median(busy).toFixed(1)} ms, p99 ` +
        `${percentile(busy, 99).toFixed(1)} ms, against ${quiet.length} before it, p50 ${median(quiet).toFixed(1)} ms`,
    })
  } finally {
    await daemon.stop()
    model.close()
  }
})
