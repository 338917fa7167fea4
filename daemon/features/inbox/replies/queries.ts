import { statements } from '#kernel/store/db'

export interface ChatRow {
  id: string
  workspace_id: string
  title: string | null
  created_by: string | null
  visibility: string
  agent_id: string
  agent_name: string
  agent_slug: string
}

export const queries = statements((db) => ({
  chat: db.prepare<[id: string], ChatRow>(
    `SELECT c.id, c.workspace_id, c.title, c.created_by, c.visibility, c.agent_id, a.name AS agent_name,
      a.slug AS agent_slug
      FROM chats c JOIN agents a ON a.id = c.agent_id WHERE c.id = ? AND a.deleted_at IS NULL`,
  ),
  /** Open notices of a chat; ids of chats may begin with the id of another one. */
  ofChat: db.prepare<{ workspace: string; from: string; chat: string }, { id: string }>(
    `SELECT id FROM inbox_items WHERE workspace_id = @workspace AND id >= @from AND id < @from || char(0x10ffff)
       AND resolved_at IS NULL AND json_extract(payload_json, '$.chat_id') = @chat`,
  ),
  /** The people of a group chat, but for whoever began this run. */
  others: db.prepare<{ chat: string; run: string | null }, { user_id: string }>(
    `SELECT p.user_id FROM chat_participants p WHERE p.chat_id = @chat
       AND p.user_id IS NOT (SELECT r.triggered_by FROM runs r WHERE r.id = @run)`,
  ),
}))
