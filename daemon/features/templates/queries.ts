import type { NotificationCategory } from '#contract/channels'
import { statements } from '#kernel/store/db'

export interface Row {
  workspace_id: string
  category: NotificationCategory
  /** "": every channel. */
  channel_id: string
  title: string
  body: string
}

const columns = 'workspace_id, category, channel_id, title, body'

export const queries = statements((db) => ({
  list: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} FROM notification_templates WHERE workspace_id = ? ORDER BY category, channel_id`,
  ),
  /** That of the channel, else that of every channel. */
  best: db.prepare<[workspace: string, category: string, channel: string], Pick<Row, 'title' | 'body'>>(
    `SELECT title, body FROM notification_templates WHERE workspace_id = ? AND category = ? AND channel_id IN (?, '')
     ORDER BY channel_id DESC LIMIT 1`,
  ),
  set: db.prepare<[Row & { now: string }]>(
    `INSERT INTO notification_templates (${columns}, updated_at)
     VALUES (@workspace_id, @category, @channel_id, @title, @body, @now)
     ON CONFLICT DO UPDATE SET title = excluded.title, body = excluded.body, updated_at = excluded.updated_at`,
  ),
  remove: db.prepare<[workspace: string, category: string, channel: string], { category: string }>(
    `DELETE FROM notification_templates WHERE workspace_id = ? AND category = ? AND channel_id = ?
     RETURNING category`,
  ),
  drop: db.prepare<[workspace: string]>('DELETE FROM notification_templates WHERE workspace_id = ?'),
  leave: db.prepare<[workspace: string, channel: string]>(
    'DELETE FROM notification_templates WHERE workspace_id = ? AND channel_id = ?',
  ),
}))
