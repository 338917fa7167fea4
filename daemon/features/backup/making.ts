import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { BackupLevel } from '#contract/backup'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import type { Locking } from '#kernel/bundle/age'
import { partialOf } from '#kernel/bundle/envelope'
import type { PackJob } from '#kernel/bundle/job'
import { formatVersion } from '#kernel/bundle/manifest'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { Problem, problem } from '#kernel/problem'
import { codeOf, storageFault } from '#kernel/store/storage-fault'
import { recordSoon } from '#kernel/store/until-written'
import { backupFolder, clearLeftovers, makeFolder, newPath, scratchOf } from './folder.ts'
import { packed } from './packing.ts'
import { snapshot } from './snapshot.ts'

/** What a backup is to hold, and how it is encrypted. */
export interface Wish {
  level: BackupLevel
  /** Asked for when the backup begins. */
  locking(): Locking | Promise<Locking>
  with_key: boolean
}

/** The backup that is being made. It ends with the process, so none is ever stale. */
export interface Running {
  by: string | null
  at: string
  phase: 'database' | 'files'
  done: number
}

const all = new WeakMap<App, Running>()

export const running = (app: App): Running | undefined => all.get(app)

/** A server whose database is in memory has nothing to back up, and no folder. */
export function requireFolder(app: App): void {
  if (app.db.memory) throw problem('unavailable', { detail: 'This server keeps its data in memory only' })
}

/** Makes a backup, one at a time, and records how it ended. */
export async function makeBackup(app: App, actor: Actor | null, wish: Wish) {
  requireFolder(app)
  const now = app.now()
  const other = running(app)
  if (other) throw problem('backup_running', { detail: `A backup is being made since ${other.at}` })
  const state: Running = { by: actor?.id ?? null, at: now, phase: 'database', done: 0 }
  all.set(app, state)
  try {
    return await make(app, actor, wish, state)
  } catch (error) {
    throw failed(app, actor, error)
  } finally {
    all.delete(app)
  }
}

async function make(app: App, actor: Actor | null, { level, with_key, ...wish }: Wish, state: Running) {
  const { config } = app
  const locking = await wish.locking()
  const scratch = scratchOf(app)
  await clearLeftovers(app)
  await makeFolder(app)
  await mkdir(scratch, { mode: 0o700 })
  const path = newPath(app)
  try {
    await snapshot(app, scratch, level !== 'quick')
    state.phase = 'files'
    const job: PackJob = {
      scratch,
      path,
      created_at: state.at,
      level,
      locking,
      key: with_key ? await encryptionKey(app) : null,
      dataDir: config.dataDir,
      provider: config.containerProvider as PackJob['provider'],
      prefix: config.containerPrefix,
      image: config.sidecarImage,
    }
    const made = await packed(job, app.stopping.signal, (bytes) => {
      state.done = bytes
    })
    const encrypted = locking.kind !== 'none'
    const { size_bytes: bytes, key_included } = made
    const about = { workspace_id: homeOf(app)!, ...actorOf(actor) }
    const metadata = { bytes, scope: 'instance', scope_level: level, encrypted, key_included }
    const name = basename(path)
    await app.write(() => app.journal(fact('backup.created', { entity_id: name, name, metadata }, about)))
    return {
      ...made,
      path,
      file_name: name,
      format_version: formatVersion,
      scope: 'instance' as const,
      scope_level: level,
      created_at: state.at,
      encrypted,
    }
  } catch (error) {
    await rm(partialOf(path), { force: true }).catch(() => undefined)
    throw error
  } finally {
    await rm(scratch, { recursive: true, force: true }).catch((error) =>
      app.log.warn({ err: error }, 'The scratch folder of a backup could not be removed'),
    )
  }
}

const encryptionKey = async ({ config: { encryptionKey, dataDir } }: App): Promise<string> =>
  encryptionKey || (await readFile(join(dataDir, 'encryption.key'), 'utf8')).trim()

/** Records a failure, and gives it the code that callers know. */
function failed(app: App, actor: Actor | null, error: unknown): Error {
  const stopping = app.stopping.signal.aborted ? problem('unavailable', { detail: 'The daemon is stopping' }) : null
  const known = error instanceof Problem ? error : (stopping ?? ofDisk(app, error) ?? ofRuntime(error))
  app.log.error({ err: error }, 'A backup failed')
  const home = homeOf(app)
  const reason = (known ?? (error as Error)).message
  const payload = { code: known?.code ?? 'internal', reason }
  const about = { workspace_id: home!, ...actorOf(actor) }
  if (home) recordSoon(app, 'a failed backup', () => app.journal(fact('backup.failed', payload, about)))
  return known ?? (error as Error)
}

/** The copy of the database lies on the disk of the data, the bundle in the folder of backups. */
function ofDisk(app: App, error: unknown): Problem | null {
  const fault = storageFault(error)
  if (!fault) return null
  const state = fault === 'full' ? 'is full' : 'cannot be written'
  return problem(`storage_${fault}`, {
    detail:
      `The disk of ${backupFolder(app)} or of the data folder ${state} (${codeOf(error)}): no backup was made, and ` +
      'nothing is left of it',
  })
}

function ofRuntime(error: unknown): Problem | null {
  const { message } = error as Error
  if (codeOf(error) === 'runtime_unreachable')
    return problem('runtime_unavailable', {
      detail: `${message}, so the files of crews cannot be read; the level quick leaves them out`,
    })
  return codeOf(error).startsWith('runtime_') ? problem('runtime_failed', { detail: message }) : null
}
