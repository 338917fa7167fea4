import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Another daemon works on the data directory. */
export class Locked extends Error {}

/**
 * Holds the data directory for this process. The lock is the operating system's, taken through SQLite: it ends with the
 * process, however that ends, so no stale lock is ever left.
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
