import { statements } from '#kernel/store/db'

export interface File {
  content: string
  sha256: string
  written_at: string
}

export interface Version {
  id: string
  sha256: string
  bytes: number
  written_at: string
  written_by: string
  parent_sha: string | null
}

export interface NewVersion extends Version {
  workspace_id: string
  tier: 'agent' | 'crew'
  owner_id: string
  name: string
  path: string
}

export const queries = statements((db) => ({
  find: db.prepare<[owner: string, name: string], File>(
    `SELECT b.content, f.sha256, f.written_at FROM memory_files f
      JOIN memory_blobs b ON b.workspace_id = f.workspace_id AND b.sha256 = f.sha256
      WHERE f.owner_id = ? AND f.name = ?`,
  ),
  keep: db.prepare<{ workspace_id: string; sha256: string; content: string }>(
    `INSERT INTO memory_blobs (workspace_id, sha256, content) VALUES (@workspace_id, @sha256, @content)
      ON CONFLICT DO NOTHING`,
  ),
  insert: db.prepare<NewVersion>(
    `INSERT INTO memory_versions (id, workspace_id, tier, owner_id, name, path, sha256, bytes, written_at, written_by,
      parent_sha)
     VALUES (@id, @workspace_id, @tier, @owner_id, @name, @path, @sha256, @bytes, @written_at, @written_by,
      @parent_sha)`,
  ),
  set: db.prepare<Pick<NewVersion, 'owner_id' | 'name' | 'workspace_id' | 'sha256' | 'written_at'>>(
    `INSERT INTO memory_files (owner_id, name, workspace_id, sha256, written_at)
     VALUES (@owner_id, @name, @workspace_id, @sha256, @written_at)
     ON CONFLICT DO UPDATE SET sha256 = excluded.sha256, written_at = excluded.written_at`,
  ),
  ofOwner: db.prepare<[owner: string], { name: string; sha256: string }>(
    'SELECT name, sha256 FROM memory_files WHERE owner_id = ? ORDER BY name',
  ),
  remove: db.prepare<[owner: string, name: string]>('DELETE FROM memory_files WHERE owner_id = ? AND name = ?'),
  versions: db.prepare<[owner: string, name: string, limit: number], Version>(
    `SELECT id, sha256, bytes, written_at, written_by, parent_sha FROM memory_versions
      WHERE owner_id = ? AND name = ? ORDER BY seq DESC LIMIT ?`,
  ),
}))
