import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  ping: db.prepare<[], { one: number }>('SELECT 1 AS one'),
  newestMigration: db.prepare<[], { name: string }>('SELECT name FROM migrations ORDER BY name DESC LIMIT 1'),
  version: db.prepare<[], { version: string }>('SELECT sqlite_version() AS version'),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { newestMigration: 'ends at the first row of the index' }
