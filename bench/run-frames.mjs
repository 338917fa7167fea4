// Frames a second of 100 runs at once, from their programs to who watches them over NDJSON and WebSocket.
import { execFileSync, fork, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bootstrap, cleanEnv, median, report, scratch, startDaemon } from './measure.mjs'

const self = fileURLToPath(import.meta.url)
const runs = Number(process.env.BENCH_RUNS ?? 100)
const texts = Number(process.env.BENCH_FRAMES ?? 500)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const agentsOfCrew = 20

const claude = (line) => JSON.stringify({ ...line, session_id: 'bench', uuid: '00000000-0000-4000-8000-000000000000' })
const said = (n) =>
  claude({
    type: 'assistant',
    message: { id: `msg_${n}`, role: 'assistant', content: [{ type: 'text', text: `${n} The tests pass now. ` }] },
  })
const output = [
  claude({ type: 'system', subtype: 'init', model: 'bench', tools: ['Bash'], claude_code_version: '2.1.197' }),
  ...Array.from({ length: texts }, (_, n) => said(n)),
  claude({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'done', usage: {} }),
]

/** A program that prints what a client prints, once somebody opens a pipe for writing. */
function program(dir) {
  const [file, lines, go] = [join(dir, 'claude'), join(dir, 'lines'), join(dir, 'go')]
  writeFileSync(lines, `${output.join('\n')}\n`)
  execFileSync('mkfifo', [go])
  const work = `: < "${go}"\ncat "${lines}"\n`
  writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && { echo 2.1.197; exit; }\n${work}`)
  chmodSync(file, 0o755)
  return { file, begin: () => openSync(go, 'r+') }
}

/** Watches streams in a process of its own; tells when all are open, and when the last frame of each has come. */
async function watch() {
  const { ndjson, ws } = JSON.parse(process.argv[3])
  let [open, left] = [0, ndjson.length + (ws?.chats.length ?? 0)]
  const opened = () => ++open === ndjson.length + (ws?.chats.length ?? 0) && process.send('open')
  const over = (count) => {
    if (count !== texts) throw new Error(`${count} of ${texts} frames came`)
    if (--left === 0) process.send('over')
  }
  for (const { url, headers } of ndjson)
    get(url, { headers, agent: false }, (answer) => {
      let count = 0
      opened()
      createInterface({ input: answer }).on('line', (line) => {
        if (!line.includes('"type":"text"')) return
        if (++count === texts) over(count)
      })
    })
  if (!ws) return
  const { WebSocket } = await import('ws')
  for (const { token, chat } of ws.chats) {
    const socket = new WebSocket(ws.url)
    await new Promise((resolve) => socket.once('open', resolve))
    let count = 0
    const ready = new Promise((resolve) => {
      socket.on('message', (data) => {
        const frame = String(data)
        if (frame.startsWith('{"type":"pong"')) resolve()
        else if (frame.includes('"type":"text"') && ++count === texts) over(count)
      })
    })
    for (const frame of [{ type: 'auth', token }, { type: 'subscribe', channel: `session:${chat}` }, { type: 'ping' }])
      socket.send(JSON.stringify(frame))
    // Few sockets of one address may be open before they have signed in.
    await ready
    opened()
  }
}

const told = (child, word) =>
  new Promise((resolve, reject) => {
    child.on('message', (message) => message === word && resolve(performance.now()))
    child.once('exit', () => reject(new Error('the watchers ended')))
  })

/** Milliseconds from `begin` until the watchers have every frame. */
async function timed(watched, begin) {
  const watchers = fork(self, ['watch', JSON.stringify(watched)], { env: cleanEnv() })
  const over = told(watchers, 'over')
  try {
    await told(watchers, 'open')
    const from = performance.now()
    begin()
    return (await over) - from
  } finally {
    watchers.removeAllListeners('exit')
    watchers.kill()
  }
}

async function throughMuster(dir) {
  const { file, begin } = program(dir)
  const { url, stop } = await startDaemon(join(dir, 'data'), {
    SVC_CLAUDE_COMMAND: file,
    SVC_MAX_CONCURRENT_RUNS: String(runs),
  })
  try {
    const { headers } = await bootstrap(url)
    const call = async (method, path, body) => {
      const init = { method, headers: { ...headers, 'content-type': 'application/json' } }
      const answer = await fetch(`${url}/api/v1${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
      return answer.json()
    }
    const chats = []
    for (let n = 0; n < runs; n++) {
      const crew = `crew-${Math.floor(n / agentsOfCrew)}`
      if (n % agentsOfCrew === 0) await call('POST', '/crews', { name: crew, slug: crew })
      const crew_id = (await call('GET', `/crews?q=${crew}`)).find(({ slug }) => slug === crew).id
      const agent = await call('POST', '/agents', { name: `a${n}`, slug: `a${n}`, crew_id })
      const { id } = await call('POST', `/agents/${agent.id}/chats`, {})
      await call('POST', `/chats/${id}/messages`, { content: 'Work' })
      chats.push(id)
    }
    while ((await call('GET', `/runs?status=RUNNING&limit=100`)).data.length < runs);
    const ndjson = chats.map((chat) => ({ url: `${url}/api/v1/chats/${chat}/stream`, headers }))
    const tokens = await Promise.all(chats.map(() => call('GET', '/ws-token')))
    const ws = { url: `${url.replace('http', 'ws')}/ws`, chats: chats.map((chat, n) => ({ chat, ...tokens[n] })) }
    return await timed({ ndjson, ws }, begin)
  } finally {
    await stop()
  }
}

