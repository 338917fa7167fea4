import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the data directory, readable by its owner alone. */
export function prepareDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
}

/** A secret kept in a 0600 file beside the database; made on first use, complete or not at all. */
export function fileSecret(dir: string, name: string): string {
  const path = join(dir, name)
  if (!existsSync(path)) writeOnce(path, randomBytes(32).toString('hex'))
  return readFileSync(path, 'utf8').trim()
}

function writeOnce(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(temporary, path)
  } finally {
    unlinkSync(temporary)
  }
}
