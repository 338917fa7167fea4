// Row: full-text search of conversations at 1M messages, against the raw full-text query; size of the index.
// `node bench/chat-search.mjs [MESSAGES]`
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, median, percentile, report, scratch, startDaemon } from './measure.mjs'
import { fillChats, phrases } from './search/world.mjs'

const messages = Number(process.argv[2] ?? 1_000_000)
const times = 60

/** Milliseconds of processor time that the threads of a process have taken. */
function processorMs(pid) {
  const tasks = `/proc/${pid}/task`
  const spent = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6
}

await scratch(async (dir) => {
  const first = await startDaemon(dir)
  const { headers, workspace } = await bootstrap(first.url)
  const add = async (path, body) => {
    const reply = await fetch(`${first.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await reply.json()).id
  }
  const crew_id = await add('crews', { name: 'Bench', slug: 'bench' })
  await add('agents', { name: 'Bench', slug: 'bench', crew_id })
  await first.stop()
  const file = join(dir, 'muster.db')
  const before = statSync(file).size
  const { agents, crew, indexBytes, rawQuery, close } = await fillChats(file, messages, workspace)
  const daemon = await startDaemon(dir)
  const ask = async (body) => {
    const before = processorMs(daemon.child.pid)
    const begun = performance.now()
    const reply = await fetch(`${daemon.url}/api/v1/conversations/search`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { hits } = await reply.json()
    if (!hits) throw new Error(`search answered ${reply.status}`)
    return { ms: performance.now() - begun, processor: processorMs(daemon.child.pid) - before }
  }
  const both = (list) => [50, 99].map((p) => `p${p} ${percentile(list, p).toFixed(1)} ms`).join(', ')
  try {
    const all = { ours: [], processor: [], raw: [] }
    const scopes = { workspace: {}, agent: { agent_id: agents[7] }, crew: { crew_id: crew } }
    for (const [kind, list] of Object.entries(phrases)) {
      for (const [scope, members] of Object.entries(scopes)) {
        const spent = []
        for (let at = 0; at < times; at++) {
          const query = list[at % list.length]
          spent.push(await ask({ query, ...members }))
          if (scope === 'workspace') all.raw.push(rawQuery(query))
        }
        const [ms, processor] = ['ms', 'processor'].map((name) => spent.slice(1).map((it) => it[name]))
        all.ours.push(...ms)
        all.processor.push(...processor)
        process.stdout.write(`  ${kind} in ${scope}: ${both(ms)}; processor time ${both(processor)}\n`)
      }
    }
    const [p50, p99] = [median(all.ours), percentile(all.ours, 99)]
    report({
      row: `search of conversations, ${messages} messages`,
      ours: `${both(all.ours)}; processor time of the daemon ${both(all.processor)}`,
      limit: `raw query p50 ${median(all.raw).toFixed(1)} ms; index ${(indexBytes / 2 ** 20).toFixed(0)} MiB of
        ${((statSync(file).size - before) / 2 ** 20).toFixed(0)} MiB`,
      ratio: p50 / median(all.raw),
      target: 'p50 <= 5 ms, p99 <= 25 ms',
      met: p50 <= 5 && p99 <= 25,
      method: `POST conversations/search one after the other, ${times} of each kind and scope, the first of each left
        out; raw: the newest 20 rowids of the same phrase in the same index`,
    })
  } finally {
    close()
    await daemon.stop()
  }
})
