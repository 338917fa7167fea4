// `npm run build`: everything that runs, into dist/. With names (cli, daemon) only those parts.
import { existsSync } from 'node:fs'
import { root } from './load.mjs'

process.chdir(root)
const asked = process.argv.slice(2)
const wants = (part) => !asked.length || asked.includes(part)
const started = performance.now()

if (wants('cli')) {
  const { buildCli } = await import('./cli.mjs')
  const { commands, bytes } = await buildCli()
  process.stdout.write(`dist/cli     ${commands} commands, ${Math.round(bytes / 1024)} KiB\n`)
}
if (wants('daemon') && existsSync('daemon/main.ts')) {
  const { buildDaemon } = await import('./daemon.mjs')
  await buildDaemon()
  process.stdout.write('dist/daemon  musterd\n')
}
process.stdout.write(`built in ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
