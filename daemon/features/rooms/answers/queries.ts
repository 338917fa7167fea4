import { statements } from '#kernel/store/db'

export interface CallRow {
  room_id: string
  seq: number
  /** The message that mentions the agent. */
  id: string
  author_id: string | null
}

export const queries = statements((db) => ({
  insert: db.prepare<[room: string, seq: number]>('INSERT INTO room_calls (room_id, seq) VALUES (?, ?)'),
  count: db.prepare<[room: string], { count: number }>('SELECT count(*) AS count FROM room_calls WHERE room_id = ?'),
  oldest: db.prepare<[room: string], CallRow>(
    `SELECT c.room_id, c.seq, m.id, m.author_id FROM room_calls c
     JOIN room_messages m ON m.room_id = c.room_id AND m.seq = c.seq WHERE c.room_id = ? ORDER BY c.seq LIMIT 1`,
  ),
  remove: db.prepare<[room: string, seq: number]>('DELETE FROM room_calls WHERE room_id = ? AND seq = ?'),
  removeAll: db.prepare<[room: string]>('DELETE FROM room_calls WHERE room_id = ?'),
}))
