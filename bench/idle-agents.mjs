// Memory of the daemon for each agent that does nothing, at 1,000 agents.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bootstrap, report, scratch, startDaemon } from './measure.mjs'

const agents = Number(process.env.BENCH_AGENTS ?? 1000)
const agentsOfCrew = 20
const watchMs = 6000

/** Resident memory in KiB, without what files lend. */
const memory = (pid) => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])

/** The least of a while: garbage goes when nothing is asked for. */
async function settled(pid) {
  let least = Number.POSITIVE_INFINITY
  for (const from = performance.now(); performance.now() - from < watchMs; await pause(250))
    least = Math.min(least, memory(pid))
  return least
}

/** Memory of a daemon that has just been started on this data and was asked nothing. */
async function idleMemory(data) {
  const { pid, stop } = await startDaemon(data)
  const memory = await settled(pid)
  await stop()
  return memory
}

async function makeAgents(data) {
  const { url, stop } = await startDaemon(data)
  const { headers } = await bootstrap(url)
  const create = async (path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()).id
  }
  for (let at = 0; at < agents; at += agentsOfCrew) {
    const crew_id = await create('/crews', { name: `crew-${at}`, slug: `crew-${at}` })
    for (let n = at; n < at + agentsOfCrew; n++) await create('/agents', { name: `a${n}`, slug: `a${n}`, crew_id })
  }
  await stop()
}

await scratch(async (dir) => {
  const data = join(dir, 'data')
  await makeAgents(data)
  const each = ((await idleMemory(data)) - (await idleMemory(join(dir, 'empty')))) / agents
  report({
    row: `memory of the daemon for each idle agent, at ${agents}`,
    ours: `${each.toFixed(1)} KiB`,
    target: '<= 4 KiB',
    met: each <= 4,
    method: `anonymous memory of a daemon that was started anew with ${agents} agents, less that of one with none`,
  })
})
