// Rows: a command with one request; --version and --help.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnv, median, report, root, scratch, startPeer } from './measure.mjs'

const rounds = 31
const muster = join(root, 'bin', 'muster.js')

const crew = (n) => ({
  id: `c${n}`,
  slug: `crew-${n}`,
  name: `Crew ${n}`,
  network_mode: 'restricted',
  container_memory_mb: 4096,
  container_cpus: 2,
})
const crews = Array.from({ length: 20 }, (_, n) => ({
  ...crew(n),
  created_at: '2026-01-01T00:00:00Z',
  _count: { agents: 3, members: 1 },
}))

const server = `const body = ${JSON.stringify(JSON.stringify(crews))}
require('node:http').createServer((_, reply) => reply.setHeader('content-type', 'application/json').end(body))
  .listen(0, '127.0.0.1', function () { console.log(JSON.stringify({
    url: 'http://127.0.0.1:' + this.address().port })) })`

const leastClient = (url) => `require('node:http').request('${url}/api/v1/crews', { agent: false }, (reply) => {
  let text = ''
  reply.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () =>
    console.log(JSON.stringify(JSON.parse(text))))
}).end()`

const contexts = (url) =>
  `current: "bench"\ncontexts:\n  "bench":\n    server: "${url}"\n    workspace: "bench"\n    token: "svc_cli_bench"\n`

/** Milliseconds of each program in each round, all programs in turn. */
function measure(programs, env) {
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]))
  // The first rounds fill the caches that every later start finds.
  for (let round = -2; round < rounds; round++) {
    for (const [name, args] of Object.entries(programs)) {
      const before = process.hrtime.bigint()
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
      const took = Number(process.hrtime.bigint() - before) / 1e6
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
      if (round >= 0) times[name].push(took)
    }
  }
  return times
}

await scratch(async (dir) => {
  writeFileSync(join(dir, 'server.cjs'), server)
  const peer = await startPeer(join(dir, 'server.cjs'))
  try {
    writeFileSync(join(dir, 'least.cjs'), leastClient(peer.url))
    writeFileSync(join(dir, 'config.yaml'), contexts(peer.url), { mode: 0o600 })
    const rows = {
      'muster --version': { args: ['--version'], limit: 'node', target: 1.3 },
      'muster --help': { args: ['--help'], limit: 'node', target: 2.2 },
      'muster crews list --help': { args: ['crews', 'list', '--help'], limit: 'node', target: 2.2 },
      'muster crews list --json': { args: ['crews', 'list', '--json'], limit: 'client', target: 1.4 },
      'muster crews list -o table': { args: ['crews', 'list', '-o', 'table'], limit: 'client', target: 1.4 },
    }
    const limits = {
      node: { title: 'node -e 0', args: ['-e', '0'] },
      client: { title: 'the least node:http client', args: [join(dir, 'least.cjs')] },
    }
    const programs = {
      ...Object.fromEntries(Object.entries(limits).map(([name, { args }]) => [name, args])),
      ...Object.fromEntries(Object.entries(rows).map(([name, { args }]) => [name, [muster, ...args]])),
    }
    const times = measure(programs, cleanEnv({ HOME: dir, SVC_CONFIG: join(dir, 'config.yaml') }))
    for (const [row, { limit, target }] of Object.entries(rows)) {
      const ratio = median(times[row].map((took, round) => took / times[limit][round]))
      report({
        row,
        ours: `${median(times[row]).toFixed(1)} ms`,
        limit: `${limits[limit].title} ${median(times[limit]).toFixed(1)} ms`,
        ratio,
        target: `<= ${target}x`,
        met: ratio <= target,
        method: `whole processes in turn, ${rounds} rounds, median of the ratios within a round`,
      })
    }
  } finally {
    await peer.stop()
  }
})
