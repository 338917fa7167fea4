import { statSync } from 'node:fs'
import { type App, createApp } from '#kernel/app'
import type { Config } from '#kernel/config'
import { register } from '#kernel/dispatch'
import { createLog } from '#kernel/log'
import { Locked, lockDirectory } from '#kernel/store/lock'
import { features } from '../features/index.ts'
import { quoted } from '../start/access.ts'
import { StartRefused } from '../start/loss.ts'
import { openHostState } from '../start/open.ts'
import { storeFile } from '../store.ts'

/** The data folder cannot be worked on, at all, by this user or now; `next` is what to type instead. */
export class Refusal extends Error {
  readonly code: string
  readonly next: string | undefined
  constructor(code: string, message: string, next?: string) {
    super(message)
    this.code = code
    this.next = next
  }
}

/**
 * Works on the data folder in the daemon's place: under its lock, with its features, on a database that is up to date.
 */
export async function inPlace<T>(config: Config, work: (app: App) => T | Promise<T>): Promise<T> {
  requireOwn(config.dataDir)
  const lock = hold(config.dataDir)
  try {
    const app = open(config)
    try {
      return await work(app)
    } finally {
      await app.seals.close()
      await app.reads.close()
      app.db.close()
    }
  } finally {
    lock.release()
  }
}

/** Makes nothing: a mistyped folder must not become an empty server, nor get files that its daemon cannot open. */
function requireOwn(dir: string): void {
  const uid = process.geteuid!()
  for (const path of [dir, storeFile(dir)]) {
    const { uid: owner } = look(dir, path)
    if (owner !== uid) {
      const why =
        `${dir} belongs to the user with the id ${owner}, and this is ${uid}: ` +
        'files made now could lock the daemon out.'
      throw new Refusal('foreign_data_dir', why, `sudo -u '#${owner}' env SVC_DATA_DIR=${quoted(dir)} muster admin ...`)
    }
  }
}

function look(dir: string, path: string): { uid: number } {
  try {
    return statSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new Refusal(
        'no_data_dir',
        `There is no Muster data in ${dir}.`,
        "name the daemon's folder in SVC_DATA_DIR; muster config get data_dir",
      )
    throw new Refusal(
      'foreign_data_dir',
      `${dir} cannot be read: ${(error as Error).message}`,
      'repeat the command as the user who runs the daemon',
    )
  }
}

function hold(dir: string): { release(): void } {
  try {
    return lockDirectory(dir)
  } catch (error) {
    if (error instanceof Locked)
      throw new Refusal(
        'daemon_running',
        `A daemon works on ${dir}.`,
        'muster down, then repeat this command, then muster up',
      )
    throw new Refusal('unusable_data_dir', `${dir} cannot be locked: ${(error as Error).message}`, 'muster doctor')
  }
}

function open(config: Config): App {
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  try {
    const state = openHostState(config, log)
    // No secret is opened or sealed here, so no key is needed or made.
    const app = createApp({ config, log, vault: null, ...state })
    register(app, features)
    return app
  } catch (error) {
    if (error instanceof StartRefused) throw new Refusal(error.code, error.message)
    throw new Refusal(
      'unusable_database',
      `The database in ${config.dataDir} cannot be used: ${(error as Error).message}`,
      'muster doctor',
    )
  }
}
