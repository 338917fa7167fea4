// `npm run mutate`: plants small faults, one at a time, and says which of them no test notices. Nothing in the tree is
// changed: the test runner is handed code that has all faults in it, and is told which one to follow.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { areaOf, areas, chosen, filesOfAreas, sampled } from './mutate/choice.mjs'
import { keyOf, listed, readKnown, readWhole } from './mutate/known.mjs'
import { plan } from './mutate/plan.mjs'
import { createRunner } from './mutate/runner.mjs'
import { trial } from './mutate/trial.mjs'
import { ensureBuilt, root } from './setup.mjs'

const usage = `npm run mutate -- [--sample N] [--each N] [--seed TEXT] [--minutes N] [--patience N] [AREA or PATH ...]

Without arguments every file of every area (${Object.keys(areas).join(', ')}).
--sample N   N mutants of the files that test/mutations.md has whole; fails when fewer than 90 % are noticed
--each N     N mutants of each area, or of each path that is named
--seed TEXT  what the choice depends on; the commit unless stated
--minutes N  begins no further mutant after that time
--patience N tests may take N times as long before that counts as noticed, on a machine that is busy
`
const list = 'test/mutations.md'
const enough = 0.9
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    each: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    patience: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
})
const say = (text) => process.stdout.write(`${text}\n`)
if (values.help) {
  say(usage)
  process.exit()
}

// Some tests run the command line as people do.
ensureBuilt()
const tests = filesOfAreas()
const known = readKnown(join(root, list))
for (const file of known.keys()) if (!tests.has(file)) throw new Error(`${list} has ${file}, which no area has`)
const isKnown = (mutant) => known.get(mutant.file)?.has(keyOf(mutant)) ?? false
const { mutants, code } = plan()
/** The same for the same commit, so that a second try tells the same; another commit tries others. */
function commit() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return stdout?.trim() || 'no commit'
}
const seed = values.sample || values.each ? (values.seed ?? commit()) : ''
const of = (files) => mutants.filter(({ file }) => files.includes(file))

function choose() {
  if (values.sample)
    return sampled(
      of(readWhole(join(root, list))).filter((it) => !isKnown(it)),
      Number(values.sample),
      seed,
    )
  if (!values.each) return of(chosen([...tests.keys()], positionals))
  const groups = positionals.length ? positionals : Object.keys(areas)
  const picked = groups.flatMap((name) => sampled(of(chosen([...tests.keys()], [name])), Number(values.each), seed))
  return [...new Set(picked)]
}

const queue = choose()
say(`${queue.length} mutants of ${new Set(queue.map(({ file }) => file)).size} files${seed && `; seed ${seed}`}`)
const until = Date.now() + Number(values.minutes) * 60_000
const runner = createRunner(code, Number(values.patience))
const begun = Date.now()
const tried = []
for await (const { mutant, noticed } of trial(queue, runner, tests, { observed: !values.sample, until })) {
  const result = noticed ? 'noticed' : isKnown(mutant) ? 'listed' : 'survived'
  tried.push({ mutant, result })
  if (result === 'survived') say(`survived ${mutant.file}:${mutant.line}\n  ${mutant.before}\n  ${mutant.after}`)
}
runner.end()

const those = (result, among = tried) => among.filter((it) => it.result === result)
const rate = (among) => those('noticed', among).length / (among.length || 1)
const line = (name, among) =>
  `${name}: ${those('noticed', among).length} of ${among.length} noticed (${(100 * rate(among)).toFixed(1)} %), ` +
  `${those('listed', among).length} listed in ${list}, ${those('survived', among).length} survived`
for (const name of Object.keys(areas)) {
  const among = tried.filter(({ mutant }) => areaOf(mutant.file) === name)
  if (among.length) say(line(name, among))
}
const secondsEach = ((Date.now() - begun) / 1000 / (tried.length || 1)).toFixed(1)
say(`${line('All', tried)}; ${queue.length - tried.length} left, ${secondsEach} s each`)
const survived = those('survived').map(({ mutant }) => mutant)
if (survived.length) say('\nWithout a reason, as the list has them:')
for (const file of new Set(survived.map((it) => it.file)))
  say([`\n## \`${file}\`\n`, ...survived.filter((it) => it.file === file).map(listed)].join('\n'))
process.exit((values.sample ? rate(tried) < enough : survived.length) ? 1 : 0)
