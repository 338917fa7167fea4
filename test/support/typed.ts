import { readdirSync, readFileSync } from 'node:fs'
import type { Command } from '@oclif/core'
import type { Manifest } from '../../cli/main.ts'
import { resolve } from '../../cli/resolve.ts'

const root = new URL('../../', import.meta.url)

/** The text of a file of this repository. */
export const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** The names of all files below a folder of this repository, with their path. */
export const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)

/** All commands, as the committed manifest has them. */
export const { commands } = JSON.parse(read('oclif.manifest.json')) as Manifest
const all = Object.values(commands)

/** What the command line knows when it reads words, but for the names that are shown nowhere. */
export const known = {
  ids: all.filter(({ hidden }) => !hidden).map(({ id }) => id),
  aliases: Object.fromEntries(all.flatMap(({ aliases, id }) => aliases.map((name) => [name, id]))),
  valued: ['--context', '--jq', '--output', '--server', '--workspace', '-o', '-s', '-w'],
  describe: (id: string) => commands[id]!,
}

/** A quoted text, something filled in, or a word up to the punctuation behind it. */
const word = /^ +("[^"]*"|'[^']*'|\$\{(?:[^{}]|\{[^{}]*\})*\}[^\s,;:)`'"]*|\$\([^)]*\)|[^\s,;:)`'"|<>&#(\\]+)/

/** The words of a command line that begins with `muster` in a text, up to where the sentence goes on. */
function wordsAt(text: string): string[] {
  const words: string[] = []
  let rest = text
  for (let found = word.exec(rest); found; found = word.exec(rest)) {
    const raw = found[1]!
    const said = /^["'$]/.test(raw) ? raw : raw.replace(/(?<!\.)\.$/, '')
    words.push(said)
    rest = rest.slice(found[0].length)
    if (said !== raw) break
  }
  return words
}

/** Every command line in a text. */
export const linesIn = (text: string): string[][] =>
  [...text.matchAll(/(?<![\w./~$-])muster(?= )/g)].map((match) => wordsAt(text.slice(match.index + 6)))

interface Want {
  /** Required arguments and flags must be there, too. */
  complete?: boolean
}

/** What is wrong with the words behind `muster`; undefined when they can be typed. */
export function flawOf(words: readonly string[], { complete = false }: Want = {}): string | undefined {
  const said = `muster ${words.join(' ')}`
  // What is filled in is known to be a command.
  if (!words.length || words[0]!.startsWith('${') || words[0] === 'COMMAND') return undefined
  const found = resolve(words, known)
  if (found.kind === 'version' || found.kind === 'help') return undefined
  if (found.kind === 'unknown') return `${said}: no such command`
  return argumentFlaw(commands[found.id]!, found.argv, complete, said)
}

function argumentFlaw({ flags, args, strict }: Command.Cached, argv: string[], complete: boolean, said: string) {
  const given = new Set<string>()
  let positionals = 0
  for (let at = 0; at < argv.length; at++) {
    const it = argv[at]!
    if (it === '--') break
    if (!/^-[-\w]/.test(it)) {
      positionals++
      continue
    }
    const flag = Object.values(flags).find(
      (known) =>
        `--${known.name}` === it.replace(/=.*$/s, '') ||
        (known.char && `-${known.char}` === it.slice(0, 2)) ||
        known.aliases?.some((alias) => it.startsWith(`--${alias}`)) ||
        (known.type === 'boolean' && known.allowNo && it === `--no-${known.name}`),
    )
    if (!flag && it !== '--help' && it !== '--all') return `${said}: no flag ${it}`
    if (!flag) continue
    given.add(flag.name)
    const inline = it.includes('=') || (!it.startsWith('--') && it.length > 2)
    if (flag.type === 'option' && !inline && flag.name !== 'json') at++
  }
  const takesMore = strict === false || Object.values(args).some(({ multiple }) => multiple)
  const most = takesMore ? Number.POSITIVE_INFINITY : Object.keys(args).length
  if (positionals > most) return `${said}: too many words`
  if (!complete) return undefined
  const least = Object.values(args).filter(({ required }) => required).length
  if (positionals < least) return `${said}: an argument is missing`
  const absent = Object.values(flags).find(({ required, name }) => required && !given.has(name))
  return absent && `${said}: --${absent.name} is missing`
}

/** The texts of a program's source: its strings and templates, without comments. */
export function textsOf(source: string): string[] {
  const code = source.replace(/\/\*\*?[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const joined = code.replace(/(['`])\s*\+\s*\n?\s*\1/g, '')
  return [...joined.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  )
}
