import { statements } from '#kernel/store/db'

export interface MessageRow {
  id: string
  chat_id: string
  seq: number
  agent_id: string | null
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  parts_json: string | null
  tool_name: string | null
  tool_summary: string | null
  metadata_json: string | null
  ts: string
  author_user_id: string | null
  run_id: string | null
}

const columns = `id, chat_id, seq, agent_id, role, content, parts_json, tool_name, tool_summary, metadata_json, ts,
  author_user_id, run_id`

export const queries = statements((db) => ({
  insert: db.prepare<[Omit<MessageRow, 'seq'>], { seq: number }>(
    `INSERT INTO chat_messages (${columns})
     VALUES (@id, @chat_id, coalesce((SELECT max(seq) FROM chat_messages
     WHERE chat_id = @chat_id), 0) + 1, @agent_id, @role, @content, @parts_json,
       @tool_name, @tool_summary, @metadata_json, @ts, @author_user_id, @run_id)
     RETURNING seq`,
  ),
  /** Counts a message and names a chat that has no name yet. */
  touch: db.prepare<[at: string, title: string | null, chat: string]>(
    'UPDATE chats SET message_count = message_count + 1, last_activity_at = ?, title = coalesce(title, ?) WHERE id = ?',
  ),
  fromOldest: db.prepare<[chat: string, limit: number, offset: number], MessageRow>(
    `SELECT ${columns} FROM chat_messages WHERE chat_id = ? ORDER BY seq LIMIT ? OFFSET ?`,
  ),
  /** Newest first. */
  before: db.prepare<[chat: string, seq: number, limit: number], MessageRow>(
    `SELECT ${columns} FROM chat_messages WHERE chat_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  ),
  ofRun: db.prepare<[run: string], MessageRow>(
    `SELECT ${columns} FROM chat_messages WHERE run_id = ? ORDER BY chat_id, seq`,
  ),
  find: db.prepare<[id: string], MessageRow>(`SELECT ${columns} FROM chat_messages WHERE id = ?`),
  /** What an agent did, newest first, each part of a message on its own. */
  partsOfAgent: db.prepare<[agent: string, limit: number], { ts: string; role: string; part: string }>(
    `SELECT m.ts, m.role, p.value AS part FROM chat_messages m, json_each(m.parts_json) p
     WHERE m.agent_id = ? AND m.parts_json IS NOT NULL ORDER BY m.ts DESC, m.seq DESC, p.key DESC LIMIT ?`,
  ),
}))
