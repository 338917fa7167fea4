import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { type Db, migrate, openDatabase, readMigrations } from '#kernel/store/db'

export const migrations = readMigrations(new URL('../../daemon/migrations', import.meta.url).pathname)

const madeAt = '2026-01-01T00:00:00.000Z'
let content: Buffer | undefined

/** A migrated database in memory, or in a file, which is made if it is missing. Copies: the first is slow to make. */
export function openMigrated(file = ':memory:'): Db {
  content ??= emptyDatabase()
  const isNew = file === ':memory:' || !existsSync(file)
  if (isNew && file !== ':memory:') writeFileSync(file, content)
  const db = openDatabase(file === ':memory:' ? content : file)
  migrate(db, migrations, madeAt)
  if (isNew) db.prepare("UPDATE instance_settings SET value = ? WHERE key = 'installation_id'").run(newInstallationId())
  return db
}

const newInstallationId = () => randomBytes(8).toString('hex')

function emptyDatabase(): Buffer {
  const db = openDatabase(':memory:')
  migrate(db, migrations, madeAt)
  const bytes = db.serialize()
  db.close()
  return bytes
}
