import { closeSync, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { isAbsent, replacePrivate } from '../files.ts'
import { InputError } from '../input.ts'
import { plainRead } from './plain.ts'

/** A server by name. Its token is never sent to another server. */
export interface Context {
  server: string
  workspace?: string
  token?: string
  user?: string
}

export interface ContextFile {
  current?: string
  contexts: Record<string, Context>
}

const members = new Set(['server', 'workspace', 'token', 'user'])

/** Reads the file; an absent one is an empty list. Removes the access of other users, with a note on stderr. */
export async function readContexts(path: string): Promise<ContextFile> {
  const text = readPrivate(path)
  if (text === undefined) return { contexts: {} }
  return check(plainRead(text) ?? (await fullRead(text, path)), path)
}

function readPrivate(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw new InputError(`The configuration ${path} cannot be read: ${(error as Error).message}`, 'muster doctor')
  }
  try {
    const { mode } = fstatSync(file)
    if (mode & 0o077) lock(path, file, mode)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function lock(path: string, file: number, mode: number): void {
  const were = `Warning: ${path} was open to other users of this machine`
  try {
    fchmodSync(file, 0o600)
    process.stderr.write(`${were}; its mode is now 600. If others use this machine, replace the tokens in it.\n`)
  } catch (error) {
    // Files that a cluster mounts are root's. Whoever may write such a file chooses servers and tokens.
    if (mode & 0o022) throw new InputError(`${path} can be written by other users: ${(error as Error).message}`)
  }
}

const mendOf = (path: string) => `correct or remove ${path}`

// Only files edited by hand in a richer YAML come here, so the parser is loaded no earlier.
async function fullRead(text: string, path: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' }) ?? {}
  } catch (error) {
    // What follows shows the lines around, with their tokens.
    const [where] = (error as Error).message.split(/:?\n/, 1)
    throw new InputError(`The configuration ${path} is not valid YAML: ${where}`, mendOf(path))
  }
}

function check(value: unknown, path: string): ContextFile {
  const refuse = (what: string) => new InputError(`The configuration ${path} ${what}.`, mendOf(path))
  if (!isMap(value)) throw refuse('must hold "current" and "contexts"')
  for (const key of Object.keys(value))
    if (key !== 'current' && key !== 'contexts')
      throw refuse(`has an unknown member "${key}"; it may hold "current" and "contexts"`)
  const contexts = value['contexts'] || {}
  if (!isMap(contexts)) throw refuse('must hold contexts by name')
  for (const [name, context] of Object.entries(contexts)) {
    if (!isMap(context) || typeof context['server'] !== 'string')
      throw refuse(`needs a server for the context "${name}"`)
    for (const key of Object.keys(context)) {
      if (!members.has(key))
        throw refuse(`has an unknown member "${key}" in the context "${name}"; it may hold ${[...members].join(', ')}`)
      if (typeof context[key] !== 'string') throw refuse(`must hold text as "${key}" of the context "${name}"`)
    }
  }
  if (value['current'] !== undefined && typeof value['current'] !== 'string')
    throw refuse('must hold the name of a context as "current"')
  return {
    ...(typeof value['current'] === 'string' && { current: value['current'] }),
    contexts: contexts as unknown as Record<string, Context>,
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Writes the file whole, readable by its owner alone: after a crash it is the old one or the new one. */
export function writeContexts(path: string, { current, contexts }: ContextFile): void {
  const lines = ['# The servers that `muster` knows. The tokens in this file are secrets.']
  if (current !== undefined) lines.push(`current: ${scalar(current)}`)
  lines.push(Object.keys(contexts).length ? 'contexts:' : 'contexts: {}')
  for (const [name, context] of Object.entries(contexts)) {
    lines.push(`  ${scalar(name)}:`)
    for (const [key, value] of Object.entries(context)) if (value) lines.push(`    ${key}: ${scalar(value as string)}`)
  }
  replacePrivate(path, `${lines.join('\n')}\n`, { flush: true })
}

// JSON strings are YAML: quoting everything keeps any text what it is.
const scalar = (text: string) => JSON.stringify(text)
