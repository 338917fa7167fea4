import { Buffer } from 'node:buffer'
import { closeSync, constants, fstatSync, lstatSync, opendirSync, openSync } from 'node:fs'

/** What lies below some folders. */
export interface Usage {
  /** Blocks that are taken, in bytes: holes of sparse files count nothing. */
  bytes: number
  /** Files, folders and links. */
  files: number
  /** False when there is more than was counted. */
  complete: boolean
}

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
/** Folders inside each other; each holds a descriptor open while its own are counted. */
const deepest = 256

/**
 * Counts what lies below the folders, `most` entries at most. Links are counted, never followed, and other file systems
 * are left out. Each
 * folder is opened by name below its open parent, so that nobody can lead the walk elsewhere by renaming.
 */
export function measure(roots: readonly string[], most: number): Usage {
  const usage: Usage = { bytes: 0, files: 0, complete: true }
  const linked = new Set<number>()

  function count(entry: Buffer, device: number, depth: number): void {
    const stats = lstatSync(entry, { throwIfNoEntry: false })
    if (!stats || stats.dev !== device) return
    usage.files++
    if (stats.nlink > 1 && !stats.isDirectory()) {
      if (linked.has(stats.ino)) return
      linked.add(stats.ino)
    }
    usage.bytes += stats.blocks * 512
    if (stats.isDirectory()) descend(entry, device, depth + 1)
  }

  function descend(path: Buffer | string, device: number | null, depth: number): void {
    if (depth > deepest) usage.complete = false
    if (depth > deepest) return
    const folder = open(path)
    if (folder === null) return
    const here = `/proc/self/fd/${folder}`
    try {
      const { dev } = fstatSync(folder)
      if (device !== null && dev !== device) return
      for (const name of namesIn(here)) {
        if (usage.files >= most) usage.complete = false
        if (!usage.complete) return
        count(Buffer.concat([Buffer.from(`${here}/`), name]), dev, depth)
      }
    } finally {
      closeSync(folder)
    }
  }

  for (const root of roots) descend(root, null, 0)
  return usage
}

/** Null when there is no such folder (any more), or none that may be read. */
function open(path: Buffer | string): number | null {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** One after the other, since a folder may hold millions. Names are bytes: not every one is UTF-8. */
function* namesIn(folder: string): Iterable<Buffer> {
  const entries = opendirSync(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) yield entry.name as unknown as Buffer
  } finally {
    entries.closeSync()
  }
}
