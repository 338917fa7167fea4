import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { isGone } from './folders.ts'
import type { Limits } from './limits.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const chunkBytes = 1024 * 1024
const holeBytes = 64 * 1024
const zeros = Buffer.alloc(holeBytes)
const chunk = Buffer.alloc(chunkBytes)
/** How often a file is read that is written meanwhile. */
const tries = 3

export interface Read {
  digest: string
  stats: BigIntStats
  /** It was written while it was read, each time. */
  moving: boolean
}

/**
 * Reads a file and answers the digest of its content, copying it to `to` (which writes from the beginning each time).
 * Null when it is gone or no file any more.
 */
export function readContent(path: Buffer, limits: Limits, to?: () => number): Read | null {
  const file = openFile(path)
  if (file === null) return null
  try {
    for (let left = tries; ; left--) {
      const before = fstatSync(file, { bigint: true })
      if (!before.isFile()) return null
      const digest = pass(file, limits, to?.())
      const stats = fstatSync(file, { bigint: true })
      const moving = stats.ctimeNs !== before.ctimeNs || stats.size !== before.size
      if (!moving || left === 1) return { digest, stats, moving }
    }
  } finally {
    closeSync(file)
  }
}

/** A pipe that took the place of a file must not keep the program waiting. */
function openFile(path: Buffer): number | null {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (isGone(error) || (error as NodeJS.ErrnoException).code === 'ENXIO') return null
    throw error
  }
}

function pass(file: number, limits: Limits, to?: number): string {
  const hash = createHash('sha256')
  let at = 0
  for (;;) {
    limits.read()
    const got = readSync(file, chunk, 0, chunkBytes, at)
    if (got === 0) break
    const bytes = chunk.subarray(0, got)
    hash.update(bytes)
    if (to !== undefined) limits.stored(writeWithHoles(to, bytes, at))
    at += got
  }
  if (to !== undefined) ftruncateSync(to, at)
  return hash.digest('hex')
}

/** Writes all but zeros, which stay holes; answers how many bytes were written. */
export function writeWithHoles(to: number, bytes: Buffer, at: number): number {
  let written = 0
  for (let from = 0; from < bytes.length; from += holeBytes) {
    const part = bytes.subarray(from, Math.min(from + holeBytes, bytes.length))
    if (part.equals(zeros.subarray(0, part.length))) continue
    for (let done = 0; done < part.length; ) done += writeSync(to, part, done, part.length - done, at + from + done)
    written += part.length
  }
  return written
}

/** Copies an open file into another one. */
export function copyContent(from: number, to: number, limits: Limits): void {
  let at = 0
  for (let got = 1; got > 0; at += got) {
    limits.read()
    got = readSync(from, chunk, 0, chunkBytes, at)
    writeWithHoles(to, chunk.subarray(0, got), at)
  }
  ftruncateSync(to, at)
}
