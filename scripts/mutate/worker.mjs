// Stands in the test process in place of the usual test runner: takes one question after the other from the socket that
// MUTATE_SOCKET names, and runs tests while the code stays loaded.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { TestRunner } from 'vitest'
import { startTests } from 'vitest/internal/browser'

const unplanted = -1
/** The mutant that is planted, and what was asked about while tests were observed. */
const state = { planted: unplanted, seen: null }
globalThis.__mutant = (number) => {
  state.seen?.add(number)
  return number === state.planted
}

/** What a faulty program leaves behind may fail after its test. */
const stray = []
for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, (error) => stray.push(String(error)))

const isTest = /\/test\/(?!support\/migrated\.ts)/
const isRunner = /\/vitest\/dist\/|\/@vitest\/|\/scripts\/mutate\//
/** Test code is loaded again for each file, as it registers its hooks; the rest only where `all` is asked for. */
function unload(modules, all) {
  for (const [path, node] of modules.idToModuleMap) {
    if (isRunner.test(path) || !(all || isTest.test(path))) continue
    Object.assign(node, { promise: undefined, exports: undefined, evaluated: false })
    node.importers.clear()
  }
}

/** What is asked about when code is loaded, and the mutant that was planted when it was. */
const atLoad = new Set()
let loadedWith = unplanted

/** Runs tests without telling anybody, and stops at the first that fails. */
class Runner extends TestRunner {
  seen = {}
  durations = {}
  constructor(config, observed) {
    super(config)
    this.observed = observed
    this.observe('load')
  }
  observe(name) {
    this.seen[name] ??= new Set()
    state.seen = this.observed || name === 'load' ? this.seen[name] : null
  }
  onBeforeRunFiles() {
    this.observe('file')
  }
  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test)
    this.observe(test.id)
  }
  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    this.observe('file')
    if (test.mode === 'run') this.durations[test.id] = test.result?.duration ?? 0
    if (test.result?.state === 'fail') this.cancelRun = true
  }
}

const failures = (task) => [
  ...(task.result?.state === 'fail' ? [{ name: task.name, error: task.result.errors?.[0]?.message }] : []),
  ...(task.tasks ?? []).flatMap(failures),
]

/** Runs the tests of one file. */
async function run(outer, { file, testIds, planted, observed, fresh, timeoutMs }) {
  const config = { ...outer.config, testTimeout: timeoutMs, hookTimeout: timeoutMs }
  const runner = new Runner(config, observed)
  Object.defineProperty(runner, 'moduleRunner', { value: outer.moduleRunner })
  runner.__setTraces(outer._otel)
  stray.length = 0
  const wanted = fresh || atLoad.has(planted) ? planted : unplanted
  unload(outer.workerState.evaluatedModules, wanted !== loadedWith)
  outer.workerState.filepath = file
  state.planted = planted
  const begun = performance.now()
  const files = await startTests([{ filepath: file, testIds }], runner)
  state.planted = unplanted
  for (const number of runner.seen.load) atLoad.add(number)
  loadedWith = runner.seen.load.has(planted) ? planted : wanted
  const failed = files.flatMap(failures)
  if (!failed.length && !Object.keys(runner.durations).length) failed.push({ name: 'no test ran' })
  const seen = observed
    ? Object.fromEntries(Object.entries(runner.seen).map(([name, numbers]) => [name, [...numbers]]))
    : {}
  return {
    failed,
    stray: stray.length,
    seen,
    durations: runner.durations,
    ms: performance.now() - begun,
    memory: process.memoryUsage.rss(),
  }
}

export default class Worker extends TestRunner {
  async onBeforeCollect() {
    const socket = connect(process.env.MUTATE_SOCKET)
    socket.on('close', () => process.kill(process.pid, 'SIGKILL'))
    for await (const line of createInterface({ input: socket })) {
      const reply = await run(this, JSON.parse(line)).catch((error) => ({
        failed: [{ name: String(error) }],
        stray: 0,
      }))
      socket.write(`${JSON.stringify(reply)}\n`)
    }
  }
}
