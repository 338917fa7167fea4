// Makes dist/container: the small programs that the daemon puts into the images of crews and sidecars.
import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const programs = {
  channel: 'daemon/runtime/spool/channel.ts',
  'end-processes': 'daemon/runtime/spool/end-processes.ts',
  'agent-files': 'daemon/runtime/spool/agent-files.ts',
  bridge: 'daemon/runtime/bridge/main.ts',
  relay: 'daemon/runtime/bridge/relay.ts',
  sidecar: 'daemon/runtime/sidecar/main.ts',
  usage: 'daemon/runtime/disk/main.ts',
  marks: 'daemon/runtime/marks/main.ts',
}
const scripts = {
  'supervise.sh': 'daemon/runtime/spool/supervise.sh',
  'end-run.sh': 'daemon/runtime/spool/end-run.sh',
  'watch-writes.pl': 'daemon/runtime/spool/watch-writes.pl',
  'sidecar-entry': 'daemon/runtime/sidecar/entry.sh',
}

/**
 * Bundles the programs, each into one file that needs nothing but Node 18, and copies the scripts. Returns the folder.
 */
export async function buildContainerPrograms(folder = join(root, 'dist/container')) {
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(root, path)])),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    legalComments: 'none',
    logLevel: 'warning',
  })
  for (const [name, path] of Object.entries(scripts)) {
    cpSync(join(root, path), join(folder, name))
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildContainerPrograms(process.argv[2])
