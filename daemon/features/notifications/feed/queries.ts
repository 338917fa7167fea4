import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  actor_type: 'user' | 'agent'
  actor_id: string
  actor_name: string | null
  action: string
  entity_type: string
  entity_id: string | null
  entity_title: string | null
  read_at: string | null
  created_at: string
}

export type NewRow = Omit<Row, 'actor_name' | 'read_at'> & {
  workspace_id: string
  user_id: string
  event_id: string | null
}

const columns = `n.id, n.actor_type, n.actor_id, n.action, n.entity_type, n.entity_id, n.entity_title, n.read_at,
  n.created_at, CASE n.actor_type
    WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = n.actor_id)
    ELSE (SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = n.actor_id)
  END AS actor_name`

interface Window {
  user: string
  limit: number
  offset: number
}

const window = 'ORDER BY n.seq DESC LIMIT @limit OFFSET @offset'

export const queries = statements((db) => ({
  list: db.prepare<Window, Row>(`SELECT ${columns} FROM notifications n WHERE n.user_id = @user ${window}`),
  unread: db.prepare<Window, Row>(
    `SELECT ${columns} FROM notifications n WHERE n.user_id = @user AND n.read_at IS NULL ${window}`,
  ),
  seen: db.prepare<Window, Row>(
    `SELECT ${columns} FROM notifications n WHERE n.user_id = @user AND n.read_at IS NOT NULL ${window}`,
  ),
  count: db
    .prepare<[user: string], number>('SELECT count(*) FROM notifications WHERE user_id = ? AND read_at IS NULL')
    .pluck(),
  insert: db.prepare<[NewRow]>(
    `INSERT INTO notifications (id, workspace_id, user_id, actor_type, actor_id, action, entity_type, entity_id,
      entity_title, created_at, event_id)
     VALUES (@id, @workspace_id, @user_id, @actor_type, @actor_id, @action, @entity_type, @entity_id, @entity_title,
      @created_at, @event_id)`,
  ),
  /** A second reading keeps the time of the first. */
  read: db.prepare<{ user: string; id: string; now: string }, { id: string }>(
    `UPDATE notifications SET read_at = coalesce(read_at, @now) WHERE id = @id AND user_id = @user RETURNING id`,
  ),
  readAll: db.prepare<{ user: string; now: string }>(
    'UPDATE notifications SET read_at = @now WHERE user_id = @user AND read_at IS NULL',
  ),
  remove: db.prepare<[user: string, id: string], { id: string }>(
    'DELETE FROM notifications WHERE user_id = ? AND id = ? RETURNING id',
  ),
  leave: db.prepare<[workspace: string, user: string]>(
    'DELETE FROM notifications WHERE workspace_id = ? AND user_id = ?',
  ),
  drop: db.prepare<[workspace: string]>('DELETE FROM notifications WHERE workspace_id = ?'),
  forget: db.prepare<[before: string, most: number]>(
    `DELETE FROM notifications WHERE seq IN
      (SELECT seq FROM notifications WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  ),
}))
