import { fork } from 'node:child_process'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const startMs = 120_000
const running = new Set()

process.on('exit', () => {
  for (const runner of running) runner.end()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

/** A test runner of its own process group: a mutant that never ends is ended with it. */
function start() {
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc']
  const child = fork(join(root, 'scripts/mutate-worker.mjs'), { cwd: root, detached: true, stdio })
  // What faulty code logs is of no interest, unless the runner itself breaks.
  let last = ''
  child.stderr.on('data', (chunk) => {
    last = (last + chunk).slice(-2000)
  })
  /** The next message; null when none comes in time. */
  const answer = (limitMs) =>
    new Promise((done, fail) => {
      const clock = setTimeout(() => settle(() => done(null)), limitMs)
      const onExit = (code) => settle(() => fail(new Error(`The test runner ended with ${code}: ${last}`)))
      const onMessage = (message) => settle(() => done(message))
      function settle(how) {
        clearTimeout(clock)
        child.off('exit', onExit).off('message', onMessage)
        how()
      }
      child.on('exit', onExit).on('message', onMessage)
    })
  const ready = answer(startMs)
  const runner = {
    async ask(question, limitMs) {
      if (!(await ready)) throw new Error(`The test runner does not start: ${last}`)
      child.send(question)
      return answer(limitMs)
    },
    end() {
      running.delete(runner)
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It is gone already.
      }
    },
  }
  running.add(runner)
  return runner
}

/** Asks one runner after the other: a fresh one follows each that had to be ended. */
export function createRunner() {
  let runner = null
  return {
    /** What came of the tests; null when they took too long. */
    async ask(question, limitMs) {
      runner ??= start()
      const reply = await runner.ask(question, limitMs)
      if (!reply) {
        runner.end()
        runner = null
      }
      return reply
    },
    end: () => runner?.end(),
  }
}
