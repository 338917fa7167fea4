import { Buffer, isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import type { ReadText } from '#kernel/runs'

export interface TextRequest {
  op: 'text'
  /** An absolute path without links. */
  path: string
  mostBytes: number
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Reads a text file at exactly this path: through no link. */
export function readText({ path, mostBytes }: TextRequest): ReadText {
  const file = open(path)
  if (typeof file !== 'number') return file
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || readlinkSync(`/proc/self/fd/${file}`) !== path) return { state: 'none' }
    const content = Buffer.allocUnsafe(mostBytes + 1)
    let size = 0
    for (let got = 1; got > 0 && size < content.length; size += got)
      got = readSync(file, content, size, content.length - size, size)
    if (size > mostBytes) return { state: 'too_large' }
    const bytes = content.subarray(0, size)
    if (bytes.includes(0) || !isUtf8(bytes)) return { state: 'binary' }
    return { state: 'text', text: deflateRawSync(bytes).toString('base64') }
  } finally {
    closeSync(file)
  }
}

function open(path: string): number | ReadText {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EACCES', 'EPERM'].includes(code)) return { state: 'denied' }
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG'].includes(code)) return { state: 'none' }
    throw error
  }
}
