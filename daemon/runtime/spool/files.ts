import type { Buffer } from 'node:buffer'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import type { FileEntry } from '../types.ts'

/** Most entries of one listing; more are left out. */
const maxEntries = 10_000
const maxFileBytes = 256 * 1024 * 1024

const { O_DIRECTORY, O_NONBLOCK, O_RDONLY } = constants

/**
 * Opens a path that agents may have replaced by a link: the real path is read from the open file, not from the name.
 * Null when it does not exist or is not what `is` allows. O_NONBLOCK, since it may be a FIFO instead of a file.
 */
function openInside(
  path: string,
  flags: number,
  is: (stats: Stats) => boolean,
  allowed: (real: string) => boolean,
): number | null {
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK | flags)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
  if (is(fstatSync(file)) && allowed(readlinkSync(`/proc/self/fd/${file}`))) return file
  closeSync(file)
  return null
}

/** Opens a regular file at exactly this path, without links. */
export const openFile = (path: string): number | null =>
  openInside(
    path,
    0,
    (it) => it.isFile(),
    (real) => real === path,
  )

export const openPipe = (path: string): number | null =>
  openInside(
    path,
    0,
    (it) => it.isFIFO(),
    (real) => real === path,
  )

const below = (root: string) => (real: string) => real === root || real.startsWith(`${root}/`)

/** Reads a file below `root`, following links that stay below it. Null when there is none. */
export function readInside(root: string, path: string): Buffer | null {
  const file = openInside(join(root, path), 0, (it) => it.isFile(), below(root))
  if (file === null) return null
  try {
    const { size } = fstatSync(file)
    if (size > maxFileBytes) throw new Error(`${path} has ${size} bytes; files of up to ${maxFileBytes} can be read`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Lists a folder below `root` by name; links are listed, never followed. Empty when the folder does not exist. */
export function listInside(root: string, subdir: string, recursive: boolean): FileEntry[] {
  const entries: FileEntry[] = []
  const folders = [subdir]
  for (let folder = folders.shift(); folder !== undefined && entries.length < maxEntries; folder = folders.shift()) {
    for (const entry of listFolder(root, folder)) {
      if (entries.length === maxEntries) break
      entries.push(entry)
      if (recursive && entry.is_dir) folders.push(entry.path)
    }
  }
  return entries
}

function listFolder(root: string, folder: string): FileEntry[] {
  const open = openInside(join(root, folder), O_DIRECTORY, (it) => it.isDirectory(), below(root))
  if (open === null) return []
  const base = `/proc/self/fd/${open}`
  try {
    return readdirSync(base)
      .sort()
      .flatMap((name) => entryOf(`${base}/${name}`, join('/', folder, name).slice(1), name))
  } finally {
    closeSync(open)
  }
}

function entryOf(file: string, path: string, name: string): FileEntry[] {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats
    ? [{ path, name, size: stats.size, is_dir: stats.isDirectory(), mod_time: stats.mtime.toISOString() }]
    : []
}

/** Normalizes a relative path, '' for the folder itself; null for one that leads out of it. */
export function within(path: string): string | null {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.includes('..') || path.includes('\0') ? null : parts.join('/')
}
