import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const unplanted = -1
const usualMs = 5_000
/** So many mutants in a row are tried before the tests are run without any. */
const checkEvery = 25

const filesBelow = (path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(path, name))

/**
 * Says of one mutant after the other whether a test notices. `tests` names those to ask, by the mutant's file; with
 * `observed` they are run once before, so that of each mutant only those are asked that come past it.
 */
export async function* trial(queue, runner, tests, { observed, until }) {
  const { questionsOf } = createChoice(runner, tests, observed)
  for (let at = 0; at < queue.length; at += checkEvery) {
    const batch = queue.slice(at, at + checkEvery)
    const results = []
    let last = []
    for (const mutant of batch) {
      if (Date.now() > until) break
      const questions = await questionsOf(mutant)
      const noticed = await isNoticed(runner, questions)
      if (questions.length) last = questions
      results.push({ mutant, questions, noticed })
      if (!noticed) yield { mutant, noticed }
    }
    const sound = await isSound(runner, last)
    for (const { mutant, questions, noticed } of results.filter((it) => it.noticed)) {
      if (!sound) runner.end()
      yield { mutant, noticed: sound ? noticed : await isNoticed(runner, questions) }
    }
  }
}

function createChoice(runner, tests, observed) {
  /** By test file: which tests come past which mutant, and how long they take. */
  const known = new Map()
  /** What is computed once, when the code is loaded, whichever test does so first. */
  const atLoad = new Set()

  async function know(file) {
    const reply = await runner.ask({ file, planted: unplanted, observed, timeoutMs: 60_000 }, 600_000)
    if (!reply || reply.failed.length)
      throw new Error(`${file} does not pass as it is: ${JSON.stringify(reply?.failed)}`)
    const { load = [], ...seen } = reply.seen
    for (const number of load) atLoad.add(number)
    const sets = Object.entries(seen).map(([name, numbers]) => [name, new Set(numbers)])
    known.set(file, { seen: sets, durations: reply.durations, ms: reply.ms })
  }

  function questionOf(file, number) {
    if (!observed) return { file, planted: number, expected: usualMs, whole: usualMs }
    const { seen, durations, ms } = known.get(file)
    const names = seen.filter(([, numbers]) => numbers.has(number)).map(([name]) => name)
    if (atLoad.has(number) || names.includes('file')) return { file, planted: number, expected: ms, whole: ms }
    const expected = names.reduce((sum, name) => sum + durations[name], 0)
    return names.length ? { file, testIds: names, planted: number, expected, whole: ms } : null
  }

  return {
    /** What is to be run for a mutant, the shortest first. */
    async questionsOf({ file, number }) {
      const files = tests.get(file).flatMap((name) => filesBelow(join(root, name)))
      if (observed) for (const it of files) if (!known.has(it)) await know(it)
      const questions = files.map((it) => questionOf(it, number)).filter((it) => it !== null)
      return questions.sort((a, b) => a.expected - b.expected)
    },
  }
}

/** What one test of the file prepares, another one may use, which then does not come past the mutant itself. */
const shares = (file) => /\bshared: true|\bbeforeAll\(|^(?:const|let) .*\bawait\b/m.test(readFileSync(file, 'utf8'))

/** A mutant counts as unnoticed when the tests have passed on code that was loaded with it. */
async function isNoticed(runner, questions) {
  if (await fails(runner, questions, false)) return true
  const all = questions.map((it) => (shares(it.file) ? { ...it, testIds: undefined, expected: it.whole } : it))
  return fails(runner, all, true)
}

async function fails(runner, questions, fresh) {
  for (const { expected, whole, ...question } of questions) {
    const limits = { timeoutMs: 8_000 + 3 * expected, limitMs: 20_000 + 6 * expected }
    const reply = await runner.ask({ ...question, fresh, timeoutMs: limits.timeoutMs }, limits.limitMs)
    if (!reply || reply.failed.length) return true
    // What strays may stem from the mutant before.
    if (reply.stray && (fresh || (await fails(runner, [{ ...question, expected, whole }], true)))) return true
  }
  return false
}

/** Whether the tests still pass without a mutant; a process in which they do not is ended. */
async function isSound(runner, questions) {
  const plain = questions.slice(0, 1).map((it) => ({ ...it, planted: unplanted }))
  if (!(await fails(runner, plain, false))) return true
  runner.end()
  if (await fails(runner, plain, false)) throw new Error(`${plain[0].file} does not pass as it is`)
  return false
}
