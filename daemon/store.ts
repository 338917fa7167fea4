import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#kernel/config'
import type { Log } from '#kernel/log'
import { type Db, type Migration, migrate, openDatabase, readMigrations } from '#kernel/store/db'

/** The database of a data directory. */
export const storeFile = (dir: string): string => join(dir, 'muster.db')

export const knownMigrations = (): Migration[] => readMigrations(new URL('./migrations', import.meta.url).pathname)

/** Opens and migrates the database. The caller holds the directory's lock. */
export function openStore({ dataDir }: Config, log: Log): Db {
  const db = openDatabase(storeFile(dataDir))
  try {
    chmodSync(storeFile(dataDir), 0o600)
    const fresh = migrate(db, knownMigrations(), new Date().toISOString())
    if (fresh.length) log.info({ migrations: fresh }, 'Database migrated')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
