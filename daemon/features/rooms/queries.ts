import type { RoomKind, RoomRole } from '#contract/rooms'
import type { Page } from '#kernel/http/fields'
import { statements } from '#kernel/store/db'

export interface RoomRow {
  id: string
  workspace_id: string
  kind: RoomKind
  pair: string | null
  title: string | null
  source_id: string | null
  agent_id: string | null
  run_id: string | null
  created_by: string
  last_seq: number
  last_message_at: string | null
  active_at: string
  created_at: string
  updated_at: string
}

/** A room as one of its members sees it. */
export interface OwnRoomRow extends RoomRow {
  unread_count: number
  agent_name: string | null
  agent_slug: string | null
}

export interface MemberRow {
  user_id: string
  full_name: string | null
  avatar_url: string | null
  role: RoomRole
  joined_at: string
}

type NewRoom = Omit<RoomRow, 'run_id' | 'last_seq' | 'last_message_at'>
type NewMember = { room: string; user: string; workspace: string; role: RoomRole; now: string }

const columns = `id, workspace_id, kind, pair, title, source_id, agent_id, run_id, created_by, last_seq,
  last_message_at, active_at, created_at, updated_at`

/** For members `me` of rooms `r`. */
const own = `SELECT r.id, r.workspace_id, r.kind, r.pair, r.title, r.source_id, r.agent_id, r.run_id, r.created_by,
  r.last_seq, r.last_message_at, r.active_at, r.created_at, r.updated_at,
  (SELECT count(*) FROM room_messages m WHERE m.room_id = r.id AND m.seq > me.last_read_seq AND m.kind = 'message'
    AND m.author_id <> @user) AS unread_count, a.name AS agent_name, a.slug AS agent_slug`
const agent = 'LEFT JOIN agents a ON a.id = r.agent_id AND a.deleted_at IS NULL'

export const queries = statements((db) => ({
  /** Unread messages are counted for the rows of the page alone. */
  list: db.prepare<[{ user: string; workspace: string; kind: string | null } & Page], OwnRoomRow>(
    `${own} FROM (SELECT i.room_id, i.last_read_seq, o.active_at FROM room_members i JOIN rooms o ON o.id = i.room_id
       WHERE i.user_id = @user AND i.workspace_id = @workspace AND (@kind IS NULL OR o.kind = @kind)
       ORDER BY o.active_at DESC, o.id DESC LIMIT @limit OFFSET @offset) me
     JOIN rooms r ON r.id = me.room_id ${agent} ORDER BY me.active_at DESC, r.id DESC`,
  ),
  ofMember: db.prepare<[{ id: string; user: string; workspace: string }], OwnRoomRow>(
    `${own} FROM room_members me JOIN rooms r ON r.id = me.room_id ${agent}
     WHERE me.room_id = @id AND me.user_id = @user AND r.workspace_id = @workspace`,
  ),
  find: db.prepare<[id: string], RoomRow>(`SELECT ${columns} FROM rooms WHERE id = ?`),
  ofPair: db.prepare<[workspace: string, pair: string], RoomRow>(
    `SELECT ${columns} FROM rooms WHERE workspace_id = ? AND pair = ?`,
  ),
  ofAgent: db.prepare<[agent: string], RoomRow>(`SELECT ${columns} FROM rooms WHERE agent_id = ?`),
  workspace: db.prepare<[room: string, user: string], { workspace_id: string }>(
    'SELECT workspace_id FROM room_members WHERE room_id = ? AND user_id = ?',
  ),
  members: db.prepare<[room: string], MemberRow>(
    `SELECT m.user_id, u.full_name, u.avatar_url, m.role, m.joined_at FROM room_members m
     JOIN users u ON u.id = m.user_id WHERE m.room_id = ? ORDER BY m.joined_at, m.role = 'member', m.user_id`,
  ),
  count: db.prepare<[room: string], { count: number }>('SELECT count(*) AS count FROM room_members WHERE room_id = ?'),
  insert: db.prepare<[NewRoom]>(
    `INSERT INTO rooms (id, workspace_id, kind, pair, title, source_id, agent_id, created_by, active_at, created_at,
      updated_at)
     VALUES (@id, @workspace_id, @kind, @pair, @title, @source_id, @agent_id, @created_by, @active_at, @created_at,
      @updated_at)`,
  ),
  /** Who joins again has read what was said before. */
  join: db.prepare<[NewMember]>(
    `INSERT INTO room_members (room_id, user_id, workspace_id, role, last_read_seq, joined_at)
     VALUES (@room, @user, @workspace, @role, (SELECT last_seq FROM rooms WHERE id = @room), @now)
     ON CONFLICT DO NOTHING`,
  ),
  leave: db.prepare<[user: string, workspace: string], { room_id: string }>(
    'DELETE FROM room_members WHERE user_id = ? AND workspace_id = ? RETURNING room_id',
  ),
  touch: db.prepare<[now: string, id: string]>('UPDATE rooms SET updated_at = ? WHERE id = ?'),
  setRun: db.prepare<[run: string | null, id: string]>('UPDATE rooms SET run_id = ? WHERE id = ?'),
  /** Never goes back, and no further than the last message. */
  read: db.prepare<{ room: string; user: string; seq: number | null }, { last_read_seq: number }>(
    `UPDATE room_members SET last_read_seq = max(last_read_seq,
       min(coalesce(@seq, 9007199254740991), (SELECT last_seq FROM rooms WHERE id = @room)))
     WHERE room_id = @room AND user_id = @user RETURNING last_read_seq`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { list: 'goes through the page that it has just found' }
