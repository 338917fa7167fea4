// Which changes each command makes, read from its source and from what that imports.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { load, root } from './load.mjs'

/** What only reads, although its request or what it imports could change something; and `wait`, which may on demand. */
const reading = new Set(['chats:search', 'ps', 'search', 'wait', 'watch'])

/**
 * The commands that change something, each with whether `--dry-run` is for it: all of its changes can be tried; and
 * whether it only changes files of this machine. Ids of commands as `crews:create`, operations as `crews.create`.
 */
export async function changesOf(commands) {
  const { endpoints, noDryRun, untried } = await load(
    'export { endpoints } from "./src/contract/index.ts"; export { noDryRun } from "./src/contract/dry-run.ts"; ' +
      'export { untried } from "./cli/untried.ts"',
  )
  const changing = new Map(
    endpoints.filter(({ endpoint }) => endpoint.method !== 'GET').map(({ name, endpoint }) => [name, endpoint]),
  )
  const found = commands
    .filter(({ id }) => !reading.has(id))
    .map(({ id, file }) => {
      const operations = [...operationsOf(resolve(root, file))].filter((name) => changing.has(name)).sort()
      const dry = !(id in untried) && operations.every((name) => noDryRun(changing.get(name)) === null)
      return [id, operations.length ? { operations, dry } : { operations, dry: true, local: changesFiles(file) }]
    })
  return Object.fromEntries(found.filter(([, { operations, local }]) => operations.length || local))
}

/** Whether a command changes what is stored on this machine. */
const changesFiles = (file) => /\bchange(?:UserFile|Contexts)\(/.test(readFileSync(resolve(root, file), 'utf8'))

/** Names of operations that a file calls, itself or in what it imports from the command line's own folders. */
function operationsOf(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return new Set()
  seen.add(file)
  const text = readFileSync(file, 'utf8').replace(/^import type [^;']*? from '[^']+'$/gm, '')
  const called = [...text.matchAll(/\bapi\.(\w+)\.(\w+)\(/g)].map(([, feature, name]) => `${feature}.${name}`)
  const located = [...text.matchAll(/\blocate\('(\w+\.\w+)'/g)].map(([, name]) => name)
  const imports = [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path]) => resolve(dirname(file), path))
  const below = imports
    .filter((path) => !path.endsWith('/cli/command.ts'))
    .flatMap((path) => [...operationsOf(path, seen)])
  return new Set([...called, ...located, ...below])
}
