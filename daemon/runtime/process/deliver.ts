import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { RuntimeError } from '../errors.ts'
import type { Delivery } from '../types.ts'

/** Writes a file into a folder below `root`. */
export async function deliverHere(root: string, { folder, name, size, content }: Delivery): Promise<void> {
  const at = join(root, folder)
  const part = join(at, `.part-${process.hrtime.bigint()}`)
  try {
    await mkdir(at, { recursive: true, mode: 0o700 })
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600 })
    await pipeline(content(), file)
    if (file.bytesWritten !== size) throw new Error('not all of the file arrived')
    await rename(part, join(at, name))
  } catch (error) {
    await rm(part, { force: true })
    await rmdir(at).catch(() => {})
    throw new RuntimeError('refused', `The file could not be written: ${(error as Error).message}`, { cause: error })
  }
}
