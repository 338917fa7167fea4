import { statements } from '#kernel/store/db'

export interface SyncRow {
  started_at: string
  ended_at: string | null
  failure: string | null
}

export const queries = statements((db) => ({
  newest: db.prepare<[], SyncRow>('SELECT started_at, ended_at, failure FROM mcp_registry_syncs WHERE id = 1'),
  /** Nothing when one was started after `before`. */
  start: db.prepare<[{ now: string; before: string }], { id: number }>(
    `INSERT INTO mcp_registry_syncs (id, started_at) VALUES (1, @now)
     ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, ended_at = NULL, failure = NULL
     WHERE started_at <= @before RETURNING id`,
  ),
  end: db.prepare<[now: string, failure: string | null]>(
    'UPDATE mcp_registry_syncs SET ended_at = ?, failure = ? WHERE id = 1',
  ),
}))
