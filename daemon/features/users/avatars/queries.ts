import { statements } from '#kernel/db'
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
  /** Of oneself, or of somebody with whom one shares a workspace. */
  seen: db.prepare<{ of: string; by: string }, Row>(
    `SELECT media_type, bytes FROM user_avatars WHERE user_id = @of AND (@of = @by OR EXISTS (
       SELECT 1 FROM workspace_members theirs JOIN workspace_members ours ON ours.workspace_id = theirs.workspace_id AND ours.user_id = @by
       JOIN workspaces w ON w.id = theirs.workspace_id AND w.deleted_at IS NULL WHERE theirs.user_id = @of))`,
  ),
  put: db.prepare<NewAvatar>(
    `INSERT INTO user_avatars (user_id, media_type, bytes, created_at) VALUES (@user, @media_type, @bytes, @now)
     ON CONFLICT (user_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes, created_at = excluded.created_at`,
  ),
  remove: db.prepare<[user: string]>('DELETE FROM user_avatars WHERE user_id = ?'),
}))
