// Rows: a message sent to a room -> seen by the last of 100 connected members, and how many a second all of them see.
import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bootstrap, cleanEnv, median, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const self = fileURLToPath(import.meta.url)
const members = 100
const senders = 4
const rate = 20
const seconds = 4
const rounds = 5
const page = Buffer.alloc(4096, 1)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a request and answers its JSON; fetch would cost more than what is measured. */
function ask(url, token, workspace, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspace, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const call = request(`${url}/api/v1${path}`, { method, headers, agent }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += chunk))
      answer.on('end', () => {
        if (answer.statusCode >= 300) reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`))
        else resolve(JSON.parse(text))
      })
    })
    call.on('error', reject)
    call.end(body && JSON.stringify(body))
  })
}

/** All members in a process of their own: for each message, when the last of them has it. */
async function clients() {
  const { WebSocket } = await import('ws')
  const { url, workspace, room, tokens } = JSON.parse(process.argv[3])
  const seen = new Map()
  const take = (text) => {
    const id = /"content":"(m\d+) /.exec(text)?.[1]
    if (!id) return
    const count = (seen.get(id)?.count ?? 0) + 1
    seen.set(id, { count, at: performance.timeOrigin + performance.now() })
  }
  for (const token of tokens) {
    const { token: pass } = await ask(url, token, workspace, 'GET', '/ws-token')
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
    await new Promise((resolve) => socket.once('open', resolve))
    for (const frame of [
      { type: 'auth', token: pass },
      { type: 'subscribe', channel: `room:${room}` },
      { type: 'ping' },
    ])
      socket.send(JSON.stringify(frame))
    await new Promise((resolve) => {
      socket.on('message', (data) => {
        const text = String(data)
        if (text.startsWith('{"type":"room.message"')) take(text)
        else if (text.startsWith('{"type":"pong"')) resolve()
      })
    })
  }
  process.on('message', () => {
    process.send([...seen])
    seen.clear()
  })
  process.send('ready')
}

/** People of the workspace, written where the daemon reads them. */
function people(dir, workspace) {
  const Database = createRequire(join(root, 'package.json'))('better-sqlite3')
  const db = new Database(join(dir, 'muster.db'))
  const now = new Date().toISOString()
  const made = Array.from({ length: members }, (_, n) => {
    const [id, token] = [`cbench${String(n).padStart(19, '0')}`, `svc_cli_${randomBytes(32).toString('hex')}`]
    const hash = createHash('sha256').update(token).digest('hex')
    db.prepare('INSERT INTO users (id, email, full_name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
      id,
      `m${n}@example.com`,
      `Member ${n}`,
      now,
      now,
    )
    db.prepare(
      `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
       VALUES (?, ?, ?, 'MEMBER', ?, ?)`,
    ).run(`m${id}`, workspace, id, now, now)
    db.prepare(
      `INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, created_at) VALUES (?, ?, 'x', ?, 'STANDARD', ?)`,
    ).run(`t${id}`, id, hash, now)
    return { id, token }
  })
  db.close()
  return made
}

let count = 0

async function measure(dir) {
  const prepared = await startDaemon(dir)
  const { token, workspace } = await bootstrap(prepared.url)
  await prepared.stop()
  const crowd = people(dir, workspace)
  const { url, stop } = await startDaemon(dir)
  const body = { kind: 'group', title: 'All', member_ids: crowd.map(({ id }) => id), client_id: 'all' }
  const { id: room } = await ask(url, token, workspace, 'POST', '/conversations', body)
  const place = { url, workspace, room, tokens: crowd.map(({ token }) => token) }
  const swarm = fork(self, ['clients', JSON.stringify(place)], { env: cleanEnv() })
  const told = () => new Promise((resolve) => swarm.once('message', resolve))
  await told()

  const sent = new Map()
  const say = async (from) => {
    const name = `m${++count}`
    sent.set(name, performance.timeOrigin + performance.now())
    const message = { content: `${name} ${'x'.repeat(200)}`, client_id: name }
    await ask(url, crowd[from % senders].token, workspace, 'POST', `/conversations/${room}/messages`, message)
  }
  /** Delays until the last member, of all messages that were sent since the last time. */
  const collect = async () => {
    await sleep(500)
    swarm.send('tell')
    const seen = new Map(await told())
    const delays = [...sent].map(([name, at]) => {
      const last = seen.get(name)
      if (last?.count !== members) throw new Error(`${name} reached ${last?.count ?? 0} of ${members} members`)
      return last.at - at
    })
    sent.clear()
    return delays
  }
  const disk = []
  const file = await open(join(dir, 'probe'), 'w')
  /** A commit needs at least this long. */
  const probe = async () => {
    const from = performance.now()
    await file.write(page, 0, page.length, 0)
    await file.datasync()
    disk.push(performance.now() - from)
  }
  const steadily = async (time) => {
    const all = []
    for (let n = 0; n < time * rate; n++) {
      all.push(say(n), probe())
      await sleep(1000 / rate)
    }
    await Promise.all(all)
  }
  const asFastAsPossible = async (time) => {
    const until = performance.now() + time * 1000
    const one = async (from) => {
      while (performance.now() < until) await say(from)
    }
    const from = performance.now()
    await Promise.all(Array.from({ length: senders }, (_, n) => one(n)))
    return (sent.size * 1000) / (performance.now() - from)
  }

  try {
    await steadily(2)
    await collect()
    const quiet = []
    for (let round = 0; round < rounds; round++) {
      await steadily(seconds)
      quiet.push(await collect())
    }
    const speed = await asFastAsPossible(5)
    const busy = await collect()
    const middle = (p) => median(quiet.map((delays) => percentile(delays, p)))
    return { p50: middle(50), p99: middle(99), speed, busy: percentile(busy, 99), disk: percentile(disk, 99) }
  } finally {
    swarm.kill()
    await file.close()
    agent.destroy()
    await stop()
  }
}

if (process.argv[2] === 'clients') await clients()
else {
  const { p50, p99, speed, busy, disk } = await scratch(measure)
  report({
    row: `message sent to a room -> seen by the last of ${members} connected members`,
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    limit: `p99 ${disk.toFixed(1)} ms of a write to the same disk`,
    target: '<= 40 ms above the disk',
    met: p99 - disk <= 40,
    method:
      `${rate} messages/s of 200 bytes of ${senders} members for ${seconds} s, median of ${rounds} rounds, from the ` +
      'request that sends it to the last member who has it, each a user with a WebSocket; clients in another ' +
      'process; every delivery counted; for each message a page is also written to the same disk and synced',
  })
  report({
    row: `messages a second through a room with ${members} connected members`,
    ours: `${speed.toFixed(0)} messages/s, p99 ${busy.toFixed(1)} ms to the last member`,
    target: '>= 100 messages/s',
    met: speed >= 100,
    method: `${senders} members send one after the other for 5 s, as fast as they are answered; every delivery counted`,
  })
}
