// Row: a backup of a whole server and its restore, against tar | zstd | a stream cipher, and writers meanwhile.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fill, openStore } from './journal/world.mjs'
import { bootstrap, cleanEnv, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const entries = Number(process.env.MUSTER_BENCH_ENTRIES ?? 50_000)
const megabytes = Number(process.env.MUSTER_BENCH_MB ?? 64)
const recipient = 'age10tsmh2sqzcrk5k62usxncne8tnn3rdjh722urj79wtf5p0dnn9jqem543r'

/** Files as code is: a third of it does not compress. */
function writeFiles(folder) {
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < megabytes; n++) {
    const file = openSync(join(folder, `file-${n}`), 'w')
    for (let part = 0; part < 16; part++) {
      writeSync(file, randomBytes(21_845))
      writeSync(file, Buffer.alloc(43_691, `line ${n} ${part} of a file\n`))
    }
    closeSync(file)
  }
}

const seconds = async (work) => {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

const run = (command, args, input) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: cleanEnv(), stdio: [input ? 'pipe' : 'ignore', 'ignore', 'inherit'] })
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))))
    if (input) child.stdin.end(input)
  })

await scratch(async (dir) => {
  const data = join(dir, 'data')
  mkdirSync(data, { mode: 0o700 })
  const db = await openStore(join(data, 'muster.db'))
  await fill(db, entries, 'cworkspace000000000000000')
  db.close()
  const daemon = await startDaemon(data)
  const { token, workspace } = await bootstrap(daemon.url)
  const ask = async (method, path, body) => {
    const reply = await fetch(`${daemon.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-workspace-id': workspace },
      body: body && JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
    return reply.json()
  }
  const crew = await ask('POST', '/crews', { name: 'Web', slug: 'web' })
  writeFiles(join(data, 'crews', crew.id, 'shared'))
  const writing = async (over) => {
    const times = []
    for (let n = 0; !over(n); n++) {
      const from = performance.now()
      await ask('POST', '/labels', { name: `${times.length} ${from}`, color: '#aabbcc' })
      times.push(performance.now() - from)
      await sleep(3)
    }
    return times
  }
  const quiet = await writing((n) => n >= 300)
  let over = false
  const meanwhile = writing(() => over)
  const body = { scope: 'instance', recipient }
  const backup = await seconds(() => ask('POST', '/admin/backups', body))
  over = true
  const busy = await meanwhile
  await daemon.stop()

  const cipher = 'openssl enc -chacha20 -pbkdf2 -pass pass:x'
  const pipe = `tar cf - -C ${data} muster.db crews | zstd -3 | ${cipher} > ${dir}/control`
  const control = await seconds(() => run('sh', ['-c', pipe]))
  rmSync(join(dir, 'control'))
  const bytes = statSync(join(data, 'muster.db')).size + megabytes * 16 * 65_536
  const rate = (took) => `${Math.round(bytes / took / 1e6)} MB/s`
  report({
    row: `backup of ${entries} entries and ${megabytes} MB of files`,
    ours: `${rate(backup)}, ${backup.toFixed(1)} s`,
    limit: rate(control),
    ratio: control / backup,
    target: '>= 0.05',
    met: control / backup >= 0.05,
    method: 'online copy, tar, zstd and age in JavaScript, fsync; against tar | zstd -3 | openssl chacha20, no fsync',
  })
  report({
    row: 'writers during that backup',
    ours: `p99 ${percentile(busy, 99).toFixed(1)} ms of ${busy.length}`,
    limit: `p99 ${percentile(quiet, 99).toFixed(1)} ms without`,
    ratio: percentile(busy, 99) / percentile(quiet, 99),
    target: '<= 10',
    met: percentile(busy, 99) / percentile(quiet, 99) <= 10,
    method: 'one request after the other, each a commit with its fsync, over loopback',
  })

  // Its key is nobody's: what is measured is a plain one.
  const again = await startDaemon(data)
  const auth = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  await fetch(`${again.url}/api/v1/admin/backups`, {
    method: 'POST',
    headers: auth,
    body: JSON.stringify({ scope: 'instance', no_encrypt: true }),
  })
  await again.stop()
  const newest = readdirSync(join(data, 'backups')).sort().at(-1)
  const question = JSON.stringify({ path: join(data, 'backups', newest), to: join(dir, 'new') })
  const took = await seconds(() => run(process.execPath, [join(root, 'bin/musterd.js'), 'backup', 'restore'], question))
  report({
    row: 'restore of it, not encrypted',
    ours: `${rate(took)}, ${took.toFixed(1)} s`,
    target: '>= 10 MB/s',
    met: bytes / took >= 10e6,
    method: 'sums, tar, zstd, quick_check, seals, an fsync for each file, from start to end of the program',
  })
})
