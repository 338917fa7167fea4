import { statements } from '#kernel/store/db'

interface Health {
  failing_since: number | null
}

export const queries = statements((db) => ({
  works: db.prepare<[id: string]>(
    'UPDATE notification_channels SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL',
  ),
  fails: db.prepare<{ id: string; at: number }, Health>(
    `UPDATE notification_channels SET failing_since = coalesce(failing_since, @at) WHERE id = @id
     RETURNING failing_since`,
  ),
  pause: db.prepare<{ id: string; now: string }, { id: string }>(
    `UPDATE notification_channels SET enabled = 0, failing_since = NULL, updated_at = @now
     WHERE id = @id AND enabled = 1 RETURNING id`,
  ),
}))
