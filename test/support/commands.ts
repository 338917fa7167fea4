import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Described } from '../../cli/main.ts'
import { sampleId } from './sample-server.ts'

const folder = new URL('../../dist/cli/commands', import.meta.url).pathname

/** Every command, as the build found it. */
export const commands: Described[] = readdirSync(folder)
  .sort()
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Described)

interface Word {
  name: string
  required?: boolean
  options?: readonly string[]
  helpValue?: string
  type?: string
}

/** Values that have to be of a certain form; any other is an id. */
const forms: Record<string, string> = {
  value: '1',
  cpus: '1',
  role: 'viewer',
  preset: 'viewer',
  behavior: 'warn',
  url: 'http://127.0.0.1:1',
  file: new URL(import.meta.url).pathname,
}

/** Flags without which there is nothing to do. */
const more: Record<string, string[]> = {
  'attachments:list': [`--agent=${sampleId}`],
  'crews:set-member': ['--role=manager'],
  'agents:learning:set': ['--on'],
  'persona:crew:edit': ['--content=x'],
  'persona:decide': ['--approve'],
  'persona:edit': ['--content=x'],
  'persona:suggest': ['--content=x'],
  'policies:set': ['--behavior=warn'],
  'inbox:act': ['--dismiss'],
  'agents:download': ['--to=-'],
}

const valueFor = ({ name, options, helpValue }: Word): string =>
  options?.[0] ?? forms[name] ?? (/^\w+(\|\w+)+$/.test(helpValue ?? '') ? helpValue!.split('|')[0]! : sampleId)

/** A command line with all that the command requires; `given` replaces values of arguments. */
export function lineOf({ id, args, flags }: Described, given: Record<string, string> = {}): string[] {
  // An agent that is left out is asked for.
  const words = Object.values(args).filter(({ name, required }) => required || name === 'agent' || name in given)
  const needed = Object.values(flags).filter(({ required }) => required)
  return [
    ...id.split(':'),
    ...words.map((word) => given[word.name] ?? valueFor(word as Word)),
    ...(more[id] ?? []),
    ...needed.map((flag) => `--${flag.name}=${valueFor(flag as Word)}`),
  ]
}

/** Commands that list: they can be cut. */
export const lists = commands.filter(({ flags }) => 'limit' in flags)
