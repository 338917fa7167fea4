import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { filesOfAreas } from './choice.mjs'
import { instrumented } from './instrument.mjs'
import { mutantsOf } from './operators.mjs'

const root = resolve(import.meta.dirname, '../..')

/** All mutants of all areas, each with its number, and by its path the code that has all of a file in it. */
export function plan() {
  const mutants = []
  const code = new Map()
  for (const file of filesOfAreas().keys()) {
    const source = readFileSync(join(root, file), 'utf8')
    const found = mutantsOf(source)
    code.set(join(root, file), instrumented(source, found, mutants.length))
    for (const mutant of found) mutants.push({ ...mutant, file, number: mutants.length })
  }
  return { mutants, code }
}
