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

interface ReactionRow {
  message_id: string
  emoji: string
  count: number
  mine: 0 | 1
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
  reactions: db.prepare<{ chat: string; ids: string; user: string }, ReactionRow>(
    `SELECT message_id, emoji, count(*) AS count, max(user_id = @user) AS mine FROM message_reactions
     WHERE chat_id = @chat AND message_id IN (SELECT value FROM json_each(@ids))
     GROUP BY message_id, emoji ORDER BY count DESC, emoji`,
  ),
  /** Messages after one that a turn is to begin for, oldest first. */
  queued: db.prepare<[chat: string, after: string], MessageRow>(
    `SELECT ${columns} FROM chat_messages
     WHERE chat_id = ? AND seq > (SELECT seq FROM chat_messages WHERE id = ?) AND role = 'user'
       AND metadata_json ->> '$.begin' = 1 ORDER BY seq`,
  ),
  queue: db.prepare<[id: string], MessageRow>(
    `UPDATE chat_messages SET metadata_json = json_set(metadata_json, '$.delivery', 'queued') WHERE id = ?
     RETURNING ${columns}`,
  ),
  /** It was said in that run, and no turn is to begin for it any more. */
  deliver: db.prepare<{ id: string; chat: string; run: string }, MessageRow>(
    `UPDATE chat_messages SET run_id = @run,
       metadata_json = json_set(json_remove(metadata_json, '$.begin'), '$.delivery', 'delivered')
     WHERE id = @id AND chat_id = @chat AND metadata_json ->> '$.delivery' = 'pending' RETURNING ${columns}`,
  ),
  moveToEnd: db.prepare<{ id: string; run: string }>(
    `UPDATE chat_messages SET run_id = @run,
       seq = (SELECT max(o.seq) + 1 FROM chat_messages o WHERE o.chat_id = chat_messages.chat_id)
     WHERE id = @id`,
  ),
  find: db.prepare<[id: string], MessageRow>(`SELECT ${columns} FROM chat_messages WHERE id = ?`),
  /** What an agent did, newest first, each part of a message on its own. */
  partsOfAgent: db.prepare<[agent: string, limit: number], { ts: string; role: string; part: string }>(
    `SELECT m.ts, m.role, p.value AS part FROM chat_messages m, json_each(m.parts_json) p
     WHERE m.agent_id = ? AND m.parts_json IS NOT NULL ORDER BY m.ts DESC, m.seq DESC, p.key DESC LIMIT ?`,
  ),
}))
