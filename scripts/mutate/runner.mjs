import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const root = resolve(import.meta.dirname, '../..')
const startMs = 120_000
/** Bytes; what faulty code leaves open is never given back. */
const mostMemory = 2 * 2 ** 30
let running = null

process.on('exit', () => running?.end())
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

/** A test process in a group of its own: a mutant that never ends is ended with it. */
async function start(code) {
  const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
  const path = join(folder, 'socket')
  const server = createServer().listen(path)
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc']
  const env = { ...process.env, MUTATE_SOCKET: path }
  const child = fork(join(import.meta.dirname, 'host.mjs'), { cwd: root, detached: true, stdio, env })
  child.send([...code])
  // What faulty code logs is of no interest, unless the runner itself breaks.
  let last = ''
  child.stderr.on('data', (chunk) => {
    last = (last + chunk).slice(-2000)
  })
  function end() {
    server.close()
    rmSync(folder, { recursive: true, force: true })
    if (running?.end === end) running = null
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
  running = { end }
  const socket = await new Promise((done, fail) => {
    server.once('connection', done)
    child.once('exit', (code) => fail(new Error(`The test runner ended with ${code}: ${last}`)))
    setTimeout(() => fail(new Error(`The test runner does not start: ${last}`)), startMs).unref()
  })
  socket.on('error', () => {})
  const lines = createInterface({ input: socket })
  /** The answer; null when none comes in time, or the process dies of the mutant. */
  const ask = (question, limitMs) =>
    new Promise((done) => {
      const settle = (line) => {
        clearTimeout(clock)
        lines.off('line', settle).off('close', settle)
        done(line ? JSON.parse(line) : null)
      }
      const clock = setTimeout(settle, limitMs)
      lines.on('line', settle).on('close', settle)
      socket.write(`${JSON.stringify(question)}\n`)
    })
  return { ask, end }
}

/**
 * Asks one test process after the other: a fresh one follows each that had to be ended. Tests may take `patience` times
 * as long as they usually do.
 */
export function createRunner(code, patience) {
  let runner = null
  const end = () => {
    runner?.end()
    runner = null
  }
  return {
    /** What came of the tests; null when they took too long. */
    async ask(question, limitMs) {
      runner ??= await start(code)
      const longer = { ...question, timeoutMs: patience * question.timeoutMs }
      const reply = await runner.ask(longer, patience * limitMs)
      if (!reply || reply.memory > mostMemory) end()
      return reply
    },
    end,
  }
}
