import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { InputError } from './input.ts'

/** Makes a folder that `--to` names; one that is there already is refused, so that nothing in it is overwritten. */
export function makeNewFolder(folder: string): void {
  try {
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new InputError(`${folder} is there already.`, 'choose another folder with --to')
  }
}
