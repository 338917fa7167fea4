// Writes docs/cli/, one page for each first word, with `oclif readme`, and their list in docs/cli.md. With --check it
// says whether they are up to date.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readManifest } from './commands.mjs'
import { load, root } from './load.mjs'

const pages = `${root}docs/cli`
const entry = `${root}docs/cli.md`
const [start, end] = ['<!-- commands: written by `node build/reference.mjs` -->\n', '<!-- end of commands -->']
const note = '<!-- Written by `node build/reference.mjs` from the commands. Do not edit. -->\n'

/** The text of all pages, by name. */
async function reference(words) {
  mkdirSync(`${root}.cache`, { recursive: true })
  const dir = mkdtempSync(`${root}.cache/readme-`)
  try {
    describe(dir, words)
    const oclif = createRequire(import.meta.url).resolve('oclif/bin/run.js')
    const env = { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true', COLUMNS: '110' }
    const args = ['readme', '--multi', '--output-dir', 'cli', '--readme-path', 'README.md', '--plugin-directory', dir]
    execFileSync(process.execPath, [oclif, ...args, '--no-source-links'], { cwd: dir, env, stdio: 'pipe' })
    const names = readdirSync(join(dir, 'cli')).sort()
    return Object.fromEntries(names.map((name) => [name, note + titled(readFileSync(join(dir, 'cli', name), 'utf8'))]))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** With a title like that of every other page. */
const titled = (text) => text.replace(/^(.+)\n=+\n/, '\n# $1\n')

/** The first words of all commands, and what they are about. */
async function topicsOf({ commands }) {
  const { topics } = await load('export { topics } from "./cli/help/topics.ts"')
  const words = [...new Set(Object.keys(commands).map((id) => id.split(':')[0]))].sort()
  return words.map((word) => [word, topics[word] ?? commands[word].summary])
}

/** A package of our commands as oclif describes it: without the flags that all commands have, and with our topics. */
function describe(dir, words) {
  const { version, commands } = readManifest()
  for (const command of Object.values(commands))
    command.flags = Object.fromEntries(
      Object.entries(command.flags).filter(([, { helpGroup }]) => helpGroup !== 'GLOBAL'),
    )
  const topics = Object.fromEntries(words.map(([word, description]) => [word, { description }]))
  const oclif = { bin: 'muster', topicSeparator: ' ', topics }
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'muster', version, oclif, files: [] }))
  writeFileSync(join(dir, 'oclif.manifest.json'), JSON.stringify({ version, commands }))
  writeFileSync(join(dir, 'README.md'), '<!-- commands -->\n')
}

/** docs/cli.md with the list of the pages. */
function withList(text, words) {
  const rows = words.map(([word, about]) => `| [\`muster ${word}\`](cli/${word}.md) | ${about} |\n`).join('')
  const list = `${start}\n| Command | |\n|---|---|\n${rows}\n${end}`
  return text.slice(0, text.indexOf(start)) + list + text.slice(text.indexOf(end) + end.length)
}

function before() {
  const names = readdirSync(pages).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(pages, name), 'utf8')]))
}

const words = await topicsOf(readManifest())
const wanted = await reference(words)
const text = readFileSync(entry, 'utf8')
if (process.argv.includes('--check')) {
  if (JSON.stringify(before()) !== JSON.stringify(wanted) || text !== withList(text, words)) {
    process.stderr.write('docs/cli is out of date: run `node build/reference.mjs`\n')
    process.exitCode = 1
  }
} else {
  rmSync(pages, { recursive: true, force: true })
  mkdirSync(pages)
  for (const [name, page] of Object.entries(wanted)) writeFileSync(join(pages, name), page)
  writeFileSync(entry, withList(text, words))
}
