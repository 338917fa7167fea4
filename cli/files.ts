import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { InputError } from './input.ts'

/** Whether there is no such file: a home such as /dev/null can hold none. */
export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Writes a file that was not there, or with `force` one that was. `mode`: of a new file. */
export function writeNew(
  to: string,
  content: string | Buffer,
  { force, mode }: { force: boolean; mode?: number },
): void {
  try {
    writeFileSync(to, content, { flag: force ? 'w' : 'wx', ...(mode !== undefined && { mode }) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(to)
    throw new InputError(`${to} cannot be written: ${(error as Error).message}`)
  }
}

/** The refusal of a file that is there already. */
export const taken = (to: string): InputError =>
  new InputError(`${to} already exists.`, 'repeat with --force, or --to another file')

/**
 * Writes a file whole, readable by its owner alone, in a folder made for it: after a crash it is the old one or the new
 * one. `flush`: also after the machine's.
 */
export function replacePrivate(path: string, content: string, { flush = false } = {}): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const to = placeOf(path)
  const draft = draftOf(to)
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush })
    renameSync(draft, to)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** A name beside the file for what is to replace it. In containers every process may have the same number. */
export const draftOf = (path: string): string => `${path}.${process.pid}${Math.random().toString(36).slice(1)}.new`

/** Where the file is kept, when a link of this user's leads there. Somebody else's link is replaced. */
function placeOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() && found.uid === process.geteuid?.() && existsSync(path) ? realpathSync(path) : path
}
