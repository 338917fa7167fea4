import { statements } from '#kernel/store/db'

export interface Row {
  key: string
  value_json: string
}

export const queries = statements((db) => ({
  listOf: db.prepare<[user: string], Row>(
    'SELECT key, value_json FROM user_preferences WHERE user_id = ? ORDER BY key',
  ),
  others: db.prepare<[user: string, key: string], { count: number }>(
    'SELECT count(*) AS count FROM user_preferences WHERE user_id = ? AND key <> ?',
  ),
  set: db.prepare<{ user: string; key: string; value_json: string; now: string }>(
    `INSERT INTO user_preferences (user_id, key, value_json, created_at, updated_at)
      VALUES (@user, @key, @value_json, @now, @now)
     ON CONFLICT (user_id, key) DO UPDATE SET value_json = excluded.value_json, updated_at = excluded.updated_at
      WHERE value_json <> excluded.value_json`,
  ),
  remove: db.prepare<[user: string, key: string]>('DELETE FROM user_preferences WHERE user_id = ? AND key = ?'),
}))
