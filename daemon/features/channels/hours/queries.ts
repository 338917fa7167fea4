import { statements } from '#kernel/store/db'

export interface Row {
  user_id: string
  time_zone: string
  quiet_from: string | null
  quiet_until: string | null
  digest_at: string | null
  urgent_waits: number
  updated_at: string
}

export const queries = statements((db) => ({
  find: db.prepare<[user: string], Row>(
    `SELECT user_id, time_zone, quiet_from, quiet_until, digest_at, urgent_waits, updated_at
     FROM notification_hours WHERE user_id = ?`,
  ),
  set: db.prepare<[Row]>(
    `INSERT INTO notification_hours
      (user_id, time_zone, quiet_from, quiet_until, digest_at, urgent_waits, updated_at)
     VALUES (@user_id, @time_zone, @quiet_from, @quiet_until, @digest_at, @urgent_waits, @updated_at)
     ON CONFLICT (user_id) DO UPDATE SET time_zone = excluded.time_zone, quiet_from = excluded.quiet_from,
      quiet_until = excluded.quiet_until, digest_at = excluded.digest_at, urgent_waits = excluded.urgent_waits,
      updated_at = excluded.updated_at`,
  ),
}))
