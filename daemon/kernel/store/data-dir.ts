import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Makes the data directory, readable by its owner alone. */
export function prepareDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
}

/** A secret kept in a 0600 file beside the database; made on first use, complete or not at all. */
export const fileSecret = (dir: string, name: string): string =>
  fileMadeOnce(dir, name, () => randomBytes(32).toString('hex'))

/** The text of a 0600 file beside the database; made on first use, complete or not at all. */
export function fileMadeOnce(dir: string, name: string, make: () => string): string {
  const path = join(dir, name)
  if (!existsSync(path)) writeOnce(path, make())
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

/** Replaces a file atomically, with mode 0600; resolves once it is on the disk. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Renames a file that exists to `<path>.lost-<time>`, which nothing opens. */
export function setAside(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.lost-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`)
}
