// Row: what a flood of WebSockets on which nobody signs in costs everybody else.
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cleanEnv, median, percentile, report, scratch, startDaemon } from './measure.mjs'

const self = fileURLToPath(import.meta.url)
const sockets = 20
const seconds = 6
const rounds = 3

const handshake =
  'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ' +
  '13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
/** Text frames of two bytes, masked with zeros. */
const frames = Buffer.alloc(64 * 1024, Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]))

let told = false
const tell = () => {
  if (!told) process.send('flooding')
  told = true
}

/** Sends small frames as fast as the daemon takes them; a socket that is closed is opened again at once. */
function flood(port) {
  const socket = connect(port, '127.0.0.1', () => socket.write(handshake))
  const more = () => {
    while (socket.writable && socket.write(frames));
  }
  socket.once('data', () => {
    tell()
    socket.resume()
    more()
  })
  socket.on('drain', more)
  socket.on('error', () => {})
  socket.once('close', () => setImmediate(flood, port))
}

const agent = new Agent({ keepAlive: true })

function healthMs(url) {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    get(`${url}/api/health`, { agent }, (answer) => {
      answer.resume().on('end', () => resolve(performance.now() - started))
      if (answer.statusCode !== 200) reject(new Error(`health answered ${answer.statusCode}`))
    }).on('error', reject)
  })
}

async function sample(url) {
  const until = performance.now() + seconds * 1000
  const all = []
  while (performance.now() < until) {
    all.push(await healthMs(url))
    await sleep(5)
  }
  return percentile(all, 99)
}

async function measure(dir) {
  const daemon = await startDaemon(dir, { SVC_RATELIMIT_DISABLED: 'false' })
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))[1]) / 1024
  const idle = []
  const flooded = []
  let before = 0
  try {
    await sample(daemon.url)
    before = rss()
    for (let round = 0; round < rounds; round++) {
      idle.push(await sample(daemon.url))
      const attacker = fork(self, ['flood', String(new URL(daemon.url).port), String(sockets)], { env: cleanEnv() })
      await new Promise((resolve) => attacker.once('message', resolve))
      flooded.push(await sample(daemon.url))
      attacker.kill('SIGKILL')
      await new Promise((resolve) => attacker.once('exit', resolve))
    }
    return { idle: median(idle), flooded: median(flooded), grown: rss() - before }
  } finally {
    await daemon.stop()
  }
}

if (process.argv[2] === 'flood') for (let n = 0; n < Number(process.argv[4]); n++) flood(Number(process.argv[3]))
else {
  const { idle, flooded, grown } = await scratch(measure)
  agent.destroy()
  report({
    row: `health check under a flood of ${sockets} WebSockets without sign-in`,
    ours: `p99 ${flooded.toFixed(1)} ms, ${grown.toFixed(0)} MB more resident`,
    limit: `idle p99 ${idle.toFixed(1)} ms`,
    target: '<= 50 ms above idle',
    met: flooded - idle <= 50,
    method:
      `frames of two bytes as fast as they are taken, sockets that are closed opened again, ${seconds} s a round, ` +
      `median of ${rounds} alternated rounds; attacker in a process of its own`,
  })
}
