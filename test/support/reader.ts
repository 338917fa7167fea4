import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
let built: URL | undefined

/** The program of the daemon's reading threads, compiled once for each process: a thread cannot load TypeScript. */
export function readerProgram(): URL {
  if (built) return built
  const outfile = join(root, 'node_modules', '.cache', 'muster-test', `reader-${process.pid}.mjs`)
  buildSync({
    entryPoints: [join(root, 'daemon/reader.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['development'],
    external: ['better-sqlite3'],
    // As in the build: some packages ask for others when they are loaded.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    absWorkingDir: root,
    logLevel: 'error',
  })
  process.on('exit', () => rmSync(outfile, { force: true }))
  built = pathToFileURL(outfile)
  return built
}
