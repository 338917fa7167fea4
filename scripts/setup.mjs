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

const stamp = join(root, 'node_modules', '.muster-lock')
const locked = () => digest(readFileSync(join(root, 'package-lock.json')))

function isInstalled() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === locked()) return true
  // A linked folder belongs to another checkout: installing would pull it from under that one.
  return lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Fetches the locked dependencies unless they are installed. Types, style and dead code can be checked then. */
export function fetchDependencies() {
  if (isInstalled()) return
  run('Fetching dependencies …', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
}

/** Compiles what was fetched and needs it, unless that was done. */
export function compileDependencies() {
  if (isInstalled()) return
  run('Compiling dependencies (more than a minute: the database driver is one of them) …', 'npm', [
    'rebuild',
    '--no-bin-links',
  ])
  writeFileSync(stamp, locked())
}

/** Installs the locked dependencies unless they are there already. */
export function ensureInstalled() {
  fetchDependencies()
  compileDependencies()
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
