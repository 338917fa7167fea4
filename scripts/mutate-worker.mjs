// One test runner that stays: it is told of one mutant after the other, and reads it in place of the file, which stays
// as it is.
import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'

const root = resolve(import.meta.dirname, '..')
const conditions = ['development']
/** The path and the code of the mutant. */
let mutant = null

const quiet = {}
const vitest = await createVitest(
  'test',
  {
    root,
    config: false,
    watch: false,
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    bail: 1,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: [quiet],
    silent: true,
  },
  {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id) => (mutant && id.split('?')[0] === mutant.path ? mutant.code : null),
      },
    ],
  },
)

/** The paths of all test files below these. */
const every = await vitest.globTestSpecifications()
const specificationsOf = (tests) =>
  every.filter(({ moduleId }) =>
    tests.some((test) => moduleId === resolve(root, test) || moduleId.startsWith(`${resolve(root, test)}/`)),
  )

process.on('message', async ({ file, code, tests }) => {
  const path = resolve(root, file)
  mutant = code === null ? null : { path, code }
  vitest.invalidateFile(path)
  const begun = performance.now()
  const specifications = specificationsOf(tests)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // The runner's state still holds what was run before.
  const asked = new Set(specifications.map(({ moduleId }) => moduleId))
  const failed = testModules
    .filter((it) => asked.has(it.moduleId) && it.state() === 'failed')
    .map((it) => it.relativeModuleId)
  mutant = null
  vitest.invalidateFile(path)
  process.send({ count: specifications.length, failed, errors: unhandledErrors.length, ms: performance.now() - begun })
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
