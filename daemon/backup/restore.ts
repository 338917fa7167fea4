import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { BackupAsk, BackupReply } from '#contract/backup-host'
import { fact } from '#contract/entries'
import { homeOf } from '#kernel/auth/home'
import { verifyWhole } from '#kernel/bundle/envelope'
import type { Manifest } from '#kernel/bundle/manifest'
import { altered, BundleRefused } from '#kernel/bundle/refusal'
import type { Config } from '#kernel/config'
import { loadSeals } from '#kernel/journal/seal-file'
import { createLog } from '#kernel/log'
import { missingMigrations, openReader } from '#kernel/store/db'
import { Locked, lockDirectory } from '#kernel/store/lock'
import { inPlace, Refusal } from '../admin/place.ts'
import { entryAt, installationOf } from '../start/facts.ts'
import { keyFile, openVault, presentKey } from '../start/key.ts'
import { refuseLoss } from '../start/loss.ts'
import { sealFile } from '../start/open.ts'
import { compareSeals } from '../start/sealed.ts'
import { knownMigrations, storeFile } from '../store.ts'
import { readContents } from './contents.ts'
import type { Say } from './progress.ts'
import { unpackInto } from './unpack.ts'
import { fillVolumes } from './volumes.ts'

type Ask = BackupAsk<'restore'>

/**
 * Restores a whole server into a folder that is not there or empty. It appears at once, when everything in it was
 * checked: before, the work goes on beside it, and nothing remains of one that fails.
 */
export async function restore(config: Config, ask: Ask, say: Say): Promise<BackupReply<'restore'>> {
  const to = resolve(ask.to ?? config.dataDir)
  await requireEmpty(to)
  const manifest = await verifyWhole(ask.path, say.counting('Checking'))
  requireKnown(manifest)
  if (ask.dry_run) {
    const read = await readContents(ask.path, ask, async () => undefined)
    return replyOf(to, manifest, true, read, { key: keyOf(ask, manifest), volumes: 0 })
  }
  const place = `${to}.restoring`
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await mkdir(place, { recursive: true, mode: 0o700 })
  const lock = hold(place)
  const crews =
    manifest.runtime === 'docker' && manifest.scope_level !== 'quick' && !ask.without_crews
      ? fillVolumes(manifest, config.containerPrefix, config.sidecarImage)
      : null
  try {
    await clear(place)
    await requireRoom(place, manifest)
    await crews?.requireNone()
    const read = await unpack(ask, place, crews, manifest, say)
    if (ask.key !== undefined) await writeFile(join(place, keyFile), `${ask.key.trim()}\n`, { mode: 0o600 })
    const key = checkTogether({ ...config, dataDir: place }, manifest)
    lock.release()
    await record({ ...config, dataDir: place }, manifest, ask.path)
    await rm(join(place, 'musterd.lock'), { force: true })
    await appear(place, to)
    const known = keyOf(ask, manifest)
    const from = key && known === 'missing' ? 'environment' : known
    return replyOf(to, manifest, false, read, { key: from, volumes: crews?.made.length ?? 0 })
  } catch (error) {
    await crews?.undo()
    lock.release()
    await rm(place, { recursive: true, force: true })
    throw error
  }
}

type Crews = ReturnType<typeof fillVolumes>

async function unpack(ask: Ask, place: string, crews: Crews | null, { contents }: Manifest, say: Say) {
  const folder = unpackInto(place)
  const tell = say.counting('Restoring', contents.data_bytes)
  let bytes = 0
  const read = await readContents(ask.path, ask, async (head, content) => {
    const [top, ...rest] = head.name.split('/')
    const name = rest.join('/')
    bytes += head.size ?? 0
    tell(bytes)
    if (top === 'data' && !(ask.without_crews && name.startsWith('crews/'))) await folder.put(name, head, content)
    else if (top === 'volumes') await crews?.put(name, head, content)
    else if (top !== 'data') throw altered(`it has ${head.name}`)
  })
  await crews?.finish()
  await folder.finish()
  return read
}

const keyOf = (ask: Ask, { key_included }: Manifest) =>
  ask.key !== undefined ? ('given' as const) : key_included ? ('bundle' as const) : ('missing' as const)

