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
  external: ['better-sqlite3', 'ssh2', 'cpu-features', 'node-pty', '@node-rs/bcrypt', '@toondepauw/node-zstd'],
  absWorkingDir: root,
  define: { MUSTER_VERSION: '"bench"' },
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  logLevel: 'error',
}

/** Source files of the daemon as one program, compiled as the build compiles them. Gone when the process ends. */
export function compile(...sources) {
  const outfile = join(
    root,
    'node_modules',
    '.cache',
    'muster-bench',
    `${process.pid}-${sources[0].replaceAll('/', '-')}.mjs`,
  )
  const stdin = {
    contents: sources.map((source) => `export * from './${source}'`).join('\n'),
    resolveDir: root,
    loader: 'ts',
  }
  buildSync({ ...bundling, stdin, outfile })
  process.on('exit', () => rmSync(outfile, { force: true }))
  return pathToFileURL(outfile)
}

/** What these source files export. */
export const load = (...sources) => import(compile(...sources).href)

/** Value below which the share `at` of the sorted list lies. */
export const percentile = (values, at) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))]

export const median = (values) => percentile(values, 0.5)
