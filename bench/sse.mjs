// Rows: entry committed -> seen by an SSE client, with 10 clients and with 1,000 at 100 entries/s; memory of a client.
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bootstrap, cleanEnv, percentile, report, scratch, startDaemon } from './measure.mjs'

const many = Number(process.env.BENCH_CLIENTS ?? 1000)
const seconds = 10

const mark = Buffer.from('"sent":')
const stamp = 17

/** Finds the marks in a stream that comes in pieces, without copying more of it than the seams. */
function scanner(found) {
  const seam = Buffer.alloc(64)
  const reach = mark.length + stamp
  let kept = 0
  return (buffer, length) => {
    let from = 0
    if (kept) {
      const more = Math.min(reach, length)
      buffer.copy(seam, kept, 0, more)
      const at = seam.subarray(0, kept + more).indexOf(mark)
      if (at >= 0 && at < kept && at + reach <= kept + more) {
        found(seam, at + mark.length)
        from = at + reach - kept
      }
    }
    const data = buffer.subarray(0, length)
    let at = data.indexOf(mark, from)
    for (; at >= 0 && at + reach <= length; at = data.indexOf(mark, from)) {
      found(data, at + mark.length)
      from = at + reach
    }
    kept = Math.min(length - from, at >= 0 ? length - at : mark.length - 1)
    data.copy(seam, 0, length - kept, length)
  }
}

/**
 * Clients in a process of their own: bare sockets that share a buffer, so that they cost little beside what is
 * measured.
 */
async function clients() {
  const [, , , url, token, workspace, count] = process.argv
  const { hostname, port } = new URL(url)
  const head =
    `GET /api/v1/journal/stream HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nx-workspace-id: ` +
    `${workspace}\r\n\r\n`
  const delays = []
  const buffer = Buffer.alloc(256 * 1024)
  let seen = 0
  for (let n = 0; n < Number(count); n++) {
    // One client in eleven is enough to see the spread: all have their turn alike.
    const watched = n % 11 === 0 || Number(count) < 50
    const scan = scanner((data, at) => {
      seen++
      if (watched)
        delays.push(performance.timeOrigin + performance.now() - Number(data.toString('latin1', at, at + stamp)))
    })
    await new Promise((resolve) => {
      const callback = (length, shared) => {
        resolve()
        scan(shared, length)
        return true
      }
      const socket = connect({ port: Number(port), host: hostname, onread: { buffer, callback } }, () =>
        socket.write(head),
      )
    })
  }
  process.send({ ready: true })
  process.on('message', ({ expected }) => {
    // What came so far was the beginning and the warming up.
    if (!expected) {
      delays.length = 0
      return
    }
    const until = Date.now() + 30_000
    const tell = setInterval(() => {
      if (seen < expected && Date.now() < until) return
      clearInterval(tell)
      process.send({ seen, delays }, () => process.exit(0))
    }, 50)
  })
}

const statOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    rss: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]),
  }
}

/**
 * The daemon's application with its HTTP side, writing entries by itself: what is measured is the way from commit to
 * client.
 */
async function server() {
  const { writeEntries } = await import('./journal/writer.mjs')
  await writeEntries(process.argv[3])
}

async function run(dir, count, rate) {
  const prepared = await startDaemon(dir)
  const { token, workspace } = await bootstrap(prepared.url)
  await prepared.stop()
  const self = fileURLToPath(import.meta.url)
  const host = fork(self, ['server', dir], { env: cleanEnv() })
  const { url } = await new Promise((resolve) => host.once('message', resolve))
  const write = async (seconds) => {
    host.send({ workspace, rate, seconds })
    return (await new Promise((resolve) => host.once('message', resolve))).written
  }
  await write(2)
  // The second half tells what one more client costs: the first one also makes the heap grow to its working size.
  const join = async () => {
    const swarm = fork(self, ['clients', url, token, workspace, String(count / 2)], { env: cleanEnv() })
    await new Promise((resolve) => swarm.once('message', resolve))
    await sleep(1000)
    return swarm
  }
  const first = await join()
  const before = statOf(host.pid).rss
  const swarms = [first, await join()]
  const memory = (statOf(host.pid).rss - before) / (count / 2)
  const warm = await write(2)
  await sleep(500)
  for (const swarm of swarms) swarm.send({})
  const cpuBefore = statOf(host.pid).cpu
  const from = performance.now()
  const written = await write(seconds)
  const cpu = (statOf(host.pid).cpu - cpuBefore) / ((performance.now() - from) / 1000)
  const expected = (written + warm + Math.min(50, rate * 2)) * count
  const tell = (swarm) => {
    swarm.send({ expected: expected / 2 })
    return new Promise((resolve) => swarm.once('message', resolve))
  }
  const told = await Promise.all(swarms.map(tell))
  const seen = told.reduce((sum, it) => sum + it.seen, 0)
  const delays = told.flatMap((it) => it.delays)
  host.kill()
  if (seen !== expected) throw new Error(`${seen} events came instead of ${expected}`)
  return { cpu, memory, p50: percentile(delays, 50), p99: percentile(delays, 99) }
}

const ms = (value) => `${value.toFixed(1)} ms`

if (process.argv[2] === 'clients') await clients()
else if (process.argv[2] === 'server') await server()
else {
  const few = await scratch((dir) => run(dir, 10, 50))
  report({
    row: 'entry committed -> seen, 10 SSE clients',
    ours: `p50 ${ms(few.p50)}, p99 ${ms(few.p99)}`,
    target: 'p50 <= 5 ms',
    met: few.p50 <= 5,
    method:
      `50 entries/s of 600 bytes for ${seconds} s, from the call that writes (its commit included) to the client's ` +
      'socket, clients in another process',
  })
  const crowd = await scratch((dir) => run(dir, many, 100))
  report({
    row: `entry committed -> seen, ${many} SSE clients x 100/s`,
    ours:
      `p50 ${ms(crowd.p50)}, p99 ${ms(crowd.p99)}, ${Math.round(crowd.cpu * 100)} % of a core, ` +
      `${crowd.memory.toFixed(0)} KB a client`,
    target: 'p99 <= 40 ms, <= 50 % of a core, <= 30 KB a client',
    met: crowd.p99 <= 40 && crowd.cpu <= 0.5 && crowd.memory <= 30,
    method:
      `100 entries/s of 600 bytes for ${seconds} s; processor and memory are the whole daemon process, writing and ` +
      'committing included; every event counted',
  })
}
