import { type Db, statements } from './db.ts'

export const queries = statements((db) => ({
  installation: db.prepare<[], { value: string }>("SELECT value FROM instance_settings WHERE key = 'installation_id'"),
}))

/** Identifies this installation on a shared container engine. Fixed for the life of the database. */
export function installationId(db: Db): string {
  const row = queries(db).installation.get()
  if (!row) throw new Error('The database has no installation id')
  return row.value
}
