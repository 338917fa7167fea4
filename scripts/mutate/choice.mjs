import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { areas } from './areas.mjs'

export { areas }

const root = resolve(import.meta.dirname, '../..')
const within = (file, path) => file === path || file.startsWith(`${path}/`)

const below = (path) =>
  statSync(join(root, path)).isFile()
    ? [path]
    : readdirSync(join(root, path), { recursive: true, withFileTypes: true })
        .filter((it) => it.isFile() && it.name.endsWith('.ts'))
        .map((it) => relative(root, join(it.parentPath, it.name)))

/** Every file of the areas, with the tests that should notice. */
export function filesOfAreas() {
  const entries = Object.values(areas).flatMap(Object.entries)
  const missing = entries.flatMap(([source, tests]) => [source, ...tests]).find((path) => !existsSync(join(root, path)))
  if (missing) throw new Error(`scripts/mutate/areas.mjs names ${missing}, which is not there`)
  const tests = new Map()
  for (const [source, names] of entries.sort(([a], [b]) => a.length - b.length))
    for (const file of below(source)) tests.set(file, names)
  for (const [file, names] of tests) if (!names.length) tests.delete(file)
  return tests
}

/** The first area that has the file. */
export const areaOf = (file) =>
  Object.entries(areas).find(([, paths]) => Object.keys(paths).some((path) => within(file, path)))[0]

const tested = (area) => Object.keys(area).filter((path) => area[path].length > 0)

/** Those that are named, by area, folder or path; all when nothing is named. */
export function chosen(files, names) {
  const paths = names.flatMap((name) => (areas[name] ? tested(areas[name]) : [name.replace(/\/$/, '')]))
  const stray = paths.find((path) => !files.some((file) => within(file, path)))
  if (stray) throw new Error(`No area has ${stray}; see scripts/mutate/areas.mjs`)
  return names.length ? files.filter((file) => paths.some((path) => within(file, path))) : files
}

/** So many of them, in their order: the same for the same word. */
export function sampled(from, count, word) {
  let state = [...word].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0, 7)
  function next(below) {
    // A linear congruential generator, with the constants of Numerical Recipes.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const rest = from.map((_, index) => index)
  const drawn = new Set()
  while (drawn.size < count && rest.length) drawn.add(rest.splice(next(rest.length), 1)[0])
  return from.filter((_, index) => drawn.has(index))
}
