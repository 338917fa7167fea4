// One process of the test runner that stays: it loads the code with all mutants in it, and `worker.mjs` runs tests in
// it for as long as this process lives.
import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'

const root = resolve(import.meta.dirname, '../..')
const conditions = ['development']
/** By its path, the code of each file with all mutants in it: as whoever asks has numbered them. */
const code = new Map(await new Promise((done) => process.once('message', done)))
const worker = resolve(import.meta.dirname, 'worker.mjs')

const vitest = await createVitest(
  'test',
  {
    root,
    config: false,
    watch: false,
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    // Each test makes a daemon and drops it: with room for one, less is collected.
    execArgv: ['--max-semi-space-size=64'],
    runner: worker,
    reporters: [{}],
    silent: true,
  },
  {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    logLevel: 'silent',
    plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => code.get(id.split('?')[0]) ?? null }],
  },
)
const [any] = await vitest.globTestSpecifications(['test/mutate.test.ts'])
await vitest.runTestSpecifications([any])
