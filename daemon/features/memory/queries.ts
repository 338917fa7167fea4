import type { MemoryTier } from '#contract/memory'
import { statements } from '#kernel/store/db'

export interface File {
  content: string
  sha256: string
  written_at: string
}

export interface FileRow {
  number: number
  owner_id: string
  name: string
  workspace_id: string
  tier: MemoryTier
  sha256: string
  bytes: number
  written_at: string
  written_by: string
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
  tier: MemoryTier | 'pins' | 'learned'
  owner_id: string
  name: string
  path: string
}

const columns = 'number, owner_id, name, workspace_id, tier, sha256, bytes, written_at, written_by'

export const queries = statements((db) => ({
  find: db.prepare<[owner: string, name: string], File>(
    `SELECT b.content, f.sha256, f.written_at FROM memory_files f
      JOIN memory_blobs b ON b.workspace_id = f.workspace_id AND b.sha256 = f.sha256
      WHERE f.owner_id = ? AND f.name = ?`,
  ),
  row: db.prepare<[owner: string, name: string], FileRow>(
    `SELECT ${columns} FROM memory_files WHERE owner_id = ? AND name = ?`,
  ),
  keep: db.prepare<{ workspace_id: string; sha256: string; content: string }>(
    `INSERT INTO memory_blobs (workspace_id, sha256, content) VALUES (@workspace_id, @sha256, @content)
      ON CONFLICT DO NOTHING`,
  ),
  blob: db.prepare<[workspace: string, sha256: string], { content: string }>(
    'SELECT content FROM memory_blobs WHERE workspace_id = ? AND sha256 = ?',
  ),
  insert: db.prepare<NewVersion>(
    `INSERT INTO memory_versions (id, workspace_id, tier, owner_id, name, path, sha256, bytes, written_at, written_by,
      parent_sha)
     VALUES (@id, @workspace_id, @tier, @owner_id, @name, @path, @sha256, @bytes, @written_at, @written_by,
      @parent_sha)`,
  ),
  set: db.prepare<Omit<FileRow, 'number'>, { number: number }>(
    `INSERT INTO memory_files (owner_id, name, workspace_id, tier, sha256, bytes, written_at, written_by)
     VALUES (@owner_id, @name, @workspace_id, @tier, @sha256, @bytes, @written_at, @written_by)
     ON CONFLICT (owner_id, name) DO UPDATE SET sha256 = excluded.sha256, bytes = excluded.bytes,
       written_at = excluded.written_at, written_by = excluded.written_by
     RETURNING number`,
  ),
  ofOwner: db.prepare<[owner: string], FileRow>(`SELECT ${columns} FROM memory_files WHERE owner_id = ? ORDER BY name`),
  room: db.prepare<[owner: string, but: string], { files: number; bytes: number }>(
    `SELECT count(*) AS files, coalesce(sum(bytes), 0) AS bytes FROM memory_files
      WHERE owner_id = ? AND name <> ? AND name <> 'PERSONA.md'`,
  ),
  remove: db.prepare<[owner: string, name: string]>('DELETE FROM memory_files WHERE owner_id = ? AND name = ?'),
  removeAll: db.prepare<[owner: string]>('DELETE FROM memory_files WHERE owner_id = ?'),
  versions: db.prepare<[owner: string, name: string, limit: number], Version>(
    `SELECT id, sha256, bytes, written_at, written_by, parent_sha FROM memory_versions
      WHERE owner_id = ? AND name = ? ORDER BY seq DESC LIMIT ?`,
  ),
  countVersions: db.prepare<[owner: string, name: string], { count: number }>(
    'SELECT count(*) AS count FROM memory_versions WHERE owner_id = ? AND name = ?',
  ),
  /** By the beginning of its hash, which people shorten; two at most tell whether it is the only one. */
  hashes: db.prepare<[owner: string, name: string, from: string, to: string], { sha256: string }>(
    `SELECT DISTINCT sha256 FROM memory_versions
      WHERE owner_id = ? AND name = ? AND sha256 >= ? AND sha256 < ? LIMIT 2`,
  ),
}))
