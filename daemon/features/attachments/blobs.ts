import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { App } from '#kernel/app'

const root = ({ config }: App): string => join(config.dataDir, 'attachments')

/** Where bytes come in, before it is known whose they are. */
const incoming = (app: App): string => join(root(app), '.incoming')

/** A new file for bytes that come in. */
export async function openIncoming(app: App, id: string): Promise<{ path: string; open: () => WriteStream }> {
  await mkdir(incoming(app), { recursive: true, mode: 0o700 })
  const path = join(incoming(app), id)
  return { path, open: () => createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }) }
}

/** Keeps what came in under its key. */
export async function keepBlob(app: App, path: string, key: string): Promise<void> {
  const to = join(root(app), key)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(path, to)
}

export const readBlob = (app: App, key: string) => createReadStream(join(root(app), key))

/** Removes a blob, and the folders that are empty then. */
export async function removeBlob(app: App, key: string): Promise<void> {
  await rm(join(root(app), key), { force: true })
  let folder = dirname(key)
  while (folder !== '.' && (await emptied(join(root(app), folder)))) folder = dirname(folder)
}

const emptied = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  )

export const removeIncoming = (path: string): Promise<void> => rm(path, { force: true })

/** Removes what came in before this time, milliseconds since 1970, and was never kept. */
export async function clearIncoming(app: App, before: number): Promise<void> {
  for (const name of await readdir(incoming(app)).catch(() => [])) {
    const path = join(incoming(app), name)
    const known = await stat(path).catch(() => null)
    if (known && known.mtimeMs < before) await removeIncoming(path)
  }
}
