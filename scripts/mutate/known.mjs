import { readFileSync } from 'node:fs'

const heading = /^##(#?) `(.+)`$/
const survivor = /^- `` (.+) `` -> `` (.+) ``: (.+)$/

/** The files that were mutated as a whole. */
export const readWhole = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (heading.exec(line)?.[1] === '' ? [heading.exec(line)[2]] : []))

/** The files of which mutants are known that no test need notice, with these mutants. */
export function readKnown(path) {
  const known = new Map()
  let file = null
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const named = heading.exec(line)?.[2]
    if (named) {
      file = named
      known.set(file, new Set())
    }
    const [, before, after] = survivor.exec(line) ?? []
    if (before) known.get(file).add(keyOf({ before, after }))
    else if (line.startsWith('- ')) throw new Error(`${path}: cannot read "${line}"`)
  }
  return known
}

/** Lines move, so a mutant is known by what it makes of its line. */
export const keyOf = ({ before, after }) => `${before}\n${after}`

/** A survivor as the file lists it, for whoever has a reason to fill in. */
export const listed = ({ before, after }) => `- \`\` ${before} \`\` -> \`\` ${after} \`\`: `
