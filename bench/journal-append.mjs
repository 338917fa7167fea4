// Row: journal append in batches, against a raw prepared insert with the same schema and batch.
import { join } from 'node:path'
import { draftsOf } from './journal/drafts.mjs'
import { openApp, openStore } from './journal/world.mjs'
import { median, report, scratch } from './measure.mjs'

const batch = 100
const perRound = 10_000
const rounds = 5

await scratch(async (dir) => {
  const ours = await openStore(join(dir, 'muster.db'))
  const raw = await openStore(join(dir, 'raw.db'))
  const { app, record } = await openApp(ours)
  const next = draftsOf(7, 'cworkspace000000000000000')
  const columns = ours.prepare('SELECT * FROM journal').columns()
  const insert = raw.prepare(`INSERT INTO journal VALUES (${columns.map(() => '?').join(', ')})`)
  const newer = ours.prepare('SELECT * FROM journal WHERE seq > ? ORDER BY seq').raw()
  const rates = { ours: [], raw: [] }
  for (let round = 0; round < rounds; round++) {
    const drafts = Array.from({ length: perRound }, next)
    const before = app.index.head()
    let from = performance.now()
    for (let at = 0; at < perRound; at += batch)
      app.writeNow(() => {
        for (const draft of drafts.slice(at, at + batch)) record(draft)
      })
    rates.ours.push((perRound / (performance.now() - from)) * 1000)
    const rows = newer.all(before)
    from = performance.now()
    for (let at = 0; at < perRound; at += batch)
      raw.transaction(() => {
        for (const row of rows.slice(at, at + batch)) insert.run(row)
      })()
    rates.raw.push((perRound / (performance.now() - from)) * 1000)
  }
  await app.reads.close()
  ours.close()
  raw.close()
  const ratio = median(rates.ours) / median(rates.raw)
  report({
    row: 'journal append in batches',
    ours: `${Math.round(median(rates.ours))} entries/s`,
    limit: `${Math.round(median(rates.raw))} rows/s`,
    ratio,
    target: '>= 0.50',
    met: ratio >= 0.5,
    method:
      `app.journal in changes of ${batch} (ids, hashes, runs, totals; index and checkpoints in their threads) ` +
      `against a prepared insert of the same finished rows, same schema, FULL, median of ${rounds} alternated ` +
      `rounds of ${perRound}`,
  })
})
