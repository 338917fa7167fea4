import { writeFileSync } from 'node:fs'
import { InputError } from './input.ts'

/** Writes a file that was not there, or with `force` one that was. `mode`: of a new file. */
export function writeNew(
  to: string,
  content: string | Buffer,
  { force, mode }: { force: boolean; mode?: number },
): void {
  try {
    writeFileSync(to, content, { flag: force ? 'w' : 'wx', ...(mode !== undefined && { mode }) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new InputError(`${to} already exists.`, 'repeat with --force, or --to another file')
    throw new InputError(`${to} cannot be written: ${(error as Error).message}`)
  }
}
