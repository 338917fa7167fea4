import type { Page } from '#kernel/http/fields'
import { statements } from '#kernel/store/db'

export interface ChatRow {
  id: string
  agent_id: string
  workspace_id: string
  title: string | null
  mode: string
  status: string
  visibility: string
  origin: string | null
  created_by: string | null
  /** The issue that it is about. */
  mission_id: string | null
  message_count: number
  unread_count: number
  started_at: string
  ended_at: string | null
  last_activity_at: string
  created_at: string
}

export type NewChat = Pick<
  ChatRow,
  'id' | 'agent_id' | 'workspace_id' | 'origin' | 'created_by' | 'mission_id' | 'last_activity_at' | 'created_at'
>

/** Messages after the caller's cursor; users' messages count when somebody else wrote them. */
const unread = `(SELECT count(*) FROM chat_messages m WHERE m.chat_id = chats.id
  AND m.seq > coalesce((SELECT last_seq FROM chat_read_cursors r WHERE r.chat_id = chats.id AND r.user_id = @user), 0)
  AND NOT (m.role = 'user' AND (m.author_user_id IS NULL OR m.author_user_id = @user)))`
const columns = `id, agent_id, workspace_id, title, mode, status, visibility, origin, created_by, mission_id,
  message_count,
  ${unread} AS unread_count, started_at, ended_at, last_activity_at, created_at`

export const queries = statements((db) => ({
  list: db.prepare<[{ agent: string; user: string } & Page], ChatRow>(
    `SELECT ${columns} FROM chats WHERE agent_id = @agent ORDER BY last_activity_at DESC, id DESC
     LIMIT @limit OFFSET @offset`,
  ),
  find: db.prepare<[{ id: string; user: string }], ChatRow>(`SELECT ${columns} FROM chats WHERE id = @id`),
  /** Without counting what is unread, which takes longer the more messages there are. */
  enter: db.prepare<[id: string], ChatRow>(`SELECT ${columns.replace(unread, '0')} FROM chats WHERE id = ?`),
  workspace: db.prepare<[id: string], { workspace_id: string }>('SELECT workspace_id FROM chats WHERE id = ?'),
  insert: db.prepare<[NewChat], { id: string }>(
    `INSERT INTO chats (id, agent_id, workspace_id, mode, status, visibility, origin, created_by, mission_id,
      message_count, started_at, last_activity_at, created_at)
     VALUES (@id, @agent_id, @workspace_id, 'CHAT', 'ACTIVE', 'private', @origin, @created_by, @mission_id, 0,
     @created_at,
     @last_activity_at, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  rename: db.prepare<[title: string, id: string]>('UPDATE chats SET title = ? WHERE id = ?'),
  setMission: db.prepare<[mission: string, id: string]>('UPDATE chats SET mission_id = ? WHERE id = ?'),
  remove: db.prepare<[id: string]>('DELETE FROM chats WHERE id = ?'),
  /** A chat is a group while there is somebody in it beside its creator. */
  settleVisibility: db.prepare<[id: string]>(
    `UPDATE chats SET visibility = CASE WHEN EXISTS (SELECT 1 FROM chat_participants p
       WHERE p.chat_id = chats.id AND p.user_id IS NOT chats.created_by) THEN 'group' ELSE 'private' END
     WHERE id = ?`,
  ),
  markRead: db.prepare<[{ chat: string; user: string; at: string }]>(
    `INSERT INTO chat_read_cursors (chat_id, user_id, last_seq, last_read_at)
     VALUES (@chat, @user, coalesce((SELECT max(seq) FROM chat_messages WHERE chat_id = @chat), 0), @at)
     ON CONFLICT (chat_id, user_id) DO UPDATE SET last_seq = excluded.last_seq, last_read_at = excluded.last_read_at`,
  ),
}))
