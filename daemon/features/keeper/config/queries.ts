import { statements } from '#kernel/store/db'

export interface StoredRow {
  overrides_json: string
  endpoint_secret: string | null
  updated_by: string
  updated_at: string
}

export const queries = statements((db) => ({
  find: db.prepare<[], StoredRow>(
    'SELECT overrides_json, endpoint_secret, updated_by, updated_at FROM keeper_settings WHERE only = 1',
  ),
  store: db.prepare<StoredRow>(
    `INSERT INTO keeper_settings (only, overrides_json, endpoint_secret, updated_by, updated_at)
     VALUES (1, @overrides_json, @endpoint_secret, @updated_by, @updated_at)
     ON CONFLICT (only) DO UPDATE SET overrides_json = excluded.overrides_json,
       endpoint_secret = excluded.endpoint_secret, updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
  ),
  reset: db.prepare<[]>('DELETE FROM keeper_settings'),
}))
