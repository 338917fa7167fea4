import { statements } from '#kernel/store/db'
import type { MediaType } from './rules.ts'

export interface Row {
  media_type: MediaType
  bytes: Buffer
}

interface NewAvatar {
  user: string
  media_type: MediaType
  bytes: Buffer
  now: string
}

export const queries = statements((db) => ({
  find: db.prepare<[user: string], Row>('SELECT media_type, bytes FROM user_avatars WHERE user_id = ?'),
  put: db.prepare<NewAvatar>(
    `INSERT INTO user_avatars (user_id, media_type, bytes, created_at) VALUES (@user, @media_type, @bytes, @now)
     ON CONFLICT (user_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes,
     created_at = excluded.created_at`,
  ),
  remove: db.prepare<[user: string]>('DELETE FROM user_avatars WHERE user_id = ?'),
}))
