import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

export type Db = Database.Database

/**
 * Opens a file, or in memory what a file held, for the one writer: WAL, an fsync for each commit, foreign keys, no
 * trust in the schema.
 */
export function openDatabase(file: string | Buffer): Db {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('busy_timeout = 5000')
  // Savepoints copy the pages that they change: in memory, or each would create a temporary file.
  db.pragma('temp_store = MEMORY')
  db.pragma('cache_size = -16000')
  return db
}

/** A connection that only reads, for another thread. Searches read many pages again and again, so it keeps 16 MB. */
export function openReader(file: string): Db {
  const db = new Database(file, { readonly: true })
  db.pragma('cache_size = -16000')
  db.pragma('trusted_schema = OFF')
  db.pragma('busy_timeout = 5000')
  return db
}

/** A connection that checkpoints the write-ahead log, for another thread. */
export function openCheckpointer(file: string): Db {
  const db = new Database(file)
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('busy_timeout = 100')
  return db
}

/** Opens the full-text index (`:memory:` or a file). It can be rebuilt, so a damaged one is deleted. */
export function openSearchIndex(file: string): Db {
  try {
    return readyIndex(file)
  } catch (error) {
    if (!isDamaged(error)) throw error
    dropSearchIndex(file)
    return readyIndex(file)
  }
}

function readyIndex(file: string): Db {
  const db = new Database(file)
  if (file !== ':memory:') chmodSync(file, 0o600)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('busy_timeout = 5000')
  return db
}

export const isDamaged = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: string }).code))

export function dropSearchIndex(file: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true })
}

/** A writing statement ran outside of a change, where it could be neither rolled back nor published. */
export class OutsideChange extends Error {}

/** Makes a statement that writes throw outside of a change. */
export function withinChange<S extends Statement>(db: Db, statement: S): S {
  if (statement.readonly) return statement
  for (const method of ['run', 'get', 'all', 'iterate'] as const) {
    const free = statement[method] as (...values: unknown[]) => unknown
    const kept = (...values: unknown[]) => {
      if (!db.inTransaction) throw new OutsideChange(`Only a change may write: ${statement.source}`)
      return free.apply(statement, values)
    }
    Object.defineProperty(statement, method, { value: kept })
  }
  return statement
}

type Statement = Pick<Database.Statement<unknown[]>, 'readonly' | 'source' | 'run' | 'get' | 'all' | 'iterate'>

const isStatement = (it: unknown): it is Statement =>
  typeof it === 'object' && it !== null && 'readonly' in it && 'source' in it

/** Prepares one set of statements for each database, on first use. Those that write throw outside of a change. */
export function statements<T extends object>(prepare: (db: Db) => T): (db: Db) => T {
  const sets = new WeakMap<Db, T>()
  return (db) => {
    const known = sets.get(db)
    if (known) return known
    const made = prepare(db)
    for (const it of Object.values(made)) if (isStatement(it)) withinChange(db, it)
    sets.set(db, made)
    return made
  }
}

/** The database belongs to another version of the daemon. */
export class UnfitDatabase extends Error {}

export interface Migration {
  name: string
  sql: string
}

/** The SQL files of a folder, ordered by name. */
export function readMigrations(dir: string): Migration[] {
  const names = readdirSync(dir).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: readFileSync(join(dir, name), 'utf8') }))
}

const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex')

/** Applies missing migrations, each in its own transaction. Throws when one is unknown here or was changed since. */
export function migrate(db: Db, migrations: Migration[], now: string): string[] {
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations ' +
      '(name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT',
  )
  const missing = missingMigrations(db, migrations)
  for (const { name, sql } of missing)
    db.transaction(() => {
      db.exec(sql)
      db.prepare('INSERT INTO migrations (name, checksum, applied_at) VALUES (?, ?, ?)').run(name, checksum(sql), now)
    }).immediate()
  return missing.map(({ name }) => name)
}

/** Migrations that the database lacks. Refuses one that has others than these. */
export function missingMigrations(db: Db, migrations: Migration[]): Migration[] {
  const rows = db.prepare<[], { name: string; checksum: string }>('SELECT name, checksum FROM migrations').all()
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  const unknown = [...applied.keys()].find((name) => !migrations.some((known) => known.name === name))
  if (unknown !== undefined)
    throw new UnfitDatabase(
      `The database was written by a newer version (migration ${unknown} is unknown here). ` +
        "Run that version, or restore a backup of this one's",
    )
  const other = migrations.find(({ name, sql }) => applied.has(name) && applied.get(name) !== checksum(sql))
  if (other)
    throw new UnfitDatabase(
      `Migration ${other.name} differs from the one that made this database. ` +
        "Run the version that made it, or restore a backup of this one's",
    )
  return migrations.filter(({ name }) => !applied.has(name))
}
