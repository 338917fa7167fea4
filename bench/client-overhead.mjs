// A turn of each vendor's client through Muster, against the same client started by a bare exec in the same container.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { agent, withCrew } from './crew.mjs'
import { report } from './measure.mjs'
import { load, median } from './support.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const wanted = process.env.BENCH_CLIENTS?.split(',')
const key = 'sk-bench-7f3a91c2d4'
const network = { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false }

const parts = await load(
  'daemon/runtime/adapters/index.ts',
  'daemon/runtime/adapters/adapter.ts',
  'daemon/runtime/adapters/parser.ts',
  'daemon/runtime/adapters/claude-code/index.ts',
  'daemon/runtime/adapters/codex/index.ts',
  'daemon/runtime/adapters/droid/index.ts',
  'daemon/runtime/adapters/gemini/index.ts',
  'daemon/runtime/adapters/opencode/index.ts',
  'daemon/runtime/spool/environment.ts',
  'test/support/engine.ts',
  'test/support/gemini-endpoint.ts',
  'test/support/model-endpoint.ts',
  'test/support/responses-endpoint.ts',
)
const clients = {
  claude: [parts.claudeCode, 'ANTHROPIC', 'claude-sonnet-4-6', parts.modelEndpoint],
  codex: [parts.codex, 'OPENAI', 'gpt-5', parts.responsesEndpoint],
  droid: [parts.droid, 'ANTHROPIC', 'claude-sonnet-4-6', parts.modelEndpoint],
  gemini: [parts.gemini, 'GOOGLE', 'gemini-2.5-flash', parts.geminiEndpoint],
  opencode: [parts.opencode, 'ANTHROPIC', 'claude-sonnet-4-6', parts.modelEndpoint],
}

/** Reads a client's output; times of its first frame and of its first words, from `from`. */
function reading(adapter, launch, model, from) {
  const parser = parts.createParser(adapter.reader({ mcpServers: launch.mcpServers, model, used: null }), [key])
  const seen = { first: null, text: null }
  return {
    seen,
    take(chunk) {
      for (const { type } of parser.feed(chunk)) {
        seen.first ??= performance.now() - from
        if (type === 'text') seen.text ??= performance.now() - from
      }
    },
  }
}

const over = ({ seen }, from, code) => {
  if (code !== 0 || seen.text === null) throw new Error(`The client ended with ${code} and said nothing`)
  return { ...seen, total: performance.now() - from }
}

async function throughMuster({ runtime, crewId }, { adapter, launch, model, runId }) {
  const from = performance.now()
  const read = reading(adapter, launch, model, from)
  await runtime.startRun({ ...launch.spec, runId, crewId, agent, timeoutSeconds: 120 })
  const code = await new Promise((resolve, reject) => {
    runtime.follow({ crewId, runId, agent }, 0, {
      data: read.take,
      end: (end) => resolve(end.code ?? end.kind),
      broken: reject,
    })
  })
  return over(read, from, code)
}

/** A program in the container as the agent; resolves with its exit code. */
async function exec(container, argv, { env = {}, stdin = '', cwd, data = () => {} } = {}) {
  const started = await container.exec({
    User: `${agent.uid}:1001`,
    Cmd: argv,
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...(cwd && { WorkingDir: cwd }),
    AttachStdin: true,
    AttachStdout: true,
  })
  const stream = await started.start({ hijack: true, stdin: true })
  stream.end(stdin)
  let held = Buffer.alloc(0)
  stream.on('data', (chunk) => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 8 && held.length >= 8 + held.readUInt32BE(4)) {
      const end = 8 + held.readUInt32BE(4)
      data(held.subarray(8, end))
      held = held.subarray(end)
    }
  })
  await once(stream, 'end')
  return (await started.inspect()).ExitCode
}

async function bare({ runtime, crewId, container }, { adapter, launch, model, folders }) {
  const put = 'mkdir -p "$1" && cat > "$2"'
  for (const { path, content } of launch.spec.files)
    await exec(container, ['sh', '-c', put, 'put', dirname(path), path], { stdin: content })
  const env = parts.runEnvironment(runtime.places(crewId, agent), launch.spec.env)
  const from = performance.now()
  const read = reading(adapter, launch, model, from)
  const { argv, stdin } = launch.spec
  return over(read, from, await exec(container, argv, { env, stdin, cwd: folders.cwd, data: read.take }))
}

function turnOf({ runtime, crewId }, [adapter, provider, model]) {
  const runId = `r${randomUUID().replaceAll('-', '').slice(0, 20)}`
  const places = runtime.places(crewId, agent)
  const folders = parts.foldersOf(places, runId)
  const launch = adapter.launch({
    runId,
    crewId,
    chatId: 'bench',
    agent: { id: agent.agentId, slug: agent.slug },
    folders,
    provider,
    model,
    systemPrompt: 'You are Ada, a bench.',
    toolProfile: 'CODING',
    cliTools: null,
    mcpConfigs: [],
    maxTurns: 0,
    unattended: false,
    prompt: 'Say hello.',
    access: { via: 'sidecar', key: 'dummy', origin: places.sidecarUrl },
    proxy: places.sidecarUrl,
    env: {},
    session: null,
  })
  return { adapter, launch, model, folders, runId }
}

await withCrew(async (crew) => {
  const host = await parts.bridgeAddress()
  for (const [name, client] of Object.entries(clients)) {
    if (wanted && !wanted.includes(name)) continue
    const env = parts.runEnvironment(crew.runtime.places(crew.crewId, agent), {})
    if ((await exec(crew.container, [client[0].program, '--version'], { env })) !== 0) {
      process.stdout.write(`left out: the crew image has no ${name}\n`)
      continue
    }
    const [, provider, , endpointOf] = client
    const endpoint = await endpointOf(() => ({ text: 'Hello.' }), { host, keys: [key] })
    const credential = { credentialId: 'bench', provider, kind: 'api_key', token: key, priority: 0 }
    await crew.runtime.configureSidecar(crew.crewId, {
      network,
      agents: { dummy: { agentId: agent.agentId, slug: agent.slug, uid: agent.uid, credentials: [credential] } },
      upstreams: { [provider]: endpoint.url },
    })
    const [ours, limit] = [[], []]
    for (let round = -1; round < rounds; round++) {
      const mine = await throughMuster(crew, turnOf(crew, client))
      const plain = await bare(crew, turnOf(crew, client))
      if (round < 0) continue
      ours.push(mine)
      limit.push(plain)
    }
    await endpoint.close()
    const at = (times, member) => median(times.map((it) => it[member]))
    const ratio = at(ours, 'total') / at(limit, 'total')
    const told = (times) => `${at(times, 'text').toFixed(0)} ms to the first words, ${at(times, 'total').toFixed(0)} ms`
    report({
      row: `a turn of ${name}`,
      ours: told(ours),
      limit: told(limit),
      ratio,
      target: '<= 1.10',
      met: ratio <= 1.1,
      method:
        'startRun and follow to the end against exec of the same command with the same files and input, both by the ' +
        `same engine; a scripted model service answers at once; first frame after ${at(ours, 'first').toFixed(0)} ` +
        `and ${at(limit, 'first').toFixed(0)} ms; median of ${rounds} alternated rounds`,
    })
  }
})
