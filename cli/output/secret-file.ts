import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { draftOf } from '../files.ts'
import { InputError } from '../input.ts'

export interface SecretFile {
  /** Puts the file in place, whole. */
  keep(text: string): void
  /** Leaves everything as it was. */
  drop(): void
}

/**
 * Opens a file for a secret that is yet to come, for its owner alone: what cannot be written is found out before the
 * secret is made.
 */
export function secretFile(path: string): SecretFile {
  const draft = draftOf(path)
  let file: number
  try {
    file = openSync(draft, 'wx', 0o600)
  } catch (error) {
    throw new InputError(`${path} cannot be written: ${(error as Error).message}`)
  }
  return {
    keep(text) {
      writeSync(file, text)
      fsyncSync(file)
      renameSync(draft, path)
      closeSync(file)
    },
    drop() {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}
