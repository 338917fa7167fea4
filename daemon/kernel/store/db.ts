import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

export type Db = Database.Database

/**
 * Opens the database for the one writer: WAL, an fsync for each commit, foreign keys, no trust in the schema. The content
 * of a file is opened as a copy in memory.
 */
export function openDatabase(file: string | Buffer): Db {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('busy_timeout = 5000')
  // Savepoints keep copies of the pages they change: in memory, not in a temporary file for each.
  db.pragma('temp_store = MEMORY')
  db.pragma('cache_size = -16000')
  return db
}

/** A second connection that only reads, for another thread. */
export function openReader(file: string): Db {
  const db = new Database(file, { readonly: true })
  db.pragma('trusted_schema = OFF')
  db.pragma('busy_timeout = 5000')
  return db
}

/** A second connection that tends the write-ahead log, for another thread. */
export function openSide(file: string): Db {
  const db = new Database(file)
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('busy_timeout = 100')
  return db
}

/** The full-text index (`:memory:` or a file): everything in it can be made again, so a damaged one is thrown away. */
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

/** A statement that writes was run outside of a change: nothing would undo it, and nobody would hear of it. */
export class OutsideChange extends Error {}

/** A statement that throws outside of a change if it writes. */
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

/** One set of prepared statements for each database, prepared on first use. Those that write need a change. */
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

/** This version cannot use the database; another one can. */
export class UnfitDatabase extends Error {}

export interface Migration {
  name: string
  sql: string
}

/** The SQL files of a folder in name order. */
export function readMigrations(dir: string): Migration[] {
  const names = readdirSync(dir).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: readFileSync(join(dir, name), 'utf8') }))
}

const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex')

/**
 * Applies what is missing, each file in a transaction of its own. Refuses a changed or unknown one: the data would not
 * fit.
 */
export function migrate(db: Db, migrations: Migration[], now: string): string[] {
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT',
  )
  const applied = new Map(
    db
      .prepare<[], { name: string; checksum: string }>('SELECT name, checksum FROM migrations')
      .all()
      .map((row) => [row.name, row.checksum]),
  )
  for (const name of applied.keys()) {
    if (!migrations.some((known) => known.name === name))
      throw new UnfitDatabase(
        `The database was written by a newer version (migration ${name} is unknown here). Run that version, or restore a backup of this one's`,
      )
  }
  const fresh: string[] = []
  for (const { name, sql } of migrations) {
    const sum = applied.get(name)
    if (sum === checksum(sql)) continue
    if (sum)
      throw new UnfitDatabase(
        `Migration ${name} differs from the one that made this database. Run the version that made it, or restore a backup of this one's`,
      )
    db.transaction(() => {
      db.exec(sql)
      db.prepare('INSERT INTO migrations (name, checksum, applied_at) VALUES (?, ?, ?)').run(name, checksum(sql), now)
    }).immediate()
    fresh.push(name)
  }
  return fresh
}
