// `npm run mutate`: plants small faults, one at a time, and says which of them no test notices. Nothing in the tree is changed:
// the test runner is handed the faulty text in place of the file.
import { execFileSync, fork } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { areas } from './mutate/areas.mjs'
import { keyOf, listed, readKnown } from './mutate/known.mjs'
import { applied, mutantsOf } from './mutate/operators.mjs'

const usage = `npm run mutate -- [--sample N] [--seed TEXT] [--minutes N] [--workers N] [AREA or PATH ...]

Without arguments every file of every area (${Object.keys(areas).join(', ')}).
--sample N   N mutants out of the files that test/mutations.md has; the seed is the commit unless stated
--minutes N  begins no further mutant after that time
`
const root = resolve(import.meta.dirname, '..')
const list = 'test/mutations.md'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    workers: { type: 'string', default: '2' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(usage)
  process.exit()
}
const say = (text) => process.stdout.write(`${text}\n`)

/** Every file of the areas with the tests that should notice. */
function filesOf() {
  const entries = Object.values(areas).flatMap(Object.entries)
  for (const path of entries.flatMap(([source, tests]) => [source, ...tests]))
    if (!existsSync(join(root, path))) throw new Error(`scripts/mutate/areas.mjs names ${path}, which is not there`)
  const below = (path) =>
    statSync(join(root, path)).isFile()
      ? [path]
      : readdirSync(join(root, path), { recursive: true, withFileTypes: true })
          .filter((it) => it.isFile() && it.name.endsWith('.ts'))
          .map((it) => relative(root, join(it.parentPath, it.name)))
  const tests = new Map()
  for (const [source, names] of entries.sort(([a], [b]) => a.length - b.length))
    for (const file of below(source)) tests.set(file, names)
  return tests
}

const tests = filesOf()
const known = readKnown(join(root, list))
for (const file of known.keys()) if (!tests.has(file)) throw new Error(`${list} has ${file}, which no area has`)

function chosen() {
  const inArea = (name) =>
    Object.keys(areas[name]).flatMap((path) => [...tests.keys()].filter((it) => within(it, path)))
  const within = (file, path) => file === path || file.startsWith(`${path}/`)
  if (values.sample) return [...known.keys()]
  if (!positionals.length) return [...tests.keys()]
  return [...tests.keys()].filter((file) =>
    positionals.some((it) => (areas[it] ? inArea(it).includes(file) : within(file, it.replace(/\/$/, '')))),
  )
}

const text = (file) => readFileSync(join(root, file), 'utf8')
const all = chosen().flatMap((file) => mutantsOf(text(file)).map((mutant) => ({ ...mutant, file })))
const isKnown = (mutant) => known.get(mutant.file)?.has(keyOf(mutant)) ?? false

/** The same for the same commit, so that a second try says the same; another commit tries others. */
const seed =
  values.seed ??
  (values.sample ? execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim() : '')
const queue = values.sample
  ? sampled(
      all.filter((it) => !isKnown(it)),
      Number(values.sample),
      seed,
    )
  : all
say(`${queue.length} mutants of ${new Set(queue.map(({ file }) => file)).size} files${seed && `; seed ${seed}`}`)

/** So many of them, drawn by a linear congruential generator, in the order of their files. */
function sampled(from, count, word) {
  let state = [...word].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0, 7)
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const rest = [...from]
  const drawn = Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(Math.floor(next() * rest.length), 1)[0],
  )
  return from.filter((it) => drawn.includes(it))
}

/** A runner and what it is asked; a mutant that never ends is ended with it. */
function startRunner() {
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc']
  const child = fork(join(root, 'scripts/mutate-worker.mjs'), { cwd: root, detached: true, stdio })
  // What faulty code logs is of no interest, unless the runner itself breaks.
  let last = ''
  child.stderr.on('data', (chunk) => {
    last = (last + chunk).slice(-2000)
  })
  const answer = (limit) =>
    new Promise((done, fail) => {
      const clock = setTimeout(() => settle(() => done(null)), limit)
      const onExit = (code) => settle(() => fail(new Error(`The test runner ended with ${code}: ${last}`)))
      const onMessage = (message) => settle(() => done(message))
      function settle(how) {
        clearTimeout(clock)
        child.off('exit', onExit).off('message', onMessage)
        how()
      }
      child.on('exit', onExit).on('message', onMessage)
    })
  const ready = answer(120_000)
  return {
    async run(question, limit) {
      await ready
      child.send(question)
      return answer(limit)
    },
    end() {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It is gone already.
      }
    },
  }
}

const survived = []
const counts = { noticed: 0, listed: 0, survived: 0 }
const until = Date.now() + Number(values.minutes) * 60_000
const runners = new Set()
process.on('exit', () => runners.forEach((runner) => runner.end()))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))
/** How long the tests of a file take without a fault. */
const usual = new Map()

async function work() {
  let runner = null
  const ask = async (question, limit) => {
    if (!runner) runners.add((runner = startRunner()))
    const reply = await runner.run(question, limit)
    if (reply) return reply
    runner.end()
    runners.delete(runner)
    runner = null
    return null
  }
  while (queue.length && Date.now() < until) {
    const mutant = queue.shift()
    const { file } = mutant
    const question = { file, tests: tests.get(file) }
    if (!usual.has(file)) {
      const sound = await ask({ ...question, code: null }, 600_000)
      if (!sound || sound.failed.length || sound.errors || !sound.count)
        throw new Error(
          `The tests of ${file} do not pass as it is: ${sound ? sound.failed.join(', ') || 'none ran' : 'too slow'}`,
        )
      usual.set(file, sound.ms)
    }
    const reply = await ask({ ...question, code: applied(text(file), mutant) }, 10_000 + 3 * usual.get(file))
    const noticed = !reply || reply.failed.length > 0 || reply.errors > 0
    const result = noticed ? 'noticed' : isKnown(mutant) ? 'listed' : 'survived'
    counts[result]++
    if (result === 'survived') {
      survived.push(mutant)
      say(`survived ${file}:${mutant.line}\n  ${mutant.before}\n  ${mutant.after}`)
    }
  }
  runner?.end()
}

const workers = Array.from({ length: Number(values.workers) }, work)
await Promise.all(workers)
const tried = counts.noticed + counts.listed + counts.survived
const score = tried ? Math.round((1000 * counts.noticed) / tried) / 10 : 100
say(
  `${tried} mutants: ${counts.noticed} noticed (${score} %), ${counts.listed} listed in ${list}, ${counts.survived} survived`,
)
for (const file of new Set(survived.map((it) => it.file))) {
  say(`\n## \`${file}\`\n`)
  for (const mutant of survived.filter((it) => it.file === file)) say(listed(mutant))
}
process.exit(survived.length ? 1 : 0)
