import type { NotificationPriority } from '#contract/channels'
import { statements } from '#kernel/store/db'

export interface Cell {
  category: string
  channel_id: string
  state: 'off' | 'immediate'
}

/** Somebody who wants a category through a channel that takes it in general. */
export interface Wanting {
  user_id: string
  channel_id: string
  /** Null: a channel of the workspace. */
  owner_user_id: string | null
  kind: string
  categories_json: string
  min_priority: NotificationPriority
  muted: number
}

const wants = `SELECT p.user_id, p.channel_id, c.owner_user_id, coalesce(c.provider, c.type) AS kind, c.categories_json,
  c.min_priority, EXISTS (SELECT 1 FROM user_notification_prefs m WHERE m.channel_id = p.channel_id
    AND m.user_id = p.user_id AND m.category = '*' AND m.state = 'immediate') AS muted`
const through = `JOIN notification_channels c ON c.id = p.channel_id
  WHERE p.workspace_id = @workspace AND p.category = @category AND p.state = 'immediate'
    AND c.deleted_at IS NULL AND c.enabled = 1 AND (c.owner_user_id IS NULL OR c.owner_user_id = p.user_id)`
const inOrder = 'ORDER BY p.user_id, p.channel_id'

export const queries = statements((db) => ({
  list: db.prepare<[user: string, workspace: string], Cell>(
    `SELECT p.category, p.channel_id, p.state
     FROM user_notification_prefs p JOIN notification_channels c ON c.id = p.channel_id
     WHERE p.user_id = ? AND p.workspace_id = ? AND c.deleted_at IS NULL ORDER BY p.channel_id, p.category`,
  ),
  set: db.prepare<[Cell & { user: string; workspace: string; now: string }]>(
    `INSERT INTO user_notification_prefs (channel_id, user_id, category, workspace_id, state, updated_at)
     VALUES (@channel_id, @user, @category, @workspace, @state, @now)
     ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
      WHERE state <> excluded.state`,
  ),
  wanting: db.prepare<{ workspace: string; category: string }, Wanting>(
    `${wants} FROM user_notification_prefs p ${through} ${inOrder}`,
  ),
  /** Among these people alone, a list in JSON. */
  wantingOf: db.prepare<{ workspace: string; category: string; people: string }, Wanting>(
    `${wants} FROM json_each(@people) e CROSS JOIN user_notification_prefs p ON p.user_id = e.value ${through}
     ${inOrder}`,
  ),
  leave: db.prepare<[workspace: string, user: string]>(
    'DELETE FROM user_notification_prefs WHERE workspace_id = ? AND user_id = ?',
  ),
  drop: db.prepare<[workspace: string]>('DELETE FROM user_notification_prefs WHERE workspace_id = ?'),
}))
