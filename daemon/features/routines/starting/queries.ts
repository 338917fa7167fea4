import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  known: db.prepare<[routine: string, key: string, now: string], { run_id: string }>(
    'SELECT run_id FROM run_idempotency WHERE routine_id = ? AND key = ? AND expires_at > ?',
  ),
  remember: db.prepare<[{ routine: string; key: string; run: string; expires: string }]>(
    `INSERT INTO run_idempotency (routine_id, key, run_id, expires_at) VALUES (@routine, @key, @run, @expires)
     ON CONFLICT (routine_id, key) DO UPDATE SET run_id = excluded.run_id, expires_at = excluded.expires_at`,
  ),
  forget: db.prepare<[now: string, most: number]>(
    `DELETE FROM run_idempotency WHERE rowid IN
      (SELECT rowid FROM run_idempotency WHERE expires_at <= ? LIMIT ?)`,
  ),
  open: db
    .prepare<[routine: string], number>(
      "SELECT count(*) FROM routine_runs WHERE routine_id = ? AND status IN ('queued', 'running', 'waiting')",
    )
    .pluck(),
}))
