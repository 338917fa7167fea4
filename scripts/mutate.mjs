// `npm run mutate`: plants small faults, one at a time, and says which of them no test notices. Nothing in the tree is
// changed: the test runner is handed the faulty text in place of the file.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { areas } from './mutate/areas.mjs'
import { chosen, filesOfAreas, sampled } from './mutate/choice.mjs'
import { keyOf, listed, readKnown } from './mutate/known.mjs'
import { applied, mutantsOf } from './mutate/operators.mjs'
import { createRunner } from './mutate/runner.mjs'

const usage = `npm run mutate -- [--sample N] [--seed TEXT] [--minutes N] [--workers N] [AREA or PATH ...]

Without arguments every file of every area (${Object.keys(areas).join(', ')}).
--sample N   N mutants of the files that test/mutations.md has; the seed is the commit unless stated
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
const say = (text) => process.stdout.write(`${text}\n`)
const text = (file) => readFileSync(join(root, file), 'utf8')
if (values.help) {
  say(usage)
  process.exit()
}

const tests = filesOfAreas()
const known = readKnown(join(root, list))
for (const file of known.keys()) if (!tests.has(file)) throw new Error(`${list} has ${file}, which no area has`)
const isKnown = (mutant) => known.get(mutant.file)?.has(keyOf(mutant)) ?? false
const files = values.sample ? [...known.keys()] : chosen([...tests.keys()], positionals)
const sources = new Map(files.map((file) => [file, text(file)]))
const all = [...sources].flatMap(([file, source]) => mutantsOf(source).map((mutant) => ({ ...mutant, file })))

/** The same for the same commit, so that a second try tells the same; another commit tries others. */
const commit = () => execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
const seed = values.sample ? (values.seed ?? commit()) : ''
const open = values.sample ? all.filter((mutant) => !isKnown(mutant)) : all
const queue = values.sample ? sampled(open, Number(values.sample), seed) : open
say(`${queue.length} mutants of ${new Set(queue.map(({ file }) => file)).size} files${seed && `; seed ${seed}`}`)

const counts = { noticed: 0, listed: 0, survived: 0 }
const survived = []
const until = Date.now() + Number(values.minutes) * 60_000
/** How long the tests of a file take when there is no fault in it. */
const usual = new Map()

async function soundness(runner, question) {
  const sound = await runner.ask({ ...question, code: null }, 600_000)
  if (!sound) throw new Error(`The tests of ${question.file} take too long`)
  if (sound.failed.length || sound.errors || !sound.count)
    throw new Error(`The tests of ${question.file} do not pass as it is: ${sound.failed.join(', ') || 'none ran'}`)
  return sound.ms
}

async function work() {
  const runner = createRunner()
  while (queue.length && Date.now() < until) {
    const mutant = queue.shift()
    const { file } = mutant
    const question = { file, tests: tests.get(file) }
    if (!usual.has(file)) usual.set(file, await soundness(runner, question))
    const limitMs = 10_000 + 3 * usual.get(file)
    const reply = await runner.ask({ ...question, code: applied(sources.get(file), mutant) }, limitMs)
    const noticed = !reply || reply.failed.length > 0 || reply.errors > 0
    const result = noticed ? 'noticed' : isKnown(mutant) ? 'listed' : 'survived'
    counts[result]++
    if (result === 'survived') survived.push(mutant)
    if (result === 'survived') say(`survived ${file}:${mutant.line}\n  ${mutant.before}\n  ${mutant.after}`)
  }
  runner.end()
}

await Promise.all(Array.from({ length: Number(values.workers) }, work))
const tried = counts.noticed + counts.listed + counts.survived
const score = tried ? Math.round((1000 * counts.noticed) / tried) / 10 : 100
say(`${tried} tried, ${queue.length} left: ${counts.noticed} noticed (${score} %), ${counts.listed} listed in ${list}`)
say(`${counts.survived} survived without a reason${survived.length ? '; as the list has them:' : ''}`)
for (const file of new Set(survived.map((it) => it.file)))
  say([`\n## \`${file}\`\n`, ...survived.filter((it) => it.file === file).map(listed)].join('\n'))
process.exit(survived.length ? 1 : 0)