/** The same programs, each read by a plain server that parses every line and writes it to two watchers. */
async function throughPipes(dir) {
  const { file, begin } = program(dir)
  const watchers = Array.from({ length: runs }, () => [])
  const server = createServer(({ url }, reply) => {
    watchers[Number(url.slice(1))].push(reply)
    reply.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const children = watchers.map((replies) => {
    const child = spawn(file, { stdio: ['ignore', 'pipe', 'inherit'] })
    let seq = 0
    createInterface({ input: child.stdout }).on('line', (text) => {
      const { type, message } = JSON.parse(text)
      if (type !== 'assistant') return
      const frame = `${JSON.stringify({ type: 'text', seq: ++seq, content: message.content[0].text })}\n`
      for (const reply of replies) reply.write(frame)
    })
    return child
  })
  const { port } = server.address()
  const url = (n) => ({ url: `http://127.0.0.1:${port}/${n}`, headers: {} })
  try {
    return await timed({ ndjson: watchers.flatMap((_, n) => [url(n), url(n)]) }, begin)
  } finally {
    for (const child of children) child.kill()
    server.closeAllConnections()
    server.close()
  }
}

if (process.argv[2] === 'watch') await watch()
else {
  const [ours, limit] = [[], []]
  for (let round = 0; round < rounds; round++)
    for (const [list, through] of [
      [ours, throughMuster],
      [limit, throughPipes],
    ])
      list.push(
        await scratch((dir) => {
          mkdirSync(join(dir, 'data'))
          return through(dir)
        }),
      )
  const rate = (times) => (runs * texts * 1000) / median(times)
  const ratio = rate(ours) / rate(limit)
  report({
    row: `frames a second of ${runs} runs at once, each watched over NDJSON and WebSocket`,
    ours: `${rate(ours).toFixed(0)} frames/s`,
    limit: `${rate(limit).toFixed(0)} frames/s`,
    ratio,
    target: '>= 0.25',
    met: ratio >= 0.25,
    method:
      `${texts} texts of each run, from when its program prints them until both of its watchers have them all (twice ` +
      'as many deliveries), stored and journaled on the way; against a bare server that reads the same programs by ' +
      `pipes, parses each line and writes it to two watchers; watchers in another process; median of ${rounds} rounds`,
  })
}
