import { statements } from '#kernel/store/db'

export interface Key {
  chat: string
  user: string
  client: string
}

export const queries = statements((db) => ({
  find: db.prepare<[Key], { digest: string; reply_json: string }>(
    'SELECT digest, reply_json FROM chat_sends WHERE chat_id = @chat AND user_id = @user AND client_id = @client',
  ),
  insert: db.prepare<[Key & { digest: string; reply: string; at: number }]>(
    `INSERT INTO chat_sends (chat_id, user_id, client_id, digest, reply_json, sent_at)
     VALUES (@chat, @user, @client, @digest, @reply, @at)`,
  ),
  forget: db.prepare<[before: number]>('DELETE FROM chat_sends WHERE sent_at < ?'),
}))
