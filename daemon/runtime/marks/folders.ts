import { Buffer } from 'node:buffer'
import { closeSync, constants, lstatSync, opendirSync, openSync } from 'node:fs'
import { raw } from './entry.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Most nested folders: each keeps a descriptor open while what is below is read. */
export const deepest = 256

/** What lies in an open folder, by name. It leads nowhere else, whatever is renamed meanwhile. */
export const inside = (folder: number, name: string): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), raw(name)])

/** Null when it is gone, or no folder. */
export function openFolder(path: Buffer | string): number | null {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')

export const statIn = (folder: number, name: string) =>
  lstatSync(inside(folder, name), { bigint: true, throwIfNoEntry: false })

/** Names in a folder, in the order of their bytes. */
export function namesIn(folder: number): string[] {
  const found: string[] = []
  const entries = opendirSync(`/proc/self/fd/${folder}`, { encoding: 'latin1', bufferSize: 256 })
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) found.push(entry.name)
  } finally {
    entries.closeSync()
  }
  return found.sort()
}

/** Works in a folder and closes it; null when there is none. */
export function within<T>(path: Buffer | string, work: (folder: number) => T): T | null {
  const folder = openFolder(path)
  if (folder === null) return null
  try {
    return work(folder)
  } finally {
    closeSync(folder)
  }
}
