import { statements } from '#kernel/store/db'

interface Key {
  chat: string
  message: string
  emoji: string
  user: string
}

export const queries = statements((db) => ({
  message: db.prepare<[chat: string, id: string], { found: 1 }>(
    'SELECT 1 AS found FROM chat_messages WHERE chat_id = ? AND id = ?',
  ),
  list: db.prepare<{ message: string; user: string }, { emoji: string; count: number; mine: 0 | 1 }>(
    `SELECT emoji, count(*) AS count, max(user_id = @user) AS mine FROM message_reactions
     WHERE message_id = @message GROUP BY emoji ORDER BY count DESC, emoji`,
  ),
  ofPerson: db.prepare<[message: string, user: string], { count: number }>(
    'SELECT count(*) AS count FROM message_reactions WHERE message_id = ? AND user_id = ?',
  ),
  insert: db.prepare<Key & { now: string }, { emoji: string }>(
    `INSERT INTO message_reactions (chat_id, message_id, emoji, user_id, created_at)
     VALUES (@chat, @message, @emoji, @user, @now) ON CONFLICT DO NOTHING RETURNING emoji`,
  ),
  remove: db.prepare<Omit<Key, 'chat'>, { emoji: string }>(
    `DELETE FROM message_reactions WHERE message_id = @message AND emoji = @emoji AND user_id = @user RETURNING emoji`,
  ),
}))
