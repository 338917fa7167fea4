// Writes the list of commands in docs/cli.md from the commands themselves; with --check says whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { describeCommands } from './cli.mjs'
import { root } from './load.mjs'

const file = `${root}docs/cli.md`
const [start, end] = ['<!-- commands: written by `node build/reference.mjs` -->\n', '<!-- end of commands -->']

const cell = (text) => text.replaceAll('|', '\\|')

function usage({ id, args, flags }) {
  const words = Object.values(args).map(({ name, required }) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  )
  const own = Object.values(flags).filter(({ helpGroup, hidden }) => !helpGroup && !hidden)
  const shown = own.map(({ name, required }) => (required ? `--${name}` : `[--${name}]`))
  return `muster ${[...id.split(':'), ...words, ...shown].join(' ')}`
}

const { commands } = await describeCommands()
const rows = Object.values(commands)
  .filter(({ hidden }) => !hidden)
  .map((command) => `| \`${cell(usage(command))}\` | ${cell(command.summary)} |\n`)
const list = `${start}\n| Command | |\n|---|---|\n${rows.join('')}\n${end}`

const before = readFileSync(file, 'utf8')
const from = before.indexOf(start)
const wanted = before.slice(0, from) + list + before.slice(before.indexOf(end) + end.length)
if (!process.argv.includes('--check')) writeFileSync(file, wanted)
else if (before !== wanted) {
  process.stderr.write('The list of commands in docs/cli.md is out of date: run `node build/reference.mjs`\n')
  process.exitCode = 1
}
