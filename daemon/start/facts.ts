import { type Db, statements } from '#kernel/store/db'

const checkName = 'key_check'

const facts = statements((db) => ({
  read: db.prepare<[key: string], string>('SELECT value FROM instance_settings WHERE key = ?').pluck(),
  write: db.prepare<[key: string, value: string]>(
    'INSERT INTO instance_settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ),
  someone: db.prepare<[], number>('SELECT 1 FROM users LIMIT 1').pluck(),
  newest: db.prepare<[], { seq: number; ts: number }>('SELECT seq, ts FROM journal ORDER BY seq DESC LIMIT 1'),
  hash: db.prepare<[seq: number], { workspace: string; hash: Buffer }>(
    `SELECT n.text AS workspace, j.entry_hash AS hash
     FROM journal j JOIN journal_names n ON n.name = j.ws WHERE j.seq = ?`,
  ),
  husk: db.prepare<[seq: number], { workspace: string; hash: Buffer }>(
    `SELECT n.text AS workspace, h.entry_hash AS hash
     FROM journal_husks h JOIN journal_names n ON n.name = h.ws WHERE h.seq = ?`,
  ),
}))

export const installationOf = (db: Db): string => facts(db).read.get('installation_id') ?? ''

/** The MAC of the installation's id under its key; null when none was ever stored. */
export const storedKeyCheck = (db: Db): string | null => facts(db).read.get(checkName) ?? null

export const storeKeyCheck = (db: Db, check: string): void => void facts(db).write.run(checkName, check)

/** True when the database has a user. */
export const isUsed = (db: Db): boolean => facts(db).someone.get() !== undefined

export const newestEntry = (db: Db): { seq: number; ts: number } | undefined => facts(db).newest.get()

/** The entry at that place, also one that has left the journal. */
export const entryAt = (db: Db, seq: number): { workspace: string; hash: Buffer } | undefined =>
  facts(db).hash.get(seq) ?? facts(db).husk.get(seq)
