import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Another daemon uses the data directory. */
export class Locked extends Error {}

/**
 * Locks the data directory for this process. The operating system releases the lock, which is taken through SQLite,
 * however the process ends, so no lock is ever stale.
 */
export function lockDirectory(dir: string): { release(): void } {
  const db = new Database(join(dir, 'musterd.lock'), { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY'))
      throw new Locked(`Another musterd already uses ${dir}`)
    throw error
  }
  return { release: () => db.close() }
}
