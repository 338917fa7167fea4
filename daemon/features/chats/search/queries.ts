import { statements } from '#kernel/store/db'

/** Number before that of the first message which is indexed as it is stored. */
const middle = 2 ** 40

export interface Unindexed {
  rowid: number
  id: string
  chat_id: string
  content: string
  tool_summary: string | null
}

export interface HitRow {
  id: string
  session_id: string
  agent_id: string
  agent_slug: string
  agent_name: string
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  tool_summary: string | null
  ts: string
}

export interface Match {
  number: number
  agent_id: string
  chat_id: string
  content: string
  tool_summary: string | null
}

export const queries = statements((db) => ({
  chat: db.prepare<[chat: string], { agent_id: string; workspace_id: string }>(
    'SELECT agent_id, workspace_id FROM chats WHERE id = ?',
  ),
  number: db.prepare<[message: string, agent: string], { number: number }>(
    `INSERT INTO message_numbers (number, message_id, agent_id)
     VALUES (coalesce((SELECT max(number) FROM message_numbers), ${middle}) + 1, ?, ?) RETURNING number`,
  ),
  numberOlder: db.prepare<[number: number, message: string, agent: string]>(
    'INSERT INTO message_numbers (number, message_id, agent_id) VALUES (CAST(? AS INTEGER), ?, ?)',
  ),
  lowest: db.prepare<[], { number: number }>(
    `SELECT coalesce(min(number), ${middle} + 1) AS number FROM message_numbers`,
  ),
  words: db.prepare<[number: number, content: string, tools: string | null, scope: string]>(
    'INSERT INTO message_words (rowid, content, tool_summary, scope) VALUES (CAST(? AS INTEGER), ?, ?, ?)',
  ),
  backlog: db.prepare<[], { upto: number }>('SELECT upto FROM message_backlog'),
  setBacklog: db.prepare<[upto: number]>('UPDATE message_backlog SET upto = ?'),
  /** Newest first. */
  unindexed: db.prepare<[upto: number, limit: number], Unindexed>(
    `SELECT rowid, id, chat_id, content, tool_summary FROM chat_messages
     WHERE rowid <= CAST(? AS INTEGER) ORDER BY rowid DESC LIMIT ?`,
  ),
  numberOf: db.prepare<[message: string], { number: number }>(
    'SELECT number FROM message_numbers WHERE message_id = ?',
  ),
  /** Live agents by the index `agents_newest`, which alone is read: hired ones whose time is over come last. */
  agents: db
    .prepare<[workspace: string, limit: number], string>(
      `SELECT id FROM agents WHERE workspace_id = ? AND deleted_at IS NULL
       ORDER BY (expired_at IS NOT NULL), coalesce(expired_at, created_at) DESC, id DESC LIMIT ?`,
    )
    .pluck(),
  agentsOfCrew: db
    .prepare<[crew: string, limit: number], string>(
      `SELECT id FROM agents WHERE crew_id = ? AND deleted_at IS NULL
       ORDER BY (expired_at IS NOT NULL), coalesce(expired_at, created_at) DESC, id DESC LIMIT ?`,
    )
    .pluck(),
  others: db.prepare<[workspace: string], { id: string }>('SELECT id FROM workspaces WHERE id <> ? LIMIT 1'),
  hit: db.prepare<[number: number], HitRow>(
    `SELECT m.id, m.chat_id AS session_id, a.id AS agent_id, a.slug AS agent_slug, a.name AS agent_name, m.role,
       m.content, m.tool_summary, m.ts
     FROM message_numbers n JOIN chat_messages m ON m.id = n.message_id JOIN agents a ON a.id = n.agent_id
     WHERE n.number = ?`,
  ),
  /**
   * Messages with an expression and a number between two, newest first. The index is read in ascending order (`+` keeps
   * it from the descending one), which takes half the time. It reads on after the upper number until it finds a match.
   */
  matches: db.prepare<[expression: string, after: number, below: number, limit: number], Match>(
    `SELECT n.number, n.agent_id, m.chat_id, m.content, m.tool_summary
     FROM (
       SELECT rowid AS number FROM message_words
       WHERE message_words MATCH ? AND rowid > CAST(? AS INTEGER) AND rowid < CAST(? AS INTEGER)
       ORDER BY +rowid DESC LIMIT ?
     ) w CROSS JOIN message_numbers n ON n.number = w.number CROSS JOIN chat_messages m ON m.id = n.message_id
     ORDER BY n.number DESC`,
  ),
  ends: db.prepare<[], { low: number | null; high: number | null }>(
    'SELECT (SELECT min(number) FROM message_numbers) AS low, (SELECT max(number) FROM message_numbers) AS high',
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = {
  backlog: 'has one row',
  setBacklog: 'has one row',
  others: 'reads two rows at most',
  matches: 'reads the index of words between two numbers, and at most as many rows as asked for',
}
