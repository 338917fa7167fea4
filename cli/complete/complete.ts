import type { Command } from '@oclif/core'
import type { Registry } from '../main.ts'
import { idOf, walk } from '../resolve.ts'

type Commands = Pick<Registry, 'ids' | 'aliases' | 'summaries' | 'describe'>

/** A word to offer, and what it is. */
export interface Offer {
  value: string
  about?: string
}

/**
 * Finds what an argument or flag of this name can be, as far as it is known; `given` are the flags and arguments so
 * far, `topic` is the first word of the command.
 */
export type Source = (name: string, given: Readonly<Record<string, string>>, topic: string) => Promise<Offer[]>

/** What may stand where the cursor is: the words so far, the last of them (perhaps empty) being typed. */
export async function complete(typed: readonly string[], known: Commands, source: Source): Promise<Offer[]> {
  const { words, partial, shown } = split(typed)
  const { path, used } = walk(nounsOf(words), known)
  const id = idOf(path.join(':'), known) ?? idOf([...path, 'list'].join(':'), known)
  const command = id ? known.describe(id) : undefined
  const { given, positionals, open } = read(words.slice(used), command)
  const before = open && isList(command?.flags[open]) ? partial.slice(0, partial.lastIndexOf(',') + 1) : ''
  const offers = open
    ? await valuesOf(open, command?.flags[open], { ...named(command, positionals), ...given }, source, command)
    : partial.startsWith('-')
      ? flagsOf(command, given)
      : [...(positionals.length ? [] : below(path, known)), ...(await argumentsOf(command, positionals, given, source))]
  return offers
    .filter(({ value }) => value.startsWith(partial.slice(before.length)))
    .map((offer) => ({ ...offer, value: shown + before + offer.value }))
}

/** Whether a flag takes words with commas between them. */
const isList = (flag: object | undefined): boolean => (flag as { helpValue?: string } | undefined)?.helpValue === 'LIST'

/** Splits off the word being typed. bash hands over `--flag=value` as three words, other shells as one. */
function split(typed: readonly string[]): { words: string[]; partial: string; shown: string } {
  const words: string[] = []
  for (const word of typed.slice(0, -1)) if (word !== '=') words.push(word)
  const last = typed.at(-1) ?? ''
  const inline = /^(--[\w-]+=)(.*)$/s.exec(last)
  if (inline) return { words: [...words, inline[1]!.slice(0, -1)], partial: inline[2]!, shown: inline[1]! }
  return { words, partial: last === '=' ? '' : last, shown: '' }
}

const nounsOf = (words: string[]): string[] => {
  const end = words.findIndex((word) => word.startsWith('-'))
  return end < 0 ? words : words.slice(0, end)
}

/** The flags that were given, the words that are arguments, and the flag that still waits for its value. */
function read(
  words: string[],
  command: Command.Cached | undefined,
): { given: Record<string, string>; positionals: string[]; open?: string } {
  const given: Record<string, string> = {}
  const positionals: string[] = []
  let open: string | undefined
  for (const word of words) {
    if (open !== undefined) {
      given[open] = word
      open = undefined
      continue
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word)
      continue
    }
    const [, long, value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    const name = long === undefined ? flagOfChar(word[1], command) : (flagOfAlias(long, command) ?? long)
    if (name === undefined) continue
    const takesValue = command?.flags[name]?.type === 'option' && name !== 'json'
    if (value !== undefined || !takesValue) given[name] = value ?? ''
    else open = name
  }
  return { given, positionals, ...(open !== undefined && { open }) }
}

const flagOfChar = (char: string | undefined, command: Command.Cached | undefined): string | undefined =>
  Object.values(command?.flags ?? {}).find((flag) => flag.char === char)?.name

/** The name of a flag that has another name, too. */
const flagOfAlias = (alias: string, command: Command.Cached | undefined): string | undefined =>
  Object.values(command?.flags ?? {}).find(({ aliases }) => aliases?.includes(alias))?.name

function below(path: string[], { ids, aliases, summaries }: Commands): Offer[] {
  const start = path.length ? `${path.join(':')}:` : ''
  const found = new Map<string, Offer>()
  for (const name of [...ids, ...Object.keys(aliases)]) {
    if (!name.startsWith(start)) continue
    const [head = '', ...rest] = name.slice(start.length).split(':')
    const summary = Object.hasOwn(summaries, name) ? summaries[name] : undefined
    if ((summary === undefined && ids.includes(name)) || (found.has(head) && rest.length)) continue
    found.set(head, { value: head, ...(!rest.length && summary && { about: summary }) })
  }
  return [...found.values()]
}

const flagsOf = (command: Command.Cached | undefined, given: Record<string, string>): Offer[] =>
  Object.values(command?.flags ?? {})
    .filter(({ name, hidden, ...flag }) => !hidden && (!(name in given) || ('multiple' in flag && flag.multiple)))
    .map(({ name, summary, description }) => ({ value: `--${name}`, about: summary ?? description ?? '' }))

async function argumentsOf(
  command: Command.Cached | undefined,
  positionals: string[],
  given: Record<string, string>,
  source: Source,
): Promise<Offer[]> {
  const list = Object.values(command?.args ?? {})
  const wanted = list[positionals.length] ?? (command?.strict === false ? list.at(-1) : undefined)
  return wanted ? valuesOf(wanted.name, wanted, { ...named(command, positionals), ...given }, source, command) : []
}

/** The arguments so far, by their names. */
const named = (command: Command.Cached | undefined, positionals: string[]): Record<string, string> =>
  Object.fromEntries(
    Object.values(command?.args ?? {}).flatMap(({ name }, at) =>
      positionals[at] === undefined ? [] : [[name, positionals[at]]],
    ),
  )

async function valuesOf(
  name: string,
  it: object | undefined,
  given: Record<string, string>,
  source: Source,
  command: Command.Cached | undefined,
): Promise<Offer[]> {
  const { options, helpValue = '' } = (it ?? {}) as { options?: readonly string[]; helpValue?: string }
  const choices = options ?? (/^\w+(\|\w+)+$/.test(helpValue) ? helpValue.split('|') : undefined)
  if (choices) return choices.map((value) => ({ value }))
  // A name that looks like a flag would be read as one.
  return (await source(name, given, command?.id.split(':')[0] ?? '')).filter(({ value }) => !value.startsWith('-'))
}
