import { extension, extensions, runExtension } from '../extensions.ts'
import { exits } from '../failure.ts'
import type { Registry } from '../main.ts'
import { colored, painter } from '../output/theme.ts'
import { pad, widthOf } from '../output/width.ts'
import { idOf, type Request, unlistedId, walk } from '../resolve.ts'
import { readUserFile } from '../user-settings.ts'
import { linkTo, pageOf } from './docs.ts'
import { groups, topics } from './topics.ts'

type Unknown = Pick<Request & { kind: 'unknown' }, 'words' | 'near'>
type Help = Omit<Request & { kind: 'help' }, 'kind'>

/** Help for the words: the overview, a noun, or one command. */
export async function showHelp({ words, all = false }: Help, registry: Registry): Promise<void> {
  if (!words.length) return void process.stdout.write(overview(registry))
  const { path, used } = walk(words, registry)
  const isTopic = registry.ids.some((it) => it.startsWith(`${path.join(':')}:`))
  const isWhole = used > 0 && used === words.length
  const own = isWhole || !isTopic ? idOf(path.join(':'), registry) : undefined
  const id = own ?? (isWhole ? undefined : unlistedId(words, registry))
  if (id) process.stdout.write((await import('./page.ts')).ofCommand(id, registry, all))
  else if (isWhole) process.stdout.write(ofTopic(path, registry))
  else if (!(await showOwn(words))) showUnknown({ words, near: [] }, registry)
}

/** Help of what is the user's own: an alias stands for its command line, an extension explains itself. */
async function showOwn([name = '', ...words]: string[]): Promise<boolean> {
  const { aliases } = readUserFile()
  const program = extension(name)
  if (Object.hasOwn(aliases, name)) process.stdout.write(`muster ${name} stands for muster ${aliases[name]}\n`)
  else if (program) process.exitCode = await runExtension(program, [...words, '--help'])
  return Object.hasOwn(aliases, name) || program !== undefined
}

/** Says that there is no such command, and which may be meant. */
export function showUnknown({ words, near }: Unknown, registry: Registry): void {
  const paint = painter(colored(process.stderr))
  const what = words.length ? `There is no command "muster ${words.join(' ')}".` : 'A command is missing.'
  const lines = [`${paint('red', 'Error:')} ${what}`]
  for (const name of near) lines.push(`  Did you mean  muster ${name.replaceAll(':', ' ')}`)
  const { path } = walk(words, registry)
  lines.push(`${paint('dim', 'Next:')} ${['muster', ...path, '--help'].join(' ')}`)
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = exits.input
}

/** Commands whose first examples stand in the help of their noun, as far as it has them. */
const shown = ['list', 'create', 'show', 'update', 'remove']
const mostExamples = 3

function ofTopic(path: string[], registry: Registry): string {
  const paint = painter(colored(process.stdout))
  const name = path.join(':')
  const parts = [
    topics[name] ?? name,
    `${paint('bold', 'EXAMPLES')}\n${examplesOf(name, registry)}`,
    `${paint('bold', 'USAGE')}\n  $ muster ${path.join(' ')} COMMAND`,
    `${paint('bold', 'COMMANDS')}\n${aligned(below(name, registry))}`,
    `${paint('bold', 'MORE')}\n  Documentation: ${pageOf(name, registry)}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function examplesOf(topic: string, { ids, describe }: Registry): string {
  const own = ids.filter((id) => id.startsWith(`${topic}:`))
  const first = shown.map((verb) => `${topic}:${verb}`).filter((id) => own.includes(id))
  const chosen = [...new Set([...first, ...own])].slice(0, mostExamples)
  const texts = chosen.map((id) => String(describe(id).examples?.[0] ?? ''))
  return texts.map((text) => `  ${text.replaceAll('<%= config.bin %>', 'muster')}`).join('\n')
}

function overview(registry: Registry): string {
  const paint = painter(colored(process.stdout))
  const rows = below('', registry)
  const placed = new Set(groups.flatMap(([, names]) => names))
  const sections = groups.map(([title, names]) => {
    const known = names.flatMap((name) => rows.filter((row) => row[0] === name))
    const rest = title === 'more' ? rows.filter(([name]) => !placed.has(name)) : []
    return [...known, ...rest].length ? `${paint('bold', title.toUpperCase())}\n${aligned([...known, ...rest])}\n` : ''
  })
  const own = extensions().filter((name) => !walk([name], registry).used)
  const added = own.map((name): [string, string] => [name, `muster-${name} on the PATH`])
  if (added.length) sections.push(`${paint('bold', 'EXTENSIONS')}\n${aligned(added)}\n`)
  return `Muster runs crews of AI coding agents on your own machine.

${paint('bold', 'EXAMPLES')}
  $ muster up
  $ muster crews create "Web team"
  $ muster ask ada "What changed since yesterday?"

${paint('bold', 'USAGE')}
  $ muster COMMAND

${sections.filter(Boolean).join('\n')}
Every command explains itself with --help, and with --help --all in full.
Nouns may be singular: "muster crew list" means "muster crews list".
Documentation: ${linkTo('cli.md', registry)}
`
}

/** Names and summaries one level below a topic; commands below those are folded into their noun. */
function below(topic: string, registry: Registry): [string, string][] {
  const start = topic ? `${topic}:` : ''
  const found = new Map<string, string>()
  for (const [id, summary] of Object.entries(registry.summaries)) {
    if (!id.startsWith(start)) continue
    const [head = '', ...rest] = id.slice(start.length).split(':')
    if (!rest.length) found.set(head, summary)
    else if (!found.has(head)) found.set(head, topics[start + head] ?? '')
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

function aligned(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([name]) => widthOf(name)))
  return rows.map(([name, summary]) => `  ${pad(name, width)}  ${summary}`.trimEnd()).join('\n')
}
