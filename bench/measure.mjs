// What the benchmarks share: processes, percentiles, and the one way a result is printed.
import { spawn } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** A variable that points Node at more certificates costs 30 ms at every start: measured programs never see it. */
export const cleanEnv = (extra = {}) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...extra })

const sorted = (values) => [...values].sort((a, b) => a - b)
export const percentile = (values, p) =>
  sorted(values)[Math.min(values.length - 1, Math.floor((values.length * p) / 100))]
export const median = (values) => percentile(values, 50)

/** Prints one row: what was measured, its limit in the same run, the ratio, the target and whether it is met. */
export function report({ row, ours, limit, ratio, target, met, method }) {
  const line = {
    row,
    ours,
    ...(limit !== undefined && { limit }),
    ...(ratio !== undefined && { ratio: Number(ratio.toFixed(3)) }),
    target,
    met,
    method,
  }
  if (process.env.BENCH_JSON) process.stdout.write(`${JSON.stringify(line)}\n`)
  else
    process.stdout.write(
      `${met ? 'ok  ' : 'MISS'} ${row}: ${ours}${limit === undefined ? '' : ` against ${limit}`}` +
        `${ratio === undefined ? '' : ` (ratio ${ratio.toFixed(2)})`}; target ${target}\n     ${method}\n`,
    )
}

/** A folder that is gone when `work` ends. */
export async function scratch(work) {
  const dir = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Starts the built daemon on a free port and waits for its ready line. */
export async function startDaemon(dataDir, env = {}) {
  const started = performance.now()
  const child = spawn(process.execPath, [join(root, 'bin/musterd.js')], {
    env: cleanEnv({
      SVC_DATA_DIR: dataDir,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'warn',
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_ENV: 'test',
      SVC_RATELIMIT_DISABLED: 'true',
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await firstLine(child)
  return { ...JSON.parse(line), child, readyMs: performance.now() - started, stop: () => stop(child) }
}

/** Starts a Node program of the benchmarks that prints a line of JSON when it listens. */
export async function startPeer(file, args = []) {
  const child = spawn(process.execPath, [file, ...args], { env: cleanEnv(), stdio: ['ignore', 'pipe', 'inherit'] })
  return { ...JSON.parse(await firstLine(child)), child, stop: () => stop(child) }
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)))
  })
}

function stop(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
}

/** The first user of a fresh daemon: its token and workspace. */
export async function bootstrap(url) {
  const reply = await fetch(`${url}/api/v1/bootstrap`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ full_name: 'Bench', email: 'bench@example.com', password: 'correct horse battery' }),
  })
  if (reply.status !== 201) throw new Error(`bootstrap answered ${reply.status}: ${await reply.text()}`)
  const { cli_token: token, workspace_id: workspace } = await reply.json()
  return { token, workspace, headers: { authorization: `Bearer ${token}`, 'x-workspace-id': workspace } }
}

/** Requests a second and p99 in ms by wrk (Debian package wrk): 50 connections on one thread, `seconds` long. */
export function wrk(url, { headers = {}, script, seconds = 4, connections = 50 } = {}) {
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...Object.entries(headers).flatMap(([k, v]) => ['-H', `${k}: ${v}`]),
    ...(script ? ['-s', script] : []),
    url,
  ]
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.once('error', () => reject(new Error('wrk is missing: apt-get install wrk')))
    child.once('exit', () => {
      const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
      const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? []
      const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0)
      if (refused) reject(new Error(`${refused} answers were refusals`))
      else resolve({ rate, p99: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit] })
    })
  })
}

/** Writes a file out, so that no write that is measured has to. */
export function toDisk(path) {
  const file = openSync(path)
  fsyncSync(file)
  closeSync(file)
}

/** Milliseconds that this thread was ready and got no processor, which says nothing of Muster; 0 where none tells. */
function unserved() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/**
 * How long writes take from their request to their commit, one every few milliseconds, until `over` says so, without
 * the time in which other programs had the processor.
 */
export async function writes(app, record, over) {
  const times = []
  while (!over(times.length)) {
    const [from, before] = [performance.now(), unserved()]
    await app.write(record)
    times.push(Math.max(0, performance.now() - from - (unserved() - before)))
    await sleep(3)
  }
  return times
}
