// Row: 100 agents that each call a tool 20 times a second through the gateway, against the same calls made directly.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { asking, begin, cpuOf, idleClient, wayOf } from './mcp/scene.mjs'
import { bootstrap, percentile, report, root, scratch, startDaemon, startPeer } from './measure.mjs'

const agents = Number(process.env.BENCH_AGENTS ?? 100)
const agentsOfCrew = 20
const callsASecond = 20
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = 2

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { message: 'plum' } },
})

/** Calls the tool once; resolves with how long that took. */
function call(url, headers, agent) {
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const sent = {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
    }
    const asked = request(url, { method: 'POST', agent, headers: sent }, (reply) => {
      let said = ''
      reply.on('data', (chunk) => (said += chunk))
      reply.on('end', () =>
        said.includes('Echo: plum') ? resolve(performance.now() - from) : reject(new Error(said || reply.statusCode)),
      )
    })
    asked.on('error', reject).end(body)
  })
}

/** Each of the ways is used so many times a second for a while, by one caller that waits for its answers. */
async function load(ways) {
  const times = []
  const from = performance.now()
  const until = from + seconds * 1000
  await Promise.all(
    ways.map(async ({ url, headers }, at) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const every = 1000 / callsASecond
      for (
        let next = from + (every * at) / ways.length;
        next < until;
        next = Math.max(next + every, performance.now())
      ) {
        await pause(Math.max(0, next - performance.now()))
        times.push(await call(url, headers, agent))
      }
      agent.destroy()
    }),
  )
  return { times, rate: times.length / ((performance.now() - from) / 1000) }
}

await scratch(async (folder) => {
  const server = await startPeer(`${root}bench/mcp/server.mjs`)
  const daemon = await startDaemon(folder, {
    SVC_INTEGRATION_PRIVATE_HOSTS: server.host,
    SVC_CLAUDE_COMMAND: idleClient(folder),
    SVC_MAX_CONCURRENT_RUNS: String(agents),
  })
  try {
    const { headers } = await bootstrap(daemon.url)
    const api = asking(daemon.url, headers)
    await api('POST', '/integrations', { name: 'bare', endpoint: server.url })
    const ids = []
    for (let at = 0; at < agents; at += agentsOfCrew) {
      const named = {
        name: `crew-${at}`,
        slug: `crew-${at}`,
        network_mode: 'free',
        max_concurrent_agents: agentsOfCrew,
      }
      const crew = await api('POST', '/crews', named)
      for (let n = at; n < at + agentsOfCrew; n++)
        ids.push((await api('POST', '/agents', { name: `a${n}`, slug: `a${n}`, crew_id: crew.id })).id)
      await api('POST', `/crews/${crew.id}/container-start`)
    }
    for (const id of ids) await begin(api, id)
    const through = []
    for (const id of ids) {
      const [origin, key] = await wayOf(api, id)
      through.push({ url: `${origin}/mcp/bare`, headers: { authorization: `Bearer ${key}` } })
    }
    const direct = ids.map(() => ({ url: server.url, headers: {} }))
    // Connections of all agents are made, and their lists of tools read.
    for (const { url, headers: own } of through) await call(url, own)
    const [ours, limit] = [[], []]
    let used = 0
    for (let round = 0; round < rounds; round++) {
      limit.push(await load(direct))
      const before = cpuOf(daemon.child.pid)
      ours.push(await load(through))
      used += cpuOf(daemon.child.pid) - before
    }
    const times = (of) => of.flatMap((it) => it.times)
    const rate = (of) => of.reduce((sum, it) => sum + it.rate, 0) / of.length
    const told = (of) =>
      `${rate(of).toFixed(0)} calls/s, p50 ${percentile(times(of), 50).toFixed(1)} ms, ` +
      `p99 ${percentile(times(of), 99).toFixed(1)} ms`
    const wanted = agents * callsASecond
    report({
      row: `calls of tools by ${agents} agents through the gateway, ${callsASecond} a second each`,
      ours: `${told(ours)}, ${(used / times(ours).length).toFixed(2)} ms of the daemon's processors for each`,
      limit: `${told(limit)} directly`,
      ratio: rate(ours) / rate(limit),
      target: `>= 0.90 of the ${wanted} calls/s that are wanted`,
      met: rate(ours) >= 0.9 * wanted,
      method: `${rounds} rounds of ${seconds} s in turn; an agent waits for its answer before it calls again`,
    })
  } finally {
    await daemon.stop()
    await server.stop()
  }
})
