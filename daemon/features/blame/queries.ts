import { statements } from '#kernel/store/db'

export interface VersionRow {
  id: number
  at: number
  run_id: string | null
  user_id: string | null
  user_name: string | null
  certain: number
  made: number
  text: Buffer | null
}

export interface NewVersion {
  workspace_id: string
  crew_id: string
  path: string
  at: number
  run_id: string | null
  user_id: string | null
  sha256: string
  size: number
  certain: number
  made: number
  text: Buffer | null
  bytes: number
}

interface OfFile {
  crew: string
  path: string
}

export const queries = statements((db) => ({
  newest: db
    .prepare<OfFile, string>(
      'SELECT sha256 FROM file_versions WHERE crew_id = @crew AND path = @path ORDER BY id DESC LIMIT 1',
    )
    .pluck(),
  insert: db.prepare<[NewVersion]>(
    `INSERT INTO file_versions (workspace_id, crew_id, path, at, run_id, user_id, sha256, size, certain, made, text,
      bytes)
     VALUES (@workspace_id, @crew_id, @path, @at, @run_id, @user_id, @sha256, @size, @certain, @made, @text, @bytes)`,
  ),
  /** The newest versions of a file, the newest first. */
  ofFile: db.prepare<OfFile & { limit: number }, VersionRow>(
    `SELECT v.id, v.at, v.run_id, v.user_id, u.full_name AS user_name, v.certain, v.made, v.text
     FROM file_versions v LEFT JOIN users u ON u.id = v.user_id
     WHERE v.crew_id = @crew AND v.path = @path ORDER BY v.id DESC LIMIT @limit`,
  ),
  taken: db
    .prepare<[crew: string], number>('SELECT coalesce(sum(bytes), 0) FROM file_versions WHERE crew_id = ?')
    .pluck(),
  dropOldest: db.prepare<{ crew: string; count: number }>(
    `DELETE FROM file_versions WHERE id IN
      (SELECT id FROM file_versions WHERE crew_id = @crew ORDER BY id LIMIT @count)`,
  ),
  forgetCrew: db.prepare<[crew: string]>('DELETE FROM file_versions WHERE crew_id = ?'),
}))
