import { statements } from '#kernel/store/db'

export interface ChatRow {
  id: string
  workspace_id: string
  title: string | null
  created_by: string | null
  agent_id: string
  agent_name: string
  agent_slug: string
}

export const queries = statements((db) => ({
  chat: db.prepare<[id: string], ChatRow>(
    `SELECT c.id, c.workspace_id, c.title, c.created_by, c.agent_id, a.name AS agent_name, a.slug AS agent_slug
      FROM chats c JOIN agents a ON a.id = c.agent_id WHERE c.id = ? AND a.deleted_at IS NULL`,
  ),
}))
