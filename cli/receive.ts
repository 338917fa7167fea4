import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { draftOf, taken } from './files.ts'
import { InputError } from './input.ts'

/** Writes what a stream brings to a file, as `writeNew` does: whole, or not at all. `from` asks for the stream. */
export async function receiveNew(to: string, from: () => Promise<Readable>, force: boolean): Promise<void> {
  const path = resolve(process.cwd(), to)
  if (!force && existsSync(path)) throw taken(to)
  const draft = draftOf(path)
  try {
    const file = await open(draft, 'wx')
    await pipeline(await from(), file.createWriteStream()).finally(() => file.close())
    if (force) renameSync(draft, path)
    else linkSync(draft, path)
  } catch (error) {
    const { code, path: at, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(to)
    throw at === undefined ? error : new InputError(`${to} cannot be written: ${message}`)
  } finally {
    rmSync(draft, { force: true })
  }
}