const replyOf = (
  path: string,
  { created_at }: Manifest,
  dry_run: boolean,
  { members, bytes }: { members: number; bytes: number },
  more: Pick<BackupReply<'restore'>, 'key' | 'volumes'>,
): BackupReply<'restore'> => ({ path, dry_run, created_at, members, bytes, ...more })

async function requireEmpty(to: string): Promise<void> {
  const names = await readdir(to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (!names.length) return
  if (existsSync(storeFile(to))) requireNoDaemon(to)
  throw new Refusal(
    'not_empty',
    `${to} is not empty, and nothing is restored over what is there.`,
    'name another folder with --to, or move that one away',
  )
}

function requireNoDaemon(to: string): void {
  try {
    lockDirectory(to).release()
  } catch (error) {
    if (!(error instanceof Locked)) throw error
    throw new Refusal(
      'daemon_running',
      `A daemon works on ${to}: a backup is never restored over a server.`,
      'name another folder with --to; to replace this server, muster down and move its folder away first',
    )
  }
}

function hold(place: string): { release(): void } {
  try {
    return lockDirectory(place)
  } catch (error) {
    if (!(error instanceof Locked)) throw error
    throw new Refusal('restore_running', 'Another restore into this folder is under way.', 'wait for it')
  }
}

/** Removes what a restore that was killed left. */
async function clear(place: string): Promise<void> {
  for (const name of await readdir(place))
    if (!name.startsWith('musterd.lock')) await rm(join(place, name), { recursive: true, force: true })
}

function requireKnown({ schema_version }: Manifest): void {
  const known = knownMigrations().at(-1)?.name ?? ''
  if (schema_version > known)
    throw new BundleRefused(
      'bundle_newer',
      `The bundle was made by a newer version (migration ${schema_version} is unknown here). Use that version`,
    )
}

async function requireRoom(place: string, { contents }: Manifest): Promise<void> {
  const { bavail, bsize } = await statfs(place)
  if (contents.data_bytes > bavail * bsize)
    throw new Refusal(
      'storage_full',
      `The data takes ${contents.data_bytes} bytes, and the disk of ${dirname(place)} has ${bavail * bsize} left.`,
      'free space there, or name another folder with --to',
    )
}

/** Database, key, seals and manifest are of one moment of one installation. True when the key is there. */
function checkTogether(config: Config, manifest: Manifest): boolean {
  const db = openReader(storeFile(config.dataDir))
  try {
    missingMigrations(db, knownMigrations())
    const found = db.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok') throw altered(`its database is damaged (${found})`)
    const { seq, hash } = manifest.journal
    if (installationOf(db) !== manifest.installation || (hash && entryAt(db, seq)?.hash.toString('hex') !== hash))
      throw altered('its database is not the one of its manifest')
    const there = presentKey(config) !== null
    const silent = createLog({ level: 'silent', format: 'json' })
    const key = there ? openVault(config, db, refuseLoss, silent).derive('journal-seal') : null
    const seals = join(config.dataDir, sealFile)
    const loss = existsSync(seals) ? compareSeals(db, seals, loadSeals(seals, key)) : null
    if (loss) refuseLoss(loss)
    return there
  } finally {
    db.close()
  }
}

/** Says in the journal of the first workspace that the server comes from a backup. */
async function record(config: Config, { created_at, journal: { seq } }: Manifest, path: string): Promise<void> {
  const name = path.split('/').at(-1)!
  await inPlace({ ...config, logLevel: 'silent' }, (app) => {
    const workspace_id = homeOf(app)
    if (!workspace_id) return
    const payload = { entity_id: name, name, metadata: { made_at: created_at, seq } }
    app.writeNow(() => app.journal(fact('backup.restored', payload, { workspace_id, actor_type: 'system' })))
  })
}

/** Renames over an empty folder only: the system refuses one that got something meanwhile. */
async function appear(place: string, to: string): Promise<void> {
  await rename(place, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    throw new Refusal('not_empty', `${to} got something while the backup was being restored.`, 'look what is there')
  })
}
