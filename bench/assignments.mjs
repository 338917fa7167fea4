// Row: the end of an assignment -> the start of the next one in the queue of its crew, with 1,000 queued and with 10.
import { chmodSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap, median, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const require = createRequire(join(root, 'package.json'))
const many = 1000
const few = 10
const starts = 100
const warming = 50

/** A client that does nothing: its run takes the only place among runs, so that those that are measured wait for it. */
function idleClient(dir) {
  const path = join(dir, 'idle')
  writeFileSync(path, '#!/bin/sh\nexec sleep 600\n')
  chmodSync(path, 0o755)
  return path
}

async function api({ url }, { headers }, method, path, body) {
  const init = { method, headers: { ...headers, 'content-type': 'application/json' } }
  const answer = await fetch(`${url}/api/v1${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
  return text ? JSON.parse(text) : null
}

/** An agent that is at work, for which nothing else may begin. */
async function occupy(call) {
  const { id: crew } = await call('POST', '/crews', { name: 'Busy', slug: 'busy' })
  const { id: agent } = await call('POST', '/agents', { name: 'Eve', slug: 'eve', crew_id: crew })
  const key = await call('POST', '/credentials', {
    name: 'k',
    type: 'API_KEY',
    provider: 'ANTHROPIC',
    value: 'sk-none',
  })
  const lent = { credential_id: key.id, env_var_name: 'ANTHROPIC_API_KEY' }
  await call('POST', `/agents/${agent}/credentials`, lent)
  const { id: chat } = await call('POST', `/agents/${agent}/chats`, {})
  return (await call('POST', `/chats/${chat}/messages`, { content: 'Work' })).run_id
}

/** A crew with one place, and so many assignments that it is to have in the end. */
async function furnish(call, slug, queued) {
  const { id: crew } = await call('POST', '/crews', { name: slug, slug, max_concurrent_agents: 1 })
  const make = (name) => call('POST', '/agents', { name, slug: `${name}-${slug}`, crew_id: crew })
  const [{ id: ada }, { id: bob }] = [await make('ada'), await make('bob')]
  return { slug, crew, ada, bob, queued, current: idOf(slug, 0), times: [] }
}

const idOf = (slug, n) => `cbench${slug}${String(n).padStart(19 - slug.length, '0')}`

const running = (dir, run) => {
  const db = new (require('better-sqlite3'))(join(dir, 'muster.db'), { readonly: true })
  const { phase } = db.prepare('SELECT phase FROM runs WHERE id = ?').get(run)
  db.close()
  return phase === 'running'
}

/** Assignments that wait, each as if made for a request of its own. */
function enqueue(dir, workspace, { slug, crew, ada, bob, queued }) {
  const db = new (require('better-sqlite3'))(join(dir, 'muster.db'))
  const insert = db.prepare(
    `INSERT INTO assignments (id, workspace_id, crew_id, assigned_by_id, assigned_to_id, task, status, group_id, depth,
      parent_run_id, chain_origin, created_at, queued_at)
     VALUES (@id, @workspace, @crew, @ada, @bob, 'Count', 'QUEUED', @id, 1, @id, @id, @now, @now)`,
  )
  const now = new Date().toISOString()
  db.transaction(() => {
    for (let n = 0; n < queued + warming + starts + 1; n++)
      insert.run({ id: idOf(slug, n), workspace, crew, ada, bob, now })
  })()
  db.close()
}

/** Tells of each start, as it is told to clients. */
async function listen(daemon, who) {
  const { token } = await api(daemon, who, 'GET', '/ws-token')
  const socket = new (require('ws').WebSocket)(`${daemon.url.replace('http', 'ws')}/ws`)
  await new Promise((resolve) => socket.once('open', resolve))
  const begun = []
  let wake = () => {}
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data))
    if (type !== 'assignment_running') return
    begun.push(payload.id)
    wake()
  })
  socket.send(JSON.stringify({ type: 'auth', token }))
  socket.send(JSON.stringify({ type: 'subscribe', channel: `workspace:${who.workspace}` }))
  /** The next one of a crew after its current one, which may be told late. */
  const of = async ({ slug, current }) => {
    for (;;) {
      while (!begun.length) await new Promise((resolve) => (wake = resolve))
      const id = begun.shift()
      if (id !== current && id.startsWith(`cbench${slug}`)) return id
    }
  }
  return { of, close: () => socket.close() }
}

await scratch(async (dir) => {
  const settings = { SVC_CLAUDE_COMMAND: idleClient(dir), SVC_MAX_CONCURRENT_RUNS: '1' }
  let daemon = await startDaemon(dir, settings)
  const who = await bootstrap(daemon.url)
  const call = (...asked) => api(daemon, who, ...asked)
  const busy = await occupy(call)
  const crews = [await furnish(call, 'long', many), await furnish(call, 'short', few)]
  while (!running(dir, busy)) await sleep(50)
  await daemon.stop()
  for (const crew of crews) enqueue(dir, who.workspace, crew)
  daemon = await startDaemon(dir, settings)
  const heard = await listen(daemon, who)
  const queued = async () => (await call('GET', '/agents/crews-status')).queued
  // The first of each crew begins when the daemon has started.
  while ((await queued()) !== many + few + 2 * (warming + starts)) await sleep(50)
  const start = async (crew) => {
    const from = performance.now()
    await call('POST', `/assignments/${crew.current}/cancel`)
    crew.current = await heard.of(crew)
    return performance.now() - from
  }
  for (let n = 0; n < warming; n++) for (const crew of crews) await start(crew)
  for (let n = 0; n < starts; n++) for (const crew of crews) crew.times.push(await start(crew))
  if ((await queued()) !== many + few) throw new Error('The queues are not as long as they should be')
  heard.close()
  await call('POST', `/runs/${busy}/cancel`)
  while ((await call('GET', `/runs/${busy}`)).status === 'RUNNING') await sleep(50)
  await daemon.stop()
  const [long, short] = crews.map(({ times }) => times)
  const ratio = median(long) / median(short)
  report({
    row: `start of the next assignment with ${many} queued`,
    ours: `${median(long).toFixed(1)} ms, p99 ${percentile(long, 99).toFixed(1)} ms`,
    limit: `${median(short).toFixed(1)} ms with ${few}`,
    ratio,
    target: '<= 1.25',
    met: ratio <= 1.25,
    method:
      'from the request that ends the running assignment of a crew with one place until a WebSocket tells that the ' +
      `next one runs; median of ${starts} starts in each of two crews, in turn, of which one always has ${many} ` +
      `queued at least and the other ${few}`,
  })
})
