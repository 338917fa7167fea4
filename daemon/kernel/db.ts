import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

export type Db = Database.Database

/** Opens the database for the one writer: WAL, an fsync for each commit, foreign keys, no trust in the schema. */
export function openDatabase(file: string): Db {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('busy_timeout = 5000')
  return db
}

/** One set of prepared statements for each database, prepared on first use. */
export function statements<T>(prepare: (db: Db) => T): (db: Db) => T {
  const sets = new WeakMap<Db, T>()
  return (db) => {
    const known = sets.get(db)
    if (known) return known
    const made = prepare(db)
    sets.set(db, made)
    return made
  }
}

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

/** Applies what is missing, each file in a transaction of its own. Refuses a changed or unknown one: the data would not fit. */
export function migrate(db: Db, migrations: Migration[], now: string): string[] {
  db.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT')
  const applied = new Map(
    db
      .prepare<[], { name: string; checksum: string }>('SELECT name, checksum FROM migrations')
      .all()
      .map((row) => [row.name, row.checksum]),
  )
  for (const name of applied.keys()) {
    if (!migrations.some((known) => known.name === name)) throw new Error(`The database was written by a newer version (migration ${name} is unknown here)`)
  }
  const fresh: string[] = []
  for (const { name, sql } of migrations) {
    const sum = applied.get(name)
    if (sum === checksum(sql)) continue
    if (sum) throw new Error(`Migration ${name} differs from the one that made this database`)
    db.transaction(() => {
      db.exec(sql)
      db.prepare('INSERT INTO migrations (name, checksum, applied_at) VALUES (?, ?, ?)').run(name, checksum(sql), now)
    }).immediate()
    fresh.push(name)
  }
  return fresh
}
