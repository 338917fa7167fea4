import type { ParticipantRole } from '#contract/chat-people'
import { statements } from '#kernel/store/db'

export interface Row {
  user_id: string
  email: string
  full_name: string | null
  role: ParticipantRole
  joined_at: string
}

const select = `SELECT p.user_id, u.email, u.full_name, p.role, p.joined_at
  FROM chat_participants p JOIN users u ON u.id = p.user_id`

export const queries = statements((db) => ({
  list: db.prepare<[chat: string], Row>(
    `${select} WHERE p.chat_id = ? ORDER BY p.joined_at, p.role = 'member', p.user_id`,
  ),
  find: db.prepare<[chat: string, user: string], Row>(`${select} WHERE p.chat_id = ? AND p.user_id = ?`),
  add: db.prepare<{ chat: string; user: string; role: ParticipantRole; now: string }, { user_id: string }>(
    `INSERT INTO chat_participants (chat_id, user_id, role, joined_at) VALUES (@chat, @user, @role, @now)
     ON CONFLICT DO NOTHING RETURNING user_id`,
  ),
  setRole: db.prepare<{ chat: string; user: string; role: ParticipantRole }>(
    'UPDATE chat_participants SET role = @role WHERE chat_id = @chat AND user_id = @user',
  ),
  remove: db.prepare<[chat: string, user: string], { user_id: string }>(
    'DELETE FROM chat_participants WHERE chat_id = ? AND user_id = ? RETURNING user_id',
  ),
  /** A person's chats in a workspace; what they opened themselves is not left. */
  chatsOf: db.prepare<[user: string, workspace: string], { id: string }>(
    `SELECT c.id FROM chat_participants p JOIN chats c ON c.id = p.chat_id
     WHERE p.user_id = ? AND c.workspace_id = ?`,
  ),
}))
