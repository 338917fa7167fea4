import { cpSync, readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/**
 * Bundles the daemon and its workers into dist/daemon: one file each, native modules and what loads files by path left
 * out.
 */
export async function buildDaemon() {
  rmSync('dist/daemon', { recursive: true, force: true })
  await build({
    entryPoints: { musterd: 'daemon/main.ts', reader: 'daemon/reader.ts', packer: 'daemon/packer.ts' },
    outdir: 'dist/daemon',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['development'],
    external: ['better-sqlite3', 'node-pty', 'ssh2', 'cpu-features', '@node-rs/bcrypt', '@toondepauw/node-zstd'],
    define: { MUSTER_VERSION: JSON.stringify(version) },
    // CommonJS dependencies inside the bundle still ask for Node's own modules by require().
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    sourcemap: 'linked',
    legalComments: 'linked',
  })
  cpSync('daemon/migrations', 'dist/daemon/migrations', { recursive: true })
  cpSync('templates/crews', 'dist/daemon/crews', { recursive: true })
  cpSync('templates/recipes', 'dist/daemon/recipes', { recursive: true })
  cpSync('templates/pages', 'dist/daemon/pages', { recursive: true })
}
