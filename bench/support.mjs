import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))
const made = []

/** A folder that is gone when the process ends. */
export function scratch() {
  const dir = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  if (made.length === 0) process.on('exit', () => made.map((it) => rmSync(it, { recursive: true, force: true })))
  made.push(dir)
  return dir
}

const bundling = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['development'],
  external: ['better-sqlite3', 'ssh2', 'cpu-features'],
  absWorkingDir: root,
  banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
  logLevel: 'error',
}

/** The exports of a source file of the daemon, compiled as the build compiles it. */
export async function load(source) {
  const outfile = join(root, 'node_modules', '.cache', 'muster-bench', `${process.pid}-${source.replaceAll('/', '-')}.mjs`)
  buildSync({ ...bundling, entryPoints: [join(root, source)], outfile })
  process.on('exit', () => rmSync(outfile, { force: true }))
  return import(pathToFileURL(outfile).href)
}

/** Value below which the share `at` of the sorted list lies. */
export const percentile = (values, at) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))]

export const median = (values) => percentile(values, 0.5)
