import { type Db, migrate, openDatabase, readMigrations } from '#kernel/store/db'

export const migrations = readMigrations(new URL('../../daemon/migrations', import.meta.url).pathname)

let content: Buffer | undefined

/** A database in memory with all tables, a copy: to make them takes longer than the rest of a daemon. */
export function databaseInMemory(): Db {
  content ??= made()
  return openDatabase(content)
}

function made(): Buffer {
  const db = openDatabase(':memory:')
  migrate(db, migrations, '2026-01-01T00:00:00.000Z')
  const bytes = db.serialize()
  db.close()
  return bytes
}
