import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  ping: db.prepare<[], { one: number }>('SELECT 1 AS one'),
  version: db.prepare<[], { version: string }>('SELECT sqlite_version() AS version'),
}))
