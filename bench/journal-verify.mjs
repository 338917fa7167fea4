// Row: speed of `muster journal verify`, against reading, parsing and hashing the same entries.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { fill, openStore } from './journal/world.mjs'
import { median, report, scratch } from './measure.mjs'
import { load } from './support.mjs'

const entries = Number(process.env.MUSTER_BENCH_ENTRIES ?? 100_000)
const workspace = 'cworkspace000000000000000'
const rounds = 5

const rate = async (work) => {
  const from = performance.now()
  await work()
  return (entries / (performance.now() - from)) * 1000
}

await scratch(async (dir) => {
  const { verifyChain } = await load('daemon/features/journal/verify.ts')
  const db = await openStore(join(dir, 'muster.db'))
  await fill(db, entries, workspace)
  const ws = db.prepare('SELECT name FROM journal_names WHERE ws = 0').pluck().get()
  const docs = db.prepare('SELECT doc FROM journal WHERE seq > ? ORDER BY seq LIMIT 500').pluck()
  const raw = () => {
    for (let after = 0; after < entries; after += 500)
      for (const doc of docs.all(after)) hash('sha256', JSON.parse(doc).id + doc, 'buffer')
  }
  const ours = async () => {
    const { valid } = await verifyChain(db, { ws, workspace, head: entries, entries, sealed: null, anchor: null })
    if (!valid) throw new Error('The journal does not hold')
  }
  const rates = { ours: [], raw: [] }
  for (let round = 0; round < rounds; round++) {
    rates.raw.push(await rate(raw))
    rates.ours.push(await rate(ours))
  }
  db.close()
  const ratio = median(rates.ours) / median(rates.raw)
  report({
    row: `journal verify at ${entries} entries`,
    ours: `${Math.round(median(rates.ours))} entries/s`,
    limit: `${Math.round(median(rates.raw))} entries/s`,
    ratio,
    target: '>= 0.25',
    met: ratio >= 0.25,
    method:
      'chain, columns, order and priorities of one workspace against reading, parsing and hashing the same texts ' +
      `once, median of ${rounds} alternated rounds; the daemon does it in a thread of its own`,
  })
})
