import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '#kernel/app'
import { copies } from '#kernel/bundle/job'
import { readSeals } from '#kernel/journal/seal'

/** Pages copied in one turn of the event loop: a megabyte, about a millisecond. */
const pagesAtOnce = 256

/**
 * Copies database, seals and files of chats into the scratch folder, while writes go on. Everything that was
 * acknowledged before it resolves its copy of the database is inside.
 */
export async function snapshot(app: App, scratch: string, files: boolean): Promise<void> {
  // Before and after: what is removed meanwhile was there before, what is added is there after.
  if (files) await linkFiles(app, scratch)
  await copyDatabase(app, join(scratch, copies.store))
  const head = app.index.head()
  if (files) await linkFiles(app, scratch)
  await copySeals(app, scratch, head)
}

/**
 * SQLite's online backup on the connection that writes: what is written meanwhile is written to the copy as well. Its
 * last step waits for the disk, so all before it is brought there first, by another thread.
 */
async function copyDatabase(app: App, to: string): Promise<void> {
  let synced: 'no' | 'now' | 'yes' = 'no'
  let failure: unknown
  await app.db.backup(to, {
    progress({ remainingPages }) {
      if (app.stopping.signal.aborted) throw new Error('The daemon is stopping')
      if (failure) throw failure
      if (remainingPages > pagesAtOnce || synced === 'yes') return pagesAtOnce
      if (synced === 'no') {
        synced = 'now'
        sync(to).then(
          () => {
            synced = 'yes'
          },
          (error) => {
            failure = error
          },
        )
      }
      return 0
    },
  })
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The seals of what the copy holds: later ones would tell of entries that it lacks. */
async function copySeals(app: App, scratch: string, head: number): Promise<void> {
  await app.seals.seal()
  const text = await readFile(join(app.config.dataDir, copies.seals), 'utf8').catch(() => '')
  const { seals } = readSeals(text, null)
  const lines = seals.filter(({ seq }) => seq <= head).map((seal) => `${JSON.stringify(seal)}\n`)
  await writeFile(join(scratch, copies.seals), lines.join(''), { mode: 0o600 })
}

/** Gives every file of chats a second name: files are written once, and removed by name. */
async function linkFiles(app: App, scratch: string): Promise<void> {
  await linkTree(join(app.config.dataDir, copies.files), join(scratch, copies.files))
}

async function linkTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => [])
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, target)
    else if (entry.isFile()) await link(source, target).catch((error) => onceMore(error, source, target))
  }
}

/** A file that is there already, or gone again, is none to copy; a disk without links takes a copy. */
async function onceMore(error: NodeJS.ErrnoException, source: string, target: string): Promise<void> {
  if (error.code === 'EEXIST' || error.code === 'ENOENT') return
  await copyFile(source, target, constants.COPYFILE_FICLONE).catch((again: NodeJS.ErrnoException) => {
    if (again.code !== 'ENOENT') throw again
  })
}
