// Rows: durable POST that journals one entry; authenticated small GET; idle daemon.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, median, report, root, scratch, startDaemon, startPeer, wrk } from './measure.mjs'

const rounds = 3

const plainServer = `
const http = require('node:http')
const body = JSON.stringify({ id: 'c000000000000000000000000', name: 'x', created_at: '2026-01-01T00:00:00Z' })
http.createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    if (text) JSON.parse(text)
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}).listen(0, '127.0.0.1', function () { console.log(JSON.stringify({
  url: 'http://127.0.0.1:' + this.address().port })) })
`

await scratch(async (dir) => {
  writeFileSync(join(dir, 'plain.cjs'), plainServer)
  const post = join(dir, 'post.lua')
  const send = (body) =>
    `request = function()\n return wrk.format('POST', nil, nil, ${body})\nend\nwrk.headers['content-type'] = ` +
    "'application/json'\n"
  writeFileSync(post, send(`'{"origin":"CLI"}'`))

  const plain = await startPeer(join(dir, 'plain.cjs'))
  const bare = await startPeer(join(root, 'bench/http/without-database.mjs'))
  const daemon = await startDaemon(join(dir, 'data'))
  const idle = await startDaemon(join(dir, 'idle'))
  try {
    const { headers } = await bootstrap(daemon.url)
    const agent = await makeAgent(daemon.url, headers)
    const gets = { ours: [], raw: [] }
    const posts = { ours: [], raw: [] }
    for (let round = 0; round < rounds; round++) {
      gets.raw.push((await wrk(`${plain.url}/`)).rate)
      gets.ours.push((await wrk(`${daemon.url}/api/v1/auth/cli-token/validate`, { headers })).rate)
      posts.raw.push((await wrk(bare.url, { headers: bare.headers, script: post })).rate)
      posts.ours.push((await wrk(`${daemon.url}/api/v1/agents/${agent}/chats`, { headers, script: post })).rate)
    }
    const get = median(gets.ours) / median(gets.raw)
    report({
      row: 'authenticated small GET',
      ours: `${Math.round(median(gets.ours))}/s`,
      limit: `${Math.round(median(gets.raw))}/s`,
      ratio: get,
      target: '>= 0.60',
      met: get >= 0.6,
      method:
        `GET cli-token/validate against raw node:http with a static body, wrk, 50 connections, median of ${rounds} ` +
        'alternated rounds',
    })
    const durable = median(posts.ours) / median(posts.raw)
    report({
      row: 'durable POST that journals one entry',
      ours: `${Math.round(median(posts.ours))}/s`,
      limit: `${Math.round(median(posts.raw))}/s`,
      ratio: durable,
      target: '>= 0.30',
      met: durable >= 0.3,
      method:
        'POST a chat (one row, one entry; FULL) against the same HTTP side with a handler that stores nothing, ' +
        `wrk, 50 connections, median of ${rounds} rounds`,
    })
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${idle.pid}/status`, 'utf8'))[1]) / 1024
    report({
      row: 'idle daemon: memory',
      ours: `${rss.toFixed(0)} MB resident`,
      target: '<= 120 MB',
      met: rss <= 120,
      method: 'a fresh daemon that has answered nothing, VmRSS',
    })
  } finally {
    await Promise.all([plain.stop(), bare.stop(), daemon.stop(), idle.stop()])
  }
})

async function makeAgent(url, headers) {
  const make = async (path, body) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await reply.json()).id
  }
  const crew = await make('/crews', { name: 'Bench', slug: 'bench' })
  return make('/agents', { name: 'Bench', slug: 'bench', crew_id: crew })
}
