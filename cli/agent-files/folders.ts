import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../input.ts'

/** Most files and bytes of one pull or push. */
export const mostFiles = 10_000
export const mostBytes = 1024 * 1024 * 1024
/** Most bytes of one file that is pushed, as the server takes it. */
export const largestFile = 32 * 1024 * 1024

export interface Found {
  /** Relative, with slashes. */
  path: string
  size: number
}

export interface Walk {
  files: Found[]
  /** Links, and what is neither file nor folder. */
  skipped: string[]
}

/** All files below a folder, in order of their names, following no link. */
export function walk(folder: string): Walk {
  const found: Walk = { files: [], skipped: [] }
  const folders = ['']
  for (let below = folders.shift(); below !== undefined; below = folders.shift()) {
    for (const name of readdirSync(join(folder, below)).sort()) {
      const path = below ? `${below}/${name}` : name
      const stats = lstatSync(join(folder, path))
      if (stats.isDirectory()) folders.push(path)
      else if (stats.isFile()) found.files.push({ path, size: stats.size })
      else found.skipped.push(path)
      if (found.files.length > mostFiles) throw tooMuch(folder)
    }
  }
  return found
}

/** Refuses more than one transfer may carry. */
export function bound(folder: string, files: readonly Found[]): void {
  if (files.length > mostFiles || files.reduce((sum, { size }) => sum + size, 0) > mostBytes) throw tooMuch(folder)
}

const tooMuch = (folder: string) =>
  new InputError(`${folder} holds more than ${mostFiles} files or 1 GiB; name a folder within it.`)

/**
 * Where a file of the server goes below a folder, whose parents are made. Refuses a path that leads elsewhere, also by
 * a link that stands on this machine.
 */
export function placeBelow(folder: string, path: string): string {
  const names = path.split('/')
  if (names.some((it) => it === '' || it === '.' || it === '..' || it.includes('\0')))
    throw new InputError(`The server named the file ${JSON.stringify(path)}, which lies outside of ${folder}.`)
  let at = folder
  for (const name of names.slice(0, -1)) {
    at = join(at, name)
    if (!lstatSync(at, { throwIfNoEntry: false })) mkdirSync(at)
    if (!lstatSync(at).isDirectory()) throw new InputError(`${at} is in the way: it is no folder.`)
  }
  return join(folder, path)
}

/** The bytes of a file of this machine; null when there is none. Refuses links and what is no file. */
export function ownFile(file: string): Buffer | null {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return null
  if (!stats.isFile()) throw new InputError(`${file} is in the way: it is no file.`)
  return readFileSync(file)
}
