// `npm run build`: everything that runs, into dist/. With names (cli, daemon, container) only those parts.
import { root } from './load.mjs'

process.chdir(root)
const asked = process.argv.slice(2)
const wants = (part) => !asked.length || asked.includes(part)
const started = performance.now()

if (wants('cli')) {
  const { buildCli } = await import('./cli.mjs')
  const { commands, bytes } = await buildCli()
  process.stdout.write(`dist/cli  ${commands} commands, ${Math.round(bytes / 1024)} KiB\n`)
}
if (wants('daemon')) {
  const { buildDaemon } = await import('./daemon.mjs')
  await buildDaemon()
  process.stdout.write('dist/daemon  musterd\n')
}
if (wants('container')) {
  const { buildContainerPrograms } = await import('./container-programs.mjs')
  await buildContainerPrograms()
  process.stdout.write('dist/container  programs of the containers\n')
}
process.stdout.write(`built in ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
