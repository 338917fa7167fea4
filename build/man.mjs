import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readManifest } from './commands.mjs'
import { load, root } from './load.mjs'

// What roff reads as commands: backslashes, and dots and apostrophes that begin a line.
const escaped = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replace(/[^\p{ASCII}]/gu, (sign) => `\\[u${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)

// A long list of values may be broken behind each.
const item = (term, text) => `.TP\n.B ${escaped(term).replaceAll('|', '|\\:')}\n${escaped(text)}\n`

function flagTerm({ name, short, takes_value, values }) {
  const value = takes_value ? `=${values ? values.join('|') : name.toUpperCase()}` : ''
  return `${short ? `-${short}, ` : ''}--${name}${value}`
}

/** One command's part of the page of its noun. */
function section({ command, summary, usage, description, arguments: args, flags, examples }) {
  const own = flags.filter((flag) => !flag.global)
  return [
    `.SS ${escaped(`muster ${command}`)}\n${escaped(summary)}.\n.PP\n.nf\n${escaped(usage)}\n.fi\n`,
    ...(description ? [`.PP\n${escaped(description)}\n`] : []),
    ...args.map((it) => item(it.name, it.description)),
    ...own.map((it) => item(flagTerm(it), it.description)),
    `.PP\nExamples:\n.PP\n.nf\n${examples.map((it) => escaped(`    ${it}`)).join('\n')}\n.fi\n`,
  ].join('')
}

const head = (name, about, version) =>
  [
    `.TH "${name.toUpperCase()}" "1" "" "Muster ${version}" "Muster"\n.ad l\n.nh\n`,
    `.SH NAME\n${escaped(`${name} - ${about}`)}\n`,
  ].join('')

/** Writes a manual page for `muster` and for each first word of its commands; the names of their files. */
export async function buildManual(outdir = `${root}dist/man`) {
  const { commandTree, topics } = await load(
    'export { commandTree } from "./cli/help/tree.ts"; export { topics } from "./cli/help/topics.ts"',
  )
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const { commands } = readManifest()
  const ids = Object.keys(commands).filter((id) => !commands[id].hidden)
  const rows = commandTree({ ids, docs: 'docs/cli', describe: (id) => commands[id] })
  const words = [...new Set(rows.map(({ command }) => command.split(' ')[0]))]
  const about = (word) => topics[word] ?? commands[word].summary
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  for (const word of words) {
    const own = rows.filter(({ command }) => command === word || command.startsWith(`${word} `))
    const text = `${head(`muster-${word}`, about(word), version)}.SH COMMANDS\n${own.map(section).join('')}`
    writeFileSync(`${outdir}/muster-${word}.1`, `${text}.SH SEE ALSO\n.BR muster (1)\n`)
  }
  writeFileSync(
    `${outdir}/muster.1`,
    overview(
      rows,
      words.map((word) => [word, about(word)]),
      version,
    ),
  )
  return words.length + 1
}

function overview(rows, words, version) {
  const common = rows[0].flags.filter((flag) => flag.global)
  return [
    head('muster', 'run crews of AI coding agents on your own machine', version),
    '.SH SYNOPSIS\n.B muster\n.I COMMAND\n[FLAGS]\n.SH COMMANDS\n',
    ...words.map(([word, text]) => item(`muster-${word}(1)`, text)),
    '.SH FLAGS OF ALL COMMANDS\n',
    ...common.map((flag) => item(flagTerm(flag), flag.description)),
  ].join('')
}
