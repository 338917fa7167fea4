import { open, rm } from 'node:fs/promises'
import type { Client } from '#client'
import { InputError } from '../input.ts'
import { pages } from './pages.ts'

/**
 * Writes what may be rolled up before a moment into a new file, one entry a line, newest first. The file is the owner's
 * alone, and complete on the disk when this resolves.
 */
export async function exportDue(
  api: Client,
  path: string,
  due: { types: readonly string[]; cutoff: string },
  say: (text: string) => void,
): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new InputError(`${path} is there already.`, 'name another file after --export')
    throw new InputError(`${path} cannot be written: ${error.message}`)
  })
  const until = new Date(Date.parse(due.cutoff) - 1).toISOString()
  const query = { entry_type: due.types.join(','), priority: 'normal', until }
  let count = 0
  try {
    for await (const { entries } of pages(api, query, { all: true })) {
      await file.appendFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      count += entries.length
      say(`Exported ${count} entries`)
    }
    await file.sync()
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
  await file.close()
  return count
}
