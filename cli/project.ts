import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { plainRead } from './contexts/plain.ts'
import { InputError } from './input.ts'

/** What a project's folder says: which stored server, crew and agent its commands are about. */
export interface Project {
  /** The file that says it. */
  file?: string
  context?: string
  crew?: string
  agent?: string
}

const fileName = '.muster.yaml'
const members = new Set(['context', 'crew', 'agent'])
/** A longer file names nothing. */
const longest = 4096

/**
 * The nearest `.muster.yaml`, from this folder upwards. It names things that are stored elsewhere and holds no secrets.
 * Another user's file is left alone: it could lead commands to a crew of that user's choice.
 */
export function readProject(folder: string): Project {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, fileName)
    const found = ownText(file)
    if (found !== undefined) return check(found, file)
    if (dirname(at) === at) return {}
  }
}

function ownText(file: string): string | undefined {
  try {
    // Every command asks this of each folder above it, and hardly one has such a file: an error would cost the most.
    const found = statSync(file, { throwIfNoEntry: false })
    // What came with a project may be a pipe, or lead to a device, of which a read never ends.
    if (!found?.isFile() || found.size > longest) return undefined
    return found.uid === process.getuid?.() || found.uid === 0 ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function check(text: string, file: string): Project {
  const refuse = (what: string) =>
    new InputError(`${file} ${what}.`, `let it hold ${[...members].join(', ')}, each with a name`)
  const value = plainRead(text)
  if (typeof value !== 'object' || value === null) throw refuse('is not a list of names')
  for (const [key, name] of Object.entries(value)) {
    if (!members.has(key)) throw refuse(`has an unknown member "${key}"`)
    if (typeof name !== 'string') throw refuse(`must name one ${key}`)
    // Names become words of the command line, and flags could lead it to another server.
    if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) throw refuse(`cannot take "${name}" as its ${key}`)
  }
  return { ...value, file }
}

/** What a command takes, as far as a project's file can stand in for it. */
interface Taken {
  id: string
  args: Readonly<Record<string, { required?: boolean | undefined }>>
  flags: Readonly<Record<string, { type: string; char?: string | undefined }>>
}

/** What a project's crew or agent is meant for. Changing or deleting one takes its name on the command line. */
const byArgument = new Set([
  'ask',
  'chat',
  'create',
  'files',
  'list',
  'logs',
  'members',
  'show',
  'start',
  'status',
  'stop',
])
const byFlag = new Set(['create', 'simulate'])

/** The command line with the project's crew and agent where they are needed and were left out. */
export function withProject(argv: readonly string[], command: Taken, project: Project): string[] {
  const verb = command.id.split(':').at(-1)!
  const [first] = Object.entries(command.args)
  const named = first && meantBy(first[0], project)
  const words = [...argv]
  // A crew that may be left out narrows a list; an agent that may be left out is chosen by the person.
  const isNeeded = first !== undefined && (first[1].required || first[0] === 'agent')
  if (named && isNeeded && byArgument.has(verb) && !isName(firstArgument(argv, command))) words.unshift(named)
  const hasCrew = words.some((word) => word === '--crew' || word.startsWith('--crew='))
  if (project.crew && 'crew' in command.flags && byFlag.has(verb) && !hasCrew) words.push(`--crew=${project.crew}`)
  return words
}

function meantBy(argument: string, { crew, agent }: Project): string | undefined {
  if (argument === 'subject') return agent ?? crew
  return argument === 'agent' ? agent : argument === 'crew' ? crew : undefined
}

/** A question has blanks, a name has none. */
const isName = (word: string | undefined): boolean => word !== undefined && !/\s/.test(word)

function firstArgument(argv: readonly string[], { flags }: Taken): string | undefined {
  const withValue = Object.entries(flags).filter(([, { type }]) => type === 'option')
  const takesNext = new Set(withValue.flatMap(([name, { char }]) => [`--${name}`, ...(char ? [`-${char}`] : [])]))
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!
    if (word === '--') return argv[at + 1]
    if (takesNext.has(word)) at++
    else if (!word.startsWith('-') || word === '-') return word
  }
  return undefined
}
