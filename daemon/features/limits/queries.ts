import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  list: db.prepare<[], { key: string; value: number }>('SELECT key, value FROM rate_limit_overrides'),
  set: db.prepare<{ key: string; value: number; user: string; now: string }>(
    `INSERT INTO rate_limit_overrides (key, value, updated_by, updated_at) VALUES (@key, @value, @user, @now)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_by = excluded.updated_by,
     updated_at = excluded.updated_at`,
  ),
  reset: db.prepare<[key: string]>('DELETE FROM rate_limit_overrides WHERE key = ?'),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { list: 'has a row for each limit at most, read once at start' }
