import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { BackupListed } from '#contract/backup'
import type { App } from '#kernel/app'
import { partialOf, readManifest } from '#kernel/bundle/envelope'
import { BundleRefused } from '#kernel/bundle/refusal'
import { problem } from '#kernel/problem'
import { installationId } from '#kernel/store/installation'

/** The folder of backups, which need not be there yet. */
export const backupFolder = ({ config: { backupDir, dataDir } }: App): string =>
  resolve(backupDir || join(dataDir, 'backups'))

/** Makes the folder of backups, readable by the daemon's user alone. */
export const makeFolder = async (app: App): Promise<void> =>
  void (await mkdir(backupFolder(app), { recursive: true, mode: 0o700 }))

const suffix = '.muster.tar'

/** Several servers may share a folder: what is theirs carries the end of their id. */
const mark = (app: App): string => installationId(app.db).slice(-8)

/** The path of a new bundle. */
export const newPath = (app: App): string =>
  join(backupFolder(app), `${new Date(app.clock()).toISOString().replaceAll(/[-:.]/g, '')}-${mark(app)}${suffix}`)

/** All bundles in the folder, newest first; `own` leaves out those of other servers. */
export async function listBundles(app: App, own = false): Promise<BackupListed[]> {
  const folder = backupFolder(app)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const wanted = names.filter((name) => name.endsWith(own ? `-${mark(app)}${suffix}` : suffix)).sort()
  const rows: BackupListed[] = []
  for (const name of wanted.reverse()) {
    const row = await describe(join(folder, name))
    if (row) rows.push(row)
  }
  return rows
}

async function describe(path: string): Promise<BackupListed | null> {
  const found = await stat(path).catch(() => null)
  if (!found) return null
  const about = { path, file_name: basename(path), size_bytes: found.size }
  try {
    const { scope, scope_level, encryption, created_at, format_version } = await readManifest(path)
    return { ...about, scope, scope_level, encrypted: encryption.enabled, created_at, format_version }
  } catch (error) {
    const flaw = error instanceof BundleRefused ? error.message : 'It cannot be read'
    return { ...about, encrypted: false, flaw }
  }
}

/** The bundle of this path or name, which must be in the folder: nothing else on the server's disk is looked at. */
export async function findBundle(app: App, named: string): Promise<string> {
  const folder = backupFolder(app)
  const name = basename(named)
  const inside = named === name || (named.startsWith('/') && resolve(dirname(named)) === folder)
  const path = join(folder, name)
  const found = inside && name.endsWith(suffix) && !named.includes('\0') ? await stat(path).catch(() => null) : null
  if (!found?.isFile())
    throw problem('not_found', { field: 'path', detail: 'There is no such bundle in the backup folder of this server' })
  return path
}

const clearing = new WeakMap<App, Promise<void>>()

/** Removes what a daemon that was killed left of its backups. Whoever comes while that goes on waits for its end. */
export function clearLeftovers(app: App): Promise<void> {
  const going = clearing.get(app) ?? clear(app).finally(() => clearing.delete(app))
  clearing.set(app, going)
  return going
}

async function clear(app: App): Promise<void> {
  await rm(scratchOf(app), { recursive: true, force: true })
  const folder = backupFolder(app)
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.endsWith(partialOf(`-${mark(app)}${suffix}`))) await rm(join(folder, name), { force: true })
}

/** Where the copies lie that a bundle is made of. */
export const scratchOf = ({ config: { dataDir } }: App): string => join(dataDir, 'backup.scratch')

/** Whether the folder of backups is on the disk that holds the data. */
export async function onSameDisk(app: App): Promise<boolean> {
  const [data, backups] = await Promise.all(
    [app.config.dataDir, backupFolder(app)].map((path) => stat(path).catch(() => null)),
  )
  return !data || !backups || data.dev === backups.dev
}
