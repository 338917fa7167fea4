import { statements } from '#kernel/store/db'

export interface RequestRow {
  source: string
  user_id: string
  client_id: string
  sha256: string
  room_id: string
  created_at: string
}

type Key = Pick<RequestRow, 'source' | 'user_id' | 'client_id'>

export const queries = statements((db) => ({
  find: db.prepare<[Key], RequestRow>(
    `SELECT source, user_id, client_id, sha256, room_id, created_at FROM room_requests
     WHERE source = @source AND user_id = @user_id AND client_id = @client_id`,
  ),
  insert: db.prepare<[RequestRow]>(
    `INSERT INTO room_requests (source, user_id, client_id, sha256, room_id, created_at)
     VALUES (@source, @user_id, @client_id, @sha256, @room_id, @created_at)`,
  ),
}))
