// Rows: a call of an MCP server's tool by an agent, against the same call made directly: through the gateway of the
// daemon, and, where there is an engine, from a container with its sidecar in between.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { buildSync } from 'esbuild'
import { asking, begin, cpuOf, idleClient, startReference, wayOf } from './mcp/scene.mjs'
import { bootstrap, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 500)
const warming = 50
const target = '<= 1.50 and under 3 ms more'

/** A caller that calls when it is told to, by its program and arguments. */
async function caller([command, ...args], env) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('A caller of the tool has ended')
    return value
  }
  await next()
  return {
    async call() {
      child.stdin.write('\n')
      return Number(await next())
    },
    stop: () => child.stdin.end(),
  }
}

/** The caller as one program, for where there is no library. */
function callerProgram(folder) {
  const outfile = `${folder}/caller.mjs`
  const banner = {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  }
  const entryPoints = [`${root}bench/mcp/caller.mjs`]
  buildSync({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', banner })
  return outfile
}

/** An agent at work as a local process, with a caller beside it. */
async function local(folder, server, program) {
  const daemon = await startDaemon(`${folder}/local`, {
    SVC_INTEGRATION_PRIVATE_HOSTS: server.host,
    SVC_CLAUDE_COMMAND: idleClient(folder),
  })
  const { headers } = await bootstrap(daemon.url)
  const api = asking(daemon.url, headers)
  const crew = await api('POST', '/crews', { name: 'Bench', slug: 'bench', network_mode: 'free' })
  const agent = await api('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })
  await api('POST', '/integrations', { name: 'everything', endpoint: server.url })
  await api('POST', `/crews/${crew.id}/container-start`)
  await begin(api, agent.id)
  const [origin, KEY] = await wayOf(api, agent.id)
  const { call, stop } = await caller([process.execPath, program], { ADDRESS: `${origin}/mcp/everything`, KEY })
  return {
    call,
    daemon,
    async stop() {
      stop()
      await daemon.stop()
    },
  }
}

const docker = (...args) => execFileSync('docker', args, { encoding: 'utf8' }).trim()

/** The address at which containers reach this machine; null without an engine here. */
async function bridge() {
  try {
    const [config] = JSON.parse(docker('network', 'inspect', 'bridge', '--format', '{{json .IPAM.Config}}'))
    docker('image', 'inspect', 'muster/crew:local', 'muster/sidecar:local')
    return config.Gateway || config.Subnet.replace(/\.\d+\/\d+$/, '.1')
  } catch {
    return null
  }
}

/** A model service that never answers: who asks it stays at work. */
const silence = (host) =>
  new Promise((resolve) => {
    const server = createServer(() => undefined)
    server.listen(0, host, () => {
      server.unref()
      resolve({ url: `http://${host}:${server.address().port}`, close: () => server.closeAllConnections() })
    })
  })

/** The uid of the agent that is at work in a container, and its key. */
async function presence(container) {
  for (;;) {
    const uids = docker('exec', container, 'sh', '-c', 'stat -c %u /proc/[0-9]* 2>/dev/null; true')
    const uid = uids.split('\n').find((it) => Number(it) > 20_000)
    const look = 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; true'
    const environment = uid ? docker('exec', '-u', uid, container, 'sh', '-c', look) : ''
    const [, KEY] = /^SVC_AGENT_TOKEN=(.+)$/m.exec(environment) ?? []
    if (KEY) return { uid, KEY }
    await pause(200)
  }
}

/** Removes what an installation has on the engine. */
function removeAll(installation) {
  const mine = ['--filter', `label=svc.installation=${installation}`]
  const each = (list, remove) => {
    for (const id of docker(...list, ...mine).split('\n')) if (id) docker(...remove, id)
  }
  each(['ps', '-aq'], ['rm', '-f', '-v'])
  each(['network', 'ls', '-q'], ['network', 'rm'])
  each(['volume', 'ls', '-q'], ['volume', 'rm'])
  each(['image', 'ls', '-q'], ['image', 'rm', '-f'])
}

/** An agent at work in a container, with a caller beside it, behind the sidecar. */
async function contained(folder, server, program, host) {
  const model = await silence(host)
  const { DOCKER_HOST } = process.env
  const daemon = await startDaemon(`${folder}/contained`, {
    ...(DOCKER_HOST && { DOCKER_HOST }),
    SVC_CONTAINER_PROVIDER: 'docker',
    SVC_CONTAINER_PREFIX: 'muster-bench-gateway',
    SVC_INTEGRATION_PRIVATE_HOSTS: server.host,
    SVC_ANTHROPIC_URL: model.url,
    SVC_ALLOW_PRIVATE_ENDPOINTS: 'true',
  })
  let installation = ''
  const stop = async () => {
    model.close()
    await daemon.stop()
    if (installation) removeAll(installation)
  }
  try {
    const { headers } = await bootstrap(daemon.url)
    const api = asking(daemon.url, headers)
    const crew = await api('POST', '/crews', { name: 'Bench', slug: 'bench', network_mode: 'free' })
    const named = { cli_adapter: 'CLAUDE_CODE', llm_provider: 'ANTHROPIC', llm_model: 'claude-sonnet-4-6' }
    const agent = await api('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id, ...named })
    const value = 'sk-ant-api03-bench-bench-bench'
    const key = await api('POST', '/credentials', { name: 'key', value, type: 'API_KEY', provider: 'ANTHROPIC' })
    const given = { credential_id: key.id, env_var_name: 'ANTHROPIC_API_KEY' }
    await api('POST', `/agents/${agent.id}/credentials`, given)
    await api('POST', '/integrations', { name: 'everything', endpoint: server.url })
    await api('POST', `/crews/${crew.id}/container-start`)
    const container = docker('ps', '-q', '--filter', `label=svc.crew-id=${crew.id}`, '--filter', 'label=svc.kind=crew')
    installation = docker('inspect', container, '--format', '{{index .Config.Labels "svc.installation"}}')
    await begin(api, agent.id)
    const { uid, KEY } = await presence(container)
    const as = ['exec', '-i', '-u', `${uid}:${uid}`]
    execFileSync('docker', [...as, container, 'sh', '-c', 'cat > /tmp/caller.mjs'], { input: readFileSync(program) })
    const env = ['-e', `ADDRESS=http://127.0.0.1:9119/mcp/everything`, '-e', 'KEY']
    const { call, stop: hangUp } = await caller(['docker', ...as, ...env, container, 'node', '/tmp/caller.mjs'], {
      KEY,
    })
    return {
      call,
      async stop() {
        hangUp()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** How long a durable write of an entry's size takes, for which every call through the gateway waits. */
function durable(folder) {
  const db = new Database(`${folder}/durable.db`)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE entries (doc TEXT)')
  const insert = db.prepare('INSERT INTO entries VALUES (?)')
  const doc = 'x'.repeat(1000)
  return () => {
    const from = performance.now()
    insert.run(doc)
    return performance.now() - from
  }
}

/** Rows of one way to the tool. */
function tell(name, ours, limit, method) {
  for (const p of [50, 99]) {
    const [mine, bare] = [percentile(ours, p), percentile(limit, p)]
    report({
      row: `a call of a tool ${name}, p${p}`,
      ours: `${mine.toFixed(2)} ms`,
      limit: `${bare.toFixed(2)} ms`,
      ratio: mine / bare,
      target,
      met: mine / bare <= 1.5 && mine - bare < 3,
      method,
    })
  }
}

await scratch(async (folder) => {
  for (const name of ['local', 'contained']) mkdirSync(`${folder}/${name}`)
  const host = await bridge()
  const server = await startReference()
  const program = callerProgram(folder)
  const open = []
  const opened = async (making) => {
    const made = await making
    open.push(made)
    return made
  }
  try {
    const through = await opened(local(folder, server, program))
    const behind = host === null ? null : await opened(contained(folder, server, program, host))
    const direct = await opened(caller([process.execPath, program], { ADDRESS: server.url }))
    const ways = [direct, through, ...(behind ? [behind] : [])]
    const times = ways.map(() => [])
    const write = durable(folder)
    const writes = []
    let used = 0
    for (let round = -warming; round < rounds; round++) {
      writes.push(write())
      for (const [at, way] of ways.entries()) {
        const before = way === through ? cpuOf(through.daemon.child.pid) : 0
        const took = await way.call()
        if (round < 0) continue
        times[at].push(took)
        if (way === through) used += cpuOf(through.daemon.child.pid) - before
      }
    }
    const [p50, p99] = [50, 99].map((p) => percentile(writes, p).toFixed(2))
    const method =
      `echo of the reference server by its library, ${rounds} calls of each way in turn; each is journaled first, ` +
      `and a durable write alone takes ${p50} ms (p99 ${p99})`
    const each = `${(used / rounds).toFixed(2)} ms of the daemon's processors for each`
    tell('through the gateway', times[1], times[0], `${method}; ${each}`)
    if (behind) tell('from a container, through sidecar and gateway', times[2], times[0], method)
  } finally {
    for (const one of open.reverse()) await one.stop()
    server.stop()
  }
})
