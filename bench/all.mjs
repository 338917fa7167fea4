// `npm run bench`: every benchmark in turn, a line or two each. With words, only the scripts whose names hold one of
// them.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from '../scripts/setup.mjs'
import { root } from './measure.mjs'

ensureInstalled()
ensureBuilt()
const words = process.argv.slice(2)
const parts = new Set(['all.mjs', 'crew.mjs', 'measure.mjs', 'support.mjs'])
const scripts = readdirSync(join(root, 'bench')).filter((name) => name.endsWith('.mjs') && !parts.has(name))
let broken = 0
for (const name of scripts.filter((it) => !words.length || words.some((word) => it.includes(word)))) {
  process.stdout.write(`\n${name}\n`)
  const { status } = spawnSync(process.execPath, [join(root, 'bench', name)], { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    process.stdout.write(`FAIL ${name} could not measure (exit ${status})\n`)
    broken++
  }
}
process.exit(broken ? 1 : 0)
