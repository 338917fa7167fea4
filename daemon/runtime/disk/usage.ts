import { Buffer } from 'node:buffer'
import { closeSync, constants, fstatSync, lstatSync, opendirSync, openSync } from 'node:fs'

/** Disk usage of folders. */
export interface Usage {
  /** Allocated blocks in bytes, so that holes of sparse files do not count. */
  bytes: number
  /** Files, folders and links. */
  files: number
  /** False when not everything was counted. */
  complete: boolean
}

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
/** Most nested folders: each keeps a descriptor open while its subfolders are measured. */
const deepest = 256

/**
 * Measures folders, `most` entries at most. Links are counted but not followed, and other file systems are left out.
 * Each folder is opened by name below its open parent, so that renames cannot divert the walk.
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

/** Null when the folder does not exist or is not readable. */
function open(path: Buffer | string): number | null {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** Yields names one by one, since a folder may hold millions. Names are bytes, since not all are UTF-8. */
function* namesIn(folder: string): Iterable<Buffer> {
  const entries = opendirSync(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) yield entry.name as unknown as Buffer
  } finally {
    entries.closeSync()
  }
}
