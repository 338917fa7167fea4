/** What the command line asks for. */
export type Request =
  | { kind: 'run'; id: string; argv: string[] }
  | { kind: 'help'; words: string[]; all?: boolean }
  | { kind: 'version' }
  | { kind: 'unknown'; words: string[]; near: string[] }

export interface Known {
  /** Command ids, as `crews:list`. */
  ids: readonly string[]
  /** Other names of commands. */
  aliases: Readonly<Record<string, string>>
  /** Flags that take a value, as `--server` and `-s`. */
  valued: readonly string[]
  /** Names that work and are shown nowhere. */
  unlisted?: Readonly<Record<string, string>>
}

type Names = Pick<Known, 'ids' | 'aliases'>

const synonyms: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  get: ['show'],
  show: ['get'],
  info: ['show', 'get'],
  describe: ['show', 'get'],
  rm: ['remove'],
  delete: ['remove'],
  add: ['create'],
  new: ['create'],
  edit: ['update'],
}

/**
 * Finds the command that the words mean: singular nouns, synonyms of verbs and a bare noun (its list, or the one thing
 * there is) are understood.
 */
export function resolve(argv: readonly string[], known: Known): Request {
  const words = flagsLast(argv, known.valued)
  if (!words.length) return { kind: 'help', words: [] }
  if (words[0] === '--version' || words[0] === '-V') return { kind: 'version' }
  // Without a command there is nothing to be verbose about.
  if (words[0] === '-v' && words.length === 1) return { kind: 'version' }
  const nouns = nounsOf(words)
  if (asksHelp(words)) {
    const all = words.includes('--all') && { all: true }
    return { kind: 'help', words: words[0] === 'help' ? nouns.slice(1) : nouns, ...all }
  }
  const found = listed(words, nouns, known)
  return found.kind === 'unknown' ? (unlisted(words, nouns, known) ?? found) : found
}

/** The words before the first flag. */
export function nounsOf(words: readonly string[]): string[] {
  const end = words.findIndex((word) => word.startsWith('-'))
  return end < 0 ? [...words] : words.slice(0, end)
}

function asksHelp(words: string[]): boolean {
  const end = words.indexOf('--')
  const before = end < 0 ? words : words.slice(0, end)
  return words[0] === 'help' || before.includes('--help') || before.includes('-h')
}

function listed(words: string[], nouns: string[], known: Known): Request {
  const { path, used } = walk(nouns, known)
  if (!used) return { kind: 'unknown', words: nouns, near: otherOrder(nouns, known) ?? nearest(nouns.join(':'), known) }
  const id = idOf(path.join(':'), known)
  const rest = words.slice(used)
  const hasBelow = known.ids.some((it) => it.startsWith(`${path.join(':')}:`))
  const stray = rest[0] !== undefined && !rest[0].startsWith('-')
  if (id && !(hasBelow && stray)) return { kind: 'run', id, argv: rest }
  if (rest[0] === 'help') return { kind: 'help', words: path }
  if (stray)
    return {
      kind: 'unknown',
      words: nouns.slice(0, used + 1),
      near: nearest([...path, rest[0]].join(':'), known, rest[0]),
    }
  const bare = idOf(`${path.join(':')}:list`, known) ?? idOf(`${path.join(':')}:show`, known)
  return bare ? { kind: 'run', id: bare, argv: rest } : { kind: 'help', words: path }
}

function unlisted(words: string[], nouns: string[], known: Known): Request | undefined {
  const id = unlistedId(nouns, known)
  if (id === undefined) return undefined
  return { kind: 'run', id, argv: words.slice(walkUnlisted(nouns, known).used) }
}

const walkUnlisted = (words: readonly string[], { unlisted = {} }: Known) =>
  walk(words, { ids: Object.keys(unlisted), aliases: {} })

/** The command that the words name by a name that is shown nowhere. */
export function unlistedId(words: readonly string[], known: Known): string | undefined {
  const name = walkUnlisted(words, known).path.join(':')
  return Object.hasOwn(known.unlisted ?? {}, name) ? known.unlisted?.[name] : undefined
}

/** The command that `get crews` or `delete crew web` means, where the verb stands first. */
function otherOrder([verb = '', ...rest]: string[], known: Known): string[] | undefined {
  const [noun, name] = walk(rest.slice(0, 1), known).path.concat(rest.slice(1))
  if (noun === undefined || !rest.length || !known.ids.some((id) => id.startsWith(`${noun}:`))) return undefined
  const verbs = verb === 'get' && name === undefined ? ['list', 'show'] : spellings(verb, true)
  const found = verbs.map((it) => idOf(`${noun}:${it}`, known)).find((id) => id !== undefined)
  return found === undefined ? undefined : [[found, ...rest.slice(1)].join(':')]
}

/** The id that a name stands for, when it is one. */
export const idOf = (name: string, { ids, aliases }: Names): string | undefined =>
  ids.includes(name) ? name : Object.hasOwn(aliases, name) ? aliases[name] : undefined

/** Flags may stand before the command; they are moved behind it. */
export function flagsLast(argv: readonly string[], valued: readonly string[]): string[] {
  let at = 0
  while (at < argv.length && argv[at]!.startsWith('-') && argv[at] !== '--' && !isOwn(argv[at]!))
    at += valued.includes(argv[at]!) || isList(argv[at]!, argv[at + 1]) ? 2 : 1
  return at >= argv.length ? [...argv] : [...argv.slice(at), ...argv.slice(0, at)]
}

/** `--json` takes no value but one that can only be a list of members. */
const isList = (flag: string, next = '') => flag === '--json' && /^\w[\w.]*(,[\w.]+)+$/.test(next)

const isOwn = (word: string) => word === '--version' || word === '-V' || word === '--help' || word === '-h'

/** As many words as name a command or a topic. */
export function walk(words: readonly string[], known: Names): { path: string[]; used: number } {
  const names = [...known.ids, ...Object.keys(known.aliases)]
  const path: string[] = []
  for (const word of words) {
    const next = spellings(word, path.length > 0).find((it) => {
      const name = [...path, it].join(':')
      return names.some((id) => id === name || id.startsWith(`${name}:`))
    })
    if (!next) break
    path.push(next)
  }
  return { path, used: path.length }
}

function spellings(word: string, verb: boolean): string[] {
  const plurals = [`${word}s`, `${word}es`, word.replace(/y$/, 'ies')]
  return [word, ...plurals, ...(verb && Object.hasOwn(synonyms, word) ? synonyms[word]! : [])]
}

/** Names that look like what was typed, best first; of a longer name only `unknown` may differ. */
function nearest(typed: string, { ids, aliases }: Names, unknown = typed): string[] {
  const names = [...new Set([...ids, ...Object.keys(aliases), ...ids.map((id) => id.split(':')[0]!)])]
  const last = typed.split(':').at(-1)!
  return names
    .map((name) => ({
      name,
      far: Math.min(distance(typed, name), typed.includes(':') ? 9 : distance(last, name.split(':').at(-1)!) + 1),
    }))
    .filter(({ far }) => far <= Math.max(1, Math.floor(unknown.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** Letters to insert, delete, replace or swap to turn one word into the other. */
export function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      row[j] = Math.min(row[j - 1]! + 1, rows[i - 1]![j]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
