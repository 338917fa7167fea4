// `npm run manifest`: oclif.manifest.json from the commands. With --check it says whether the file is up to date.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { Plugin } from '@oclif/core'
import { buildCommands, readManifest } from './commands.mjs'
import { root } from './load.mjs'

await buildCommands()
if (process.argv.includes('--check')) {
  const plugin = new Plugin({ ignoreManifest: true, respectNoCacheDefault: true, root, type: 'core' })
  await plugin.load()
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(plugin.manifest)), readManifest())) {
    process.stderr.write('oclif.manifest.json is out of date: run `npm run manifest`\n')
    process.exitCode = 1
  }
} else {
  const oclif = createRequire(import.meta.url).resolve('oclif/bin/run.js')
  // Without this oclif asks the registry for a newer version of itself.
  const env = { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' }
  execFileSync(process.execPath, [oclif, 'manifest'], { cwd: root, env, stdio: 'inherit' })
}
