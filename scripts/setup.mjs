// What `npm test` and `npm run demo` need on a fresh clone. Uses nothing but Node: it runs before anything is
// installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const digest = (text) => createHash('sha256').update(text).digest('hex')

function run(title, command, args) {
  process.stderr.write(`${title}\n`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    process.stderr.write(`\n"${command} ${args.join(' ')}" failed.\n`)
    process.exit(status ?? 1)
  }
}

/** Installs the locked dependencies unless they are there already. */
export function ensureInstalled() {
  const stamp = join(root, 'node_modules', '.muster-lock')
  const lock = digest(readFileSync(join(root, 'package-lock.json')))
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  // A linked folder belongs to another checkout: installing would pull it from under that one.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return
  run('Installing dependencies (about two minutes: the database driver is compiled) …', 'npm', [
    'ci',
    '--no-audit',
    '--no-fund',
  ])
  writeFileSync(stamp, lock)
}

const sources = [
  'bin',
  'build',
  'cli',
  'daemon',
  'src',
  'templates',
  'oclif.manifest.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

function filesBelow(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}

/** Builds dist/ unless it was built from these very sources. */
export function ensureBuilt() {
  const stamp = join(root, 'dist', '.sources')
  const hash = createHash('sha256')
  for (const file of sources.flatMap((name) => filesBelow(join(root, name))))
    hash.update(file.slice(root.length)).update(readFileSync(file))
  const now = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return
  run('Building …', process.execPath, ['build/build.mjs'])
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(stamp, now)
}
