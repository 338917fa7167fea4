// Rows: the end of a task -> the start of the next one that depends on it; processor time of 100 missions that wait.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap, median, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const require = createRequire(join(root, 'package.json'))
const length = 30
const waiting = 100
const watchMs = 65_000

/** A client that answers at once, or never while there is a file that says so. */
function client(dir) {
  const [path, hold] = [join(dir, 'client'), join(dir, 'hold')]
  const words = { type: 'text', text: 'ok' }
  const line = (object) => `echo '${JSON.stringify({ ...object, session_id: 's' })}'`
  writeFileSync(
    path,
    `#!/bin/sh
case "$*" in *--version*) echo 0.0.0; exit ;; esac
[ -e ${hold} ] && exec sleep 600
${line({ type: 'system', subtype: 'init', model: 'm', tools: [], claude_code_version: '0' })}
${line({ type: 'assistant', message: { id: 'm', role: 'assistant', content: [words], usage: {} } })}
${line({ type: 'result', subtype: 'success', is_error: false, duration_ms: 1, num_turns: 1, result: 'ok' })}
`,
  )
  chmodSync(path, 0o755)
  return { path, hold }
}

/** Milliseconds of processor time that the threads of a process have taken. */
const processorMs = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns, 0) / 1e6

/** Times of what is told over a WebSocket. */
async function listen(daemon, headers, workspace) {
  const { token } = await (await fetch(`${daemon.url}/api/v1/ws-token`, { headers })).json()
  const socket = new (require('ws').WebSocket)(`${daemon.url.replace('http', 'ws')}/ws`)
  await new Promise((resolve) => socket.once('open', resolve))
  const told = []
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data))
    told.push({ type, payload, at: performance.now() })
  })
  socket.send(JSON.stringify({ type: 'auth', token }))
  socket.send(JSON.stringify({ type: 'subscribe', channel: `workspace:${workspace}` }))
  return { told, close: () => socket.close() }
}

/** From the end of each assignment to the start of the next. */
function gaps(told) {
  const found = []
  let ended = null
  for (const { type, at } of told) {
    if (type === 'assignment_completed') ended = at
    if (type === 'assignment_running' && ended !== null) found.push(at - ended)
  }
  return found
}

await scratch(async (dir) => {
  const { path, hold } = client(dir)
  const daemon = await startDaemon(dir, { SVC_CLAUDE_COMMAND: path, SVC_CONTAINER_PROVIDER: 'process' })
  const { headers, workspace } = await bootstrap(daemon.url)
  const call = async (method, to, body) => {
    const init = { method, headers: { ...headers, 'content-type': 'application/json' } }
    const answer = await fetch(`${daemon.url}/api/v1/${to}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${to} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const crew = (await call('POST', 'crews', { name: 'Bench', slug: 'bench', max_concurrent_agents: 1 })).id
  const lead = (await call('POST', 'agents', { name: 'Ada', slug: 'ada', crew_id: crew, agent_role: 'LEAD' })).id
  const policy = { autonomy_level: 'full', behavior_mode: 'warn', reason: 'a benchmark' }
  await call('PUT', `crews/${crew}/policy`, policy)
  const begin = async (tasks) => {
    const { id } = await call('POST', `crews/${crew}/missions`, { title: 'Bench', lead_agent_id: lead, tasks })
    await call('POST', `crews/${crew}/missions/${id}/start`)
    return id
  }
  const over = async (id) => {
    while ((await call('GET', `crews/${crew}/missions/${id}`)).status !== 'COMPLETED') await sleep(100)
  }
  const tasks = (needs) =>
    Array.from({ length }, (_, at) => ({
      key: `t${at}`,
      title: `Task ${at}`,
      depends_on: at && needs ? [`t${at - 1}`] : [],
    }))
  const measured = async (needs) => {
    const heard = await listen(daemon, headers, workspace)
    await over(await begin(tasks(needs)))
    heard.close()
    return gaps(heard.told)
  }
  await measured(true)
  const [chained, queued] = [await measured(true), await measured(false)]
  const ratio = median(chained) / median(queued)
  report({
    row: 'end of a task -> start of the one that depends on it',
    ours: `${median(chained).toFixed(1)} ms, p99 ${percentile(chained, 99).toFixed(1)} ms`,
    limit: `${median(queued).toFixed(1)} ms for tasks that wait in the queue already`,
    ratio,
    target: '<= 2',
    met: ratio <= 2,
    method: `a mission of ${length} tasks one after the other, and one of ${length} that depend on nothing, in a crew
      with one place; as a WebSocket tells`,
  })

  const spentWhile = async () => {
    const before = processorMs(daemon.child.pid)
    await sleep(watchMs)
    return processorMs(daemon.child.pid) - before
  }
  const without = await spentWhile()
  writeFileSync(hold, '')
  for (let n = 0; n < waiting; n++) await begin([{ key: 'a', title: 'Wait' }])
  await sleep(2000)
  const more = (await spentWhile()) - without
  report({
    row: `processor time of ${waiting} missions at work that wait for a place`,
    ours: `${Math.max(0, more).toFixed(0)} ms a minute`,
    limit: `${without.toFixed(0)} ms a minute without`,
    target: '<= 100 ms a minute',
    met: more <= 100,
    method: `threads of the daemon over ${watchMs / 1000} s, in which it looks at every mission once`,
  })
  await daemon.stop()
})
