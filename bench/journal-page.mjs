// Row: a page of 100 journal entries, against raw node:http with the same SELECT.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fill, openStore } from './journal/world.mjs'
import { bootstrap, median, report, root, scratch, startDaemon, startPeer, wrk } from './measure.mjs'

const rounds = 5

const plainServer = `
const http = require('node:http')
const Database = require(${JSON.stringify(join(root, 'node_modules/better-sqlite3'))})
const db = new Database(process.argv[2], { readonly: true })
const page = db.prepare('SELECT doc FROM journal INDEXED BY journal_ws WHERE ws = ? AND seq <= ? ' +
  'AND seq > ? ORDER BY seq DESC LIMIT ?').pluck()
http.createServer((request, response) => {
  const docs = page.all(1, 1e9, 0, 101)
  const body = Buffer.from('{"entries":[' + docs.slice(0, 100).join(',') + '],"count":100}')
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}).listen(0, '127.0.0.1', function () { console.log(JSON.stringify({
  url: 'http://127.0.0.1:' + this.address().port })) })
`

await scratch(async (dir) => {
  const first = await startDaemon(dir)
  const { headers, workspace } = await bootstrap(first.url)
  await first.stop()
  const db = await openStore(join(dir, 'muster.db'))
  await fill(db, 20_000, workspace)
  db.close()
  writeFileSync(join(dir, 'plain.cjs'), plainServer)
  const daemon = await startDaemon(dir)
  const plain = await startPeer(join(dir, 'plain.cjs'), [join(dir, 'muster.db')])
  try {
    const same = await Promise.all([fetch(`${plain.url}/`), fetch(`${daemon.url}/api/v1/journal`, { headers })])
    const [raw, ours] = await Promise.all(same.map((reply) => reply.json()))
    if (raw.entries.length !== 100 || raw.entries[0].id !== ours.entries[0].id)
      throw new Error('The two servers do not answer the same page')
    const rates = { ours: [], raw: [] }
    for (let round = 0; round < rounds; round++) {
      rates.raw.push((await wrk(`${plain.url}/`)).rate)
      rates.ours.push((await wrk(`${daemon.url}/api/v1/journal`, { headers })).rate)
    }
    const ratio = median(rates.ours) / median(rates.raw)
    report({
      row: '100-entry journal page',
      ours: `${Math.round(median(rates.ours))}/s`,
      limit: `${Math.round(median(rates.raw))}/s`,
      ratio,
      target: '>= 0.70',
      met: ratio >= 0.7,
      method: `GET journal (token, workspace, validation) against raw node:http with the same SELECT on the same
        database, wrk, 50 connections, median of ${rounds} alternated rounds`,
    })
  } finally {
    await Promise.all([plain.stop(), daemon.stop()])
  }
})
