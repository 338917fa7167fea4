import type { authorTypes, messageKinds } from '#contract/rooms'
import { statements } from '#kernel/store/db'

export interface MessageRow {
  room_id: string
  seq: number
  kind: (typeof messageKinds)[number]
  author_type: (typeof authorTypes)[number]
  author_id: string | null
  id: string
  client_id: string | null
  run_id: string | null
  question: string | null
  created_at: string
  content: string
  parts_json: string | null
}

/** A message with the name of its author. */
export interface NamedRow extends MessageRow {
  author_name: string | null
}

const columns = `room_id, seq, kind, author_type, author_id, id, client_id, run_id, question, created_at, content,
  parts_json`
const named = `SELECT m.room_id, m.seq, m.kind, m.author_type, m.author_id, m.id, m.client_id, m.run_id, m.question,
  m.created_at, m.content, m.parts_json, coalesce(u.full_name, u.email, a.name) AS author_name
  FROM room_messages m LEFT JOIN users u ON m.author_type = 'user' AND u.id = m.author_id
  LEFT JOIN agents a ON m.author_type = 'agent' AND a.id = m.author_id`

export const queries = statements((db) => ({
  /** The number of the next message. */
  count: db.prepare<[{ room: string; at: string }], { last_seq: number }>(
    `UPDATE rooms SET last_seq = last_seq + 1, last_message_at = @at, active_at = @at WHERE id = @room
     RETURNING last_seq`,
  ),
  insert: db.prepare<[MessageRow]>(
    `INSERT INTO room_messages (${columns}) VALUES (@room_id, @seq, @kind, @author_type, @author_id, @id, @client_id,
      @run_id, @question, @created_at, @content, @parts_json)`,
  ),
  find: db.prepare<[id: string], NamedRow>(`${named} WHERE m.id = ?`),
  repeated: db.prepare<[room: string, author: string, client: string], NamedRow>(
    `${named} WHERE m.room_id = ? AND m.author_id = ? AND m.client_id = ?`,
  ),
  /** Newest first. */
  before: db.prepare<[room: string, seq: number, limit: number], NamedRow>(
    `${named} WHERE m.room_id = ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?`,
  ),
  /** What was said, newest first. */
  said: db.prepare<[room: string, limit: number], NamedRow>(
    `${named} WHERE m.room_id = ? AND m.kind = 'message' ORDER BY m.seq DESC LIMIT ?`,
  ),
  ofRun: db.prepare<[run: string], MessageRow>(`SELECT ${columns} FROM room_messages WHERE run_id = ? ORDER BY seq`),
}))
